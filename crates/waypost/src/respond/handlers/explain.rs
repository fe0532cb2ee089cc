//! Answers from the pack's documents: the passages themselves without a model, a text written from
//! them with one. Either way the sources are named, and where nothing is found, nothing is made up.

use std::fmt::Write as _;

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::ports::retrieval::Passage;
use waypost_text::language::Language;

use super::prepare::{cited_sources, sources};
use super::written::{Marks, Wrote, written};
use super::{Handler, HandlerDependencies, Job, Prepared, Work, earlier, material, say, system};
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::HandlerName;

pub(super) struct Explain;

/// The number of passages that are quoted without a model: people read two.
const QUOTED: usize = 2;
/// The factor by which a passage that the user cannot read must fit better than all others to be quoted.
const FAR_BETTER: f64 = 2.0;
/// The longest written answer, in tokens, where the route does not say it.
const MAX_TOKENS: u32 = 700;
/// The instruction to cite. A number after each statement is what small models manage; a list at the end
/// they make up.
const CITE: &str =
    "After each statement write the number of the passage that says it, such as [1].";

#[async_trait]
impl Handler for Explain {
    fn name(&self) -> HandlerName {
        HandlerName::Explain
    }

    async fn run(
        &self,
        job: Job<'_>,
        prepared: &Prepared,
        dependencies: HandlerDependencies<'_>,
    ) -> Result<Work> {
        let mut work = Work::said(String::new(), "rag.explain");
        if has_found_nothing(job, prepared) {
            work.text = nothing(job, dependencies.messages);
            say(dependencies, &work.text).await;
            return Ok(work);
        }
        let marks = Marks::of(prepared.passages.len());
        let prompt = || prompt(job, prepared);
        let wrote = written(job, &mut work, prepared, dependencies, marks, prompt).await?;
        if let Wrote::Whole { cited } = wrote {
            work.text += &cited_sources(&prepared.passages, &cited, job, dependencies.messages);
            return Ok(work);
        }
        work.text = quoted(&prepared.passages, job, dependencies.messages);
        say(dependencies, &work.text).await;
        Ok(work)
    }
}

/// Returns whether there is nothing to write from: no document fits, and the caller gave nothing. A search
/// that failed has not shown that, and a route without retrieval has not looked.
fn has_found_nothing(job: Job<'_>, prepared: &Prepared) -> bool {
    let none = prepared.passages.is_empty() && prepared.failed.is_empty();
    job.route.retrieval && none && material(job.turn).is_none()
}

/// Says that no document answers.
fn nothing(job: Job<'_>, messages: &Messages) -> String {
    let language = job.turn.said.language;
    let own = job.turn.pack.message("nothing_found", language).map(str::to_owned);
    own.unwrap_or_else(|| messages.say(language, &Sentence::new("explain_nothing")))
}

fn prompt(job: Job<'_>, prepared: &Prepared) -> Prompt {
    let mut content = earlier::before(job);
    content.push_str(&prepared.numbered());
    if let Some(extra) = material(job.turn) {
        let _ = writeln!(content, "What the user looks at:\n{extra}\n");
    }
    let _ = write!(content, "Question: {}", job.question());
    let mut own = job.turn.pack.spec.prompts.explain.clone();
    if !prepared.passages.is_empty() {
        let _ = write!(own, "\n{CITE}");
    }
    let messages = vec![system(job, &own), Message { role: Speaker::User, content }];
    super::prompt(job, messages, MAX_TOKENS)
}

/// The passages that are quoted: those that the user can read, unless another fits far better.
fn readable(passages: &[Passage], language: Language) -> Vec<Passage> {
    let is_own = |passage: &&Passage| passage.language.is_read_as(language);
    let best = |own: bool| passages.iter().find(|passage| is_own(passage) == own);
    let prefers_own = match (best(true), best(false)) {
        (Some(own), Some(other)) => own.score * FAR_BETTER >= other.score,
        (own, _) => own.is_some(),
    };
    passages.iter().filter(|it| !prefers_own || is_own(it)).take(QUOTED).cloned().collect()
}

fn quoted(passages: &[Passage], job: Job<'_>, messages: &Messages) -> String {
    let (language, quoted) = (job.turn.said.language, readable(passages, job.turn.said.language));
    if quoted.is_empty() {
        return nothing(job, messages);
    }
    let mut text = String::new();
    if quoted.iter().any(|passage| !passage.language.is_read_as(language)) {
        let _ = writeln!(text, "{}\n", messages.say(language, &Sentence::new("explain_foreign")));
    }
    for (index, passage) in quoted.iter().enumerate() {
        let _ = writeln!(text, "{} [{}]\n", passage.text.trim(), index + 1);
    }
    text.trim_end().to_owned() + &sources(&quoted, job, messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(language: Language, passages: &[(Language, f64)]) -> Vec<Language> {
        let passage = |(language, score): &(Language, f64)| Passage {
            document: "d".to_owned(),
            headings: Vec::new(),
            language: *language,
            text: "t".to_owned(),
            score: *score,
        };
        let passages: Vec<Passage> = passages.iter().map(passage).collect();
        readable(&passages, language).iter().map(|passage| passage.language).collect()
    }

    #[test]
    fn passages_that_the_user_can_read_are_quoted_alone() {
        use Language::{De, En, ZhHans, ZhHant};
        assert_eq!(read(En, &[(En, 9.0), (ZhHant, 8.0), (En, 7.0)]), [En, En]);
        assert_eq!(read(En, &[(ZhHant, 9.0), (En, 8.0)]), [En]);
        assert_eq!(read(ZhHans, &[(ZhHant, 9.0), (En, 8.0)]), [ZhHant]);
        assert_eq!(read(De, &[(ZhHant, 9.0), (En, 8.0)]), [ZhHant, En]);
        assert_eq!(read(De, &[(En, 9.0), (De, 1.0)]), [En, De]);
    }
}
