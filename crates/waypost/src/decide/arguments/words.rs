//! Values of an enumeration, by the words that a pack gives for them.

use waypost_core::records::decision::By;

use super::{Match, Wanted, naming};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if wanted.annotation.gazetteer.is_some() {
        return None;
    }
    naming::read(wanted, By::Words, |mention| !mention.typo)
}
