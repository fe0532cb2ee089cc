//! From a turn to a decision: the cascade proposes, the arguments are filled, the gates have the
//! last word.

use serde_json::json;

use crate::arguments::{self, DraftCall, Filled};
use crate::cascade::{self, Aim, Cascaded, Draft, Equipment};
use crate::decision::{Complexity, Decision, LayerName, Outcome, Question, Strategy, round};
use crate::error::Result;
use crate::event::Event;
use crate::gates::{self, Approved, Closed, Proposal};
use crate::hash::Fnv;
use crate::messages::{Messages, Sentence};
use crate::pack::OUT_OF_SCOPE;
use crate::pack::spec::{HandlerName, RouteSpec};
use crate::question;
use crate::request::Choice;
use crate::student;
use crate::turn::Turn;

/// A decision, and what may run of it.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The record.
    pub(crate) decision: Decision,
    /// The calls that passed the gates; `None` unless the decision is `run`.
    pub(crate) approved: Option<Approved>,
    /// What happened on the way.
    pub(crate) events: Vec<Event>,
}

/// Decides a turn.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the caller declared a route that the pack does not have; `CANCELLED`.
pub(crate) async fn decide(
    turn: &Turn<'_>,
    equipment: &Equipment<'_>,
    layers: &[LayerName],
    messages: &Messages,
) -> Result<Decided> {
    let cascaded = cascade::cascade(turn, equipment, layers).await?;
    let mut decision = blank(turn, equipment, &cascaded);
    let route = match &cascaded.draft.aim {
        Aim::Route(name) => turn.pack.route(name),
        _ => None,
    };
    let approved = match route {
        Some(route) => run_or_ask(turn, equipment, route, &cascaded.draft, &mut decision, messages),
        None => {
            say_why_not(turn, &cascaded.draft, &mut decision, messages);
            None
        }
    };
    Ok(Decided { decision, approved, events: cascaded.events })
}

fn blank(turn: &Turn<'_>, equipment: &Equipment<'_>, cascaded: &Cascaded) -> Decision {
    let draft = &cascaded.draft;
    Decision {
        id: identity(turn),
        pack: turn.pack.id.clone(),
        bundle: equipment.bundle.id().to_owned(),
        decision: Outcome::Refuse,
        route: OUT_OF_SCOPE.to_owned(),
        calls: Vec::new(),
        confidence: round(draft.confidence),
        layer: draft.layer,
        alternatives: draft.alternatives.clone(),
        selected: Vec::new(),
        rationale: draft.rationale.clone(),
        question: None,
        reason: None,
        retrieval: false,
        model_slot: None,
        complexity: Complexity::Simple,
        strategy: Strategy::Direct,
        llm_calls: cascaded.llm_calls,
        degraded: cascaded.degraded.clone(),
        language: turn.language,
        subject: None,
        assumptions: Vec::new(),
    }
}

/// The same request at the same instant has the same id, so that a replay can be compared.
fn identity(turn: &Turn<'_>) -> String {
    let request = turn.request;
    let parts = json!([
        turn.pack.id,
        turn.now.to_string(),
        turn.text.original(),
        turn.context,
        [request.session, request.language, request.route],
        request.choice,
        request.trusted,
    ]);
    let mut hash = Fnv::default();
    hash.write(parts.to_string().as_bytes());
    format!("{:016x}", hash.value())
}

fn run_or_ask(
    turn: &Turn<'_>,
    equipment: &Equipment<'_>,
    route: &RouteSpec,
    draft: &Draft,
    decision: &mut Decision,
    messages: &Messages,
) -> Option<Approved> {
    decision.route.clone_from(&route.name);
    decision.retrieval = route.retrieval;
    decision.model_slot = route.model;
    if draft.layer == LayerName::Rules && route.handler != HandlerName::Tool {
        decision.subject.clone_from(&turn.context.asked);
    }
    let filled = match route.handler {
        HandlerName::Tool => fill(turn, equipment, draft),
        _ => Vec::new(),
    };
    decision.calls = filled.iter().flat_map(|filled| filled.calls.clone()).collect();
    decision.selected = decision.calls.iter().map(|call| call.tool.clone()).collect();
    decision.selected.dedup();
    decision.complexity = Complexity::of(decision.calls.len());
    decision.strategy = Strategy::of(decision.complexity);
    let assumed = filled.iter().flat_map(|filled| &filled.assumptions);
    decision.assumptions = assumed.map(|sentence| messages.say(turn.language, sentence)).collect();
    decision.assumptions.dedup();
    let gaps: Vec<_> = filled.iter().flat_map(|filled| filled.gaps.clone()).collect();
    let faults = arguments::faults(turn);
    let meanings = meanings(turn, draft, decision);
    let proposal = Proposal {
        turn,
        route,
        calls: &decision.calls,
        gaps: &gaps,
        faults: &faults,
        confidence: draft.confidence,
        approved: draft.approved.as_ref(),
        messages,
        meanings: &meanings,
    };
    match gates::check(&proposal) {
        Ok(approved) => {
            decision.decision = Outcome::Run;
            Some(approved)
        }
        Err(closed) => {
            close(turn, *closed, decision, messages);
            None
        }
    }
}

