//! Says how likely it is that a text belongs to any of the routes at all.
//!
//! Several cheap signals of one scoring, joined by a logistic regression. Its negatives are the
//! texts of routes that a fold left out of training, and the texts labelled `out_of_scope`.

use serde::{Deserialize, Serialize};

use super::calibrate::{Logistic, Temperature};

/// How many signals there are.
pub const SIGNALS: usize = 6;

/// What a scoring says about scope, each larger for texts within it: the largest margin, the
/// energy, the largest probability, the lead over the second, the shares of known words and of
/// known word pairs.
pub type Signals = [f32; SIGNALS];

/// The signals of `margins`, one per route without `out_of_scope`, of a text of which the shares
/// `known` were seen in training.
pub fn signals(margins: &[f32], temperature: Temperature, known: [f32; 2]) -> Signals {
    let (mut first, mut second) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for margin in margins {
        if *margin > first {
            (first, second) = (*margin, first);
        } else if *margin > second {
            second = *margin;
        }
    }
    if !first.is_finite() {
        return [0.0; SIGNALS];
    }
    let energy = temperature.energy(margins);
    let largest = (temperature.sharpness * (first - energy)).exp();
    let lead = if second.is_finite() { first - second } else { 0.0 };
    [first, energy, largest, lead, known[0], known[1]]
}

/// Joins the signals into one probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    logistic: Logistic,
}

impl Detector {
    /// Fits to the signals of held-out texts within scope and of texts outside.
    ///
    /// Both sides count alike however many they are: how common out-of-scope texts will be is not
    /// known. Without outside texts the detector is [`Detector::one_sided`].
    pub fn fit(inside: &[Signals], outside: &[Signals]) -> Self {
        if inside.is_empty() || outside.is_empty() {
            return Self::one_sided(inside);
        }
        let rows: Vec<f32> = inside.iter().chain(outside).flatten().copied().collect();
        let truth: Vec<bool> =
            (0..inside.len() + outside.len()).map(|i| i < inside.len()).collect();
        let effective = inside.len().min(outside.len()) as f32;
        let weights: Vec<f32> = truth
            .iter()
            .map(|t| effective / if *t { inside.len() } else { outside.len() } as f32)
            .collect();
        Self { logistic: Logistic::fit(&rows, SIGNALS, &truth, &weights) }
    }

    /// A detector from texts within scope alone: one in twenty of them falls below one half, the
    /// middle one has 0.9.
    pub fn one_sided(inside: &[Signals]) -> Self {
        let mut energies: Vec<f32> = inside.iter().map(|s| s[ENERGY]).collect();
        energies.sort_by(f32::total_cmp);
        let low = energies.get(energies.len() / 20).copied().unwrap_or(-1.0);
        let middle = energies.get(energies.len() / 2).copied().unwrap_or(0.0);
        let mut weights = vec![0.0; SIGNALS];
        weights[ENERGY] = 9f32.ln() / (middle - low).max(0.05);
        let bias = -weights[ENERGY] * low;
        Self { logistic: Logistic { weights, bias } }
    }

    /// The probability that a text with these signals is within scope.
    pub fn in_scope(&self, signals: &Signals) -> f32 {
        self.logistic.probability(signals)
    }

    pub(crate) fn is_valid(&self) -> bool {
        let numbers = self.logistic.weights.iter().chain([&self.logistic.bias]);
        self.logistic.weights.len() == SIGNALS && numbers.into_iter().all(|w| w.is_finite())
    }
}

/// Place of the energy among the signals.
const ENERGY: usize = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_one_and_of_no_route_are_finite() {
        let sharp = Temperature { sharpness: 3.0 };
        assert_eq!(signals(&[], sharp, [1.0, 1.0]), [0.0; SIGNALS]);
        assert!(signals(&[0.5], sharp, [1.0, 1.0]).iter().all(|s| s.is_finite()));
    }

    #[test]
    fn a_fitted_detector_tells_the_sides_apart() {
        let sharp = Temperature { sharpness: 3.0 };
        let row = |first: f32| signals(&[first, -0.8, -0.9], sharp, [0.9, 0.5]);
        let inside: Vec<_> = (0..50).map(|i| row(0.2 + i as f32 / 50.0)).collect();
        let outside: Vec<_> = (0..20).map(|i| row(-0.6 + i as f32 / 50.0)).collect();
        let detector = Detector::fit(&inside, &outside);
        assert!(detector.in_scope(&row(0.9)) > 0.9);
        assert!(detector.in_scope(&row(-0.6)) < 0.1);
        let alone = Detector::one_sided(&inside);
        assert!(alone.in_scope(&row(0.9)) > alone.in_scope(&row(-0.6)));
    }
}
