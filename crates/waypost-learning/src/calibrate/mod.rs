//! Makes the routes' scores into probabilities that can be believed, from scores of texts held out
//! of training.
//!
//! Order is kept: this changes how sure the student says it is, never which route is first.

pub mod logistic;
pub mod out_of_scope;
pub mod prediction_set;
pub mod threshold;

use serde::{Deserialize, Serialize};

use crate::calibrate::logistic::{Logistic, sigmoid};

/// Softmax with a fitted temperature, then a fitted line through the log-odds of the first.
///
/// A temperature alone left the scores of linear weights too sure at the top and too unsure at
/// the bottom (0.90 said, 0.78 right; 0.23 said, 0.43 right on CLINC150's validation rows at 10
/// examples a route): many far classes weigh too much against a short lead.
///
/// # Source
///
/// Guo et al. 2017, "On Calibration of Modern Neural Networks", section 4.2, for the temperature;
/// section 4.1 for the line (Platt's) on the first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Temperature {
    /// The inverse temperature: above 0, and larger is surer.
    pub sharpness: f32,
    /// The factor of the log-odds of the first, 0 or more.
    pub slope: f32,
    /// The number that is added to them.
    pub offset: f32,
}

/// Bounds of the sharpness: held-out scores that are all right would drive it to infinity.
const SHARPNESS: (f64, f64) = (0.05, 100.0);

/// Log-odds beyond this say no more.
const ODDS: f32 = 12.0;

/// Three numbers are fitted: more rows than this, evenly taken, change nothing but the time.
const ROWS: usize = 5000;

/// Newton steps at most; the problems are convex and need fewer than ten.
const STEPS: usize = 50;

impl Temperature {
    /// Softmax at `sharpness` and nothing else.
    pub fn new(sharpness: f32) -> Self {
        Self { sharpness, slope: 1.0, offset: 0.0 }
    }

    /// Fits to `margins` of `classes` scores a row and the right class of each row.
    ///
    /// Targets are smoothed by one part in `rows + 2`, so that a small set without a single error
    /// is no proof of certainty. Without rows the sharpness is 1.
    pub fn fit(margins: &[f32], classes: usize, labels: &[u32]) -> Self {
        if labels.is_empty() || classes < 2 {
            return Self::new(1.0);
        }
        let (mut scores, labels) = shifted(margins, classes, labels);
        let sharpness = sharpen(&scores, classes, &labels) as f32;
        let mut odds = Vec::with_capacity(labels.len());
        let mut truth = Vec::with_capacity(labels.len());
        for (row, label) in scores.chunks_exact_mut(classes).zip(&labels) {
            truth.push(row[*label as usize] >= 0.0);
            odds.push(first_odds(row, sharpness));
        }
        let line = Logistic::fit(&odds, 1, &truth, &vec![1.0; truth.len()]);
        if line.weights[0] > 0.0 {
            Self { sharpness, slope: line.weights[0], offset: line.bias }
        } else {
            // All held-out texts were right, or sureness told nothing: no line can be drawn, and a
            // constant would call every text as sure as the others.
            Self::new(sharpness)
        }
    }

    /// The mean negative log-likelihood of the right classes at the sharpness that suits `margins`
    /// best. 0 without rows.
    pub(crate) fn loss(margins: &[f32], classes: usize, labels: &[u32]) -> f64 {
        if labels.is_empty() || classes < 2 {
            return 0.0;
        }
        let (mut scores, labels) = shifted(margins, classes, labels);
        let sharpness = sharpen(&scores, classes, &labels);
        let loss = |(row, label): (&mut [f32], &u32)| {
            let right = sharpness * f64::from(row[*label as usize]);
            let total: f64 = row.iter().map(|s| f64::from((sharpness as f32 * s).exp())).sum();
            total.ln() - right
        };
        let total: f64 = scores.chunks_exact_mut(classes).zip(&labels).map(loss).sum();
        total / labels.len() as f64
    }

    /// Overwrites `scores` with probabilities that sum to 1; nothing happens to an empty slice.
    ///
    /// # Example
    ///
    /// ```
    /// let mut scores = [4.0, 0.0];
    /// waypost_learning::calibrate::Temperature::new(0.5).apply(&mut scores);
    /// assert!((scores[0] - 0.8808).abs() < 1e-4);
    /// ```
    pub fn apply(self, scores: &mut [f32]) {
        if scores.len() < 2 {
            scores.fill(1.0);
            return;
        }
        let odds = first_odds(scores, self.sharpness);
        let total: f32 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= total);
        let floor = 1.0 / scores.len() as f32;
        move_first(scores, sigmoid(self.slope * odds + self.offset).max(floor));
    }
}

/// The rows that are looked at, the first score of each 0, and their labels.
fn shifted(margins: &[f32], classes: usize, labels: &[u32]) -> (Vec<f32>, Vec<u32>) {
    let step = labels.len().div_ceil(ROWS);
    let labels: Vec<u32> = labels.iter().step_by(step).copied().collect();
    let mut scores = Vec::with_capacity(labels.len() * classes);
    for row in margins.chunks_exact(classes).step_by(step) {
        let first = largest(row);
        scores.extend(row.iter().map(|margin| margin - first));
    }
    (scores, labels)
}

