//! Recipes: an input of any size from a few pieces, so that twice the size is the same input twice.

use std::fmt;

use anyhow::{Context as _, Result};

use super::random::Random;
use super::terms::Terms;

/// The pieces of an input, and how they are repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// Stands before all.
    pub(crate) lead: String,
    /// Repeated in turn; `{i}` in them is the number of the repetition.
    pub(crate) units: Vec<String>,
    /// Closes as many units as there are, in nested inputs: `(` needs `)`.
    pub(crate) close: String,
    /// Stands behind all.
    pub(crate) tail: String,
}

/// The separators between the pieces of a text.
const SEPARATORS: [&str; 12] =
    [" ", "", " ", ", ", "-", ".", "/", "、", "\n", " and ", "\u{3000}", ":"];

/// The brackets that nest.
const NESTS: [(&str, &str); 10] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("“", "”"),
    ("「", "」"),
    ("'", "'"),
    ("\"", "\""),
    ("(1, ", ")"),
    ("not (", ")"),
    ("<tool_result>", "</tool_result>"),
];

/// The beginnings of a text, beside a term.
const LEADS: [&str; 12] = [
    "",
    "",
    "",
    "",
    "sst Hualien ",
    "no, ",
    "write a file with the message ",
    "explain ",
    "\"",
    "what is the tide at Keelung and ",
    "from ",
    "台灣海溫 ",
];

impl Recipe {
    /// A recipe of one repeated piece.
    #[cfg(test)]
    pub(crate) fn repeated(unit: impl Into<String>) -> Self {
        Self {
            lead: String::new(),
            units: vec![unit.into()],
            close: String::new(),
            tail: String::new(),
        }
    }

    /// A recipe for a text, at random.
    pub(crate) fn text(terms: &Terms, random: &mut Random) -> Self {
        let term = |random: &mut Random| terms.0[random.below(terms.0.len())].clone();
        let lead = LEADS[random.below(LEADS.len())].to_owned();
        let tail = if random.below(6) == 0 { format!(" {}", term(random)) } else { String::new() };
        if random.below(12) == 0 {
            let (open, close) = NESTS[random.below(NESTS.len())];
            let open = if random.below(2) == 0 {
                open.to_owned()
            } else {
                format!("{open}{} ", term(random))
            };
            return Self { lead, units: vec![open], close: close.to_owned(), tail };
        }
        let count = [1, 1, 2, 2, 3, 5, 9, 40][random.below(8)];
        let separator = SEPARATORS[random.below(SEPARATORS.len())];
        let own = |random: &mut Random| match random.below(3) {
            0 if count > 1 => SEPARATORS[random.below(SEPARATORS.len())],
            _ => separator,
        };
        let units = (0..count).map(|_| format!("{}{}", term(random), own(random))).collect();
        Self { lead, units, close: String::new(), tail }
    }

    /// The input of about `size` bytes, at least one unit.
    pub(crate) fn make(&self, size: usize) -> String {
        let mut made = self.lead.clone();
        let fixed = self.lead.len() + self.tail.len();
        let mut number = 0;
        while number == 0
            || made.len() + number * self.close.len() + self.tail.len() < size.max(fixed)
        {
            let unit = &self.units[number % self.units.len()];
            if unit.contains("{i}") {
                made.push_str(&unit.replace("{i}", &number.to_string()));
            } else {
                made.push_str(unit);
            }
            number += 1;
            if unit.is_empty() {
                break;
            }
        }
        made.push_str(&self.close.repeat(number));
        made.push_str(&self.tail);
        made
    }

    /// Recipes with one thing less, for the search of the smallest.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        if !self.lead.is_empty() {
            smaller.push(Self { lead: String::new(), ..self.clone() });
        }
        if !self.tail.is_empty() {
            smaller.push(Self { tail: String::new(), ..self.clone() });
        }
        if !self.close.is_empty() {
            smaller.push(Self { close: String::new(), ..self.clone() });
        }
        let count = self.units.len();
        let mut run = count / 2;
        while run > 0 {
            for start in (0..count).step_by(run) {
                let mut units = self.units.clone();
                units.drain(start..(start + run).min(count));
                if !units.is_empty() {
                    smaller.push(Self { units, ..self.clone() });
                }
            }
            run /= 2;
        }
        for (at, unit) in self.units.iter().enumerate().filter(|_| count <= 4) {
            let words: Vec<&str> = unit.split_inclusive(' ').collect();
            for skip in 0..words.len() {
                let fewer: String = words
                    .iter()
                    .enumerate()
                    .filter(|(nth, _)| *nth != skip)
                    .map(|(_, word)| *word)
                    .collect();
                if !fewer.is_empty() && words.len() > 1 {
                    let mut units = self.units.clone();
                    units[at] = fewer;
                    smaller.push(Self { units, ..self.clone() });
                }
            }
        }
        smaller
    }

    /// The recipe in one line, as [`Recipe::parse`] reads it.
    pub(crate) fn line(&self) -> String {
        serde_json::json!([self.lead, self.units, self.close, self.tail]).to_string()
    }

    /// Reads a recipe from its line.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub(crate) fn parse(line: &str) -> Result<Self> {
        let (lead, units, close, tail): (String, Vec<String>, String, String) =
            serde_json::from_str(line).context("a recipe is `[LEAD, [UNIT, …], CLOSE, TAIL]`")?;
        anyhow::ensure!(!units.is_empty(), "a recipe has a unit");
        Ok(Self { lead, units, close, tail })
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}
