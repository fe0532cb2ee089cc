//! Puts the decision together from the results of the stages.

use serde_json::json;
use waypost_core::hash::Fnv;
use waypost_core::records::decision::{
    Call, Complexity, Decision, GateName, LayerName, Outcome, PlannedStep, Reason, Strategy, round,
};

use super::cascade::{Failure, Proposal, Proposed};
use super::steps;
use super::verdict::Verdict;
use crate::pack::Tool;
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::{Access, HandlerName, Injected, RouteSpec};
use crate::understand::{EarlierRun, Turn};

/// The decision of a turn; `bundle` is the id of the student that was in service.
pub(super) fn record(
    turn: &Turn<'_>,
    bundle: &str,
    route: Option<&RouteSpec>,
    proposed: &Proposed,
    verdict: &Verdict,
    messages: &Messages,
) -> Decision {
    let proposal = &proposed.proposal;
    let calls: Vec<Call> = proposed.calls().cloned().collect();
    let selected = selected(turn, route, &calls);
    let assumed = proposed.assumptions();
    let mut assumptions: Vec<String> =
        assumed.map(|sentence| messages.say(turn.said.language, sentence)).collect();
    assumptions.dedup();
    if verdict.outcome == Outcome::Run {
        let unused = proposed.unused(turn).into_iter();
        let unused = unused.map(|text| Sentence::new("unused").with("text", text));
        assumptions.extend(unused.map(|sentence| messages.say(turn.said.language, &sentence)));
    }
    if verdict.question.is_none() {
        assumptions.extend(super::verdict::notice(turn, proposal, messages));
    }
    let task = (!proposed.steps.is_empty()).then(|| turn.task().clone());
    let (complexity, strategy) = effort(proposal, calls.len());
    // A choice settled the route of an earlier question, which the handler of that route answers.
    let settled = |route: &&RouteSpec| {
        proposal.layer == LayerName::Rules && route.handler != HandlerName::Tool
    };
    // No caller is told of a tool that is not theirs.
    let alternatives = proposal.alternatives.iter();
    let alternatives = alternatives
        .filter(|other| other.tool.as_ref().is_none_or(|tool| turn.request.may_use(tool)));
    Decision {
        id: identity(turn),
        pack: turn.pack.id.clone(),
        bundle: bundle.to_owned(),
        decision: verdict.outcome,
        route: verdict.route.clone(),
        calls,
        confidence: round(proposal.confidence),
        layer: proposal.layer,
        alternatives: alternatives.cloned().collect(),
        selected,
        rationale: proposal.rationale.clone(),
        question: verdict.question.clone(),
        reason: verdict.reason.clone(),
        retrieval: route.is_some_and(|route| route.retrieval),
        model_slot: route.and_then(|route| route.model),
        complexity,
        strategy,
        llm_calls: proposed.llm_calls,
        degraded: proposed.failures.iter().map(Failure::to_string).collect(),
        language: turn.said.language,
        subject: route.filter(settled).and_then(|_| turn.context.asked.clone()),
        reply: verdict.reply.clone(),
        assumptions,
        unserved: proposal.unserved.clone(),
        steps: planned(turn, proposed, verdict),
        switches: super::switches::of(turn),
        options: turn.said.commands.options.clone(),
        task,
        resumes: resumes(turn, proposal),
    }
}

/// The steps of the plan. Where something must be asked first, that is the plan; a question whether the plan or a call of it shall
/// be done leaves it as it is.
fn planned(turn: &Turn<'_>, proposed: &Proposed, verdict: &Verdict) -> Vec<PlannedStep> {
    let seeks_yes = [GateName::Plan, GateName::Approval].map(|gate| Some(Reason::Gate(gate)));
    let asks = turn.pack.spec.plans.is_some()
        && verdict.outcome == Outcome::Clarify
        && !seeks_yes.contains(&verdict.reason);
    match verdict.question.as_ref().filter(|_| asks) {
        Some(question) => vec![steps::asking(&question.text)],
        None => proposed.steps.clone(),
    }
}

