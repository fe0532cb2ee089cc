//! From a turn to a decision: the cascade proposes, the arguments are filled, the gates have the
//! last word.

pub mod arguments;
pub mod cascade;
pub(crate) mod clarify;
pub mod gates;
pub(crate) mod progress;

use serde_json::json;
use waypost_core::error::{Code, Result};
use waypost_core::hash::Fnv;
use waypost_core::records::decision::{
    Complexity, Decision, LayerName, Outcome, Question, Reason, Source, Steer, Strategy, round,
};
use waypost_core::records::event::{Event, Recalled};
use waypost_core::records::request::Choice;

use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::{HandlerName, Order, RouteSpec};
use crate::pack::{OUT_OF_SCOPE, Tool};
use crate::student::heads;
use crate::turn::Turn;
use arguments::{DraftCall, Filled};
use cascade::{Aim, Cascaded, DecisionDependencies, Draft, interpret};
use gates::{Approved, Closed, Proposal};

/// A decision, and what may run of it.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The record.
    pub(crate) decision: Decision,
    /// The calls that passed the gates; `None` unless the decision is `run`.
    pub(crate) approved: Option<Approved>,
    /// What happened on the way.
    pub(crate) events: Vec<Event>,
    /// The proposal that it was made of.
    pub(crate) draft: Draft,
    /// What was decided before and recalled.
    pub(crate) recalled: Option<Recalled>,
}

/// Decides a turn.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the caller declared a route that the pack does not have; `CANCELLED`.
pub(crate) async fn decide(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    messages: &Messages,
) -> Result<Decided> {
    let mut cascaded = cascade::cascade(turn, dependencies).await?;
    let route = match &cascaded.draft.aim {
        Aim::Route(name) => turn.pack.route(name).filter(|route| is_on(turn, route)),
        _ => None,
    };
    let filled = match route.map(|route| route.handler) {
        Some(HandlerName::Tool) => {
            complete_draft(turn, dependencies, &mut cascaded.draft);
            let filled = fill(turn, &cascaded.draft);
            interpreted(turn, dependencies, &mut cascaded, filled).await?
        }
        _ => Vec::new(),
    };
    let mut decision = blank(turn, dependencies, &cascaded);
    let approved = match route {
        Some(route) => run_or_ask(turn, route, &cascaded.draft, &filled, &mut decision, messages),
        None => {
            without_route(turn, &cascaded.draft, &mut decision, messages);
            None
        }
    };
    let Cascaded { draft, events, recalled, .. } = cascaded;
    Ok(Decided { decision, approved, events, draft, recalled })
}

/// Where the caller declared a route of tools and left the tool open, the student says which one the
/// words ask for.
fn complete_draft(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>, draft: &mut Draft) {
    if draft.calls.is_empty()
        && let Some((tool, probability)) = heads::likeliest_tool(turn, dependencies.bundle)
    {
        // The caller is sure of the route, nobody of the tool.
        draft.confidence = draft.confidence.min(probability);
        draft.calls.push(DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() });
    }
}

fn fill(turn: &Turn<'_>, draft: &Draft) -> Vec<Filled> {
    draft.calls.iter().filter_map(|call| arguments::fill(turn, call)).collect()
}

/// What the matchers leave open is read by a model, if one is there and none was asked yet: there
/// is never a second call in a turn.
async fn interpreted(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    cascaded: &mut Cascaded,
    filled: Vec<Filled>,
) -> Result<Vec<Filled>> {
    let on = turn.enabled.layer(LayerName::Llm.name());
    let Some(model) = dependencies.model.filter(|_| on) else {
        return Ok(filled);
    };
    // What was recalled is what a model made of these very words.
    let recalled = cascaded.draft.layer == LayerName::Recall;
    let asked_already = cascaded.llm_calls > 0 || recalled;
    let Some((index, tool)) = open_call(turn, &cascaded.draft, &filled).filter(|_| !asked_already)
    else {
        return Ok(filled);
    };
    cascaded.llm_calls += 1;
    match interpret::interpret(turn, tool, model, dependencies.cancel).await {
        Ok(reading) if reading.about => {
            let call = &mut cascaded.draft.calls[index];
            call.proposed = reading.arguments;
            call.tool.clone_from(&tool.spec.name);
            let filled = fill(turn, &cascaded.draft);
            let used = filled.iter().flat_map(|filled| &filled.calls);
            let used = used.flat_map(|call| call.evidence.values());
            if used.into_iter().any(|receipt| receipt.source == Source::Llm) {
                let draft = &mut cascaded.draft;
                draft.confidence = draft.confidence.min(reading.confidence);
            }
            Ok(filled)
        }
        Ok(_) => Ok(filled),
        Err(error) if error.code() == Code::Cancelled => Err(error),
        Err(error) => {
            cascaded.note_failure(LayerName::Llm, &error);
            Ok(filled)
        }
    }
}

