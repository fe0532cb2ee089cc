//! Puts a turn's work into the envelope of its answer, also where nothing ran or the work failed.

use std::time::Duration;

use serde_json::{Value as Json, json};
use waypost_core::error::{Code, Error};
use waypost_core::records::answer::{Answer, AnswerFault, Raw};
use waypost_core::records::decision::{Decision, Outcome, TurnOutcome};
use waypost_core::records::event::Event;
use waypost_core::records::session::Pending;

use crate::pack::messages::Messages;
use crate::pack::spec::HandlerName;
use crate::respond::dialogue;
use crate::respond::execution::milliseconds;
use crate::respond::handlers::Work;
use crate::understand::Turn;

/// The source of an answer where no handler answers.
const ROUTER: &str = "router";

/// The words that are said instead of running.
pub(crate) fn said(decision: &Decision) -> Work {
    let asked = decision.question.as_ref().map(|question| question.text.clone());
    let text = decision.reply.clone().or(asked);
    Work::said(text.unwrap_or_default(), ROUTER)
}

/// The words that are said where the work failed.
pub(crate) fn failed(turn: &Turn<'_>, messages: &Messages, error: Error) -> Work {
    let mut work = Work::said(messages.error(turn.said.language, error.code()), ROUTER);
    work.events.push(Event::degraded("handler", &error));
    work.error = Some(error);
    work
}

/// The answer of a turn after which `pending` is open; with the times of deciding and of the whole where
/// a trace is wanted.
pub(crate) fn envelope(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    work: &Work,
    pending: Option<&Pending>,
    trace: Option<(Duration, Duration)>,
) -> Answer {
    let answer = own(turn, messages, decision, work, trace);
    match dialogue::still_open(pending) {
        Some(open) => Answer {
            text: dialogue::followed_by(&answer.text, &open.question),
            choices: open.options.clone(),
            ..answer
        },
        None => answer,
    }
}

/// The answer of the turn itself, without what was open before.
fn own(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    work: &Work,
    trace: Option<(Duration, Duration)>,
) -> Answer {
    let mode = match decision.decision {
        Outcome::Run if work.error.is_some() => "error".to_owned(),
        Outcome::Run => decision.route.clone(),
        Outcome::Clarify => "clarify".to_owned(),
        Outcome::Rephrase => "rephrase".to_owned(),
        Outcome::Refuse => "refuse".to_owned(),
    };
    let error = work.error.as_ref().map(|error| {
        let hint = error.hint().filter(|_| is_callers(error.code()));
        AnswerFault::new(error.code(), message(turn, messages, work, error), hint)
    });
    let question = work.outcome.question(decision);
    let choices = question.map(|question| question.choices.clone());
    let trace = trace.map(|(classified, total)| {
        json!({
            "t_classify_ms": milliseconds(classified),
            "t_mcp_ms": tools_ms(&work.events),
            "t_total_ms": milliseconds(total),
            "events": work.events,
        })
    });
    Answer {
        mode,
        text: work.text.clone(),
        source: work.source.clone(),
        confidence: decision.confidence,
        choices: choices.unwrap_or_default(),
        images: work.images.kept().to_vec(),
        error,
        raw: Raw {
            plan: plan(turn, decision, &work.outcome),
            tool_result: work.tool_result.clone(),
            trace,
        },
        id: decision.id.clone(),
    }
}

/// The sentence for an error, in the user's language.
fn message(turn: &Turn<'_>, messages: &Messages, work: &Work, error: &Error) -> String {
    let sentence = work.sentence.clone();
    sentence.unwrap_or_else(|| messages.error(turn.said.language, error.code()))
}

/// The time that the tools took, summed as if one ran after the other; they run side by side.
/// Source: S0-45.
fn tools_ms(events: &[Event]) -> f64 {
    let each = events.iter().map(|event| match event {
        Event::ToolEvent { tool_latency_ms, .. } => *tool_latency_ms,
        _ => 0.0,
    });
    each.sum()
}

/// Returns whether the caller can do something about an error of this code. Hints about upstreams
/// name programs and addresses, which are for whoever runs this.
fn is_callers(code: Code) -> bool {
    matches!(code, Code::InvalidArgument | Code::FailedPrecondition)
}

/// The decision record with its outcome, and the plan keys of S0-17 over its own: `decision` is
/// `mcp`, `explain` or `code` here, and the record's own stands under `outcome`.
fn plan(turn: &Turn<'_>, decision: &Decision, outcome: &TurnOutcome) -> Json {
    let mut record = serde_json::to_value(outcome.shown(decision)).unwrap_or_default();
    let Some(map) = record.as_object_mut() else { return record };
    let handler = turn.pack.route(&decision.route).map(|route| route.handler);
    let seed = match handler {
        Some(HandlerName::Tool) => "mcp".to_owned(),
        _ => decision.route.clone(),
    };
    let tool = decision
        .calls
        .first()
        .map(|call| json!({ "name": call.tool, "arguments": call.arguments }));
    let asks = decision.decision == Outcome::Clarify;
    let question =
        decision.question.as_ref().filter(|_| asks).map(|question| question.text.clone());
    map.insert("outcome".to_owned(), json!(decision.decision));
    map.insert("decision".to_owned(), json!(seed));
    map.insert("tool".to_owned(), json!(tool));
    map.insert("needs_followup".to_owned(), json!(asks));
    map.insert("followup_question".to_owned(), json!(question));
    record
}
