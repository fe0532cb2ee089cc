//! Makes scores into probabilities that can be believed, from scores of texts held out of training.
//!
//! Both calibrators keep order: they change how sure the student says it is, never what is first.

use serde::{Deserialize, Serialize};

/// Softmax with a fitted temperature, then a fitted line through the log-odds of the first.
///
/// A temperature alone left the scores of linear separators too sure at the top and too unsure at
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
    /// What the log-odds of the first are multiplied by, 0 or more.
    pub slope: f32,
    /// What is added to them.
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
        let step = labels.len().div_ceil(ROWS);
        let labels: Vec<u32> = labels.iter().step_by(step).copied().collect();
        let mut scores = Vec::with_capacity(labels.len() * classes);
        for row in margins.chunks_exact(classes).step_by(step) {
            let first = largest(row);
            scores.extend(row.iter().map(|margin| margin - first));
        }
        let sharpness = sharpen(&scores, classes, &labels) as f32;
        let mut odds = Vec::with_capacity(labels.len());
        let mut truth = Vec::with_capacity(labels.len());
        for (row, label) in scores.chunks_exact_mut(classes).zip(&labels) {
            truth.push(row[*label as usize] >= 0.0);
            odds.push(first_odds(row, sharpness));
        }
        let line = Logistic::fit(&odds, 1, &truth, &vec![1.0; truth.len()]);
        Self { sharpness, slope: line.weights[0], offset: line.bias }
    }

    /// Overwrites `scores` with probabilities that sum to 1; nothing happens to an empty slice.
    ///
    /// # Example
    ///
    /// ```
    /// let mut scores = [4.0, 0.0];
    /// waypost::learning::calibrate::Temperature::new(0.5).apply(&mut scores);
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
/// are in the same order and flatter: what the first loses goes to those close behind it.
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

/// A logistic regression over a few scores; with one score it is Platt's scaling.
///
/// # Source
///
/// Platt 1999, "Probabilistic Outputs for Support Vector Machines", with the targets smoothed as
/// there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// One finite weight a score.
    pub weights: Vec<f32>,
    /// Added to the weighted sum.
    pub bias: f32,
}

/// Pulls weights towards 0, in units of standardized scores: keeps a separable fit finite.
const RIDGE: f64 = 0.01;

impl Logistic {
    /// Fits to `rows` of `width` scores each. `truth` says which rows are positive and `weights`
    /// how much each counts.
    ///
    /// A score may only speak for the positive side: one whose weight would be negative is left
    /// out. Without both kinds of rows the result is the constant that the counts give.
    pub fn fit(rows: &[f32], width: usize, truth: &[bool], weights: &[f32]) -> Self {
        let counts = [false, true].map(|side| {
            let parts = truth.iter().zip(weights).filter(|(t, _)| **t == side);
            parts.map(|(_, w)| f64::from(*w)).sum::<f64>()
        });
        let smoothed = [1.0 / (counts[0] + 2.0), (counts[1] + 1.0) / (counts[1] + 2.0)];
        if counts[0] <= 0.0 || counts[1] <= 0.0 {
            let share = (counts[1] + 1.0) / (counts[0] + counts[1] + 2.0);
            return Self { weights: vec![0.0; width], bias: (share / (1.0 - share)).ln() as f32 };
        }
        let standard = Standard::of(rows, width);
        let mut used: Vec<usize> = (0..width).collect();
        loop {
            let fitted = newton(rows, &standard, &used, truth, weights, smoothed);
            let worst = (0..used.len()).min_by(|a, b| fitted[*a].total_cmp(&fitted[*b]));
            match worst {
                Some(at) if fitted[at] < 0.0 => {
                    used.remove(at);
                }
                _ => return standard.undo(&used, &fitted, width),
            }
        }
    }

