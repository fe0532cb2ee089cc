//! Runs the approved calls and says what they gave, one line a call.

use async_trait::async_trait;
use serde_json::Value as Json;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::answer::Part;

use super::{Handler, HandlerDependencies, Job, Prepared, Succeeded, Work, degrade};
use crate::decide::arguments::place_label;
use crate::pack::spec::HandlerName;
use crate::respond::execution::{self, Done};
use crate::respond::render;

pub(super) struct Tool;

#[async_trait]
impl Handler for Tool {
    fn name(&self) -> HandlerName {
        HandlerName::Tool
    }

    async fn run(
        &self,
        job: Job<'_>,
        _: &Prepared,
        dependencies: HandlerDependencies<'_>,
    ) -> Result<Work> {
        for call in job.approved.calls() {
            let _ = dependencies.out.send(Part::ToolStarted { tool: call.tool.clone() }).await;
        }
        let with = execution::ExecutionDependencies {
            servers: dependencies.servers,
            clock: dependencies.clock,
            cancel: dependencies.cancel,
        };
        let done = execution::run(job.turn, job.approved, with).await;
        let mut lines = Vec::with_capacity(done.len());
        let mut work = Work::said(String::new(), source(&done));
        let mut results = Vec::new();
        for done in done {
            let line = line(job, dependencies, &done, &mut work);
            let code = done.result.as_ref().err().map(waypost_core::Error::code);
            let _ =
                dependencies.out.send(Part::ToolDone { tool: done.call.tool.clone(), code }).await;
            work.events.push(done.event);
            match done.result {
                Ok(result) => {
                    let tool = done.call.tool.clone();
                    work.succeeded.push(Succeeded { tool, result: result.value.clone() });
                    results.push(result.value);
                    work.images.append(result.images);
                }
                Err(error) if error.code() == Code::Cancelled => return Err(error),
                Err(error) => work.error = work.error.or(Some(error)),
            }
            lines.push(line);
        }
        if work.images.dropped() > 0 {
            let message = format!("{} pictures were left out", work.images.dropped());
            degrade(&mut work, "images", &Error::new(Code::ResourceExhausted, message));
        }
        if !job.decision.assumptions.is_empty() {
            lines.push(format!("({})", job.decision.assumptions.join("; ")));
        }
        // One answer out of several is an answer; the line of the other says what failed.
        if !results.is_empty() {
            work.error = None;
        }
        work.text = lines.join("\n");
        let _ = dependencies.out.send(Part::Token(work.text.clone())).await;
        work.tool_result = match results.len() {
            0 => None,
            1 => results.pop(),
            _ => Some(Json::Array(results)),
        };
        Ok(work)
    }
}

fn source(done: &[Done]) -> String {
    let mut tools: Vec<&str> = done.iter().map(|done| done.call.tool.as_str()).collect();
    tools.dedup();
    tools.join("+")
}

fn line(
    job: Job<'_>,
    dependencies: HandlerDependencies<'_>,
    done: &Done,
    work: &mut Work,
) -> String {
    let language = job.turn.language;
    match &done.result {
        Ok(result) => {
            let place = place_label(job.turn.pack, job.turn, &done.call);
            let shown = render::Done { call: &done.call, result: &result.value, place: &place };
            // A template that does not fit costs the sentence, not the result.
            dependencies.renderer.line(job.turn, shown).unwrap_or_else(|error| {
                degrade(work, "template", &error);
                result.value.to_string()
            })
        }
        Err(error) => dependencies.messages.error(language, error.code()),
    }
}
