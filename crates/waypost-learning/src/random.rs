//! A small seeded generator, so that training gives the same bits for the same seed everywhere.

/// SplitMix64: one addition and two multiplications a number, and any seed is a good seed.
///
/// Source: Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators".
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        waypost_core::hash::mix(self.0)
    }

    /// A number below `bound`, which is at least 1. The bias is below `bound / 2^32`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }

    /// A number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
