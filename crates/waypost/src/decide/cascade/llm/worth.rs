//! How far a model is believed: as far as it has been right on this pack, whatever it says of itself.

use serde::{Deserialize, Serialize};
use waypost_core::records::belief::{Belief, UNMEASURED};
use waypost_learning::evaluate::Share;

/// What is thought of a model before it is measured counts as so many texts.
const PRIOR: f64 = 10.0;

/// What a model is worth on a pack, by what it is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worths {
    /// The names that it chose.
    pub choosing: Worth,
    /// The arguments that it read.
    pub reading: Worth,
}

impl Worths {
    /// How far such a model is believed, beside a student that decides alone from `threshold` on.
    pub fn belief(self, threshold: Option<f64>) -> Belief {
        Belief { choosing: self.choosing.share(), reading: self.reading.share(), threshold }
    }
}

/// How many of a model's replies were right, of those that were checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worth {
    /// Replies that were checked.
    pub asked: u32,
    /// Those of them that were right.
    pub right: u32,
}

impl Worth {
    /// The probability that its next reply is right: 0.9 before it was asked anything, then what was counted, with that
    /// as ten texts more.
    pub fn share(self) -> f64 {
        (f64::from(self.right.min(self.asked)) + PRIOR * UNMEASURED)
            / (f64::from(self.asked) + PRIOR)
    }

    /// What was counted here and there.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            asked: self.asked.saturating_add(other.asked),
            right: self.right.saturating_add(other.right),
        }
    }

    /// The interval of 95% of the share of right choices, by what was counted alone; 0 to 1 where nothing was.
    pub fn interval(self) -> Share {
        Share::new(self.right as usize, self.asked as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_outweighs_what_was_thought() {
        let share = |right, asked| (100.0 * Worth { asked, right }.share()).round();
        assert_eq!((share(0, 0), share(40, 40), share(10, 40)), (90.0, 98.0, 38.0));
    }
}
