//! The verdict on a proposal: it runs, or the user is told or asked something instead.

use std::cell::LazyCell;

use serde_json::json;
use waypost_core::records::decision::{Call, LayerName, Outcome, Question, Reason, Steer};
use waypost_core::records::request::{Choice, shorten};
use waypost_text::language::Language;

use super::cascade::{Aim, FOREIGN, Proposal, Proposed, TOOL_GONE, VAGUE, withdrawn};
use super::gates::{self, Approved, Closed};
use super::slots::{self, DraftCall};
use super::{clarify, progress, switches};
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::{Access, RouteSpec};
use crate::pack::{OUT_OF_SCOPE, localized};
use crate::understand::Turn;

/// The longest name of a tool that a sentence repeats, in characters.
const NAME: usize = 60;

/// The verdict on a proposal.
#[derive(Debug)]
pub(super) struct Verdict {
    /// The next step.
    pub(super) outcome: Outcome,
    /// The route that is reported.
    pub(super) route: String,
    /// The reason why it does not simply run.
    pub(super) reason: Option<Reason>,
    /// The question or the sentence instead.
    pub(super) question: Option<Question>,
    /// The sentence that answers the turn by itself.
    pub(super) reply: Option<String>,
    /// The calls that passed the gates.
    pub(super) approved: Option<Approved>,
}

/// Asks the gates about a proposal for a route.
pub(super) fn of_gates(
    turn: &Turn<'_>,
    route: &RouteSpec,
    proposed: &Proposed,
    messages: &Messages,
) -> Verdict {
    let proposal = &proposed.proposal;
    let calls: Vec<Call> = proposed.calls().cloned().collect();
    let gaps: Vec<_> = proposed.gaps().cloned().collect();
    let leftover: Vec<_> = proposed.leftover().collect();
    // No words fill the arguments of a settled call, so none of them make it impossible.
    let faults = if turn.is_settled() { Vec::new() } else { slots::faults(turn) };
    let check = gates::Check {
        turn,
        route,
        calls: &calls,
        gaps: &gaps,
        leftover: &leftover,
        faults: &faults,
        steps: &proposed.steps,
        confidence: proposal.confidence,
        approved: proposal.approved.as_ref(),
        planned: proposal.planned,
        messages,
        meanings: LazyCell::new(Box::new(|| meanings(turn, route, proposal, &calls))),
    };
    let route = route.name.clone();
    match gates::check(&check) {
        Ok(approved) => Verdict {
            outcome: Outcome::Run,
            route,
            reason: None,
            question: None,
            reply: None,
            approved: Some(approved),
        },
        Err(closed) => {
            let Closed { outcome, reason, ask, .. } = clarify::once(turn, *closed);
            let mut question = messages.ask(turn.said.language, &ask);
            question.conditions = turn.all_conditions();
            if let Some(notice) = notice(turn, proposal, messages) {
                question.text = format!("{notice}\n{}", question.text);
            }
            Verdict {
                outcome,
                route,
                reason: Some(reason),
                question: Some(question),
                reply: None,
                approved: None,
            }
        }
    }
}

/// Lists the meanings that the user may have had, as choices: the proposal and the likely others.
fn meanings(
    turn: &Turn<'_>,
    route: &RouteSpec,
    proposal: &Proposal,
    calls: &[Call],
) -> Vec<Choice> {
    let own = (route.name.as_str(), calls.first().map(|call| call.tool.as_str()));
    // A meaning that is less likely than the floor is not needed to hold the right one.
    let others = proposal.alternatives.iter().filter(|other| other.confidence >= proposal.floor);
    let others = others.map(|other| (other.route.as_str(), other.tool.as_deref()));
    let mut choices: Vec<Choice> = Vec::new();
    for (route, tool) in std::iter::once(own).chain(others) {
        let Some(choice) = meaning(turn, route, tool) else { continue };
        if choices.iter().all(|known| !is_same(known, &choice)) {
            choices.push(choice);
        }
    }
    choices.truncate(turn.pack.spec.policy.max_choices);
    told_apart(turn, choices)
}

