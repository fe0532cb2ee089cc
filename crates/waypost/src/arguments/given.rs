//! What the user settled: a choice that was clicked or named.

use super::{Found, Wanted};
use crate::decision::{Evidence, Source};
use crate::extract::Kind;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Found> {
    let value = wanted.draft.given.get(wanted.name)?;
    // The key of a gazetteer stands for a place; binding has turned it into one.
    let is_place = matches!(wanted.annotation.kind, Some(Kind::Point | Kind::Bbox));
    if is_place && value.is_string() && wanted.place.is_some() {
        return None;
    }
    let evidence = Evidence::new(Source::Option, "option");
    Some(Found { value: value.clone(), evidence })
}
