//! Has a model write requests for the tools of a draft, and keeps those for which the same model, shown a text beside the
//! nearest tools and not told whose it is, names the tool that it was written for.
//!
//! What servers say of their tools goes to the model as a JSON document and never as instructions, and what the model says
//! is data. Calls are made one after the other, two for a tool in a language; a tool for which one fails has no written
//! examples, and the others have theirs. It ends early when `cancel` fires, when calls are used up, or when the model fails
//! again and again, and always returns what there is.

mod prompt;
mod reply;

use std::collections::BTreeSet;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::model::{Model, Prompt, Reply};
use waypost_text::language::Language;

use super::{Draft, DraftTool, examples};
use crate::pack::{Example, Files};

/// The most calls: with two for a tool, enough for every pack that people read through.
const MOST_CALLS: usize = 400;
/// The calls for a tool in a language: one that writes, one that checks.
const CALLS: usize = 2;
/// Tools that fail one after another before no more is asked: a model that is away stays away, and each may cost the whole
/// wait.
const MOST_FAILED: usize = 3;
/// The simpler forms of a reply that a server may refuse before it took one, each of which costs a call.
const FORMS: usize = 3;
/// The nearest other tools that the model sees beside a tool.
const NEAREST: usize = 7;

/// The examples that a model is to write.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The draft of the tools, by the names that the pack gives them.
    pub draft: &'a Draft,
    /// Those of its tools that are written for; the others are what they must not be taken for.
    pub tools: &'a [DraftTool],
    /// The examples that the pack has: none of them is written again.
    pub known: &'a [Example],
    /// The longest wait for a reply.
    pub timeout: Duration,
}

impl Assignment<'_> {
    /// The number of lists to write: one for each tool in each language.
    pub fn lists(&self) -> usize {
        self.tools.len() * self.draft.languages.len()
    }
}

/// The examples that a model wrote, and what became of its other texts.
#[derive(Debug, Clone, Default)]
pub struct WrittenExamples {
    /// Those that are kept.
    pub kept: Vec<Example>,
    /// All texts of its replies.
    pub texts: usize,
    /// Texts for which it named another tool, or none.
    pub misread: usize,
    /// Texts that could not be used: too short or too long, with markup, in another language, or known already.
    pub unusable: usize,
    /// Texts that nobody checked, since the model failed or was stopped before.
    pub unchecked: usize,
    /// The lists that were written and checked.
    pub done: usize,
    /// The lists for which it failed.
    pub failed: usize,
    /// The last failure.
    pub fault: Option<Error>,
    /// The reason for which it was not asked for the rest.
    pub stopped: Option<Stopped>,
}

/// A reason for which a model is not asked any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It failed several times one after another.
    Failing,
    /// There were as many calls as there may be.
    Calls,
    /// Somebody stopped the work.
    Cancelled,
}

impl WrittenExamples {
    /// Adds the kept examples to the files of the pack.
    pub fn add_to(&self, files: &mut Files) {
        let lines = files.entry("examples.jsonl".to_owned()).or_default();
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push('\n');
        }
        lines.push_str(&examples::lines(&self.kept));
    }
}

/// Has a model write examples, all tools in one language before the next, so that what is left out is more of the same.
/// `told` is given the number of lists that are done with.
pub async fn write_examples(
    assignment: &Assignment<'_>,
    model: &dyn Model,
    cancel: &CancellationToken,
    told: &mut (dyn FnMut(usize) + Send),
) -> WrittenExamples {
    let taken = assignment.known.iter().map(|example| reply::key(&example.text)).collect();
    let written = WrittenExamples::default();
    let mut writer =
        Writer { assignment, model, cancel, taken, written, calls: 0, forms: FORMS, in_a_row: 0 };
    let languages = assignment.draft.languages.iter();
    let lists =
        languages.flat_map(|language| assignment.tools.iter().map(move |tool| (tool, *language)));
    for (number, (tool, language)) in lists.enumerate() {
        if writer.calls + CALLS > MOST_CALLS {
            writer.written.stopped = Some(Stopped::Calls);
        } else if cancel.is_cancelled() {
            writer.written.stopped = Some(Stopped::Cancelled);
        } else {
            let list = writer.list(tool, language).await;
            writer.note(list);
        }
        if writer.written.stopped.is_some() {
            break;
        }
        told(number + 1);
    }
    writer.written
}

/// The work so far.
struct Writer<'a> {
    assignment: &'a Assignment<'a>,
    model: &'a dyn Model,
    cancel: &'a CancellationToken,
    /// The texts that are somebody's, or that nobody may have.
    taken: BTreeSet<String>,
    written: WrittenExamples,
    calls: usize,
    /// The refusals of a form that may still come.
    forms: usize,
    /// The failures since the last list that was done.
    in_a_row: usize,
}

impl Writer<'_> {
    /// Writes and checks the examples of a tool in a language.
    async fn list(&mut self, tool: &DraftTool, language: Language) -> Result<()> {
        let Assignment { draft, timeout, .. } = *self.assignment;
        let nearest = examples::nearest(tool, &draft.tools, NEAREST);
        let reply = self.ask(&prompt::writing(tool, &nearest, language, timeout)).await?;
        let said = reply::requests(&reply.text)?;
        let usable = said.iter().filter_map(|text| reply::usable(text, language));
        // A text that is refused below is nobody's: it may not come back as another tool's either.
        let texts: Vec<&str> = usable.filter(|text| self.taken.insert(reply::key(text))).collect();
        self.written.texts += said.len();
        self.written.unusable += said.len() - texts.len();
        if texts.is_empty() {
            return Ok(());
        }
        self.written.unchecked += texts.len();
        let is_shown = |other: &&DraftTool| {
            other.name == tool.name || nearest.iter().any(|near| near.name == other.name)
        };
        let shown: Vec<&DraftTool> = draft.tools.iter().filter(is_shown).collect();
        let reply = self.ask(&prompt::checking(&shown, &texts, timeout)).await?;
        let readings = reply::readings(&reply.text, texts.len())?;
        let not = examples::siblings(tool, &draft.tools);
        for (text, named) in texts.into_iter().zip(readings) {
            let Some(named) = named else { continue };
            self.written.unchecked -= 1;
            if named == tool.name {
                let example = examples::example(text.to_owned(), language, tool);
                self.written.kept.push(Example { not: not.clone(), ..example });
            } else {
                self.written.misread += 1;
            }
        }
        Ok(())
    }

    /// Asks the model. Before its first reply the server may refuse a form of replies, and takes a simpler one with the next
    /// call.
    async fn ask(&mut self, prompt: &Prompt) -> Result<Reply> {
        loop {
            self.calls += 1;
            match self.model.complete(prompt, self.cancel).await {
                Ok(reply) => {
                    self.forms = 0;
                    return Ok(reply);
                }
                Err(error) if self.forms > 0 && error.code() == Code::Unavailable => {
                    self.forms -= 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Notes what came of a list, and whether there is to be another.
    fn note(&mut self, list: Result<()>) {
        match list {
            Ok(()) => {
                self.written.done += 1;
                self.in_a_row = 0;
            }
            Err(error) if error.code() == Code::Cancelled => {
                self.written.stopped = Some(Stopped::Cancelled);
            }
            Err(error) => {
                self.written.failed += 1;
                self.written.fault = Some(error);
                self.in_a_row += 1;
                self.written.stopped = (self.in_a_row == MOST_FAILED).then_some(Stopped::Failing);
            }
        }
    }
}

#[cfg(test)]
mod tests;