/// Returns whether two choices lead to one tool, or to routes that are said alike.
fn is_same(one: &Choice, other: &Choice) -> bool {
    match (one.value.get("tool"), other.value.get("tool")) {
        (Some(one), Some(other)) => one == other,
        _ => one.label == other.label,
    }
}

/// The choices, those that are said alike with the servers of their tools, or with their names where one server has both.
fn told_apart(turn: &Turn<'_>, choices: Vec<Choice>) -> Vec<Choice> {
    let tool = |choice: &Choice| turn.pack.tool(choice.value.get("tool")?.as_str()?);
    let label = |choice: &Choice| {
        let alike = choices.iter().filter(|other| other.label == choice.label);
        let alike: Vec<_> = alike.filter_map(tool).collect();
        let Some(own) = tool(choice).filter(|_| alike.len() > 1) else {
            return choice.label.clone();
        };
        let of_server = alike.iter().filter(|other| other.spec.server == own.spec.server);
        let mark = if of_server.count() > 1 { &own.spec.name } else { &own.spec.server };
        format!("{} ({mark})", choice.label)
    };
    let labels: Vec<String> = choices.iter().map(label).collect();
    choices.into_iter().zip(labels).map(|(choice, label)| Choice { label, ..choice }).collect()
}

/// Returns whether the gates let a tool be used from here: what they refuse is no choice.
fn may_be_used(turn: &Turn<'_>, tool: &str) -> bool {
    let destroys = turn.access(tool) == Access::Destructive;
    turn.request.may_use(tool) && (turn.request.trusted || !destroys)
}

fn meaning(turn: &Turn<'_>, route: &str, tool: Option<&str>) -> Option<Choice> {
    let tool = match tool {
        Some(name) => Some(turn.pack.tool(name).filter(|_| may_be_used(turn, name))?),
        None => None,
    };
    let (label, value) = match tool {
        Some(tool) => {
            let call = DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() };
            let filled = slots::fill(turn, &call)?;
            let call = filled.calls.first()?;
            let tool = turn.pack.tool(&call.tool)?;
            let label =
                localized(&tool.spec.label, turn.said.language).unwrap_or(&tool.spec.summary);
            (label, json!({ "tool": call.tool, "arguments": call.arguments }))
        }
        None => {
            let route = turn.pack.route(route)?;
            let label = localized(&route.label, turn.said.language).unwrap_or(&route.summary);
            (label, json!({ "route": route.name }))
        }
    };
    Some(Choice { label: label.to_owned(), value })
}

/// Says why no route is served: out of scope, not understood, a question in a model's
/// words, or a word that steers.
pub(super) fn without_route(turn: &Turn<'_>, proposal: &Proposal, messages: &Messages) -> Verdict {
    let say = |name| messages.say(turn.said.language, &Sentence::new(name));
    let out_of_scope = || {
        let own = turn.pack.message(OUT_OF_SCOPE, turn.said.language).map(str::to_owned);
        own.unwrap_or_else(|| say(OUT_OF_SCOPE))
    };
    let nowhere = OUT_OF_SCOPE.to_owned();
    match &proposal.aim {
        Aim::Unclear(FOREIGN) => offer(turn, proposal, messages),
        Aim::OutOfScope => told(Outcome::Refuse, nowhere, Some(Reason::OutOfScope), out_of_scope()),
        Aim::Unclear(VAGUE) => told(Outcome::Clarify, nowhere, Some(Reason::Unclear), say(VAGUE)),
        Aim::Unclear(TOOL_GONE) => {
            let tool = withdrawn(turn).or_else(|| clicked_tool(turn)).unwrap_or_default();
            let sentence = Sentence::new(TOOL_GONE).with("tool", shorten(tool, NAME));
            let text = messages.say(turn.said.language, &sentence);
            told(Outcome::Rephrase, nowhere, Some(Reason::Unclear), text)
        }
        Aim::Unclear(name) => told(Outcome::Rephrase, nowhere, Some(Reason::Unclear), say(*name)),
        Aim::Ask(text) => told(Outcome::Clarify, nowhere, Some(Reason::Model), text.clone()),
        Aim::Stopped => steered(turn, Steer::Stopped, say("stopped")),
        Aim::Status => steered(turn, Steer::Status, progress::status(turn, messages)),
        Aim::Switched => steered(turn, Steer::Switched, switches::told(turn, messages)),
        Aim::Route(name) => {
            let handler = turn.pack.route(name).map(|route| route.handler.name().to_owned());
            told(Outcome::Refuse, name.clone(), handler.map(Reason::HandlerOff), out_of_scope())
        }
    }
}

