//! The meaning of a choice: a call, some arguments, a route, a tool, or a value.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::{By, Evidence, LayerName, Source};
use waypost_core::records::request::PastCall;

use super::super::{Aim, Proposal};
use super::{choice::agrees, withdrawn};
use crate::decide::slots::{DraftCall, Given};
use crate::pack::Pack;
use crate::pack::spec::{Access, HandlerName};
use crate::understand::Turn;

/// The meaning of a choice's value; `by` is the matcher that found the choice.
pub(super) fn settle(turn: &Turn<'_>, value: &Json, by: &By, rationale: &str) -> Option<Proposal> {
    if let Some(proposal) = settle_object(turn, value, by, rationale) {
        return Some(proposal);
    }
    if let Some((_, argument)) = turn.asked() {
        return arguments(turn, [(argument.to_owned(), value.clone())], by, rationale);
    }
    let name = value.as_str()?;
    if turn.pack.route(name).is_some() {
        return Some(route(name, rationale));
    }
    if turn.pack.tool(name).is_some() {
        return call(
            turn.pack,
            DraftCall { tool: name.to_owned(), ..DraftCall::default() },
            rationale,
        );
    }
    // A caller that names the tool and not the argument means the one that takes this value.
    let tool = turn.active_tool()?;
    let argument = tool.arguments().find(|argument| tool.lists(argument, name))?;
    arguments(turn, [(argument.to_owned(), value.clone())], by, rationale)
}

fn route(name: &str, rationale: &str) -> Proposal {
    Proposal::sure(LayerName::Rules, Aim::Route(name.to_owned()), rationale)
}

fn settle_object(turn: &Turn<'_>, value: &Json, by: &By, rationale: &str) -> Option<Proposal> {
    let object = value.as_object()?;
    let yes = |key: &str| object.get(key) == Some(&Json::Bool(true));
    if yes("cancel") {
        return Some(Proposal::sure(LayerName::Rules, Aim::Stopped, rationale));
    }
    if let Some(name) = object.get("route").and_then(Json::as_str) {
        return turn.pack.route(name).map(|_| route(name, rationale));
    }
    let approves = object.contains_key("approve");
    if approves && !asks_for_approval(turn) {
        // A second click on what was answered already. Asked anew, the call would be one more that the
        // next "yes" makes.
        let rationale = "a yes to a question that is not open";
        return Some(Proposal::sure(LayerName::Rules, Aim::Unclear("nothing_asked"), rationale));
    }
    if let Some(steps) = object.get("plan").and_then(Json::as_array) {
        return planned(turn, object, steps, by, rationale);
    }
    if let Some(tool) = object.get("tool").and_then(Json::as_str) {
        if turn.pack.tool(tool).is_none() && was_shown(turn, object) {
            return Some(withdrawn::gone());
        }
        let arguments = object.get("arguments").and_then(Json::as_object).cloned();
        let shown = was_shown(turn, object);
        let given = given(arguments.clone().unwrap_or_default(), by, shown);
        let proposal =
            DraftCall { tool: tool.to_owned(), given, exact: true, ..DraftCall::default() };
        let mut proposal = call(turn.pack, proposal, rationale)?;
        // Approval counts for a question that was shown, not for whatever a caller sends, and for
        // the very call that it showed: words beside the click may change the call.
        if approves && shown && !says_more(turn, value) && !is_hedged(turn) {
            proposal.approved = Some(PastCall {
                tool: tool.to_owned(),
                arguments: arguments.unwrap_or_default(),
                text: None,
            });
        }
        return Some(proposal);
    }
    let tool = turn.active_tool()?;
    let known = object.keys().all(|key| tool.arguments().any(|name| name == key));
    known.then(|| arguments(turn, object.clone(), by, rationale)).flatten()
}

/// The calls of a plan that the user was shown and said yes to.
fn planned(
    turn: &Turn<'_>,
    object: &Map<String, Json>,
    steps: &[Json],
    by: &By,
    rationale: &str,
) -> Option<Proposal> {
    let shown = was_shown(turn, object);
    let mut calls = Vec::new();
    for step in steps {
        let tool = turn.pack.tool(step.get("tool")?.as_str()?)?.spec.name.clone();
        let arguments = step.get("arguments").and_then(Json::as_object).cloned();
        let given = given(arguments.unwrap_or_default(), by, shown);
        calls.push(DraftCall { tool, given, exact: true, ..DraftCall::default() });
    }
    let proposal = call(turn.pack, calls.first()?.clone(), rationale)?;
    let levels =
        object.get("levels").and_then(|levels| serde_json::from_value(levels.clone()).ok());
    let levels = levels.filter(|levels: &Vec<usize>| shown && levels.len() == calls.len());
    Some(Proposal { calls, planned: shown, levels, ..proposal })
}

/// Returns whether an open question asks for an approval.
fn asks_for_approval(turn: &Turn<'_>) -> bool {
    turn.context.options.iter().any(|choice| choice.value.get("approve").is_some())
}

/// Returns whether a yes in words is quoted, or asked back: it is somebody else's, or none yet.
fn is_hedged(turn: &Turn<'_>) -> bool {
    turn.said
        .text
        .original()
        .contains(['?', '？', '>', '"', '“', '”', '„', '«', '»', '「', '」', '『', '』', '`'])
}

