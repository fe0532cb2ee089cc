//! Builds the events of a turn, which say how it was decided. The router emits them.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use waypost_core::error::{Code, Error};
use waypost_core::hash::Fnv;
use waypost_core::ports::model::{Model as _, Prompt};
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::{Call, Decision, LayerName, Reason};
use waypost_core::records::event::{
    Asked, Encoded, Event, MAX_REPLY_BYTES, Replies, Routed, Said, entities, resolved,
};
use waypost_core::records::request::Choice;

use crate::decide::Decided;
use crate::decide::cascade::{DecisionDependencies, Failure};
use crate::observe::shadow::Once;
use crate::pack::spec::{Condition, Requirement};
use crate::pack::{Pack, Tool};
use crate::respond::execution::milliseconds;
use crate::understand::Turn;

/// The value of a flag that is not set.
const UNSET: Json = Json::Bool(false);

/// The event that says how the turn was decided.
pub(crate) fn router_event(
    turn: &Turn<'_>,
    decision: &Decision,
    replies: Replies,
    took: Duration,
) -> Event {
    let flags = flags(turn);
    let state = flags.iter().filter(|(name, _)| !Routed::FIELDS.contains(&name.as_str()));
    Event::RouterEvent(Box::new(Routed {
        text: turn.said.text.original().to_owned(),
        intent: decision.route.clone(),
        action: decision.decision,
        layer: decision.layer,
        confidence: decision.confidence,
        entities: entities(&decision.calls),
        gating: gating(turn.pack, decision),
        reasoning_summary: decision.rationale.clone(),
        classification_latency_ms: milliseconds(took),
        llm_calls: decision.llm_calls,
        repeated: asks_again(turn, decision),
        degraded: decision.degraded.clone(),
        state: state.map(|(name, value)| (name.clone(), value.clone())).collect(),
        flags,
        decision: Box::new(decision.clone()),
        request: asked(turn).filter(|_| is_kept(&replies)).map(Box::new),
        replies: Box::new(replies),
        redacted: false,
    }))
}

fn asked(turn: &Turn<'_>) -> Option<Asked> {
    let tz = turn.request.tz.as_deref().unwrap_or(&turn.pack.spec.tz);
    Asked::of(turn.request, tz, &turn.context, turn.permits.enabled)
}

/// Returns whether the record holds all that a model said: without it nothing can be decided again.
fn is_kept(replies: &Replies) -> bool {
    let mut said = replies.said.iter().chain(&replies.also);
    said.all(|said| said.text.is_some() || said.fault.is_some())
}

/// The replies that came from outside while a turn was decided.
pub(crate) fn replies(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    once: Option<&Once<'_>>,
    decided: &Decided,
) -> Replies {
    let said = once.map(Once::said).unwrap_or_default().into_iter();
    let said = said.map(|(prompt, reply)| Said {
        to: schema_name(&prompt).to_owned(),
        prompt: prompt_hash(&prompt),
        fault: reply.as_ref().err().map(Error::code),
        text: reply.ok().map(|reply| reply.text).filter(|text| text.len() <= MAX_REPLY_BYTES),
    });
    let mut said: Vec<Said> = said.collect();
    // Those that were asked at once came in any order.
    said.sort_by(|a, b| a.prompt.cmp(&b.prompt));
    let mut said = said.into_iter();
    let kernel =
        dependencies.encoder.map(|encoder| encoder.kernel().to_owned()).unwrap_or_default();
    let encoder = dependencies.bundle.encoder().map(|head| Encoded {
        id: head.id.clone(),
        kernel,
        fault: student_fault(&decided.proposed.failures),
    });
    Replies {
        model: once.map(|once| once.name().to_owned()),
        belief: Some(dependencies.belief).filter(|belief| *belief != Belief::UNMEASURED),
        said: said.next(),
        also: said.collect(),
        recalled: decided.proposed.recalled.clone(),
        encoder,
        lessons: turn.lessons.clone(),
    }
}

/// The code with which the encoder failed the student, if it did.
fn student_fault(failures: &[Failure]) -> Option<Code> {
    let own = failures.iter().find(|failure| failure.layer == LayerName::Linear);
    own.map(|failure| failure.code)
}

/// The name of the kind of reply that a prompt asks for.
pub(crate) fn schema_name(prompt: &Prompt) -> &str {
    prompt.schema.as_ref().map_or("", |(name, _)| name)
}

/// The hash of a prompt: two prompts of one hash ask the same.
pub(crate) fn prompt_hash(prompt: &Prompt) -> String {
    let mut hash = Fnv::default();
    for message in &prompt.messages {
        hash.write(&[message.role as u8]);
        hash.write(message.content.as_bytes());
        hash.write(&[0xff]);
    }
    if let Some((name, schema)) = &prompt.schema {
        hash.write(name.as_bytes());
        hash.write(schema.to_string().as_bytes());
    }
    hash.hex()
}

/// Every flag that a tool of the pack requires or sets.
fn declared<'a>(pack: &'a Pack) -> BTreeSet<&'a str> {
    let flags = |tool: &'a Tool| {
        let required = tool.spec.requires.iter().map(|required| required.flag.as_str());
        required.chain(tool.spec.sets.iter().map(|set| set.flag.as_str())).collect::<Vec<_>>()
    };
    pack.tools.iter().flat_map(flags).collect()
}

