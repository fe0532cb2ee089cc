//! The conformal prediction set: the meanings of a text that are likely enough to be offered,
//! chosen so that the set holds the right one as often as was promised.
//!
//! A meaning is a route, or on a route with tools a tool. It is in the set if its probability
//! reaches a floor; the floor is fitted on scores held out of training, so that the promise does
//! not depend on the probabilities being right. Routes with few examples have a floor of their own:
//! a promise that holds on average need not hold for them.
//!
//! # Source
//!
//! Sadinle, Lei, Wasserman 2019, "Least Ambiguous Set-Valued Classifiers with Bounded Error Levels",
//! for the sets; Vovk 2012, "Conditional validity of inductive conformal predictors", for floors by
//! group.

use serde::{Deserialize, Serialize};

/// A route with fewer examples is rare.
const RARE: usize = 8;

/// A group with fewer held-out texts shares the floor of the others: no quantile can be told.
const ENOUGH: usize = 40;

/// The probability that a meaning must reach to be in the set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictionSets {
    /// The share of texts whose set holds the right meaning, between 0 and 1.
    pub coverage: f32,
    /// The floor for routes with enough examples.
    common: f32,
    /// The floor for routes with few.
    rare: f32,
    /// True for each route with few examples, in the order of the bundle's routes.
    is_rare: Vec<bool>,
}

/// The right meaning of a held-out text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Right {
    /// Its route.
    pub(crate) route: u32,
    /// The probability that it was given.
    pub(crate) probability: f32,
}

impl PredictionSets {
    /// Fits floors to `held`; `counts` has the examples of each route.
    pub(crate) fn fit(held: &[Right], counts: &[usize], coverage: f32) -> Self {
        let is_rare: Vec<bool> = counts.iter().map(|count| *count < RARE).collect();
        let of = |rare: bool| -> Vec<f32> {
            let group = held.iter().filter(|right| is_rare[right.route as usize] == rare);
            group.map(|right| right.probability).collect()
        };
        let all = held.iter().map(|right| right.probability).collect();
        let pooled = floor(all, coverage);
        let [common, rare] = [of(false), of(true)].map(|group| match group.len() {
            0..ENOUGH => pooled,
            _ => floor(group, coverage),
        });
        Self { coverage, common, rare, is_rare }
    }

    /// Returns the probability from which a meaning on `route` is in the set. The likeliest meaning
    /// is in it whatever its probability.
    pub fn floor(&self, route: usize) -> f32 {
        if self.is_rare.get(route).copied().unwrap_or_default() { self.rare } else { self.common }
    }

    pub(crate) fn is_valid(&self, routes: usize) -> bool {
        let floors = [self.common, self.rare, self.coverage];
        self.is_rare.len() == routes && floors.iter().all(|floor| (0.0..=1.0).contains(floor))
    }
}

/// Returns the largest floor that `coverage` of the probabilities reach, where the text to come is
/// counted as one more miss. 0 where there are too few to promise it.
fn floor(mut probabilities: Vec<f32>, coverage: f32) -> f32 {
    probabilities.sort_by(f32::total_cmp);
    let missed = ((1.0 - coverage) * (probabilities.len() + 1) as f32).floor() as usize;
    match missed {
        0 => 0.0,
        missed => probabilities[missed - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(route: u32, probabilities: impl Iterator<Item = f32>) -> Vec<Right> {
        probabilities.map(|probability| Right { route, probability }).collect()
    }

    #[test]
    fn the_set_holds_the_right_meaning_as_often_as_promised() {
        let rows = held(0, (1..=999).map(|i| i as f32 / 1000.0));
        let choices = PredictionSets::fit(&rows, &[100], 0.95);
        let inside = rows.iter().filter(|right| right.probability >= choices.floor(0)).count();
        assert!((949..=951).contains(&inside), "{inside}");
    }

    #[test]
    fn rare_routes_have_a_floor_of_their_own_and_few_texts_promise_nothing() {
        let mut rows = held(0, (0..100).map(|_| 0.9));
        rows.extend(held(1, (0..50).map(|i| 0.2 + i as f32 / 1000.0)));
        let choices = PredictionSets::fit(&rows, &[100, 5], 0.9);
        assert!(choices.floor(0) > 0.8 && choices.floor(1) < 0.25, "{choices:?}");
        assert_eq!(PredictionSets::fit(&rows[..3], &[3], 0.95).floor(0), 0.0);
    }
}