/// Returns whether words stand beside a click that say more than it does. A choice that was made in
/// words has nothing beside it.
fn says_more(turn: &Turn<'_>, value: &Json) -> bool {
    let text = turn.said.text.original().trim();
    let options = turn.context.options.iter();
    let mut labels = options.filter(|choice| choice.value == *value).map(|choice| &choice.label);
    let nothing = labels.any(|label| label == text) || says_nothing_else(turn);
    turn.request.choice.is_some() && !nothing
}

/// Returns whether there are no words, or only those of a yes.
pub(in super::super) fn says_nothing_else(turn: &Turn<'_>) -> bool {
    turn.said.text.original().trim().is_empty() || agrees(turn)
}

/// Returns whether a choice of this value was shown, by the conversation's own memory or by a caller who is
/// believed.
fn was_shown(turn: &Turn<'_>, object: &Map<String, Json>) -> bool {
    believes_options(turn)
        && turn.context.options.iter().any(|choice| choice.value.as_object() == Some(object))
}

/// Returns whether the choices of the turn are what the user saw, by the conversation's own memory or by a caller who is
/// believed.
pub(in super::super) fn believes_options(turn: &Turn<'_>) -> bool {
    turn.request.trusted || turn.context.remembered
}

/// Values with their evidence: the choice that was shown, or else whoever sent them.
fn given(
    values: impl IntoIterator<Item = (String, Json)>,
    by: &By,
    shown: bool,
) -> BTreeMap<String, Given> {
    let source = if shown { Source::Option } else { Source::Caller };
    let given = values
        .into_iter()
        .map(|(name, value)| (name, Given { value, evidence: Evidence::new(source, by.clone()) }));
    given.collect()
}

/// Arguments of the tool that was asked about; the name of a place may suit another of its family.
fn arguments(
    turn: &Turn<'_>,
    values: impl IntoIterator<Item = (String, Json)>,
    by: &By,
    rationale: &str,
) -> Option<Proposal> {
    let tool = turn.active_tool()?;
    let values: Vec<(String, Json)> = values.into_iter().collect();
    // A caller that shows its own options says which one was taken.
    let shown = turn.context.options.iter().any(|choice| match values.as_slice() {
        [(_, value)] if choice.value == *value => true,
        _ => choice.value.as_object().is_some_and(|object| {
            object.len() == values.len()
                && values.iter().all(|(name, value)| object.get(name) == Some(value))
        }),
    });
    let given = given(values, by, shown);
    let words = given.values().filter_map(|given| given.value.as_str());
    let names_place = words
        .filter_map(|word| turn.pack.find_entry(word))
        .any(|(_, _, entry)| entry.point.is_some() || entry.area.is_some() || entry.sea.is_some());
    let proposal = DraftCall {
        tool: tool.spec.name.clone(),
        given,
        memory: memory_of(turn, &tool.spec.name),
        exact: !names_place,
        ..DraftCall::default()
    };
    call(turn.pack, proposal, rationale)
}

/// Returns the known arguments of the call that was asked about, or the last call of the tool or of
/// its family.
pub(super) fn memory_of(turn: &Turn<'_>, tool: &str) -> Option<PastCall> {
    let tool = turn.pack.tool(tool)?;
    if !turn.context.active_arguments.is_empty() {
        let arguments = turn.context.active_arguments.clone();
        return Some(PastCall { tool: tool.spec.name.clone(), arguments, text: None });
    }
    let family: Vec<&str> = turn.pack.family(tool).map(|tool| tool.spec.name.as_str()).collect();
    let past = turn.context.last_calls.iter().rev();
    past.into_iter().find(|past| family.contains(&past.tool.as_str())).cloned()
}

/// The answer with the calls that wait for it, as they were. What the user approved is one call:
/// another that changes something waits on.
pub(in super::super) fn with_waiting(turn: &Turn<'_>, mut proposal: Proposal) -> Proposal {
    // A declared call is that call alone, and answers nothing that was asked.
    if turn.is_settled() {
        return proposal;
    }
    let active = turn.context.active_tool.as_deref();
    let answers = proposal.calls.iter().any(|call| Some(call.tool.as_str()) == active);
    if !answers {
        return proposal;
    }
    let approved = proposal.approved.is_some();
    let waiting = turn.context.waiting.iter().filter(|past| {
        turn.pack.tool(&past.tool).is_some()
            && !(approved && turn.access(&past.tool) != Access::Read)
    });
    proposal.calls.extend(waiting.map(|past| DraftCall {
        tool: past.tool.clone(),
        given: as_given(past),
        exact: true,
        ..DraftCall::default()
    }));
    proposal
}

/// The arguments of an earlier call as they were.
pub(super) fn as_given(past: &PastCall) -> BTreeMap<String, Given> {
    let receipt = Evidence::new(Source::Memory, By::Memory(past.tool.clone()));
    let given = past.arguments.iter().map(|(name, value)| {
        (name.clone(), Given { value: value.clone(), evidence: receipt.clone() })
    });
    given.collect()
}

/// A sure proposal of one call.
pub(super) fn call(pack: &Pack, proposal: DraftCall, rationale: &str) -> Option<Proposal> {
    pack.tool(&proposal.tool)?;
    let route = pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool)?;
    let mut sure = Proposal::sure(LayerName::Rules, Aim::Route(route.name.clone()), rationale);
    sure.calls.push(proposal);
    Some(sure)
}
