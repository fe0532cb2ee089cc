//! Learns what each thing that speaks for a tool is worth, from texts of which the right tool is known.
//!
//! A log-linear choice among the tools of a catalog, then two logistic regressions on the signs by which its best tool is
//! believed. Both are convex and small; the same rows give the same weights.

use super::features::{COUNT, Candidate};
use super::weights::{SIGNS, Weights, sigmoid, signs, softmax};

/// A text among the tools of a catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The tools, with what speaks for each.
    pub candidates: Vec<Candidate>,
    /// The share of the text that the catalog knows.
    pub known: f32,
    /// The places of the candidates that are right; empty if none is.
    pub right: Vec<usize>,
}

/// Steps of the descent; the loss changes in the fifth place after half of them.
const STEPS: usize = 400;
/// How strongly weights are held near 0, as a share of a row.
const HOLD: f32 = 2e-4;

/// Learns the weights of features, by which tools are chosen.
pub fn choose(rows: &[Row]) -> Vec<f32> {
    descend(COUNT, |weights, slope| {
        let serving = rows.iter().filter(|row| !row.right.is_empty());
        let mut count = 0.0f32;
        for row in serving {
            count += 1.0;
            let scores: Vec<f32> = row
                .candidates
                .iter()
                .map(|one| super::vectors::dot(weights, &one.features))
                .collect();
            let shares = softmax(&scores);
            let right: f32 = row.right.iter().map(|at| shares[*at]).sum::<f32>().max(1e-6);
            for (at, candidate) in row.candidates.iter().enumerate() {
                let is_right = row.right.contains(&at);
                let wanted = if is_right { shares[at] / right } else { 0.0 };
                let pull = shares[at] - wanted;
                slope.iter_mut().zip(&candidate.features).for_each(|(s, x)| *s += pull * x);
            }
        }
        count
    })
}

/// Learns how far the best tool by these weights is to be believed.
pub fn believe(rows: &[Row], tool: Vec<f32>) -> Weights {
    let weights = Weights { tool, ..Weights::default() };
    let believed: Vec<(Vec<f32>, bool, bool)> = rows
        .iter()
        .filter_map(|row| {
            let scores: Vec<f32> = row.candidates.iter().map(|one| weights.score(one)).collect();
            let signs = signs(&row.candidates, &scores, row.known)?;
            let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]))?;
            Some((signs, row.right.contains(&best), !row.right.is_empty()))
        })
        .collect();
    let right = logistic(&believed, |row| row.1);
    let in_scope = logistic(&believed, |row| row.2);
    Weights { right, in_scope, ..weights }
}

fn logistic<T>(rows: &[(Vec<f32>, T, T)], is: impl Fn(&(Vec<f32>, T, T)) -> bool) -> Vec<f32> {
    descend(SIGNS.len(), |weights, slope| {
        for row in rows {
            let pull = sigmoid(super::vectors::dot(weights, &row.0)) - f32::from(u8::from(is(row)));
            slope.iter_mut().zip(&row.0).for_each(|(s, x)| *s += pull * x);
        }
        rows.len() as f32
    })
}

/// Descends along a slope, which `slope` adds up for some weights and returns the number of its rows: Adam, in whole
/// passes, so that nothing depends on an order.
fn descend(length: usize, slope: impl Fn(&[f32], &mut [f32]) -> f32) -> Vec<f32> {
    let mut weights = vec![0.0f32; length];
    let (mut first, mut second) = (vec![0.0f32; length], vec![0.0f32; length]);
    for step in 1..=STEPS {
        let mut slopes = vec![0.0f32; length];
        let count = slope(&weights, &mut slopes).max(1.0);
        let pace = 0.1 * (1.0 - step as f32 / (STEPS as f32 + 1.0)).max(0.05);
        let (gone, gone_twice) = (1.0 - 0.9f32.powi(step as i32), 1.0 - 0.999f32.powi(step as i32));
        for at in 0..length {
            let own = slopes[at] / count + HOLD * weights[at];
            first[at] = 0.9 * first[at] + 0.1 * own;
            second[at] = 0.999 * second[at] + 0.001 * own * own;
            weights[at] -= pace * (first[at] / gone) / ((second[at] / gone_twice).sqrt() + 1e-8);
        }
    }
    weights
}
