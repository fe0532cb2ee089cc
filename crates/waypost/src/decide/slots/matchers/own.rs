//! What the matchers of an embedder find. Each value stands on words of the user, and its evidence says
//! so: there is no way to claim a choice of the user's or a word of the caller's.

use waypost_core::records::decision::{By, Evidence};

use super::{FilledValue, Match, Wanted};

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let &Wanted { turn, draft, tool, name, .. } = wanted;
    turn.matchers.iter().find_map(|matcher| {
        let found = matcher.find(turn, tool, name)?;
        let words = turn.said.text.slice(found.span);
        // The words of another clause are about another call.
        let is_here = draft.clause.is_none_or(|clause| clause.contains(found.span));
        if !is_here || words.trim().is_empty() {
            return None;
        }
        let by = By::Recorded(format!("own {}", matcher.name()));
        Some(Match::Found(FilledValue {
            value: found.value,
            evidence: Evidence::span(words, by),
            spans: vec![found.span],
        }))
    })
}
