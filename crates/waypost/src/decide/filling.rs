//! Fills, once a turn, the arguments of what the cascade proposes: first by the matchers, then by a
//! model for what they leave open.

use serde_json::{Map, Value as Json};
use waypost_core::error::{Code, Result};
use waypost_core::records::decision::{Call, LayerName, Source};
use waypost_core::records::request::PastCall;
use waypost_text::text::Span;

use super::cascade::interpret::interpret;
use super::cascade::{Arguments, DecisionDependencies, Proposal, Proposed, answered_in_words};
use super::slots::{self, DraftCall, Filled};
use crate::pack::Tool;
use crate::pack::spec::{HandlerName, Order, RouteSpec};
use crate::student::heads;
use crate::understand::Turn;

/// Fills the arguments of what the cascade proposes for a route.
///
/// # Errors
///
/// `CANCELLED`.
pub(super) async fn fill(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    route: Option<&RouteSpec>,
    proposed: &mut Proposed,
) -> Result<()> {
    if route.is_none_or(|route| route.handler != HandlerName::Tool) {
        return Ok(());
    }
    name_tool(turn, dependencies, &mut proposed.proposal);
    proposed.filled = matched(turn, &proposed.proposal);
    if let Some(answer) = in_words(turn, proposed) {
        proposed.proposal.calls = answer.calls;
        proposed.filled = matched(turn, &proposed.proposal);
    }
    interpreted(turn, dependencies, proposed).await
}

/// The words as the answer to the open question, if they go on with its tool and nothing in them is read for what it asks.
fn in_words(turn: &Turn<'_>, proposed: &Proposed) -> Option<Proposal> {
    let (active, asked) = turn.asked()?;
    let name = &active.spec.name;
    let goes_on = proposed.proposal.calls.iter().all(|call| call.tool == *name);
    let is_open = proposed.gaps().any(|gap| gap.tool == *name && gap.argument == asked);
    if goes_on && is_open { answered_in_words(turn) } else { None }
}

/// Completes a proposal for which the caller declared a route of tools and left the tool open: the
/// student says which one the words ask for.
fn name_tool(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>, proposal: &mut Proposal) {
    if proposal.calls.is_empty()
        && let Some((tool, probability)) = heads::likeliest_tool(turn, dependencies.bundle)
    {
        // The caller is sure of the route, nobody of the tool.
        proposal.confidence = proposal.confidence.min(probability);
        proposal.calls.push(DraftCall { tool: tool.spec.name.clone(), ..DraftCall::default() });
    }
}

/// Fills each call by the matchers, but for one that is settled: the one that the user approved is
/// made as it was shown, and the one that the caller declared as it was declared.
fn matched(turn: &Turn<'_>, proposal: &Proposal) -> Vec<Filled> {
    let settled =
        |call| as_approved(turn, proposal, call).or_else(|| as_declared(turn, proposal, call));
    let filled = |call| settled(call).or_else(|| slots::fill(turn, call));
    let mut filled: Vec<Filled> = proposal.calls.iter().filter_map(filled).collect();
    filled.iter_mut().flat_map(|one| &mut one.calls).for_each(|call| as_meant(turn, call));
    drop_doubles(&mut filled);
    filled
}

/// Writes the arguments of a call as its tool's schema means them: 3 and not 3.0 where it wants an integer.
fn as_meant(turn: &Turn<'_>, call: &mut Call) {
    let Some(tool) = turn.pack.tool(&call.tool) else { return };
    let mut arguments = Json::Object(std::mem::take(&mut call.arguments));
    let changed = tool.as_meant(&mut arguments);
    if let Json::Object(arguments) = arguments {
        call.arguments = arguments;
    }
    if changed {
        call.evidence.retain(|name, _| call.arguments.contains_key(name));
    }
}

/// Drops the calls that were asked for before in the same text: "low water, and what time is low water?".
fn drop_doubles(filled: &mut [Filled]) {
    let mut known: Vec<Call> = Vec::new();
    for one in filled {
        one.calls.retain(|call| {
            let double = known
                .iter()
                .any(|other| other.tool == call.tool && other.arguments == call.arguments);
            if !double {
                known.push(call.clone());
            }
            !double
        });
    }
}

/// The call that the user approved, to the last argument; the words of the yes fill none of them.
/// `None` for another call, or one that was not whole when it was shown.
fn as_approved(turn: &Turn<'_>, proposal: &Proposal, call: &DraftCall) -> Option<Filled> {
    let approved = proposal.approved.as_ref().filter(|approved| approved.tool == call.tool)?;
    let tool = turn.pack.tool(&call.tool)?;
    let mut arguments = approved.arguments.iter();
    let same = approved.arguments.len() == call.given.len()
        && arguments
            .all(|(name, value)| call.given.get(name).is_some_and(|given| given.value == *value));
    let missing = |name: &str| tool.requires(name) && !call.given.contains_key(name);
    if !same || tool.arguments().any(missing) {
        return None;
    }
    let receipts = call.given.iter().map(|(name, given)| (name.clone(), given.evidence.clone()));
    let whole = Call {
        tool: call.tool.clone(),
        arguments: approved.arguments.clone(),
        evidence: receipts.collect(),
    };
    Some(Filled { calls: vec![whole], ..Filled::default() })
}

