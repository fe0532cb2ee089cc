//! Answers from the pack's documents: the passages themselves without a model, a text written from
//! them with one. Either way the sources are named.

use std::fmt::Write as _;

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::ports::retrieval::Passage;

use super::prepare::sources;
use super::{
    Handler, HandlerDependencies, Job, Prepared, Work, Wrote, material, say, system, written,
};
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::HandlerName;

pub(super) struct Explain;

/// The number of passages that are quoted without a model: people read two.
const QUOTED: usize = 2;
/// The longest written answer, in tokens.
const MAX_TOKENS: u32 = 700;

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
        let wrote = written(&mut work, prepared, dependencies, || prompt(job, prepared)).await?;
        if wrote == Wrote::Whole {
            work.text += &sources(&prepared.passages, job, dependencies.messages);
            return Ok(work);
        }
        work.text = quoted(&prepared.passages, job, dependencies.messages);
        say(dependencies, &work.text).await;
        Ok(work)
    }
}

fn prompt(job: Job<'_>, prepared: &Prepared) -> Prompt {
    let mut content = prepared.numbered();
    if let Some(extra) = material(job.turn) {
        let _ = writeln!(content, "What the user looks at:\n{extra}\n");
    }
    let _ = write!(content, "Question: {}", job.question());
    let messages = vec![
        system(job, &job.turn.pack.spec.prompts.explain),
        Message { role: Speaker::User, content },
    ];
    super::prompt(job, messages, MAX_TOKENS)
}

fn quoted(passages: &[Passage], job: Job<'_>, messages: &Messages) -> String {
    if passages.is_empty() {
        let language = job.turn.language;
        let own = job.turn.pack.message("nothing_found", language).map(str::to_owned);
        return own.unwrap_or_else(|| messages.say(language, &Sentence::new("explain_nothing")));
    }
    let quoted = &passages[..passages.len().min(QUOTED)];
    let mut text = String::new();
    for (index, passage) in quoted.iter().enumerate() {
        let _ = writeln!(text, "{} [{}]\n", passage.text.trim(), index + 1);
    }
    text.trim_end().to_owned() + &sources(quoted, job, messages)
}
