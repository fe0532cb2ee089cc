//! A call that changes something runs only after the user has seen exactly this call and said yes.
//!
//! The question makes the approval: the value of its “yes” has the call, the id of the decision that asks, the
//! instant, and a hash of all that was shown and all that goes over the wire. If any of that is another when the
//! yes comes, it is asked anew.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::approval::Approval;
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::{Choice, Consent, DeclaredCall, Request, Tested};

use super::{Check, Closed, exact};
use crate::decide::{identity, injected};
use crate::pack::digest;
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::{Access, FreeText};
use crate::understand::Turn;

/// The flag by which a platform says that the user approved a write.
const APPROVAL: &str = "approval";
/// The length of the hash in an approval, in hexadecimal digits.
const SEAL: usize = 32;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let writes = || proposal.calls.iter().filter(|call| proposal.access(call) != Access::Read);
    if let Some(failed) = writes().find_map(|call| failed(proposal.turn, call)) {
        let sentence = exact::tested(proposal, "condition_fails", failed);
        return Some(Closed::refusing(GateName::Approval, sentence));
    }
    // One yes is for one call: of two that are equal, the second is another.
    let approved = writes().position(|call| is_approved(proposal, call));
    let alone = writes().count() == 1;
    let mut waiting = writes().enumerate().filter(|(index, call)| {
        Some(*index) != approved && !(alone && is_vouched_for(proposal, call))
    });
    let (_, call) = waiting.next()?;
    if let Some(count) = exact::too_long(call) {
        let sentence = Sentence::new("too_long_to_approve")
            .with("tool", call.tool.clone())
            .with("count", count.to_string())
            .with("most", exact::LONGEST.to_string());
        return Some(Closed::refusing(GateName::Approval, sentence));
    }
    Some(Closed::asking(GateName::Approval, ask(proposal, call)))
}

/// The condition of a call that was tested and does not hold.
fn failed<'t>(turn: &'t Turn<'_>, call: &Call) -> Option<&'t Tested> {
    let own = conditions(turn, call);
    turn.context.tested.iter().find(|tested| !tested.holds && own.contains(&tested.condition))
}

/// The test of a condition, where it was tested in this turn.
pub(super) fn tested<'t>(turn: &'t Turn<'_>, condition: &str) -> Option<&'t Tested> {
    turn.context.tested.iter().find(|tested| tested.condition == condition)
}

/// Returns whether a call is the one that the user approved, to the last argument.
fn is_approved(proposal: &Check<'_>, call: &Call) -> bool {
    proposal
        .approved
        .is_some_and(|approved| call.tool == approved.tool && call.arguments == approved.arguments)
        && valid(proposal.turn, call).is_some()
}

/// Returns whether the platform says that the user approved the call: the one that waits for its approval, or else the one
/// that its own request declares. What words are read as is shown before anybody approves it, whoever says so.
fn is_vouched_for(proposal: &Check<'_>, call: &Call) -> bool {
    // What a tool has set is a flag of the workflow, and nobody's yes.
    let Request { context: asked, call: declared, .. } = proposal.turn.request;
    let said = proposal.flag(APPROVAL) && asked.flags.get(APPROVAL) == Some(&Json::Bool(true));
    let mut options = proposal.turn.context.options.iter();
    let waits = options.any(|choice| Approval::of(&choice.value).is_some());
    let declares = |own: &DeclaredCall| own.tool == call.tool && own.arguments == call.arguments;
    let names_it = match waits {
        true => valid(proposal.turn, call).is_some(),
        false => declared.as_ref().is_some_and(declares),
    };
    // Neither what was said beside it, nor a condition, is a part of what the platform's user approved.
    let is_whole = proposal.leftover.is_empty() && conditions(proposal.turn, call).is_empty();
    said && is_whole && names_it && may_say_yes(proposal.turn)
}

/// The approval that the open question asks for, where a yes of this turn counts for it: it showed this very call, nothing that
/// was shown is another now, it was asked lately, and the request comes by a way that can approve.
fn valid(turn: &Turn<'_>, call: &Call) -> Option<Approval> {
    let now = turn.now.timestamp().as_second();
    let counts = |own: &Approval| own.is_valid(now) && own.seal == seal(turn, call);
    turn.shown(&call.tool, &call.arguments).filter(|own| may_say_yes(turn) && counts(own))
}

