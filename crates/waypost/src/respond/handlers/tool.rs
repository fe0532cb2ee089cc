//! Runs the approved calls and says what each of them gave.

use async_trait::async_trait;
use serde_json::Value as Json;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::answer::Part;
use waypost_core::records::event::Event;

use super::written::note_cut;
use super::{Handler, HandlerDependencies, Job, Prepared, Succeeded, Work, agent, degrade, plan};
use crate::decide::slots::place_label;
use crate::pack::messages::Sentence;
use crate::pack::spec::HandlerName;
use crate::respond::execution::Done;
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
        let agent::Outcome { done, words, cut, degraded, events, refused } =
            agent::run(job, dependencies).await?;
        let mut work = Work::said(String::new(), source(&done));
        work.refused = refused;
        let all: Vec<String> =
            done.iter().map(|done| line(job, dependencies, done, &mut work)).collect();
        let on_the_way = |one: &Done| plan::is_on_the_way(job.turn.pack, &done, one);
        let told = done.iter().zip(&all).filter(|(one, _)| !on_the_way(one));
        let answers = done.iter().any(|one| one.result.is_ok() && !on_the_way(one));
        let mut lines: Vec<String> = told.map(|(_, line)| line.clone()).collect();
        let tables = beside(job, dependencies, &done);
        let mut results = Vec::new();
        for (done, line) in done.into_iter().zip(&all) {
            work.events.push(done.event);
            match done.result {
                Ok(result) => {
                    let tool = done.call.tool.clone();
                    work.succeeded.push(Succeeded { tool, result: result.value.clone() });
                    results.push(result.value);
                    work.images.append(result.images);
                }
                Err(error) if work.error.is_none() => {
                    work.error = Some(error);
                    work.sentence = Some(line.clone());
                }
                Err(_) => {}
            }
        }
        for (what, error) in degraded {
            note(&mut work, what, &error);
        }
        work.events.extend(events);
        if work.images.dropped() > 0 {
            let message = format!("{} pictures were left out", work.images.dropped());
            degrade(&mut work, "images", &Error::new(Code::ResourceExhausted, message));
        }
        if !job.decision.assumptions.is_empty() {
            lines.push(format!("({})", job.decision.assumptions.join("; ")));
        }
        // One answer out of several is an answer; the line of the other says what failed.
        if answers {
            work.error = None;
        }
        lines.extend(tables);
        // A model's words were sent already; the figures that they are about stand below them.
        let rest = match words {
            Some(words) => {
                if let Some(cut) = cut {
                    note_cut(&mut work, cut);
                    let sentence = Sentence::new("answer_cut");
                    lines.insert(
                        0,
                        dependencies.messages.say(job.turn.said.language, &sentence) + "\n",
                    );
                }
                let rest = format!("\n\n{}", lines.join("\n"));
                work.text = words;
                rest
            }
            None => lines.join("\n"),
        };
        work.text += &rest;
        let _ = dependencies.out.send(Part::Token(rest)).await;
        work.tool_result = match results.len() {
            0 => None,
            1 => results.pop(),
            _ => Some(Json::Array(results)),
        };
        Ok(work)
    }
}

/// Notes what did not work as configured, by the agent's own names for it.
fn note(work: &mut Work, what: String, error: &Error) {
    match what.strip_prefix("agent:") {
        Some(_) => {
            work.events.push(Event::Degraded {
                what: what.clone(),
                code: error.code(),
                detail: error.message().to_owned(),
            });
            if !work.outcome.degraded.contains(&what) {
                work.outcome.degraded.push(what);
            }
        }
        None => degrade(work, &what, error),
    }
}

/// A table for each tool that was called for several things, which people compare.
fn beside(job: Job<'_>, dependencies: HandlerDependencies<'_>, done: &[Done]) -> Vec<String> {
    let mut tables = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for one in done {
        let tool = one.call.tool.as_str();
        if seen.contains(&tool) {
            continue;
        }
        seen.push(tool);
        let same = done.iter().filter(|done| done.call.tool == tool);
        let results = same.filter_map(|done| Some((&done.call, &done.result.as_ref().ok()?.value)));
        let results: Vec<_> = results.collect();
        tables.extend(render::beside(&results, dependencies.messages, job.turn.said.language));
    }
    tables
}

fn source(done: &[Done]) -> String {
    let mut tools: Vec<&str> = done.iter().map(|done| done.call.tool.as_str()).collect();
    tools.dedup();
    tools.join("+")
}

/// The words for a call: the pack's line, or the result as it can be shown, or why there is none.
fn line(
    job: Job<'_>,
    dependencies: HandlerDependencies<'_>,
    done: &Done,
    work: &mut Work,
) -> String {
    let tool = &done.call.tool;
    let words = render::Words {
        messages: dependencies.messages,
        language: job.turn.said.language,
        tool,
        access: job.turn.access(tool),
    };
    let result = match (&done.result, done.became) {
        (Ok(result), _) => result,
        (Err(_), Some(became)) => return words.stopped(became),
        (Err(error), None) => return words.failure(error, done.write),
    };
    if let Some(fault) = &result.fault {
        let message = format!("`{tool}` answered with something else than it promises");
        let error = Error::unavailable(message).with_detail(fault.clone());
        degrade(work, "result", &error);
        return words.result(result, true);
    }
    let renderer = dependencies.renderer;
    if !result.structured && !renderer.fits(job.turn, &done.call, &result.value) {
        return named(job, tool, words.result(result, false));
    }
    let place = place_label(job.turn.pack, job.turn, &done.call);
    let shown = render::Done { call: &done.call, result: &result.value, place: &place };
    match renderer.line(job.turn, dependencies.messages, shown) {
        Ok(Some(line)) => line,
        Ok(None) => named(job, tool, words.result(result, false)),
        // A template that does not fit costs the sentence, not the result.
        Err(error) => {
            degrade(work, "template", &error);
            words.result(result, true)
        }
    }
}

/// The words for a result, with the tool before them where several calls are told together.
fn named(job: Job<'_>, tool: &str, words: String) -> String {
    match (job.approved.calls().len(), words.contains('\n')) {
        (0 | 1, _) => words,
        (_, true) => format!("{tool}:\n{words}"),
        (_, false) => format!("{tool}: {words}"),
    }
}