/// The tool of a choice that was shown and taken, though the pack has it no more.
fn clicked_tool<'t>(turn: &'t Turn<'_>) -> Option<&'t str> {
    let shown = turn.context.options.iter().map(|choice| &choice.value);
    let mut tools = shown.filter_map(|value| value.get("tool")?.as_str());
    tools.find(|tool| turn.pack.tool(tool).is_none())
}

/// Says which languages are understood, where the words are in none of them and the student has read what it could.
pub(super) fn notice(turn: &Turn<'_>, proposal: &Proposal, messages: &Messages) -> Option<String> {
    (turn.said.is_foreign && proposal.layer == LayerName::Linear)
        .then(|| understood(turn, messages))
}

fn understood(turn: &Turn<'_>, messages: &Messages) -> String {
    let say = |sentence: &Sentence| messages.say(turn.said.language, sentence);
    let name = |language: &Language| messages.language(turn.said.language, *language);
    let names: Vec<String> = turn.pack.languages.iter().map(name).collect();
    let names = names.join(&say(&Sentence::new("and_next")));
    say(&Sentence::new(FOREIGN).with("languages", names))
}

/// Says which languages are understood, and offers the tools that may be meant.
fn offer(turn: &Turn<'_>, proposal: &Proposal, messages: &Messages) -> Verdict {
    let offered = proposal.alternatives.iter();
    let offered = offered.filter_map(|one| meaning(turn, &one.route, one.tool.as_deref()));
    let choices = offered.take(turn.pack.spec.policy.max_choices).collect();
    let choices = told_apart(turn, choices);
    let (outcome, asks) = match choices.is_empty() {
        true => (Outcome::Rephrase, "rephrase"),
        false => (Outcome::Clarify, "did_you_mean"),
    };
    let asks = messages.say(turn.said.language, &Sentence::new(asks));
    let text = format!("{}\n{asks}", understood(turn, messages));
    let question = Question { text, choices, ..Question::default() };
    Verdict {
        question: Some(question),
        ..told(outcome, OUT_OF_SCOPE.to_owned(), Some(Reason::Unclear), String::new())
    }
}

/// Asks for a shorter text: nothing may run on words of which only a part was read.
pub(super) fn unread(turn: &Turn<'_>, route: Option<&RouteSpec>, messages: &Messages) -> Verdict {
    let route = route.map_or(OUT_OF_SCOPE, |route| route.name.as_str()).to_owned();
    let text = messages.say(turn.said.language, &Sentence::new("unread"));
    told(Outcome::Clarify, route, Some(Reason::Unread), text)
}

/// A sentence instead of any work.
fn told(outcome: Outcome, route: String, reason: Option<Reason>, text: String) -> Verdict {
    let question = Some(Question { text, ..Question::default() });
    Verdict { outcome, route, reason, question, reply: None, approved: None }
}

/// A turn that only steers runs nothing and is answered by a sentence.
fn steered(turn: &Turn<'_>, steer: Steer, reply: String) -> Verdict {
    Verdict {
        outcome: Outcome::Run,
        route: turn.pack.spec.fallback.clone(),
        reason: Some(Reason::Steer(steer)),
        question: None,
        reply: Some(reply),
        approved: None,
    }
}
