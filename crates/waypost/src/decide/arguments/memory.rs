//! The values of the earlier call, for arguments that are neither places nor times.

use waypost_core::records::decision::{By, Evidence, Source};
use waypost_text::extract::Kind;

use super::{FilledValue, Match, Wanted};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let past = wanted.draft.memory.as_ref()?;
    // Places and times of the earlier call were bound; an instant of then is not one of now.
    let bound = [Kind::Point, Kind::Bbox, Kind::Date, Kind::Range, Kind::Datetime];
    if wanted.annotation.kind.is_some_and(|kind| bound.contains(&kind)) {
        return None;
    }
    let value = past.arguments.get(wanted.name)?;
    let evidence = Evidence::new(Source::Memory, By::Memory(past.tool.clone()));
    Some(Match::Found(FilledValue::new(value.clone(), evidence)))
}
