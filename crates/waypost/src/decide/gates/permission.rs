//! A caller uses no tool that is not theirs, and one who is not trusted may read and write, but never destroy.

use waypost_core::records::decision::GateName;

use super::{Check, Closed};
use crate::pack::messages::Sentence;
use crate::pack::spec::Access;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let request = proposal.turn.request;
    proposal.calls.iter().find_map(|call| {
        let destroys = proposal.access(call) == Access::Destructive && !request.trusted;
        if request.may_use(&call.tool) && !destroys {
            return None;
        }
        let sentence = Sentence::new("permission").with("tool", call.tool.clone());
        Some(Closed::refusing(GateName::Permission, sentence))
    })
}
