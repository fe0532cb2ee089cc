//! A required argument that takes the user's own words: a query, a thought.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};

use super::{FilledValue, Match, Wanted};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let words = wanted.turn.text.original().trim();
    let free = wanted.annotation.kind.is_none() && wanted.tool.is_free_text(wanted.name);
    if !free || !wanted.tool.requires(wanted.name) || words.is_empty() {
        return None;
    }
    Some(Match::Found(FilledValue {
        value: json!(words),
        evidence: Evidence::span(words, By::Text),
    }))
}
