//! A call that changes something runs only after the user has seen exactly this call and said yes.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::Choice;

use super::{Closed, Proposal, exact};
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::Access;

/// The flag by which a platform says that the user approved the pending write.
const APPROVAL: &str = "approval";

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    let writes = || proposal.calls.iter().filter(|call| proposal.access(call) != Access::Read);
    // One yes is for one call: of two that are equal, the second is another.
    let approved = writes().position(|call| is_approved(proposal, call));
    let alone = writes().count() == 1;
    let mut waiting = writes().enumerate().filter(|(index, call)| {
        Some(*index) != approved && !(alone && is_vouched_for(proposal, call))
    });
    let (_, call) = waiting.next()?;
    Some(Closed::asking(GateName::Approval, ask(proposal, call)))
}

/// Returns whether a call is the one that the user approved, to the last argument.
fn is_approved(proposal: &Proposal<'_>, call: &Call) -> bool {
    proposal
        .approved
        .is_some_and(|approved| call.tool == approved.tool && call.arguments == approved.arguments)
}

/// Returns whether the platform says that the user approved the call. Where a call waits for its
/// approval, the word is about that one and no other.
fn is_vouched_for(proposal: &Proposal<'_>, call: &Call) -> bool {
    // What a tool has set is a flag of the workflow, and nobody's yes.
    let request = &proposal.turn.request.context.flags;
    let said = proposal.flag(APPROVAL) && request.get(APPROVAL) == Some(&Json::Bool(true));
    let options = &proposal.turn.context.options;
    let mut asked =
        options.iter().filter(|choice| choice.value.get("approve").is_some()).peekable();
    // The platform's user was shown what the platform read, not what fills nothing.
    said && proposal.leftover.is_empty()
        && (asked.peek().is_none() || asked.any(|choice| choice.value == yes(call)))
}

/// The question, which shows the call and what comes of it.
fn ask(proposal: &Proposal<'_>, call: &Call) -> Ask {
    let shown = exact::call(proposal, call);
    let sentence = match proposal.access(call) {
        Access::Destructive => Sentence::new("approve_destructive")
            .with("call", shown)
            .with("lost", exact::lost(proposal, call)),
        Access::Read | Access::Write => Sentence::new("approve").with("call", shown),
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
fn choices(call: &Call, proposal: &Proposal<'_>) -> Vec<Choice> {
    [("yes", yes(call)), ("no", json!({ "cancel": true }))]
        .into_iter()
        .map(|(word, value)| Choice { label: proposal.say(word), value })
        .collect()
}

/// The value of a yes: the call that it approves.
fn yes(call: &Call) -> Json {
    json!({ "tool": call.tool, "arguments": call.arguments, "approve": true })
}
