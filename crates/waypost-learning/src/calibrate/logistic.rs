//! A logistic regression over a few scores: one score calibrates a tool, several tell scope.

use serde::{Deserialize, Serialize};

/// Newton steps at most; the problem is convex and needs fewer than ten.
const STEPS: usize = 50;

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

pub(crate) fn sigmoid(x: f32) -> f32 {
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
