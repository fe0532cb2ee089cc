//! The memory of a server from call to call: the settings of the ring, notes, what was gathered.

use super::machine::Settings;
use super::shelf::Shelf;

/// The most users whose notes are kept, and conversations whose lines are.
const MOST_OWNERS: usize = 1000;

/// The most notes that are kept of a user.
const MOST_NOTES: usize = 100;

/// The most lines that are kept of a conversation.
const MOST_GATHERED: usize = 20;

/// All that one server remembers.
#[derive(Debug)]
pub(crate) struct Ring {
    pub(super) settings: Settings,
    pub(super) notes: Shelf,
    pub(super) gathered: Shelf,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            notes: Shelf::new(MOST_OWNERS, MOST_NOTES),
            gathered: Shelf::new(MOST_OWNERS, MOST_GATHERED),
        }
    }
}
