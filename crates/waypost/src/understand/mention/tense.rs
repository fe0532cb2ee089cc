//! The time that a value speaks of, seen from the instant of the question: whoever asks for "the current at noon yesterday" wants
//! another tool than whoever asks for "the current now", in the same words.

use jiff::Zoned;
use waypost_text::extract::{Moment, Reading, Value};

/// The time that a value speaks of. Days to come are no tense: a date without a year is one as often as not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::understand) enum Tense {
    /// This very moment, by a word for it.
    Now,
    /// A stretch or a moment that has begun.
    Past,
    /// The day of the question: what is known of now alone serves it, and what is known of the past as well.
    Today,
}

impl Tense {
    /// The tense of a value; `None` for one that is no time, or is to come.
    pub(super) fn of(value: &Value, now: &Zoned) -> Option<Self> {
        if value.rule.is_now() {
            return Some(Self::Now);
        }
        let begun = match &value.reading {
            Reading::Date(day) if *day == now.date() => return Some(Self::Today),
            Reading::Date(day) => *day < now.date(),
            Reading::Datetime(instant) => instant <= now,
            Reading::Range(start, _) => match start {
                Moment::Date(day) => *day <= now.date(),
                Moment::Instant(instant) => instant <= now,
                Moment::Open => true,
            },
            _ => return None,
        };
        begun.then_some(Self::Past)
    }

    /// The word that the student sees.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Past => "past",
            Self::Today => "today",
        }
    }
}
