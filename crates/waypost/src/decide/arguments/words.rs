//! Values of an enumeration, by the words that a pack gives for them.

use super::{Match, Wanted, naming};

/// The matcher's name in receipts.
const NAME: &str = "words";

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if wanted.annotation.gazetteer.is_some() {
        return None;
    }
    naming::read(wanted, NAME, |mention| !mention.typo)
}
