//! Has a model write code; without one it says what is missing and how to set it.

use std::time::Duration;

use async_trait::async_trait;

use super::explain::degrade;
use super::{Equipment, Handler, Job, Work, written};
use crate::error::{Code as ErrorCode, Error, Result};
use crate::messages::Sentence;
use crate::model::{Message, Prompt, Speaker};
use crate::pack::spec::HandlerName;

pub(super) struct Code;

/// The longest program, in tokens.
const MAX_TOKENS: u32 = 1500;

#[async_trait]
impl Handler for Code {
    fn name(&self) -> HandlerName {
        HandlerName::Code
    }

    async fn run(&self, job: Job<'_>, equipment: Equipment<'_>) -> Result<Work> {
        let language = job.turn.language;
        let Some(model) = equipment.model else {
            let text = equipment.messages.say(language, &Sentence::new("code_without_model"));
            let mut work = Work::said(text, "rag.code");
            let missing = Error::new(ErrorCode::FailedPrecondition, "no model is configured");
            degrade(&mut work, "model", &missing);
            return Ok(work);
        };
        match written(model, &prompt(job), equipment).await {
            Ok(text) => Ok(Work::said(text, "rag.code")),
            Err(error) if error.code() == ErrorCode::Cancelled => Err(error),
            Err(error) => {
                let mut work =
                    Work::said(equipment.messages.error(language, error.code()), "rag.code");
                degrade(&mut work, "model", &error);
                work.error = Some(error);
                Ok(work)
            }
        }
    }
}

fn prompt(job: Job<'_>) -> Prompt {
    Prompt {
        messages: vec![
            Message { role: Speaker::System, content: job.turn.pack.spec.prompts.code.clone() },
            Message { role: Speaker::User, content: job.question().to_owned() },
        ],
        schema: None,
        max_tokens: MAX_TOKENS,
        temperature: 0.2,
        timeout: Duration::from_millis(job.turn.pack.spec.policy.turn_timeout_ms),
    }
}
