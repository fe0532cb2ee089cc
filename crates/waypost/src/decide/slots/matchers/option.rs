//! Values that the user settled: a choice that was clicked or named.

use waypost_text::extract::Kind;

use super::{FilledValue, Match, Wanted};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let settled = wanted.draft.given.get(wanted.name)?;
    // The key of a gazetteer stands for a place; binding has turned it into one.
    let is_place = matches!(wanted.annotation.kind, Some(Kind::Point | Kind::Bbox));
    if is_place && settled.value.is_string() && wanted.place.is_some() {
        return None;
    }
    let value = wanted.tool.canonical(wanted.name, &settled.value);
    Some(Match::Found(FilledValue::new(value, settled.evidence.clone())))
}
