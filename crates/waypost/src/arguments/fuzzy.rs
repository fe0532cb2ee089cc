//! Values that are nearly named: a slip of the finger.

use super::{Match, Wanted, naming};

/// The matcher's name in receipts.
const NAME: &str = "fuzzy";

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    naming::read(wanted, NAME, |_| true)
}