/// Fills every tool of a draft. Where the caller declared a route of tools and left the tool open,
/// the student says which one the words ask for.
fn fill(turn: &Turn<'_>, equipment: &Equipment<'_>, draft: &Draft) -> Vec<Filled> {
    let likeliest = || {
        let tool = student::likeliest_tool(turn, equipment.bundle)?;
        Some(DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() })
    };
    let open = if draft.calls.is_empty() { likeliest() } else { None };
    draft.calls.iter().chain(&open).filter_map(|call| arguments::fill(turn, call)).collect()
}

/// What the user may have meant, as choices: the proposal and what else was likely.
fn meanings(turn: &Turn<'_>, draft: &Draft, decision: &Decision) -> Vec<Choice> {
    let own = match decision.calls.first() {
        Some(call) => (decision.route.as_str(), Some(call.tool.as_str())),
        None => (decision.route.as_str(), None),
    };
    let others =
        draft.alternatives.iter().map(|other| (other.route.as_str(), other.tool.as_deref()));
    let mut choices: Vec<Choice> = Vec::new();
    for (route, tool) in std::iter::once(own).chain(others) {
        let Some(choice) = meaning(turn, route, tool) else { continue };
        if choices.iter().all(|known| known.label != choice.label) {
            choices.push(choice);
        }
    }
    choices.truncate(turn.pack.spec.policy.max_choices);
    choices
}

fn meaning(turn: &Turn<'_>, route: &str, tool: Option<&str>) -> Option<Choice> {
    let tool = tool.and_then(|tool| turn.pack.tool(tool));
    let (label, value) = match tool {
        Some(tool) => {
            let call = DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() };
            let filled = arguments::fill(turn, &call)?;
            let call = filled.calls.first()?;
            let tool = turn.pack.tool(&call.tool)?;
            (&tool.spec.summary, json!({ "tool": call.tool, "arguments": call.arguments }))
        }
        None => (&turn.pack.route(route)?.summary, json!({ "route": route })),
    };
    Some(Choice { label: label.clone(), value })
}

fn close(turn: &Turn<'_>, closed: Closed, decision: &mut Decision, messages: &Messages) {
    let closed = question::once(turn, closed);
    decision.decision = closed.outcome;
    decision.reason = Some(closed.reason);
    decision.question = Some(messages.ask(turn.language, &closed.ask));
}

/// No route: out of scope, not understood, or a question in a model's words.
fn say_why_not(turn: &Turn<'_>, draft: &Draft, decision: &mut Decision, messages: &Messages) {
    let plain =
        |text: String| Some(Question { text, choices: Vec::new(), tool: None, argument: None });
    match &draft.aim {
        Aim::OutOfScope => {
            decision.reason = Some(OUT_OF_SCOPE.to_owned());
            let own = turn.pack.message(OUT_OF_SCOPE, turn.language).map(str::to_owned);
            let text =
                own.unwrap_or_else(|| messages.say(turn.language, &Sentence::new("out_of_scope")));
            decision.question = plain(text);
        }
        Aim::Unclear(name) => {
            decision.decision = Outcome::Rephrase;
            decision.reason = Some("unclear".to_owned());
            decision.question = plain(messages.say(turn.language, &Sentence::new(name)));
        }
        Aim::Ask(text) => {
            decision.decision = Outcome::Clarify;
            decision.reason = Some("model".to_owned());
            decision.question = plain(text.clone());
        }
        Aim::Route(_) => {}
    }
}
