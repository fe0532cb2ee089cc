//! Says how likely it is that a text belongs to any of the routes at all.
//!
//! Several cheap signals of one scoring are joined by a logistic regression. Its negatives are the
//! texts of routes that a fold left out of training, and the texts labelled `out_of_scope`.

use serde::{Deserialize, Serialize};

use crate::calibrate::logistic::Logistic;

/// The number of signals.
pub const SIGNALS: usize = 5;

/// The signals of a text about scope, each larger for texts within it: the largest margin, the
/// share of known words, that of known word pairs, and the largest margins by the words alone and
/// by the encoder alone.
pub type Signals = [f32; SIGNALS];

/// The evidence about a text's scope beside its margins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeEvidence {
    /// The shares of its words and word pairs that were seen in training.
    pub known: [f32; 2],
    /// The largest margin by its words.
    pub words: f32,
    /// The largest margin by its vector, where it has one.
    pub vector: Option<f32>,
}

/// The signals of a text; `mixed` is its largest margin among the routes without `out_of_scope`.
pub fn signals(mixed: f32, evidence: &ScopeEvidence) -> Signals {
    let ScopeEvidence { known, words, vector } = *evidence;
    // Without any route within scope, no text is within scope.
    let vector = vector.unwrap_or(words).max(LOWEST);
    [mixed.max(LOWEST), known[0], known[1], words.max(LOWEST), vector]
}

/// Margins lie about -1 and 1; this stands for a missing one.
const LOWEST: f32 = -10.0;

/// Joins the signals into one probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    logistic: Logistic,
}

impl Detector {
    /// Fits to the signals of held-out texts within scope and of texts outside.
    ///
    /// The share of out-of-scope texts to come is not known: [`OUTSIDE_SHARE`] is assumed,
    /// however many there are of either side. Without outside texts the detector is [`Detector::one_sided`].
    pub fn fit(inside: &[Signals], outside: &[Signals]) -> Self {
        if inside.is_empty() || outside.is_empty() {
            return Self::one_sided(inside);
        }
        let rows: Vec<f32> = inside.iter().chain(outside).flatten().copied().collect();
        let truth: Vec<bool> =
            (0..inside.len() + outside.len()).map(|i| i < inside.len()).collect();
        let total = truth.len() as f32;
        let weights: Vec<f32> = truth
            .iter()
            .map(|t| match t {
                true => (1.0 - OUTSIDE_SHARE) * total / inside.len() as f32,
                false => OUTSIDE_SHARE * total / outside.len() as f32,
            })
            .collect();
        Self { logistic: Logistic::fit(&rows, SIGNALS, &truth, &weights) }
    }

    /// A detector from texts within scope alone: one in twenty of them falls below one half, the
    /// middle one has 0.9.
    pub fn one_sided(inside: &[Signals]) -> Self {
        let mut largest: Vec<f32> = inside.iter().map(|s| s[0]).collect();
        largest.sort_by(f32::total_cmp);
        let low = largest.get(largest.len() / 20).copied().unwrap_or(-1.0);
        let middle = largest.get(largest.len() / 2).copied().unwrap_or(0.0);
        let mut weights = vec![0.0; SIGNALS];
        weights[0] = 9f32.ln() / (middle - low).max(0.05);
        let bias = -weights[0] * low;
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

/// The share of out-of-scope texts that the probability assumes.
pub const OUTSIDE_SHARE: f32 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_one_and_of_no_route_are_finite() {
        let evidence = |words| ScopeEvidence { known: [1.0, 0.5], words, vector: None };
        let none = f32::NEG_INFINITY;
        assert_eq!(signals(none, &evidence(none)), [LOWEST, 1.0, 0.5, LOWEST, LOWEST]);
        assert_eq!(signals(0.5, &evidence(0.5)), [0.5, 1.0, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn a_fitted_detector_tells_the_sides_apart() {
        let row = |first: f32| {
            signals(first, &ScopeEvidence { known: [0.9, 0.5], words: first, vector: None })
        };
        let inside: Vec<_> = (0..50).map(|i| row(0.2 + i as f32 / 50.0)).collect();
        let outside: Vec<_> = (0..20).map(|i| row(-0.6 + i as f32 / 50.0)).collect();
        let detector = Detector::fit(&inside, &outside);
        assert!(detector.in_scope(&row(0.9)) > 0.9);
        assert!(detector.in_scope(&row(-0.6)) < 0.1);
        let alone = Detector::one_sided(&inside);
        assert!(alone.in_scope(&row(0.9)) > alone.in_scope(&row(-0.6)));
    }
}
