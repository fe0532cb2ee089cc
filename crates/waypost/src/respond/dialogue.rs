//! The way on in a conversation after the work: the question of what the tool wants to know next,
//! or the question that is still open.

use serde_json::json;
use waypost_core::records::decision::{
    By, Call, Decision, Evidence, Outcome, Question, Reason, Source,
};
use waypost_core::records::request::{Choice, PastCall, shorten};
use waypost_core::records::session::{Blocked, Pending};

use crate::decide::gates::{self, Check, Closed};
use crate::decide::slots::question;
use crate::pack::localized;
use crate::pack::messages::{Ask, Messages, Sentence};
use crate::pack::spec::{HandlerName, RouteSpec};
use crate::respond::handlers::Work;
use crate::understand::Turn;

/// The longest part of a request that an offer of it repeats, in characters.
const SHOWN: usize = 200;

/// The explanation that the text asks for beside what is served: its route and the words.
pub(crate) fn beside<'a>(
    turn: &Turn<'a>,
    decision: &'a Decision,
) -> Option<(&'a RouteSpec, &'a str)> {
    decision.unserved.iter().find_map(|unserved| {
        let route = turn.pack.route(&unserved.reason)?;
        let on = turn.permits.enabled.handler(route.handler.name());
        (on && route.handler == HandlerName::Explain).then_some((route, unserved.text.as_str()))
    })
}

/// The work with a sentence for each part of the text that it does not answer.
pub(crate) fn with_unserved(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    mut work: Work,
) -> Work {
    let explained = beside(turn, decision).filter(|_| work.outcome.explained);
    let left = decision.unserved.iter().map(|unserved| unserved.text.as_str());
    for text in left.filter(|text| explained.is_none_or(|(_, explained)| explained != *text)) {
        let sentence = Sentence::new("unserved").with("text", text);
        work.text = followed_by(&work.text, &messages.say(turn.said.language, &sentence));
    }
    work
}

/// The work with the question of the next step behind its words, where a tool takes its arguments step
/// by step.
pub(crate) fn with_next_step(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    mut work: Work,
) -> Work {
    if let Some(next) = next_step(turn, messages, decision, &work) {
        work.text = followed_by(&work.text, &next.text);
        work.outcome.next = Some(next);
    } else if let Some(closed) = next_waiting(turn, messages, decision, &work) {
        let mut said = messages.ask(turn.said.language, &closed.ask);
        said.conditions = turn.all_conditions();
        work.text = followed_by(&work.text, &said.text);
        // What is refused is said, and asks nothing.
        work.outcome.next = (closed.outcome == Outcome::Clarify).then_some(said);
    }
    work
}

/// The question of a tool that takes its arguments step by step: its result names the next step.
///
/// Only a single call can have a next step; several calls at once are not taken step by step.
fn next_step(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    work: &Work,
) -> Option<Question> {
    let [call] = decision.calls.as_slice() else { return None };
    if decision.decision != Outcome::Run || work.error.is_some() {
        return None;
    }
    let tool = turn.pack.tool(&call.tool)?;
    let wanted = work.tool_result.as_ref()?.pointer(tool.spec.next.as_deref()?)?;
    let name = wanted.as_str().filter(|name| tool.property(name).is_some())?;
    let gap = question::open(turn, tool, name, &[]);
    let ask = Ask {
        sentence: gap.sentence,
        choices: gap.choices,
        tool: Some(gap.tool),
        argument: Some(gap.argument),
        again: false,
    };
    let mut question = messages.ask(turn.said.language, &ask);
    question.conditions = turn.all_conditions();
    Some(question)
}

/// The gate that closes for the next call that waits for an approval, once the one before it has run:
/// each is approved by itself.
fn next_waiting(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    work: &Work,
) -> Option<Closed> {
    let made = |past: &PastCall| {
        let mut calls = decision.calls.iter();
        calls.any(|call| call.tool == past.tool && call.arguments == past.arguments)
    };
    if decision.decision != Outcome::Run || work.error.is_some() {
        return None;
    }
    let answered =
        decision.calls.iter().any(|call| Some(&call.tool) == turn.context.active_tool.as_ref());
    let mut waiting = turn.context.waiting.iter().filter(|past| answered && !made(past));
    let past = waiting.next()?;
    held_back(turn, messages, turn.pack.route(&decision.route)?, past)
}

/// The gate that is closed for a call of before. The plan that it is of was seen.
fn held_back(
    turn: &Turn<'_>,
    messages: &Messages,
    route: &RouteSpec,
    past: &PastCall,
) -> Option<Closed> {
    let receipt = |name: &String| {
        (name.clone(), Evidence::new(Source::Memory, By::Memory(past.tool.clone())))
    };
    let call = Call {
        tool: past.tool.clone(),
        arguments: past.arguments.clone(),
        evidence: past.arguments.keys().map(receipt).collect(),
    };
    let closed = gates::check(&Check::settled(turn, route, std::slice::from_ref(&call), messages));
    closed.err().map(|closed| *closed)
}

/// The work with the question behind its words whether the call shall be made that a gate held back before, if the gate is open
/// in this turn and nothing else is asked. A yes asks all gates, so what changes something is shown for its approval.
pub(crate) fn with_opened(
    turn: &Turn<'_>,
    messages: &Messages,
    decision: &Decision,
    blocked: &Blocked,
    mut work: Work,
) -> Work {
    let asks = work.outcome.question(decision).is_some_and(Question::awaits);
    if !asks
        && !blocked.is_asked_in(decision)
        && work.error.is_none()
        && let Some(offer) = offer(turn, messages, blocked)
    {
        // What was not understood as an answer was one.
        let before = if decision.decision == Outcome::Rephrase { "" } else { &work.text };
        work.text = followed_by(before, &offer.text);
        work.outcome.next = Some(offer);
    }
    work
}

/// The question whether a call shall be made that was held back; `None` if a gate still holds it back.
fn offer(turn: &Turn<'_>, messages: &Messages, blocked: &Blocked) -> Option<Question> {
    let call = &blocked.call;
    let language = turn.said.language;
    let tool = turn.pack.tool(&call.tool)?;
    let route = turn.pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool)?;
    let is_held = |closed: Closed| {
        closed.outcome == Outcome::Refuse || matches!(closed.reason, Reason::Flag(_))
    };
    if held_back(turn, messages, route, call).is_some_and(is_held) {
        return None;
    }
    let label = localized(&tool.spec.label, language).unwrap_or(&tool.spec.summary);
    let what = shorten(call.text.as_deref().unwrap_or(label), SHOWN);
    let values = [
        ("yes", json!({ "tool": call.tool, "arguments": call.arguments })),
        ("no", json!({ "cancel": true })),
    ];
    let choices = values
        .map(|(word, value)| Choice { label: messages.say(language, &Sentence::new(word)), value });
    let ask = Ask {
        choices: choices.into(),
        tool: Some(call.tool.clone()),
        ..Ask::plain(Sentence::new("opened").with("what", what))
    };
    let conditions = blocked.conditions.clone();
    Some(Question { conditions, ..messages.ask(language, &ask) })
}

/// Text with a question behind it.
pub(crate) fn followed_by(text: &str, question: &str) -> String {
    match text.trim_end() {
        "" => question.to_owned(),
        text => format!("{text}\n{question}"),
    }
}

/// The question that was open before and still is: an aside was answered, the step is kept.
pub(crate) fn still_open(pending: Option<&Pending>) -> Option<&Pending> {
    pending.filter(|pending| pending.aside > 0 && !pending.question.is_empty())
}
