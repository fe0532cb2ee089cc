//! How sure a student must be for its decision to stand, from what its teacher gets right.
//!
//! A fixed bar asks the teacher too much of a student that has learned and too little of one that has
//! not: what counts is what the two get right together. The bar is the lowest at which they are right
//! as often as the teacher alone, less a margin.
//!
//! # Source
//!
//! Geifman and El-Yaniv 2017, "Selective Classification for Deep Neural Networks": a threshold chosen
//! on held-out cases for the risk that is wanted.

/// The lowest bar at which student and teacher together are right in at least `teacher - margin` of the
/// cases, where the teacher is right in the share `teacher` of those it is asked.
///
/// `cases` are confidences of the student and whether it is right, on cases that it was not trained on.
/// Nothing where no bar keeps to that: then the teacher decides everything.
///
/// # Example
///
/// ```
/// use waypost::learning::bar::lowest;
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
    // Cases of the same confidence are taken together: no bar can part them.
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
    fn s4_25_a_better_student_has_a_lower_bar_and_a_better_teacher_a_higher_one() {
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
    fn equal_confidences_are_taken_together() {
        assert_eq!(lowest(&[(0.9, true), (0.9, false)], 0.9, 0.0), None);
    }
}
