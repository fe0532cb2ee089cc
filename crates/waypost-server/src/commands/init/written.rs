//! Has the configured model write further examples, for as long as it may take, and tells what became of it. Whatever happens
//! to the model, the pack is written.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::bootstrap::{Assignment, Draft, DraftTool, Stopped, WrittenExamples, write_examples};
use waypost::pack::{Example, Files, Pack};
use waypost::ports::model::Slot;

use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output, progress};

/// The longest time that it may take in all: long enough for a hundred tools of a slow model, and people wait for it.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// What the model wrote.
#[derive(Debug)]
pub(super) struct Written {
    /// The name of the model.
    model: String,
    examples: WrittenExamples,
    /// The number of lists that were to be written.
    lists: usize,
    /// True if every tool has one list, so that a list is a tool to people.
    is_by_tool: bool,
    /// True if the time was up.
    is_late: bool,
}

/// Has the model write examples for some tools of a draft, and adds those that are kept to the files of the pack; `None` where
/// no model is configured, or there is nothing to write.
pub(super) async fn add(
    draft: &Draft,
    tools: &[DraftTool],
    pack: &Pack,
    config: &Config,
    files: &mut Files,
) -> Option<Written> {
    let file = config.models.get(&Slot::Main).filter(|_| !tools.is_empty())?;
    let timeout = Duration::from_millis(pack.spec.policy.llm_timeout_ms);
    let assignment = Assignment { draft, tools, known: &pack.examples, timeout };
    let mut written = Written {
        model: file.model_name().to_owned(),
        examples: WrittenExamples::default(),
        lists: assignment.lists(),
        is_by_tool: draft.languages.len() == 1,
        is_late: false,
    };
    match assemble::opened(config, file) {
        Ok(model) => {
            let bar = progress::bar("the model writes examples", written.lists);
            let cancel = CancellationToken::new();
            let mut told = |done: usize| bar.set_position(done as u64);
            let mut work = std::pin::pin!(write_examples(&assignment, &model, &cancel, &mut told));
            let mut late = std::pin::pin!(tokio::time::sleep(LONGEST));
            written.examples = loop {
                tokio::select! {
                    examples = &mut work => break examples,
                    // Either way the work then ends by itself, with what there is.
                    _ = tokio::signal::ctrl_c() => cancel.cancel(),
                    () = &mut late, if !written.is_late => {
                        written.is_late = true;
                        cancel.cancel();
                    }
                }
            };
            bar.finish_and_clear();
        }
        Err(error) => {
            written.examples.stopped = Some(Stopped::Failing);
            written.examples.fault = Some(error);
        }
    }
    written.examples.add_to(files);
    Some(written)
}

impl Written {
    /// The examples that are kept.
    pub(super) fn kept(&self) -> &[Example] {
        &self.examples.kept
    }

    /// Tells what it wrote, and why there is not more.
    pub(super) fn tell(&self) -> Result<(), Failure> {
        output::line(self.sentence())?;
        if let Some(said) = self.shortfall() {
            output::note(said);
        }
        Ok(())
    }

    fn sentence(&self) -> String {
        let WrittenExamples { kept, texts, misread, unusable, unchecked, .. } = &self.examples;
        let wrote = if *texts == 1 { "1 example".to_owned() } else { format!("{texts} examples") };
        let mut said = format!(
            "the model `{}` wrote {wrote}: {} kept, {misread} that it took for another tool's or for none's, \
             {unusable} unusable",
            self.model,
            kept.len(),
        );
        if *unchecked > 0 {
            said.push_str(&format!(", {unchecked} not checked"));
        }
        said
    }

    /// Why there are not examples for all tools; `None` where there are.
    fn shortfall(&self) -> Option<String> {
        /// What the others have.
        const REST: &str = "the others have the examples that were made of their names";
        let WrittenExamples { done, failed, fault, stopped, .. } = &self.examples;
        let all = match self.is_by_tool {
            true => format!("{} tools", self.lists),
            false => format!("{} tools, each language counted", self.lists),
        };
        let model = &self.model;
        let message = fault.as_ref().map(Error::message).unwrap_or_default();
        let own = fault.as_ref().and_then(Error::hint);
        let hint = own.unwrap_or("`waypost doctor` says whether it can be reached");
        match stopped {
            Some(Stopped::Failing) => Some(format!(
                "warning: the model `{model}` failed after {done} of {all}: {message}; {REST} (hint: {hint})"
            )),
            None if *failed > 0 => Some(format!(
                "warning: the model `{model}` failed for {failed} of {all}: {message}; {REST} (hint: {hint})"
            )),
            Some(Stopped::Calls) => Some(format!(
                "note: the model `{model}` was asked for {done} of {all}, which is the most; {REST}"
            )),
            Some(Stopped::Cancelled) if self.is_late => Some(format!(
                "note: the model `{model}` came to {done} of {all} in {} minutes, which is the most; {REST}",
                LONGEST.as_secs() / 60
            )),
            Some(Stopped::Cancelled) => {
                Some(format!("note: stopped the model `{model}` after {done} of {all}; {REST}"))
            }
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(examples: WrittenExamples) -> Written {
        let model = "m".to_owned();
        Written { model, examples, lists: 9, is_by_tool: true, is_late: false }
    }

    #[test]
    fn what_was_written_is_told_in_a_sentence() {
        let kept = Vec::new();
        let mut examples =
            WrittenExamples { kept, texts: 9, misread: 6, unusable: 3, ..Default::default() };
        examples.done = 9;
        let all = written(examples.clone());
        assert_eq!(
            all.sentence(),
            "the model `m` wrote 9 examples: 0 kept, 6 that it took for another tool's or for none's, 3 unusable"
        );
        assert_eq!(all.shortfall(), None);
        examples.unchecked = 2;
        assert!(written(examples).sentence().ends_with("3 unusable, 2 not checked"));
    }

    #[test]
    fn what_is_left_out_is_told_with_its_reason() {
        let rest = "the others have the examples that were made of their names";
        let check = |stopped, failed, is_late, wanted: String| {
            let fault = (failed > 0).then(|| Error::unavailable("it is away"));
            let examples =
                WrittenExamples { done: 2, failed, fault, stopped, ..Default::default() };
            let written = Written { is_late, ..written(examples) };
            assert_eq!(written.shortfall(), Some(wanted));
        };
        let hint = "(hint: `waypost doctor` says whether it can be reached)";
        let away = format!("it is away; {rest} {hint}");
        check(
            Some(Stopped::Failing),
            3,
            false,
            format!("warning: the model `m` failed after 2 of 9 tools: {away}"),
        );
        check(None, 1, false, format!("warning: the model `m` failed for 1 of 9 tools: {away}"));
        check(
            Some(Stopped::Calls),
            0,
            false,
            format!("note: the model `m` was asked for 2 of 9 tools, which is the most; {rest}"),
        );
        check(
            Some(Stopped::Cancelled),
            0,
            true,
            format!(
                "note: the model `m` came to 2 of 9 tools in 15 minutes, which is the most; {rest}"
            ),
        );
        check(
            Some(Stopped::Cancelled),
            0,
            false,
            format!("note: stopped the model `m` after 2 of 9 tools; {rest}"),
        );
    }
}
