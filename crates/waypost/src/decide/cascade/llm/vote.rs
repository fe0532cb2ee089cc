//! What student and model say together.
//!
//! The model's choice is evidence of the strength of its [worth](super::worth): where it is right with the probability w,
//! the choice that it names becomes w / ((1 - w) / (k - 1)) times as likely beside each of the k - 1 others. What the student
//! says is the probability before that.

use super::choices::Choice;

/// What the choices have together that the student says nothing of, at least.
const UNSAID: f64 = 0.05;

/// What neither student nor model can know better of a tool of a set.
const LEAST_DOUBT: f64 = 0.03;

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

/// A set of names that a model said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    /// How many it named.
    pub(super) named: usize,
    /// Of how many.
    pub(super) choices: usize,
    /// How far it is believed.
    pub(super) worth: f64,
}

impl Set {
    /// The probability that a tool is needed, which the student gives `before`, once the model named it or did not. It names one
    /// that is not needed as often as its wrong names fall on it by chance.
    pub(super) fn weighed(self, before: f64, is_named: bool) -> f64 {
        let worth = self.worth.clamp(UNSAID, 1.0 - LEAST_DOUBT);
        let others = self.choices.saturating_sub(1).max(1) as f64;
        let by_chance = ((1.0 - worth) * self.named as f64 / others).min(worth);
        let likelihood =
            if is_named { worth / by_chance } else { (1.0 - worth) / (1.0 - by_chance) };
        // Who knows nothing else takes each of a few for as likely.
        let share = self.named as f64 / self.choices.max(1) as f64;
        let least = if is_named { LEAST_DOUBT.max(share.min(0.5)) } else { LEAST_DOUBT };
        let before = before.clamp(least, 1.0 - LEAST_DOUBT);
        let odds = before / (1.0 - before) * likelihood;
        odds / (1.0 + odds)
    }
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
    fn each_tool_of_a_set_is_weighed_by_itself() {
        for (before, is_named, named, choices, worth, wanted) in [
            (0.0, true, 1, 40, 0.9, 92.0),
            (0.0, true, 6, 40, 0.9, 91.0),
            (0.0, true, 1, 5, 0.9, 90.0),
            (0.0, true, 2, 5, 0.9, 92.0),
            (0.6, false, 2, 40, 0.9, 13.0),
            (0.95, false, 2, 40, 0.9, 66.0),
            (0.4, true, 2, 40, 0.9, 99.0),
            // One that is hardly ever right cannot add a tool of its own.
            (0.0, true, 1, 40, 0.18, 21.0),
            (0.8, false, 1, 40, 0.18, 77.0),
        ] {
            let set = Set { named, choices, worth };
            let sure = (100.0 * set.weighed(before, is_named)).round();
            assert_eq!(sure, wanted, "{before} {is_named} {named} {choices} {worth}");
        }
    }

    #[test]
    fn a_guess_changes_nothing() {
        let four = choices(&["a", "b", "c", "d"]);
        assert_eq!(rounded(&four, &[("a", 0.7)], "b", 0.25), [70.0, 10.0, 10.0, 10.0]);
    }
}
