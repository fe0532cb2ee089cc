//! What changes something runs only after the user has said so.

use super::{Closed, Proposal};
use crate::decision::Outcome;
use crate::messages::{Ask, Sentence};
use crate::pack::spec::Access;

/// The flag that says that the user approved the pending write.
const APPROVAL: &str = "approval";

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    if proposal.flag(APPROVAL) {
        return None;
    }
    proposal.calls.iter().find_map(|call| {
        let tool = proposal.pack().tool(&call.tool)?;
        if tool.spec.access == Access::Read {
            return None;
        }
        let ask = Ask {
            sentence: Sentence::new("approve").with("tool", call.tool.clone()),
            choices: Vec::new(),
            tool: Some(call.tool.clone()),
            argument: None,
        };
        let reason = format!("gate:{APPROVAL}");
        Some(Closed { outcome: Outcome::Clarify, reason, ask })
    })
}
