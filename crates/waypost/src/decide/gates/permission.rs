//! An untrusted caller may read and write, but never destroy.

use waypost_core::records::decision::{GateName, Outcome};

use super::{Closed, Proposal, ask};
use crate::pack::messages::Sentence;
use crate::pack::spec::Access;

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    if proposal.turn.request.trusted {
        return None;
    }
    proposal.calls.iter().find_map(|call| {
        if proposal.access(call) != Access::Destructive {
            return None;
        }
        let sentence = Sentence::new("permission").with("tool", call.tool.clone());
        Some(Closed {
            outcome: Outcome::Refuse,
            ..Closed::asking(GateName::Permission, ask(sentence))
        })
    })
}
