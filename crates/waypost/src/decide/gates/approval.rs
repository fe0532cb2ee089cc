//! A call that changes something runs only after the user has said so.

use serde_json::json;
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::Choice;

use super::{Closed, Proposal};
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::Access;

/// The flag that says that the user approved the pending write.
const APPROVAL: &str = "approval";

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    if proposal.flag(APPROVAL) || is_approved(proposal) {
        return None;
    }
    proposal.calls.iter().find_map(|call| {
        if proposal.access(call) == Access::Read {
            return None;
        }
        let ask = Ask {
            sentence: Sentence::new("approve").with("tool", call.tool.clone()),
            choices: choices(call, proposal),
            tool: Some(call.tool.clone()),
            argument: None,
            again: false,
        };
        Some(Closed::asking(GateName::Approval, ask))
    })
}

/// Returns whether the one call is the one that the user approved, to the last argument.
fn is_approved(proposal: &Proposal<'_>) -> bool {
    matches!((proposal.calls, proposal.approved), ([call], Some(approved))
        if call.tool == approved.tool && call.arguments == approved.arguments)
}

/// Yes, for this very call and no other, and no.
fn choices(call: &Call, proposal: &Proposal<'_>) -> Vec<Choice> {
    let yes = json!({ "tool": call.tool, "arguments": call.arguments, "approve": true });
    [("yes", yes), ("no", json!({ "cancel": true }))]
        .into_iter()
        .map(|(word, value)| Choice { label: proposal.say(word), value })
        .collect()
}