/// Returns whether a yes in the request is one of a person.
fn may_say_yes(turn: &Turn<'_>) -> bool {
    turn.request.consent == Consent::Said
}

/// A hash of what is approved with a call: what the user is shown of it, and what goes over the wire, to whom, and in
/// whose name.
fn seal(turn: &Turn<'_>, call: &Call) -> String {
    let tool = turn.pack.tool(&call.tool).map(|tool| {
        let spec = &tool.spec;
        let whose = tool.injected().iter().map(|(name, what)| (name, injected(turn, *what)));
        let whose: BTreeMap<&String, String> = whose.collect();
        let (name, remote) = (&spec.name, spec.remote_name());
        json!([name, spec.server, remote, spec.summary, spec.schema, tool.accepted(), whose])
    });
    // Not what was read, which may be another number by now, but what has to hold of it.
    let under = conditions(turn, call).into_iter().map(|condition| {
        let tested = tested(turn, &condition);
        let tested = tested.map(|own| json!([own.tool, own.arguments, own.bound]));
        json!([condition, tested])
    });
    let under: Vec<Json> = under.collect();
    let request = turn.request;
    let everything = json!([
        turn.pack.id,
        tool,
        turn.access(&call.tool),
        call.arguments,
        request.owner.as_deref(),
        request.user.as_ref().filter(|_| request.trusted),
        under,
    ]);
    let mut seal = digest(&everything.to_string());
    seal.truncate(SEAL);
    seal
}

/// The conditions under which a call is asked for. A condition in a text that the call writes is a part of
/// that text; the task is no such text, but the request itself.
pub(crate) fn conditions(turn: &Turn<'_>, call: &Call) -> Vec<String> {
    let mut all = turn.all_conditions();
    let tool = turn.pack.tool(&call.tool);
    let is_task = |name: &str| {
        let note = tool.and_then(|tool| tool.annotation(name));
        note.is_some_and(|note| note.text == Some(FreeText::Task))
    };
    let is_written = |own: &String| {
        let texts = call.arguments.iter().filter(|(name, _)| !is_task(name));
        let mut texts = texts.filter_map(|(_, value)| value.as_str());
        texts.any(|text| text.contains(own.as_str()))
    };
    all.retain(|own| !is_written(own));
    all
}

/// The question, which shows the call and what comes of it.
fn ask(proposal: &Check<'_>, call: &Call) -> Ask {
    let shown = exact::call(proposal, call);
    let sentence = match proposal.access(call) {
        Access::Destructive => Sentence::new("approve_destructive")
            .with("call", shown)
            .with("lost", exact::lost(proposal, call)),
        Access::Read | Access::Write => {
            let sentence = Sentence::new("approve").with("call", shown);
            let tool = proposal.pack().tool(&call.tool);
            // Nobody said that it changes anything: a tool without hints is taken to.
            let is_unsaid =
                tool.is_some_and(|tool| tool.is_unhinted() || tool.spec.access.is_none());
            if is_unsaid { sentence.with("unsaid", "yes") } else { sentence }
        }
    };
    Ask {
        sentence,
        choices: choices(call, proposal),
        tool: Some(call.tool.clone()),
        argument: None,
        again: false,
    }
}

/// Yes, for this very call and no other, and no.
fn choices(call: &Call, proposal: &Check<'_>) -> Vec<Choice> {
    [("yes", yes(call, proposal.turn)), ("no", json!({ "cancel": true }))]
        .into_iter()
        .map(|(word, value)| Choice { label: proposal.say(word), value })
        .collect()
}

/// The value of a yes: the call that it approves, and the approval.
fn yes(call: &Call, turn: &Turn<'_>) -> Json {
    let approval = Approval {
        question: identity(turn),
        asked_at: turn.now.timestamp().as_second(),
        seal: seal(turn, call),
    };
    let mut value =
        json!({ "tool": call.tool, "arguments": call.arguments, "approve": approval.to_string() });
    let under = conditions(turn, call);
    // A caller that keeps the conversation itself sends them back with the yes.
    if !under.is_empty() {
        value["conditions"] = json!(under);
    }
    value
}
