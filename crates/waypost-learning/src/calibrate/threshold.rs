//! Chooses the confidence from which a student's decision stands, from what its teacher gets right.
//!
//! A fixed threshold asks the teacher too often for a student that has learned, and not often
//! enough for one that has not: the cases that the two get right together count. The threshold is
//! the lowest at which they are right as often as the teacher alone, less a margin.
//!
//! # Source
//!
//! Geifman and El-Yaniv 2017, "Selective Classification for Deep Neural Networks": a threshold chosen
//! on held-out cases for the risk that is wanted.

use serde::{Deserialize, Serialize};

/// Fewer questions than this tell too little.
pub const ENOUGH: usize = 200;

/// The terms that a student and its teacher must keep to together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The share of questions that the teacher gets right, from 0 to 1.
    pub teacher: f64,
    /// The share that may be lost against the teacher alone, from 0 to 1.
    pub margin: f64,
    /// The share of turns that may ask the teacher even where the terms do not need it, from 0 to
    /// 1: questions are often easier than traffic.
    pub budget: f64,
}

/// The threshold of a student and the figures behind it. Shares are from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The confidence from which its decision stands.
    pub at: f64,
    /// The share of questions that the teacher gets right, as the terms said.
    pub teacher: f64,
    /// The number of questions that it was chosen from.
    pub questions: usize,
    /// The share of these that the student decides.
    pub decides: f64,
    /// The share of these that come out right, the teacher's decisions included.
    pub right: f64,
}

impl Threshold {
    /// Returns whether all shares lie between 0 and 1.
    pub(crate) fn is_valid(&self) -> bool {
        [self.at, self.teacher, self.decides, self.right].iter().all(|x| (0.0..=1.0).contains(x))
    }
}

/// Chooses the threshold of a student from questions that it was not trained on (its confidence,
/// and whether it is right) and from its confidence in turns of the traffic, whose right answer
/// nobody knows.
///
/// Returns `None` with fewer than [`ENOUGH`] questions. Where no threshold keeps to the terms it is
/// 1: the teacher decides everything.
pub fn choose(questions: &[(f64, bool)], traffic: &[f64], terms: &Terms) -> Option<Threshold> {
    if questions.len() < ENOUGH {
        return None;
    }
    let needed = lowest(questions, terms.teacher, terms.margin).unwrap_or(1.0);
    let at = four(needed.max(affordable(traffic, terms.budget)));
    let decided: Vec<bool> =
        questions.iter().filter(|(sure, _)| *sure >= at).map(|(_, right)| *right).collect();
    let right = decided.iter().filter(|right| **right).count() as f64;
    let (own, all) = (decided.len() as f64, questions.len() as f64);
    Some(Threshold {
        at,
        teacher: four(terms.teacher),
        questions: questions.len(),
        decides: four(own / all),
        right: four((right + terms.teacher * (all - own)) / all),
    })
}

/// Returns the threshold at which a share of `budget` of the traffic asks.
fn affordable(traffic: &[f64], budget: f64) -> f64 {
    let mut sorted = traffic.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Without traffic the budget asks for nothing; a budget for all of it asks always.
    let beyond = if sorted.is_empty() { 0.0 } else { 1.0 };
    sorted.get((budget * sorted.len() as f64) as usize).copied().unwrap_or(beyond)
}

/// Cuts a share to four decimals: numbers that are stored must come back the same.
fn four(share: f64) -> f64 {
    (share * 1e4).floor() / 1e4
}

/// Returns the lowest threshold at which student and teacher together are right in at least
/// `teacher - margin` of the cases, where the teacher gets the share `teacher` of those it is asked
/// right.
///
/// `cases` are the student's confidences and whether it is right, on cases that it was not trained
/// on. `None` where no threshold keeps to that: then the teacher decides everything.
///
/// # Example
///
/// ```
/// use waypost_learning::calibrate::threshold::lowest;
///
/// // Right in all it is sure of, and in none of the others.
/// let cases = [(0.9, true), (0.8, true), (0.4, false), (0.3, false)];
/// assert_eq!(lowest(&cases, 0.95, 0.005), Some(0.8));
/// assert_eq!(lowest(&[(0.9, false)], 0.95, 0.005), None);
/// ```
pub fn lowest(cases: &[(f64, bool)], teacher: f64, margin: f64) -> Option<f64> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let wanted = (teacher - margin) * sorted.len() as f64;
    let (mut taken, mut right, mut lowest) = (0usize, 0usize, None);
    // Cases of the same confidence are taken together: no threshold can part them.
    for tie in sorted.chunk_by(|a, b| a.0 == b.0) {
        taken += tie.len();
        right += tie.iter().filter(|(_, right)| *right).count();
        if right as f64 + teacher * (sorted.len() - taken) as f64 >= wanted {
            lowest = Some(tie[0].0);
        }
    }
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_25_a_better_student_has_a_lower_threshold_and_a_better_teacher_a_higher_one() {
        // A student whose confidence is how often it is right, from 0.5 up.
        let cases = |gain: f64| -> Vec<(f64, bool)> {
            let row = |i: usize| {
                let confidence = 0.5 + i as f64 / 2000.0;
                let share = (confidence + gain).min(1.0);
                // One of ten in turn, so that the share is met in every stretch.
                (confidence, ((i * 7) % 10) as f64 / 10.0 < share)
            };
            (0..1000).map(row).collect()
        };
        let plain = lowest(&cases(0.0), 0.9, 0.01).unwrap();
        assert!(lowest(&cases(0.2), 0.9, 0.01).unwrap() < plain);
        assert!(lowest(&cases(0.0), 0.95, 0.01).unwrap() > plain);
        assert_eq!(lowest(&[], 0.9, 0.01), None);
    }

    #[test]
    fn a_threshold_spends_the_budget_and_says_what_it_comes_to() {
        // The student is right in all it is surer of than 0.3.
        let questions: Vec<(f64, bool)> =
            (0..1000).map(|i| (f64::from(i) / 1000.0, i >= 300)).collect();
        let traffic: Vec<f64> = (0..100).map(|i| f64::from(i) / 100.0).collect();
        let threshold = |budget| {
            choose(&questions, &traffic, &Terms { teacher: 0.9, margin: 0.0, budget }).unwrap()
        };
        // Below 0.3 it may decide no more cases than it gains above.
        let (free, bought) = (threshold(0.0), threshold(0.5));
        assert!(free.at < 0.3, "{free:?}");
        assert!(free.right >= 0.9);
        assert_eq!((bought.at, bought.decides, bought.right), (0.5, 0.5, 0.95));
        assert!(bought.is_valid());
        let terms = Terms { teacher: 1.0, margin: 0.0, budget: 0.0 };
        assert_eq!(choose(&questions[..ENOUGH - 1], &traffic, &terms), None, "too few to tell");
        let never: Vec<(f64, bool)> = questions.iter().map(|(x, _)| (*x, false)).collect();
        assert_eq!(choose(&never, &traffic, &terms).unwrap().at, 1.0);
    }

    #[test]
    fn equal_confidences_are_taken_together() {
        assert_eq!(lowest(&[(0.9, true), (0.9, false)], 0.9, 0.0), None);
    }

    #[test]
    fn a_budget_for_all_of_the_traffic_asks_always() {
        assert_eq!(affordable(&[0.2, 0.9], 1.0), 1.0);
        assert_eq!(affordable(&[0.2, 0.9], 0.5), 0.9);
        assert_eq!(affordable(&[], 1.0), 0.0);
    }
}
