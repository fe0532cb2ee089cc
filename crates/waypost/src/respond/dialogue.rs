//! The way on in a conversation after the work: the question of what the tool wants to know next,
//! or the question that is still open.

use waypost_core::records::decision::{By, Call, Decision, Evidence, Outcome, Question, Source};
use waypost_core::records::request::PastCall;
use waypost_core::records::session::Pending;

use crate::decide::gates::{self, Check, Closed};
use crate::decide::slots::question;
use crate::pack::messages::{Ask, Messages, Sentence};
use crate::pack::spec::{HandlerName, RouteSpec};
use crate::respond::handlers::Work;
use crate::understand::Turn;

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
    let receipt = |name: &String| {
        (name.clone(), Evidence::new(Source::Memory, By::Memory(past.tool.clone())))
    };
    let call = Call {
        tool: past.tool.clone(),
        arguments: past.arguments.clone(),
        evidence: past.arguments.keys().map(receipt).collect(),
    };
    let route = turn.pack.route(&decision.route)?;
    // The plan that it is of was seen.
    let closed = gates::check(&Check::settled(turn, route, std::slice::from_ref(&call), messages));
    closed.err().map(|closed| *closed)
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
