//! Numbers that nobody can guess, for the ids of decisions.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of numbers that nobody can guess: a keyed hash, whose key is of the operating system's
/// randomness, of a count.
#[derive(Debug, Default)]
pub(super) struct Salts {
    key: RandomState,
    given: AtomicU64,
}

impl Salts {
    /// The next number.
    pub(super) fn next(&self) -> u64 {
        let mut hasher = self.key.build_hasher();
        hasher.write_u64(self.given.fetch_add(1, Ordering::Relaxed));
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_numbers_and_no_two_programs_are_alike() {
        let (first, second) = (Salts::default(), Salts::default());
        let mut given: Vec<u64> = (0..100).flat_map(|_| [first.next(), second.next()]).collect();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), 200);
    }
}