/// The work of a turn: of all that was asked, whether it is served or not, and no less than a model says.
fn effort(proposal: &Proposal, calls: usize) -> (Complexity, Strategy) {
    let counted = Complexity::of(calls + proposal.unserved.len());
    let (complexity, strategy) = proposal.effort.unwrap_or((counted, Strategy::of(counted)));
    let complexity = complexity.max(counted);
    (complexity, strategy.max(Strategy::of(complexity)))
}

/// The run that goes on: because the user says so, or because they answer the question that it came to.
fn resumes(turn: &Turn<'_>, proposal: &Proposal) -> Option<String> {
    match &turn.run {
        Some(EarlierRun::Resumed(run)) => Some(run.id.clone()),
        Some(EarlierRun::Waiting(run)) => proposal.approved.as_ref().map(|_| run.id.clone()),
        _ => None,
    }
}

/// The tools whose full schemas later stages may use, after what is always active where tools run.
fn selected(turn: &Turn<'_>, route: Option<&RouteSpec>, calls: &[Call]) -> Vec<String> {
    let runs = route.is_some_and(|route| route.handler == HandlerName::Tool);
    let always = turn.pack.spec.always_active.iter().filter(|_| runs);
    let every =
        turn.pack.tools.iter().filter(|tool| runs && turn.selects_all() && is_free(turn, tool));
    let every = every.map(|tool| &tool.spec.name);
    let mut selected: Vec<String> = Vec::new();
    for name in always.chain(every).chain(calls.iter().map(|call| &call.tool)) {
        let is_theirs = turn.pack.tool(name).is_none() || turn.request.may_use(name);
        if is_theirs && !selected.contains(name) {
            selected.push(name.clone());
        }
    }
    selected
}

/// Returns whether no gate holds a tool back whatever it is called with.
fn is_free(turn: &Turn<'_>, tool: &Tool) -> bool {
    turn.access(&tool.spec.name) == Access::Read
        && !turn.permits.gone.contains(&tool.spec.name)
        && tool.spec.requires.iter().all(|needed| turn.flag(&needed.flag))
}

/// The id of a turn: the same request at the same instant has the same, unless its surface salted it
/// so that no stranger can work it out.
pub(crate) fn identity(turn: &Turn<'_>) -> String {
    let request = turn.request;
    let mut parts = json!([
        turn.pack.id,
        turn.now.to_string(),
        turn.said.text.original(),
        turn.context,
        [request.session, request.language, request.route],
        request.choice,
        request.trusted,
    ]);
    // Only where there is one: the ids of all other turns are what they were.
    if let (Some(call), Some(parts)) = (&request.call, parts.as_array_mut()) {
        parts.push(json!(call));
    }
    if let (Some(resume), Some(parts)) = (&request.resume, parts.as_array_mut()) {
        parts.push(json!({ "resume": resume }));
    }
    if let (false, Some(parts)) = (turn.said.commands.is_empty(), parts.as_array_mut()) {
        parts.push(json!(request.text));
    }
    if let (Some(salt), Some(parts)) = (request.salt, parts.as_array_mut()) {
        parts.push(salt.into());
    }
    let mut hash = Fnv::default();
    hash.write(parts.to_string().as_bytes());
    format!("{:016x}", hash.value())
}

/// Whose data a tool keeps. No two callers share a name: a user is one of a key, the name of a conversation has its key before a
/// slash, and whoever has neither is somebody else in each request.
pub(crate) fn injected(turn: &Turn<'_>, what: Injected) -> String {
    let request = turn.request;
    let user = request.user.as_ref().filter(|_| request.trusted && what == Injected::User);
    match (user, &request.owner, &request.session) {
        (Some(user), Some(key), _) => format!("@{key}@{user}"),
        (Some(user), None, _) => user.clone(),
        (None, _, Some(session)) => session.clone(),
        (None, _, None) => format!("nobody-{}", identity(turn)),
    }
}
