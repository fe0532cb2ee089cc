//! The place of a turn among the times that a store was told to forget a conversation.

/// The number of times that a store had forgotten a conversation when a turn began.
///
/// It goes with all that the turn writes, so that the store can refuse what belongs to a conversation
/// that was forgotten since; it is never stored itself. The default is before every forgetting: what
/// does not say when it began is not written once its conversation was forgotten.
#[derive(Debug, Clone, Copy, Default)]
pub struct Era(u64);

/// All are equal, because two records that differ in nothing else say the same.
impl PartialEq for Era {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Era {
    /// The era after `forgotten` times.
    pub fn after(forgotten: u64) -> Self {
        Self(forgotten)
    }

    /// The number of times that a conversation had been forgotten.
    pub fn forgotten(self) -> u64 {
        self.0
    }
}