/// A call that the caller declared, or of a run that goes on: no words and no default fill its arguments, and what its
/// schema requires and the caller left out is a gap.
fn as_declared(turn: &Turn<'_>, proposal: &Proposal, call: &DraftCall) -> Option<Filled> {
    if proposal.layer != LayerName::Declared || !turn.is_settled() {
        return None;
    }
    let tool = turn.pack.tool(&call.tool)?;
    let receipts = call.given.iter().map(|(name, given)| (name.clone(), given.evidence.clone()));
    let values = call.given.iter().map(|(name, given)| (name.clone(), given.value.clone()));
    let arguments = match &turn.request.call {
        Some(declared) => declared.arguments.clone(),
        None => values.collect(),
    };
    let whole = Call { tool: call.tool.clone(), arguments, evidence: receipts.collect() };
    let missing =
        tool.arguments().filter(|name| tool.requires(name) && !call.given.contains_key(*name));
    let gaps = missing.map(|name| slots::question::open(turn, tool, name, &[]));
    let either = slots::either(turn, tool, &whole.arguments, &Map::new());
    let gaps = gaps.chain(either).collect();
    Some(Filled { calls: vec![whole], gaps, ..Filled::default() })
}

/// Has a model read what the matchers leave open, if one is there and none was asked yet: there is
/// never a second call in a turn.
async fn interpreted(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    proposed: &mut Proposed,
) -> Result<()> {
    let on = turn.permits.enabled.layer(LayerName::Llm.name());
    // A recalled proposal is what a model made of these very words.
    let asked_already = proposed.llm_calls > 0
        || proposed.proposal.layer == LayerName::Recall
        // What the user approved is settled, and so is what the caller declared.
        || proposed.proposal.approved.is_some()
        || turn.is_settled();
    let model = dependencies.model.filter(|_| on && !asked_already);
    let open = model
        .and_then(|model| Some((model, open_call(turn, &proposed.proposal, &proposed.filled)?)));
    let Some((model, Open { index, tool, wanted })) = open else { return Ok(()) };
    proposed.llm_calls += 1;
    match interpret(turn, tool, &wanted, model, dependencies.cancel).await {
        Ok(reading) if reading.about => {
            let call = &mut proposed.proposal.calls[index];
            call.tool.clone_from(&tool.spec.name);
            call.proposed = reading.arguments;
            proposed.filled = matched(turn, &proposed.proposal);
            // No surer than the model is believed, where a value is the model's.
            let of_model = |call: &Call| call.evidence.values().any(|by| by.source == Source::Llm);
            if proposed.calls().any(of_model) {
                let confidence = &mut proposed.proposal.confidence;
                *confidence = confidence.min(dependencies.belief.reading);
            }
        }
        Ok(_) => {}
        Err(error) if error.code() == Code::Cancelled => return Err(error),
        Err(error) => proposed.note_failure(LayerName::Llm, &error),
    }
    Ok(())
}

/// A call that a model should read, and the arguments that it is asked for.
struct Open<'a> {
    index: usize,
    tool: &'a Tool,
    wanted: Vec<&'a str>,
}

/// The call that a model should read: one that lacks something that it needs, and that alone is asked for, since a model
/// fills in what nobody said; in a pack that asks models first, any that takes arguments.
fn open_call<'a>(turn: &'a Turn<'_>, proposal: &Proposal, filled: &[Filled]) -> Option<Open<'a>> {
    let first = turn.pack.spec.policy.order == Order::LlmFirst;
    let calls = proposal.calls.iter().zip(filled).enumerate();
    let mut open = calls.filter_map(|(index, (call, filled))| {
        let settled = call.ask.is_some() || call.exact && !call.given.is_empty();
        let own = filled.calls.first().filter(|_| !settled)?;
        let tool = turn.pack.tool(&own.tool)?;
        let wants: Vec<String> =
            tool.wants(&own.arguments).into_iter().flatten().flatten().collect();
        let is_wanted = |name: &str| tool.requires(name) || wants.iter().any(|want| want == name);
        let lacks = |name: &&str| !own.arguments.contains_key(*name) && (first || is_wanted(name));
        let wanted: Vec<&str> = tool.arguments().filter(lacks).collect();
        (!wanted.is_empty()).then_some(Open { index, tool, wanted })
    });
    open.next()
}

/// Answers a layer's questions about arguments by the values that the matchers would fill.
#[derive(Debug, Clone, Copy)]
pub struct Matchers;

impl Arguments for Matchers {
    fn adds(&self, turn: &Turn<'_>, call: &DraftCall) -> bool {
        slots::adds(turn, call)
    }

    fn counted(&self, turn: &Turn<'_>, tool: &Tool, memory: Option<&PastCall>) -> Vec<Span> {
        let mut numbers = slots::number_spans(turn, tool, memory);
        if !numbers.is_empty() {
            numbers.extend(slots::cue_spans(turn, tool));
        }
        numbers
    }
}
