//! Holds answers to what was asked: an answer where nothing was asked, or that answers nothing, runs no
//! tool, and an answer to an open question begins no write.

use waypost_core::records::decision::LayerName;
use waypost_core::records::request::PastCall;
use waypost_text::extract::{Operator, Value};

use super::super::{Aim, Proposal};
use super::choice::{is_answer, is_bare_answer};
use super::follow::{self, SURE};
use super::settle::{as_given, call};
use crate::decide::slots::DraftCall;
use crate::pack::spec::{Access, HandlerName};
use crate::understand::Turn;

/// The proposal, unless the words are a bare answer ("yes please", "2") and it would run a tool for
/// them. What a rule has read in them is meant.
pub(in super::super) fn held(turn: &Turn<'_>, proposal: Proposal) -> Proposal {
    let runs_tool = match &proposal.aim {
        Aim::Route(name) => {
            turn.pack.route(name).is_some_and(|route| route.handler == HandlerName::Tool)
        }
        _ => false,
    };
    // Who talks to one tool alone says everything to it, thanks and a yes too.
    let direct = proposal.layer == LayerName::Declared && turn.talks_to().is_some();
    let said = turn.request.choice.is_some() || turn.is_settled() || direct;
    let by_rule = proposal.layer == LayerName::Rules || said;
    if !runs_tool || by_rule || asks(turn) || goes_on(turn) {
        return proposal;
    }
    if !is_bare_answer(turn) && !only_agrees(turn) {
        return proposal;
    }
    if let Some(active) = turn.active_tool() {
        let is_about_it = proposal.calls.iter().all(|call| call.tool == active.spec.name);
        return if is_about_it { proposal } else { ask_again(turn, proposal) };
    }
    let sentence = match turn.context.options.is_empty() {
        true => "nothing_asked",
        false => "choose_again",
    };
    Proposal::sure(LayerName::Rules, Aim::Unclear(sentence), "an answer to nothing that was asked")
}

/// Returns whether a text only agrees, in whatever words, while nothing is open and nothing was done:
/// "go ahead please". What names something of the pack, or a value, asks for that.
fn only_agrees(turn: &Turn<'_>) -> bool {
    let context = &turn.context;
    let open = context.active_tool.is_some() || !context.options.is_empty();
    let says_now = |value: &Value| value.rule.is_now() || is_answer(value);
    !open
        && context.last_calls.is_empty()
        && turn.said.discourse.mentions.is_empty()
        && turn.said.values.iter().all(says_now)
        && turn.agrees_to_nothing() >= SURE
}

/// Returns whether a text is an answer while nothing is open.
pub(super) fn is_unasked(turn: &Turn<'_>) -> bool {
    let context = &turn.context;
    let open = context.active_tool.is_some() || !context.options.is_empty();
    !open && is_bare_answer(turn)
}

/// Returns whether an opinion would begin, for an answer to an open question, a write that the words
/// do not surely ask for by themselves.
pub(in super::super) fn begins_write(turn: &Turn<'_>, proposal: &Proposal) -> bool {
    let Some(active) = turn.active_tool() else { return false };
    let others = || {
        let tools = proposal.calls.iter().map(|call| call.tool.as_str());
        tools.filter(|tool| *tool != active.spec.name)
    };
    turn.pack
        .write_from(others(), &|tool| turn.access(tool))
        .is_some_and(|needed| proposal.confidence < needed)
}

/// The words as the answer to an open question for words: what a note shall say, how a branch shall be
/// called. They answer it unless they ask for something.
pub(in crate::decide) fn told(turn: &Turn<'_>) -> Option<Proposal> {
    let words = turn.said.text.original().trim();
    if !takes_words(turn) || asks(turn) || !words.contains(char::is_alphanumeric) {
        return None;
    }
    follow::told(turn, words)
}

/// Returns whether the open question is for words.
pub(in super::super) fn takes_words(turn: &Turn<'_>) -> bool {
    turn.asked_for_words().is_some()
}

/// Returns whether a text begins with a word that goes on with what was answered before: "and on the
/// 2nd".
fn goes_on(turn: &Turn<'_>) -> bool {
    let first = turn.said.values.first().map(|value| value.span.start);
    turn.said.discourse.marks.iter().any(|mark| {
        mark.operator == Operator::And
            && first.is_none_or(|first| mark.span.start < first)
            && turn.said.text.slice(mark.span).contains(char::is_alphabetic)
    })
}

/// Returns whether the words ask something themselves.
fn asks(turn: &Turn<'_>) -> bool {
    turn.said.discourse.says(Operator::Question)
        || turn.said.text.original().trim_end().ends_with(['?', '？'])
}

/// The open question once more, for an answer that was not understood.
pub(in super::super) fn ask_again(turn: &Turn<'_>, opinion: Proposal) -> Proposal {
    let Some(tool) = turn.active_tool() else { return opinion };
    let known = turn.context.active_arguments.clone();
    let past = PastCall { tool: tool.spec.name.clone(), arguments: known, text: None };
    let again = DraftCall { tool: tool.spec.name.clone(), exact: true, ..DraftCall::default() };
    let again = match turn.asked() {
        Some((_, asked)) => DraftCall { memory: Some(past), ask: Some(asked.to_owned()), ..again },
        // What is to be approved or confirmed is the call as it was shown.
        None => DraftCall { given: as_given(&past), ..again },
    };
    match call(turn.pack, again, "the answer was not understood") {
        Some(sure) => {
            // A write waits for its yes, however unsure the words are: what is shown again is that very call.
            let waits = turn.asked().is_none() && turn.access(&tool.spec.name) != Access::Read;
            let confidence = if waits { sure.confidence } else { opinion.confidence };
            let Proposal { aim, calls, rationale, .. } = sure;
            Proposal { aim, calls, rationale, confidence, ..opinion }
        }
        None => opinion,
    }
}