/// Returns whether a call needs a flag that its tool requires: under a condition it may not.
fn needs(call: &Call, required: &Requirement) -> bool {
    let Condition { view, with, without } = &required.condition;
    let given = |argument: &String| call.arguments.contains_key(argument);
    // A condition on what the user views is for the gate to judge, which says so where it closes.
    view.is_none() && with.as_ref().is_none_or(given) && !without.as_ref().is_some_and(given)
}

fn flags(turn: &Turn<'_>) -> Map<String, Json> {
    let value = |flag: &str| turn.context.flags.get(flag).cloned().unwrap_or(UNSET);
    declared(turn.pack).into_iter().map(|flag| (flag.to_owned(), value(flag))).collect()
}

/// Returns which flags the calls need, whether they are set or not, and which gate is closed.
fn gating(pack: &Pack, decision: &Decision) -> Map<String, Json> {
    let needed: BTreeSet<&str> = decision
        .calls
        .iter()
        .filter_map(|call| Some((call, pack.tool(&call.tool)?)))
        .flat_map(|(call, tool)| tool.spec.requires.iter().filter(|wanted| needs(call, wanted)))
        .map(|required| required.flag.as_str())
        .collect();
    let closed = decision.reason.as_ref();
    let is_closed = |flag: &str| closed.and_then(Reason::gate) == Some(flag);
    let mut gating = Map::new();
    gating.insert("closed".to_owned(), closed.map(Reason::to_string).into());
    for flag in declared(pack) {
        let required = needed.contains(flag) || is_closed(flag);
        gating.insert(format!("requires_{flag}"), required.into());
    }
    gating
}

/// Returns whether the question is the one that waited for an answer when the turn began.
fn asks_again(turn: &Turn<'_>, decision: &Decision) -> bool {
    let context = &turn.context;
    let waits = !context.options.is_empty() || context.active_tool.is_some();
    decision.question.as_ref().is_some_and(|question| {
        waits
            && question.tool == context.active_tool
            && question.argument == context.active_argument
            && question.choices == context.options
    })
}

/// One event for every call of which words, a choice, a reference or a model settled something.
pub(crate) fn choice_events(turn: &Turn<'_>, decision: &Decision) -> Vec<Event> {
    let events = decision.calls.iter().filter_map(|call| {
        let (by, matched_by) = resolved(call)?;
        let args = by.keys().filter_map(|name| call.arguments.get_key_value(name));
        Some(Event::ChoiceEvent {
            tool: call.tool.clone(),
            args: args.map(|(name, value)| (name.clone(), value.clone())).collect(),
            confidence: decision.confidence,
            matched_by: matched_by.to_owned(),
            by,
            user_text: turn.said.text.original().to_owned(),
        })
    });
    events.collect()
}

/// The event that says whether one of the choices shown was taken; `None` if none were shown.
pub(crate) fn choice_outcome(turn: &Turn<'_>, decision: &Decision) -> Option<Event> {
    let context = &turn.context;
    if context.options.is_empty() {
        return None;
    }
    let at = choice_taken(turn, decision);
    Some(Event::ChoiceOutcome {
        tool: context.active_tool.clone(),
        argument: context.active_argument.clone(),
        shown: context.options.len(),
        taken: at.is_some(),
        position: at.map(|at| at + 1),
    })
}

/// The position of the choice that was clicked or named, among those shown.
pub(crate) fn choice_taken(turn: &Turn<'_>, decision: &Decision) -> Option<usize> {
    let clicked = |choice: &Choice| turn.request.choice.as_ref() == Some(&choice.value);
    let named =
        |choice: &Choice| turn.request.choice.is_none() && stands_for(turn, choice, decision);
    turn.context.options.iter().position(|choice| clicked(choice) || named(choice))
}

/// Returns whether the words were taken for this choice: a rule reads an answer, and then it
/// decided just what the choice stands for.
fn stands_for(turn: &Turn<'_>, choice: &Choice, decision: &Decision) -> bool {
    if decision.layer != LayerName::Rules {
        return false;
    }
    let has = |name: &str, value: &Json| {
        decision.calls.iter().any(|call| {
            // The key of a place has become its coordinates; the evidence keeps the key.
            let said = call.evidence.values().filter_map(|evidence| evidence.text.as_deref());
            call.arguments.get(name) == Some(value)
                || value.as_str().is_some_and(|key| said.into_iter().any(|text| text == key))
        })
    };
    let called = |name: &str| decision.calls.iter().any(|call| call.tool == name);
    match (&choice.value, &turn.context.active_argument) {
        (Json::Object(object), _) => {
            let text = |key: &str| object.get(key).and_then(Json::as_str);
            match (text("route"), text("tool")) {
                (Some(route), _) => decision.route == route,
                (None, Some(tool)) => called(tool),
                (None, None) => !object.is_empty() && object.iter().all(|(name, v)| has(name, v)),
            }
        }
        (value, Some(argument)) => has(argument, value),
        (Json::String(name), None) => decision.route == *name || called(name),
        _ => false,
    }
}
