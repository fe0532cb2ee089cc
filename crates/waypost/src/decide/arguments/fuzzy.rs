//! Values that are nearly named: a slip of the finger.

use waypost_core::records::decision::By;

use super::{Match, Wanted, naming};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let vocabulary = naming::vocabulary(wanted.tool, wanted.name);
    let mut slips = wanted.turn.said.discourse.mentions.iter().filter(|mention| mention.typo);
    slips.find(|mention| mention.key(vocabulary).next().is_some())?;
    // Beside a slip exact names count too: "primary or secndary" names two.
    naming::read(wanted, By::Fuzzy, |_| true)
}