    /// The probability of the positive side.
    pub fn probability(&self, scores: &[f32]) -> f32 {
        let sum: f32 = self.weights.iter().zip(scores).map(|(w, s)| w * s).sum();
        sigmoid(sum + self.bias)
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Means and spreads of the scores.
struct Standard {
    mean: Vec<f64>,
    spread: Vec<f64>,
}

impl Standard {
    fn of(rows: &[f32], width: usize) -> Self {
        let count = (rows.len() / width).max(1) as f64;
        let mut mean = vec![0.0; width];
        let mut spread = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            for (i, score) in row.iter().enumerate() {
                mean[i] += f64::from(*score) / count;
            }
        }
        for row in rows.chunks_exact(width) {
            for (i, score) in row.iter().enumerate() {
                spread[i] += (f64::from(*score) - mean[i]).powi(2) / count;
            }
        }
        for value in &mut spread {
            *value = if *value > 1e-12 { value.sqrt() } else { 1.0 };
        }
        Self { mean, spread }
    }

    fn score(&self, row: &[f32], index: usize) -> f64 {
        (f64::from(row[index]) - self.mean[index]) / self.spread[index]
    }

    /// The same function on scores as they come. `fitted` ends with the bias.
    fn undo(&self, used: &[usize], fitted: &[f64], width: usize) -> Logistic {
        let mut weights = vec![0.0; width];
        let mut bias = fitted[used.len()];
        for (weight, index) in fitted.iter().zip(used) {
            weights[*index] = (weight / self.spread[*index]) as f32;
            bias -= weight * self.mean[*index] / self.spread[*index];
        }
        Logistic { weights, bias: bias as f32 }
    }
}

/// Iteratively reweighted least squares; the bias comes last.
fn newton(
    rows: &[f32],
    standard: &Standard,
    used: &[usize],
    truth: &[bool],
    weights: &[f32],
    smoothed: [f64; 2],
) -> Vec<f64> {
    let size = used.len() + 1;
    let mut at = vec![0.0f64; size];
    let mut inputs = vec![1.0f64; size];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = at.iter().map(|w| RIDGE * w).collect();
        let mut curve = vec![0.0f64; size * size];
        for i in 0..size {
            curve[i * size + i] = RIDGE;
        }
        let cases = rows.chunks_exact(standard.mean.len()).zip(truth).zip(weights);
        for ((row, truth), weight) in cases {
            for (input, index) in inputs.iter_mut().zip(used) {
                *input = standard.score(row, *index);
            }
            let sum: f64 = at.iter().zip(&inputs).map(|(w, x)| w * x).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let miss = f64::from(*weight) * (p - smoothed[usize::from(*truth)]);
            let bend = f64::from(*weight) * (p * (1.0 - p)).max(1e-9);
            for i in 0..size {
                slope[i] += miss * inputs[i];
                for j in 0..size {
                    curve[i * size + j] += bend * inputs[i] * inputs[j];
                }
            }
        }
        let step = solve(curve, slope);
        let longest = step.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        // Far from the optimum a full step may overshoot where the curve is flat.
        let damp = if longest > 2.0 { 2.0 / longest } else { 1.0 };
        for (weight, step) in at.iter_mut().zip(&step) {
            *weight -= damp * step;
        }
        if longest < 1e-8 {
            break;
        }
    }
    at
}

/// Solves a small positive definite system by Gaussian elimination.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let head = matrix[pivot * size + pivot].max(1e-12);
        for row in pivot + 1..size {
            let factor = matrix[row * size + pivot] / head;
            for column in pivot..size {
                matrix[row * size + column] -= factor * matrix[pivot * size + column];
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|c| matrix[row * size + c] * right[c]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row].max(1e-12);
    }
    right
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
    }

    #[test]
    fn probabilities_sum_to_one_and_keep_order() {
        let mut scores = [0.3, -1.2, 700.0, 0.31];
        Temperature { sharpness: 2.0, slope: 0.5, offset: 0.1 }.apply(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(scores[2] > scores[3] && scores[3] >= scores[0] && scores[0] >= scores[1]);
    }

    #[test]
    fn a_logistic_finds_the_boundary_and_ignores_what_points_the_wrong_way() {
        let rows: Vec<f32> = (0..1000).flat_map(|i| [i as f32 / 1000.0, -(i as f32)]).collect();
        let truth: Vec<bool> = (0..1000).map(|i| i >= 400).collect();
        let fitted = Logistic::fit(&rows, 2, &truth, &[1.0; 1000]);
        assert!(fitted.weights[0] > 0.0 && fitted.weights[1] == 0.0, "{fitted:?}");
        assert!(fitted.probability(&[0.35, 0.0]) < 0.5);
        assert!(fitted.probability(&[0.45, 0.0]) > 0.5);
    }

    #[test]
    fn a_logistic_without_negatives_is_the_smoothed_share() {
        let fitted = Logistic::fit(&[0.1, 0.2], 1, &[true, true], &[1.0, 1.0]);
        assert!((fitted.probability(&[9.0]) - 0.75).abs() < 1e-6);
    }
}
