//! Has a model write code. Without one it shows a documented example that fits, or says what is
//! missing and how to set it.

use std::fmt::Write as _;

use async_trait::async_trait;
use waypost_core::error::{Code as ErrorCode, Error, Result};
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::ports::retrieval::Passage;

use super::prepare::sources;
use super::written::{Marks, Wrote, written};
use super::{
    Handler, HandlerDependencies, Job, Prepared, Work, degrade, earlier, material, say, system,
};
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::HandlerName;

pub(super) struct Code;

/// The longest program, in tokens, where the route does not say it.
const MAX_TOKENS: u32 = 1500;
/// The mark at the beginning and the end of a block of code in a document.
const FENCE: &str = "```";

#[async_trait]
impl Handler for Code {
    fn name(&self) -> HandlerName {
        HandlerName::Code
    }

    async fn run(
        &self,
        job: Job<'_>,
        prepared: &Prepared,
        dependencies: HandlerDependencies<'_>,
    ) -> Result<Work> {
        let mut work = Work::said(String::new(), "rag.code");
        // In a program `[7]` is an index: no mark is read in it.
        let marks = Marks::default();
        let prompt = || prompt(job, prepared);
        let wrote = written(job, &mut work, prepared, dependencies, marks, prompt).await?;
        let error = match wrote {
            Wrote::Whole { .. } => {
                work.text += &sources(&prepared.passages, job, dependencies.messages);
                return Ok(work);
            }
            Wrote::Failed(error) => Some(error),
            Wrote::NoModel => {
                let none = Error::new(ErrorCode::FailedPrecondition, "no model is configured");
                degrade(&mut work, "model", &none);
                None
            }
        };
        if let Some(text) = example(job, prepared, dependencies.messages) {
            work.text = text;
        } else if let Some(error) = error {
            work.text = dependencies.messages.error(job.turn.said.language, error.code());
            work.error = Some(error);
            return Ok(work);
        } else {
            let sentence = Sentence::new("code_without_model");
            work.text = dependencies.messages.say(job.turn.said.language, &sentence);
        }
        say(dependencies, &work.text).await;
        Ok(work)
    }
}

fn prompt(job: Job<'_>, prepared: &Prepared) -> Prompt {
    let own = &job.turn.pack.spec.prompts.code;
    let (extra, before) = (material(job.turn), earlier::before(job));
    if prepared.passages.is_empty() && extra.is_none() && before.is_empty() {
        let messages = vec![
            Message { role: Speaker::System, content: own.clone() },
            Message { role: Speaker::User, content: job.question().to_owned() },
        ];
        return super::prompt(job, messages, MAX_TOKENS);
    }
    let mut content = before + &prepared.numbered();
    if let Some(extra) = extra {
        let _ = writeln!(content, "What the user looks at:\n{extra}\n");
    }
    let _ = write!(content, "Task: {}", job.question());
    let messages = vec![system(job, own), Message { role: Speaker::User, content }];
    super::prompt(job, messages, MAX_TOKENS)
}

/// The best passage that shows code, whole, with its source.
fn example(job: Job<'_>, prepared: &Prepared, messages: &Messages) -> Option<String> {
    let shows_code = |passage: &&Passage| passage.text.contains(FENCE);
    let passage = prepared.passages.iter().find(shows_code)?;
    let intro = messages.say(job.turn.said.language, &Sentence::new("code_example"));
    let source = sources(std::slice::from_ref(passage), job, messages);
    Some(format!("{intro}\n\n{}{source}", passage.text.trim()))
}
