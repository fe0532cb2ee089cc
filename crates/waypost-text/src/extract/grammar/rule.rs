//! The names of rules, so that a wrong reading can be reported.

use std::fmt;

use crate::extract::lang::Tongue;

/// The name of the rule that found a value: `en.date.weekday`, or `date.iso` where no word of a
/// language was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    language: &'static str,
    name: &'static str,
}

impl Rule {
    /// The name without its language.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Another rule of the same language.
    pub(crate) fn renamed(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns `true` if it reads a word for this very instant: "now".
    pub fn is_now(self) -> bool {
        self.name == "date.now"
    }

    /// Returns `true` if it reads a part of a day without the day: "in the evening".
    pub fn is_day_part(self) -> bool {
        self.name == "range.part"
    }

    /// Returns `true` if it reads a day by its place beside today: "yesterday".
    pub fn is_relative(self) -> bool {
        self.is_now() || self.name == "date.relative"
    }

    /// Returns `true` if it reads a pair of numbers that is a position in either order.
    pub fn is_ambiguous(self) -> bool {
        self.name == "point.ambiguous"
    }

    /// Returns `true` if it reads the name of an entry of a gazetteer.
    pub fn is_name(self) -> bool {
        self.language.is_empty() && self.name == "entity"
    }

    /// The language whose words were read; empty for none.
    pub fn language(self) -> &'static str {
        self.language
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.language.is_empty() {
            write!(f, "{}.", self.language)?;
        }
        f.write_str(self.name)
    }
}

impl From<&'static str> for Rule {
    fn from(name: &'static str) -> Self {
        Self { language: "", name }
    }
}

/// Names a rule after the language whose words it read.
pub(crate) fn rule(tongue: Tongue, name: &'static str) -> Rule {
    Rule { language: tongue.name, name }
}
