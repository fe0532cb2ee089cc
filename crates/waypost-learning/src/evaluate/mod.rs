//! Measures predictions against the right routes: accuracy, calibration, scope, coverage, per
//! route.
//!
//! Figures are fractions between 0 and 1. The predictions are finished ones, whoever made them.

pub mod compare;
pub mod explain;

pub mod coverage;
mod interval;
pub mod matrix;
pub mod reliability;
pub mod scope;
pub mod slices;

pub use coverage::coverage;
pub use interval::Share;
pub use reliability::calibration_error;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One case and its prediction.
#[derive(Debug, Clone)]
pub struct Row {
    /// The right route; `None` for a text that belongs to no route.
    pub label: Option<String>,
    /// The first route, whatever its confidence.
    pub predicted: String,
    /// Its calibrated probability.
    pub confidence: f32,
    /// The probability of being within scope.
    pub in_scope: f32,
}

/// The metrics of the predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Rows, those out of scope included.
    pub n: usize,
    /// Share of the in-scope rows whose first route is right.
    pub accuracy: f64,
    /// Expected calibration error of the in-scope rows.
    pub ece: f64,
    /// Largest share of the in-scope rows that can be answered with 99% of them right.
    pub coverage_at_99: f64,
    /// The area under the ROC curve by which `in_scope` orders in-scope before out-of-scope rows;
    /// `None` without both.
    pub auroc_oos: Option<f64>,
    /// By route.
    pub per_route: BTreeMap<String, RouteReport>,
}

/// The metrics of the predictions of one route.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteReport {
    /// Rows that belong to it.
    pub n: usize,
    /// Of the rows given to it, the share that belongs to it; 0 if none was given.
    pub precision: f64,
    /// Of the rows that belong to it, the share given to it; 0 if none belongs.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Measures `rows`.
pub fn evaluate(rows: &[Row]) -> Report {
    let inside = judged(rows);
    let right = inside.iter().filter(|(_, right)| *right).count();
    let scores = |of_scope: bool| -> Vec<f32> {
        rows.iter().filter(|r| r.label.is_some() == of_scope).map(|r| r.in_scope).collect()
    };
    Report {
        n: rows.len(),
        accuracy: ratio(right, inside.len()),
        ece: calibration_error(&inside),
        coverage_at_99: coverage(&inside, 0.99),
        auroc_oos: auroc(&scores(true), &scores(false)),
        per_route: per_route(rows),
    }
}

/// Confidence and whether the route was right, of the rows that belong to a route.
pub fn judged(rows: &[Row]) -> Vec<(f32, bool)> {
    let judged = |row: &Row| Some((row.confidence, row.label.as_ref()? == &row.predicted));
    rows.iter().filter_map(judged).collect()
}

/// Area under the receiver operating characteristic: how often a positive scores above a negative,
/// ties counting half. `None` unless there are both.
pub fn auroc(positives: &[f32], negatives: &[f32]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    let mut all: Vec<(f32, bool)> = positives.iter().map(|s| (*s, true)).collect();
    all.extend(negatives.iter().map(|s| (*s, false)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut wins, mut below) = (0.0f64, 0usize);
    for tie in all.chunk_by(|a, b| a.0 == b.0) {
        let positive = tie.iter().filter(|(_, positive)| *positive).count();
        let negative = tie.len() - positive;
        wins += positive as f64 * (below as f64 + 0.5 * negative as f64);
        below += negative;
    }
    Some(wins / (positives.len() as f64 * negatives.len() as f64))
}

fn per_route(rows: &[Row]) -> BTreeMap<String, RouteReport> {
    let mut counts: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for row in rows {
        let Some(label) = &row.label else { continue };
        counts.entry(label).or_default().0 += 1;
        counts.entry(&row.predicted).or_default().1 += 1;
        counts.entry(label).or_default().2 += usize::from(label == &row.predicted);
    }
    counts
        .into_iter()
        .map(|(route, (n, given, right))| {
            let (precision, recall) = (ratio(right, given), ratio(right, n));
            let f1 = ratio(2 * right, n + given);
            (route.to_owned(), RouteReport { n, precision, recall, f1 })
        })
        .collect()
}

/// The value below which `share` of the others lie; 0 without any.
fn rank(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or_default()
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: Option<&str>, predicted: &str, confidence: f32, in_scope: f32) -> Row {
        let label = label.map(str::to_owned);
        Row { label, predicted: predicted.to_owned(), confidence, in_scope }
    }

    #[test]
    fn figures_are_those_worked_out_by_hand() {
        let report = evaluate(&[
            row(Some("a"), "a", 0.9, 0.9),
            row(Some("a"), "b", 0.6, 0.4),
            row(Some("b"), "b", 0.8, 0.8),
            row(None, "a", 0.5, 0.4),
        ]);
        assert_eq!(report.n, 4);
        assert!((report.accuracy - 2.0 / 3.0).abs() < 1e-12);
        // Each row has a bin of its own: (0.1 + 0.6 + 0.2) / 3.
        assert!((report.ece - 0.3).abs() < 1e-6, "{}", report.ece);
        // Two wins and one tie of three pairs.
        assert!((report.auroc_oos.unwrap() - 2.5 / 3.0).abs() < 1e-12);
        assert!((report.coverage_at_99 - 2.0 / 3.0).abs() < 1e-12);
        let a = &report.per_route["a"];
        assert_eq!((a.n, a.precision, a.recall), (2, 1.0, 0.5));
        assert!((a.f1 - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_measure_is_not_a_number_anywhere() {
        let report = evaluate(&[]);
        assert_eq!((report.accuracy, report.ece, report.auroc_oos), (0.0, 0.0, None));
    }
}
