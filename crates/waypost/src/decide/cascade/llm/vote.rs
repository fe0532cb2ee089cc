//! What student and model say together.
//!
//! The model's choice is evidence of the strength of its [worth](super::worth): where it is right with the probability w,
//! the choice that it names becomes w / ((1 - w) / (k - 1)) times as likely beside each of the k - 1 others. What the student
//! says is the probability before that.

use super::choices::Choice;

/// What the choices have together that the student says nothing of, at least.
const UNSAID: f64 = 0.05;

/// The probabilities of `choices` in their order, once a model of this worth has `chosen` one. `believed` has the
/// probabilities that were known before; without any, each was as likely.
pub(super) fn together(
    choices: &[Choice],
    believed: &[(String, f64)],
    chosen: &str,
    worth: f64,
) -> Vec<f64> {
    let before = before(choices, believed);
    let others = choices.len().saturating_sub(1).max(1) as f64;
    let weighed: Vec<f64> = choices
        .iter()
        .zip(before)
        .map(|(choice, share)| {
            let likelihood = if choice.name == chosen { worth } else { (1.0 - worth) / others };
            share * likelihood
        })
        .collect();
    let total = weighed.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    weighed.into_iter().map(|share| share / total).collect()
}

/// The probabilities before the model: those that are known, and an equal part of the rest for each other.
fn before(choices: &[Choice], believed: &[(String, f64)]) -> Vec<f64> {
    let of = |choice: &Choice| believed.iter().find(|(name, _)| *name == choice.name);
    let known: Vec<Option<f64>> =
        choices.iter().map(|choice| of(choice).map(|(_, p)| *p)).collect();
    let sum: f64 = known.iter().flatten().sum();
    let unknown = known.iter().filter(|share| share.is_none()).count().max(1) as f64;
    let rest = (1.0 - sum).max(UNSAID) / unknown;
    known.into_iter().map(|share| share.unwrap_or(rest).max(f64::MIN_POSITIVE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(names: &[&str]) -> Vec<Choice> {
        let choice = |name: &&str| Choice {
            name: (*name).to_owned(),
            route: None,
            tool: None,
            summary: String::new(),
        };
        names.iter().map(choice).collect()
    }

    fn rounded(choices: &[Choice], believed: &[(&str, f64)], chosen: &str, worth: f64) -> Vec<f64> {
        let believed: Vec<_> = believed.iter().map(|(name, p)| ((*name).to_owned(), *p)).collect();
        let shares = together(choices, &believed, chosen, worth);
        shares.into_iter().map(|share| (100.0 * share).round()).collect()
    }

    #[test]
    fn a_model_alone_is_believed_as_far_as_it_was_right() {
        let three = choices(&["a", "b", "c"]);
        assert_eq!(rounded(&three, &[], "b", 0.8), [10.0, 80.0, 10.0]);
    }

    #[test]
    fn two_that_agree_are_surer_and_two_that_do_not_are_less_sure() {
        let three = choices(&["a", "b", "c"]);
        let student = [("a", 0.5), ("b", 0.3), ("c", 0.2)];
        assert_eq!(rounded(&three, &student, "a", 0.8), [89.0, 7.0, 4.0]);
        assert_eq!(rounded(&three, &student, "b", 0.8), [16.0, 77.0, 6.0]);
        assert_eq!(
            rounded(&three, &student, "b", 0.4),
            [45.0, 36.0, 18.0],
            "hardly better than chance"
        );
    }

    #[test]
    fn a_guess_changes_nothing() {
        let four = choices(&["a", "b", "c", "d"]);
        assert_eq!(rounded(&four, &[("a", 0.7)], "b", 0.25), [70.0, 10.0, 10.0, 10.0]);
    }
}
