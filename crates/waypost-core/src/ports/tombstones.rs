//! The conversations that were forgotten, in memory, for stores that last as long as their process.

use std::collections::VecDeque;

use crate::records::era::Era;

/// The most tombstones that are kept; the oldest go first.
const MAX_TOMBSTONES: usize = 10_000;

/// The names of the conversations that were forgotten last, oldest first.
#[derive(Debug, Default)]
pub struct Tombstones {
    names: VecDeque<String>,
    /// All that there ever were.
    all: u64,
}

impl Tombstones {
    /// Notes that a conversation is forgotten now.
    pub fn add(&mut self, session: &str) {
        if self.names.len() >= MAX_TOMBSTONES {
            self.names.pop_front();
        }
        self.names.push_back(session.to_owned());
        self.all += 1;
    }

    /// The era of a turn that begins now.
    pub fn era(&self) -> Era {
        Era::after(self.all)
    }

    /// Returns whether a conversation was forgotten after `era`. It counts as forgotten where that
    /// cannot be told, because tombstones of since then are not kept any more.
    pub fn cover(&self, session: Option<&str>, era: Era) -> bool {
        let Some(session) = session else { return false };
        let gone = self.all - self.names.len() as u64;
        match era.forgotten().checked_sub(gone) {
            None => true,
            Some(before) => {
                let before = usize::try_from(before).unwrap_or(usize::MAX);
                self.names.iter().skip(before).any(|name| name == session)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_forgotten_for_what_began_before_and_new_for_what_begins_after() {
        let mut tombstones = Tombstones::default();
        let before = tombstones.era();
        tombstones.add("s");
        assert!(tombstones.cover(Some("s"), before));
        assert!(!tombstones.cover(Some("other"), before) && !tombstones.cover(None, before));
        assert!(!tombstones.cover(Some("s"), tombstones.era()));
    }

    #[test]
    fn what_began_before_the_oldest_that_is_kept_counts_as_forgotten() {
        let mut tombstones = Tombstones::default();
        let before = tombstones.era();
        tombstones.add("s");
        let after = tombstones.era();
        (0..MAX_TOMBSTONES).for_each(|n| tombstones.add(&format!("s{n}")));
        assert_eq!(tombstones.names.len(), MAX_TOMBSTONES);
        assert!(tombstones.cover(Some("other"), before));
        assert!(!tombstones.cover(Some("s"), after));
    }
}
