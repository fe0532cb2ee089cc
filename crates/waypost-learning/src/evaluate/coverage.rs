//! Computes the share of cases that can be decided at each risk, the surest first.

use serde::{Deserialize, Serialize};

use super::super::random::Random;
use super::{rank, ratio};

/// The cases that a threshold lets through.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The lowest confidence that is let through.
    pub threshold: f64,
    /// The number of cases that are let through.
    pub taken: usize,
    /// The number of these that are wrong.
    pub wrong: usize,
    /// The number of all cases.
    pub of: usize,
}

impl Point {
    /// The share that is let through.
    pub fn coverage(self) -> f64 {
        ratio(self.taken, self.of)
    }

    /// The share of wrong cases among those that are let through.
    pub fn risk(self) -> f64 {
        ratio(self.wrong, self.taken)
    }
}

/// A point for each confidence of (confidence, right) pairs, the surest first: rows of the same
/// confidence are taken together, since no threshold can part them.
pub fn risk_coverage(rows: &[(f32, bool)]) -> Vec<Point> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut taken, mut wrong) = (0, 0);
    let mut points = Vec::new();
    for tie in sorted.chunk_by(|a, b| a.0 == b.0) {
        taken += tie.len();
        wrong += tie.iter().filter(|(_, right)| !*right).count();
        points.push(Point { threshold: f64::from(tie[0].0), taken, wrong, of: rows.len() });
    }
    points
}

/// Counts the cases that `threshold` lets through.
pub fn at_threshold(rows: &[(f32, bool)], threshold: f64) -> Point {
    let passed = || rows.iter().filter(|(confidence, _)| f64::from(*confidence) >= threshold);
    let wrong = passed().filter(|(_, right)| !*right).count();
    Point { threshold, taken: passed().count(), wrong, of: rows.len() }
}

/// Returns the largest share of (confidence, right) pairs, surest first, of which `accuracy` are
/// right.
pub fn coverage(rows: &[(f32, bool)], accuracy: f64) -> f64 {
    let good = |point: &Point| (point.taken - point.wrong) as f64 >= accuracy * point.taken as f64;
    let best = risk_coverage(rows).into_iter().rev().find(good);
    best.map_or(0.0, Point::coverage)
}

/// The number of draws; fewer where there are many rows, which leave less doubt.
const DRAWS: usize = 200;
/// Rows that are drawn at most, over all draws: about a second.
const DRAWN: usize = 4_000_000;

/// Returns the interval that holds [`coverage`] in 95 of 100 draws of as many rows from these.
///
/// # Source
///
/// Efron 1979, "Bootstrap Methods: Another Look at the Jackknife", percentiles.
pub fn coverage_interval(rows: &[(f32, bool)], accuracy: f64, seed: u64) -> (f64, f64) {
    if rows.is_empty() {
        return (0.0, 1.0);
    }
    let mut random = Random::new(seed);
    let draws = (DRAWN / rows.len()).clamp(40, DRAWS);
    let mut found = Vec::with_capacity(draws);
    for _ in 0..draws {
        let drawn: Vec<(f32, bool)> = rows.iter().map(|_| rows[random.below(rows.len())]).collect();
        found.push(coverage(&drawn, accuracy));
    }
    (rank(&mut found, 0.025), rank(&mut found, 0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [(f32, bool); 5] =
        [(0.9, true), (0.5, true), (0.8, false), (0.9, true), (0.5, false)];

    #[test]
    fn points_are_those_worked_out_by_hand() {
        let points: Vec<(usize, usize)> =
            risk_coverage(&ROWS).iter().map(|point| (point.taken, point.wrong)).collect();
        assert_eq!(points, [(2, 0), (3, 1), (5, 2)]);
        let at = at_threshold(&ROWS, 0.8);
        assert!((at.coverage() - 0.6).abs() < 1e-12 && (at.risk() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(at_threshold(&ROWS, 0.95).risk(), 0.0);
        assert!((coverage(&ROWS, 0.99) - 0.4).abs() < 1e-12);
        assert!((coverage(&ROWS, 0.6) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_confidences_are_taken_together() {
        assert_eq!(coverage(&[(0.5, true), (0.5, false)], 0.99), 0.0);
        assert_eq!(coverage(&[], 0.99), 0.0);
    }

    #[test]
    fn the_interval_holds_the_figure_and_is_the_same_each_time() {
        let rows: Vec<(f32, bool)> =
            (0..400).map(|i| (1.0 - i as f32 / 400.0, i < 300 || i % 3 == 0)).collect();
        let (low, high) = coverage_interval(&rows, 0.99, 7);
        let figure = coverage(&rows, 0.99);
        assert!(low <= figure && figure <= high && high - low < 0.2, "{low} {figure} {high}");
        assert_eq!((low, high), coverage_interval(&rows, 0.99, 7));
        assert_eq!(coverage_interval(&[], 0.99, 7), (0.0, 1.0));
    }
}
