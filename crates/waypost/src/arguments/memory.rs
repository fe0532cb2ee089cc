//! What the call before said, for arguments that are neither places nor times.

use super::{Found, Wanted};
use crate::decision::{Evidence, Source};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Found> {
    let past = wanted.draft.memory.as_ref()?;
    // Places and times of the earlier call were bound; an instant of then is not one of now.
    if wanted.annotation.kind.is_some() {
        return None;
    }
    let value = past.arguments.get(wanted.name)?;
    let evidence = Evidence::new(Source::Memory, format!("last call of {}", past.tool));
    Some(Found { value: value.clone(), evidence })
}
