//! Has a model write code. Without one it shows a documented example that fits, or says what is
//! missing and how to set it.

use std::fmt::Write as _;

use async_trait::async_trait;

use super::prepare::sources;
use super::{Equipment, Handler, Job, Prepared, Work, ask_model, degrade, material, say, system};
use crate::error::{Code as ErrorCode, Error, Result};
use crate::messages::{Messages, Sentence};
use crate::model::{Message, Prompt, Speaker};
use crate::pack::spec::HandlerName;
use crate::retrieval::Passage;

pub(super) struct Code;

/// The longest program, in tokens.
const MAX_TOKENS: u32 = 1500;
/// What a block of code in a document begins and ends with.
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
        equipment: Equipment<'_>,
    ) -> Result<Work> {
        let mut work = Work::said(String::new(), "rag.code");
        prepared.note(&mut work);
        let error = match equipment.model {
            None => Error::new(ErrorCode::FailedPrecondition, "no model is configured"),
            Some(model) => match ask_model(model, &prompt(job, prepared), equipment).await {
                Ok(text) => {
                    work.text = text + &sources(&prepared.passages, job, equipment.messages);
                    return Ok(work);
                }
                Err(error) if error.code() == ErrorCode::Cancelled => return Err(error),
                Err(error) => error,
            },
        };
        degrade(&mut work, "model", &error);
        if let Some(text) = example(job, prepared, equipment.messages) {
            work.text = text;
        } else if equipment.model.is_none() {
            let sentence = Sentence::new("code_without_model");
            work.text = equipment.messages.say(job.turn.language, &sentence);
        } else {
            work.text = equipment.messages.error(job.turn.language, error.code());
            work.error = Some(error);
            return Ok(work);
        }
        say(equipment, &work.text).await;
        Ok(work)
    }
}

fn prompt(job: Job<'_>, prepared: &Prepared) -> Prompt {
    let own = &job.turn.pack.spec.prompts.code;
    let extra = material(job.turn);
    if prepared.passages.is_empty() && extra.is_none() {
        let messages = vec![
            Message { role: Speaker::System, content: own.clone() },
            Message { role: Speaker::User, content: job.question().to_owned() },
        ];
        return super::prompt(job, messages, MAX_TOKENS);
    }
    let mut content = prepared.numbered();
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
    let intro = messages.say(job.turn.language, &Sentence::new("code_example"));
    let source = sources(std::slice::from_ref(passage), job, messages);
    Some(format!("{intro}\n\n{}{source}", passage.text.trim()))
}
