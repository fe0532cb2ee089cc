//! Has a model write code. Without one it shows a documented example that fits, or says what is
//! missing and how to set it.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde_json::json;
use waypost_core::error::{Code as ErrorCode, Error, Result};
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::ports::retrieval::Passage;
use waypost_core::records::decision::{Call, Source};

use super::prepare::sources;
use super::written::{Marks, Wrote, written};
use super::{
    Handler, HandlerDependencies, Job, Prepared, Work, degrade, earlier, material, say, system,
};
use crate::decide::slots::{DraftCall, fill};
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::HandlerName;
use crate::understand::Turn;

pub(super) struct Code;

/// The longest program, in tokens, where the route does not say it.
const MAX_TOKENS: u32 = 1500;
/// The most tools whose arguments are looked at.
const MOST_TOOLS: usize = 16;
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
    let resolved = resolved(job.turn);
    if prepared.passages.is_empty() && extra.is_none() && before.is_empty() && resolved.is_empty() {
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
    if !resolved.is_empty() {
        let _ = writeln!(content, "What words of the task mean:\n{resolved}");
    }
    let _ = write!(content, "Task: {}", job.question());
    let messages = vec![system(job, own), Message { role: Speaker::User, content }];
    super::prompt(job, messages, MAX_TOKENS)
}

/// What the words say as arguments of the tool that they say most for, so that a program has the days, boxes and columns that a
/// call would have. Source: S1-13.
fn resolved(turn: &Turn<'_>) -> String {
    let said = |call: &Call| -> Vec<String> {
        let arguments = call.arguments.iter().filter_map(|(name, value)| {
            let evidence = call.evidence.get(name).filter(|own| own.source == Source::Span)?;
            Some(format!("- {}: {value}, for {}\n", json!(name), json!(evidence.text.as_deref()?)))
        });
        arguments.collect()
    };
    let tools = turn.pack.tools.iter().filter(|tool| turn.request.may_use(&tool.spec.name));
    let tools = tools.take(MOST_TOOLS);
    let filled = tools.filter_map(|tool| {
        let draft = DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() };
        Some(fill(turn, &draft)?.calls.iter().flat_map(said).collect::<Vec<_>>())
    });
    // Of several that take the same, the first.
    let most = filled.reduce(|most, next| if next.len() > most.len() { next } else { most });
    most.unwrap_or_default().concat()
}

/// The best passage that shows code, whole, with its source.
fn example(job: Job<'_>, prepared: &Prepared, messages: &Messages) -> Option<String> {
    let shows_code = |passage: &&Passage| passage.text.contains(FENCE);
    let passage = prepared.passages.iter().find(shows_code)?;
    let intro = messages.say(job.turn.said.language, &Sentence::new("code_example"));
    let source = sources(std::slice::from_ref(passage), job, messages);
    Some(format!("{intro}\n\n{}{source}", passage.text.trim()))
}
