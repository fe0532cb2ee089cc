//! Computes how far a counted share may lie from the true one.

use serde::{Deserialize, Serialize};

/// A counted share with the interval that holds the true one in 95 of 100 samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The number of cases that had it.
    pub part: usize,
    /// The number of all cases.
    pub of: usize,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The deviation that leaves 2.5% of a normal distribution on either side.
const DEVIATION: f64 = 1.959_963_984_540_054;

impl Share {
    /// The share of `part` in `of`; of nothing it may be anything between 0 and 1.
    ///
    /// # Source
    ///
    /// Wilson 1927, "Probable Inference, the Law of Succession, and Statistical Inference": unlike
    /// the textbook's, this interval stays within 0 and 1 and holds at both ends.
    ///
    /// # Example
    ///
    /// ```
    /// let share = waypost_learning::evaluate::Share::new(8, 10);
    /// assert!((share.low - 0.4902).abs() < 1e-4 && (share.high - 0.9433).abs() < 1e-4);
    /// ```
    pub fn new(part: usize, of: usize) -> Self {
        if of == 0 {
            return Self { part, of, low: 0.0, high: 1.0 };
        }
        let (n, square) = (of as f64, DEVIATION * DEVIATION);
        let p = part as f64 / n;
        let shrink = 1.0 + square / n;
        let middle = (p + square / (2.0 * n)) / shrink;
        let half = DEVIATION / shrink * (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
        // Rounding at the ends adds no doubt.
        let low = if part == 0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if part >= of { 1.0 } else { (middle + half).min(1.0) };
        Self { part, of, low, high }
    }

    /// The share itself; 0 of nothing.
    pub fn value(self) -> f64 {
        self.part as f64 / self.of.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_and_none_are_certain_on_one_side_only() {
        let (none, all) = (Share::new(0, 10), Share::new(10, 10));
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        assert!(all.high == 1.0 && (all.low - 0.7225).abs() < 1e-4, "{all:?}");
        assert_eq!((Share::new(0, 0).value(), Share::new(0, 0).high), (0.0, 1.0));
    }

    #[test]
    fn more_cases_leave_less_doubt() {
        let wide = |share: Share| share.high - share.low;
        assert!(wide(Share::new(90, 100)) > 3.0 * wide(Share::new(9000, 10_000)));
    }
}
