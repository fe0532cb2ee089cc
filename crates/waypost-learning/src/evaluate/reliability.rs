//! Measures whether confidences are true: of the cases with 80%, how many were right.

use serde::{Deserialize, Serialize};

use super::super::random::Random;
use super::{Share, rank};

/// Bins of the calibration error, of equal width.
pub const BINS: usize = 15;

/// The cases whose confidence lies in one bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The lower end of the bin.
    pub from: f64,
    /// The upper end of the bin.
    pub to: f64,
    /// The share of its cases that were right.
    pub right: Share,
    /// Their mean confidence; the middle of a bin without cases.
    pub confidence: f64,
}

/// Puts (confidence, right) pairs into bins of equal width, empty ones among them.
pub fn reliability(rows: &[(f32, bool)]) -> Vec<Bin> {
    let width = 1.0 / BINS as f64;
    let bins = binned(rows);
    let bin = |(index, (sum, n, right)): (usize, &(f64, usize, usize))| {
        let from = index as f64 * width;
        let confidence = if *n == 0 { from + width / 2.0 } else { sum / *n as f64 };
        Bin { from, to: from + width, right: Share::new(*right, *n), confidence }
    };
    bins.iter().enumerate().map(bin).collect()
}

/// Expected calibration error of (confidence, right) pairs: the mean distance of confidence and
/// accuracy over 15 bins of equal width, weighted by their rows. 0 without rows.
///
/// # Source
///
/// Guo et al. 2017, "On Calibration of Modern Neural Networks", equation 3.
pub fn calibration_error(rows: &[(f32, bool)]) -> f64 {
    let bins = binned(rows);
    let gaps: f64 = bins.iter().map(|(sum, _, right)| (sum - *right as f64).abs()).sum();
    gaps / rows.len().max(1) as f64
}

/// Draws of [`calibration_error_by_chance`].
const DRAWS: usize = 200;

/// The calibration error that as many cases would show by chance alone if every confidence were
/// true: 19 of 20 such samples show no more. An error above it is one of the confidences.
///
/// # Source
///
/// Bröcker and Smith 2007, "Increasing the Reliability of Reliability Diagrams": resampling under
/// the hypothesis that the forecasts are reliable.
pub fn calibration_error_by_chance(rows: &[(f32, bool)], seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let mut errors = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let drawn: Vec<(f32, bool)> = rows
            .iter()
            .map(|(confidence, _)| (*confidence, random.share() < f64::from(*confidence)))
            .collect();
        errors.push(calibration_error(&drawn));
    }
    rank(&mut errors, 0.95)
}

/// The sum of confidences, the rows and the right ones of each bin.
fn binned(rows: &[(f32, bool)]) -> [(f64, usize, usize); BINS] {
    let mut bins = [(0.0f64, 0usize, 0usize); BINS];
    for (confidence, right) in rows {
        let bin = &mut bins[((confidence * BINS as f32) as usize).min(BINS - 1)];
        bin.0 += f64::from(*confidence);
        bin.1 += 1;
        bin.2 += usize::from(*right);
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_lies_in_them() {
        let bins = reliability(&[(0.0, false), (0.95, true), (0.97, false), (1.0, true)]);
        assert_eq!(bins.len(), BINS);
        assert_eq!((bins[0].right.part, bins[0].right.of), (0, 1));
        assert_eq!((bins[14].right.part, bins[14].right.of), (2, 3));
        assert!((bins[14].confidence - (0.95 + 0.97 + 1.0) / 3.0).abs() < 1e-6);
        assert!(bins[7].right.of == 0 && (bins[7].confidence - 0.5).abs() < 1e-9);
        assert_eq!(bins.iter().map(|bin| bin.right.of).sum::<usize>(), 4);
    }

    #[test]
    fn true_confidences_show_no_more_error_than_chance_and_false_ones_do() {
        let fair: Vec<(f32, bool)> = (0..1000).map(|i| (0.75, i % 4 != 0)).collect();
        assert!(calibration_error(&fair) <= calibration_error_by_chance(&fair, 1));
        let vain: Vec<(f32, bool)> = (0..1000).map(|i| (0.95, i % 4 != 0)).collect();
        assert!(calibration_error(&vain) > 3.0 * calibration_error_by_chance(&vain, 1));
        assert_eq!(calibration_error_by_chance(&[], 1), 0.0);
    }
}
