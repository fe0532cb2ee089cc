//! Values that words point back to: "same as before", "the previous nets", "công ty này".

use waypost_core::records::decision::{Evidence, Source};

use super::{FilledValue, Match, Wanted, naming};

/// The matcher's name in receipts.
const NAME: &str = "reference";

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let past = wanted.turn.context.last_calls.iter().rev();
    let mut having = past.filter(|past| past.arguments.contains_key(wanted.name));
    let words = naming::pointing(wanted)?;
    // The latest call of this tool says more than one of another that shares the argument's name.
    let latest = having.clone().find(|past| past.tool == wanted.tool.spec.name);
    let value = latest.or_else(|| having.next())?.arguments.get(wanted.name)?.clone();
    let evidence =
        Evidence { source: Source::Memory, text: Some(words.to_owned()), by: NAME.to_owned() };
    Some(Match::Found(FilledValue { value, evidence }))
}
