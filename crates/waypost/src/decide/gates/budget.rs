//! A turn makes only so many calls.

use waypost_core::records::decision::GateName;

use super::{Check, Closed};
use crate::pack::messages::{Ask, Sentence};

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let limit = proposal.pack().spec.policy.max_calls;
    if proposal.calls.len() <= limit {
        return None;
    }
    let sentence = Sentence::new("too_many").with("limit", limit.to_string());
    Some(Closed::asking(GateName::Budget, Ask::plain(sentence)))
}