fn largest(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Overwrites `scores` with their exponentials, 1 for the first; returns the first's log-odds.
fn first_odds(scores: &mut [f32], sharpness: f32) -> f32 {
    let first = largest(scores);
    let mut total = 0.0;
    for score in scores.iter_mut() {
        *score = (sharpness * (*score - first)).exp();
        total += *score;
    }
    (-(total - 1.0).max(f32::MIN_POSITIVE).ln()).clamp(-ODDS, ODDS)
}

/// Gives the first of `probabilities` the probability `wanted`, or as near as order allows.
///
/// Upwards the others shrink in proportion. Downwards all are mixed with their square roots, which
/// are in the same order and flatter: the probability that the first loses goes to those close
/// behind it.
fn move_first(probabilities: &mut [f32], wanted: f32) {
    let first = largest(probabilities);
    if wanted >= first {
        let rest = (1.0 - first).max(f32::MIN_POSITIVE);
        let scale = if rest > 1e-12 { (1.0 - wanted) / rest } else { 1.0 };
        let mut others = 0.0;
        let mut place = None;
        for (at, p) in probabilities.iter_mut().enumerate() {
            if place.is_none() && *p == first {
                place = Some(at);
                continue;
            }
            *p *= scale;
            others += *p;
        }
        if let Some(at) = place {
            probabilities[at] = 1.0 - others;
        }
        return;
    }
    let total: f32 = probabilities.iter().map(|p| p.sqrt()).sum();
    let flat = first.sqrt() / total;
    let share =
        if first > flat { ((first - wanted) / (first - flat)).clamp(0.0, 1.0) } else { 0.0 };
    for p in probabilities {
        *p = (1.0 - share) * *p + share * p.sqrt() / total;
    }
}

/// The sharpness that makes `labels` most likely. The first score of each row is 0.
fn sharpen(scores: &[f32], classes: usize, labels: &[u32]) -> f64 {
    let smooth = 1.0 / (labels.len() as f64 + 2.0);
    let (mut low, mut high) = SHARPNESS;
    let mut sharpness = 3.0f64;
    for _ in 0..STEPS {
        let (slope, curve) = slopes(scores, classes, labels, smooth, sharpness);
        if slope > 0.0 {
            high = sharpness;
        } else {
            low = sharpness;
        }
        let newton = sharpness - slope / curve.max(1e-12);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - sharpness).abs() < 1e-4 * sharpness {
            break;
        }
        sharpness = next;
    }
    sharpness
}

/// First two derivatives by the sharpness of the smoothed negative log-likelihood.
fn slopes(scores: &[f32], classes: usize, labels: &[u32], smooth: f64, at: f64) -> (f64, f64) {
    let (mut slope, mut curve) = (0.0, 0.0);
    for (row, label) in scores.chunks_exact(classes).zip(labels) {
        let (mut total, mut first, mut second, mut sum) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for score in row {
            let part = f64::from((at as f32 * score).exp());
            let score = f64::from(*score);
            total += part;
            first += part * score;
            second += part * score * score;
            sum += score;
        }
        let mean = first / total;
        let right = f64::from(row[*label as usize]);
        let target = (1.0 - smooth) * right + smooth * sum / classes as f64;
        slope += mean - target;
        curve += second / total - mean * mean;
    }
    (slope, curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_matches_how_often_the_scores_are_right() {
        // Right three times in four at the same distance.
        let margins: Vec<f32> = (0..4000).flat_map(|_| [1.0, 0.0]).collect();
        let labels: Vec<u32> = (0..4000).map(|i| u32::from(i % 4 == 0)).collect();
        let fitted = Temperature::fit(&margins, 2, &labels);
        let mut scores = [1.0, 0.0];
        fitted.apply(&mut scores);
        assert!((scores[0] - 0.75).abs() < 0.01, "{fitted:?} {scores:?}");
    }

    #[test]
    fn scores_that_are_always_right_stay_finite() {
        let fitted = Temperature::fit(&[1.0, 0.0, 0.9, 0.1], 2, &[0, 0]);
        let mut scores = [1.0, 0.0];
        fitted.apply(&mut scores);
        assert!(scores[0] > 0.5 && scores[0] < 0.95, "{fitted:?} {scores:?}");
        let mut close = [0.2, 0.1];
        fitted.apply(&mut close);
        assert!(close[0] < scores[0], "{close:?} is as sure as {scores:?}");
    }

    #[test]
    fn probabilities_sum_to_one_and_keep_order() {
        let mut scores = [0.3, -1.2, 700.0, 0.31];
        Temperature { sharpness: 2.0, slope: 0.5, offset: 0.1 }.apply(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(scores[2] > scores[3] && scores[3] >= scores[0] && scores[0] >= scores[1]);
    }
}
