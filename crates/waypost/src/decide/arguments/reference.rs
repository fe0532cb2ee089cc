//! Values that words point back to: "same as before", "the previous nets", "công ty này".

use waypost_core::records::decision::{By, Evidence, Source};

use super::{FilledValue, Match, Wanted, naming};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let past = wanted.turn.context.last_calls.iter().rev();
    let mut having = past.filter(|past| past.arguments.contains_key(wanted.name));
    // The latest call of this tool says more than one of another that shares the argument's name.
    let latest = having.clone().find(|past| past.tool == wanted.tool.spec.name);
    let value = latest.or_else(|| having.next())?.arguments.get(wanted.name)?;
    let words = naming::pointing(wanted)?;
    let text = Some(words.to_owned());
    let evidence = Evidence { source: Source::Memory, text, by: By::Reference };
    Some(Match::Found(FilledValue::new(value.clone(), evidence)))
}