/// The call that a model should read: one that lacks something that it needs, or of which the words
/// say more than the matchers know; in a pack that asks models first, any that takes arguments.
fn open_call<'a>(
    turn: &'a Turn<'_>,
    draft: &Draft,
    filled: &[Filled],
) -> Option<(usize, &'a Tool)> {
    let first = turn.pack.spec.policy.order == Order::LlmFirst;
    let calls = draft.calls.iter().zip(filled).enumerate();
    let mut open = calls.filter(|(_, (call, filled))| {
        let settled = call.ask.is_some() || call.exact && !call.given.is_empty();
        !settled && (first || arguments::leaves_open(turn, filled))
    });
    let (index, (_, filled)) = open.next()?;
    let tool = turn.pack.tool(&filled.calls.first()?.tool)?;
    tool.arguments().next().is_some().then_some((index, tool))
}

/// Whether the handler of a route is on; a route without one is not served.
fn is_on(turn: &Turn<'_>, route: &RouteSpec) -> bool {
    turn.enabled.handler(route.handler.name())
}

fn blank(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    cascaded: &Cascaded,
) -> Decision {
    let draft = &cascaded.draft;
    Decision {
        id: identity(turn),
        pack: turn.pack.id.clone(),
        bundle: dependencies.bundle.id().to_owned(),
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
        reply: None,
        assumptions: Vec::new(),
    }
}

/// The same request at the same instant has the same id, so that a replay can be compared.
pub(crate) fn identity(turn: &Turn<'_>) -> String {
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
    route: &RouteSpec,
    draft: &Draft,
    filled: &[Filled],
    decision: &mut Decision,
    messages: &Messages,
) -> Option<Approved> {
    decision.route.clone_from(&route.name);
    decision.retrieval = route.retrieval;
    decision.model_slot = route.model;
    if draft.layer == LayerName::Rules && route.handler != HandlerName::Tool {
        decision.subject.clone_from(&turn.context.asked);
    }
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

/// What the user may have meant, as choices: the proposal and what else was likely.
fn meanings(turn: &Turn<'_>, draft: &Draft, decision: &Decision) -> Vec<Choice> {
    let own = match decision.calls.first() {
        Some(call) => (decision.route.as_str(), Some(call.tool.as_str())),
        None => (decision.route.as_str(), None),
    };
    // What is less likely than the floor is not needed to hold the right one.
    let others = draft.alternatives.iter().filter(|other| other.confidence >= draft.floor);
    let others = others.map(|other| (other.route.as_str(), other.tool.as_deref()));
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
    let closed = clarify::once(turn, closed);
    decision.decision = closed.outcome;
    decision.reason = Some(closed.reason);
    decision.question = Some(messages.ask(turn.language, &closed.ask));
}

/// No route: out of scope, not understood, a question in a model's words, or a word that steers.
fn without_route(turn: &Turn<'_>, draft: &Draft, decision: &mut Decision, messages: &Messages) {
    let plain = |text: String| Some(Question { text, ..Question::default() });
    let out_of_scope = || {
        let own = turn.pack.message(OUT_OF_SCOPE, turn.language).map(str::to_owned);
        own.unwrap_or_else(|| messages.say(turn.language, &Sentence::new("out_of_scope")))
    };
    match &draft.aim {
        Aim::OutOfScope => {
            decision.reason = Some(Reason::OutOfScope);
            decision.question = plain(out_of_scope());
        }
        Aim::Unclear(name) => {
            decision.decision = Outcome::Rephrase;
            decision.reason = Some(Reason::Unclear);
            decision.question = plain(messages.say(turn.language, &Sentence::new(name)));
        }
        Aim::Ask(text) => {
            decision.decision = Outcome::Clarify;
            decision.reason = Some(Reason::Model);
            decision.question = plain(text.clone());
        }
        Aim::Stopped => steered(
            turn,
            Steer::Stopped,
            decision,
            messages.say(turn.language, &Sentence::new("stopped")),
        ),
        Aim::Status => steered(turn, Steer::Status, decision, progress::status(turn, messages)),
        Aim::Route(name) => {
            decision.route.clone_from(name);
            let handler = turn.pack.route(name).map(|route| route.handler.name());
            decision.reason = handler.map(|handler| Reason::HandlerOff(handler.to_owned()));
            decision.question = plain(out_of_scope());
        }
    }
}

/// A turn that only steers runs nothing and is answered by a sentence.
fn steered(turn: &Turn<'_>, steer: Steer, decision: &mut Decision, reply: String) {
    decision.decision = Outcome::Run;
    decision.route.clone_from(&turn.pack.spec.fallback);
    decision.reason = Some(Reason::Steer(steer));
    decision.reply = Some(reply);
}
