//! A text as a catalog reads it: its words, each with its stem, what it may mean, how much it tells, and its vector.

use waypost_learning::StaticTable;
use waypost_text::language::Language;

use super::features::is_deed;
use super::lexicon::{Concept, Lexicon, Work};
use super::stem::stem;
use super::telling::telling;
use super::vectors::{together, vector};
use super::words;

/// The most units of a text that are read: more words than a request has that asks for one thing.
const MOST: usize = 48;

/// A word of a text, or a phrase that means something as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// Its stem, or the phrase as it is.
    pub(crate) stem: String,
    /// The concepts that it may mean, in order.
    pub(crate) concepts: Vec<Concept>,
    /// How much it tells, from 0 to 1.
    pub(crate) telling: f32,
    /// True if it says what is done, and not with what.
    pub(crate) is_verb: bool,
    /// Of length 1, or empty if nothing is known of it.
    pub(crate) vector: Vec<f32>,
}

/// A text, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    pub(crate) units: Vec<Unit>,
    /// The vector of all that it tells, of length 1 or empty.
    pub(crate) vector: Vec<f32>,
    /// The kinds of work that its words ask for.
    pub(crate) works: Vec<Work>,
    /// The vector of the whole text by the encoder that read the tools; empty without one.
    pub(crate) meaning: Vec<f32>,
    /// Its words as they were said, values and all, by which it is known again.
    pub(crate) said: String,
}

impl Asked {
    /// Reads a text in lower case, without its values; masks between angle quotes are left out.
    pub fn read(text: &str, language: Language) -> Self {
        let lexicon = Lexicon::built_in();
        let table = StaticTable::built_in();
        let text = unmasked(text);
        let words: Vec<String> = words::latin(&text).collect();
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let mut units: Vec<Unit> = words
            .iter()
            .zip(&stems)
            .map(|(word, stem)| Unit {
                stem: stem.clone(),
                concepts: Vec::new(),
                telling: telling(stem),
                is_verb: false,
                vector: vector(table.as_deref(), word),
            })
            .collect();
        for meant in lexicon.meant(&stems, language) {
            attach(&mut units, meant.words, &meant.concepts);
        }
        for stretch in words::han(&text) {
            for (piece, concepts) in lexicon.cut(stretch) {
                units.push(Unit {
                    stem: piece.to_owned(),
                    concepts: concepts.to_vec(),
                    telling: telling(piece),
                    is_verb: false,
                    vector: Vec::new(),
                });
            }
        }
        // Words of other languages are compared by the English ones that mean the same.
        for unit in
            units.iter_mut().filter(|unit| unit.vector.is_empty() || language != Language::En)
        {
            if let Some(concept) = unit.concepts.first() {
                let english = vector(table.as_deref(), lexicon.english(*concept));
                if !english.is_empty() {
                    unit.vector = english;
                }
            }
        }
        units.truncate(MOST);
        for unit in &mut units {
            unit.is_verb = is_deed(&unit.concepts);
        }
        let mut works: Vec<Work> = units
            .iter()
            .flat_map(|unit| unit.concepts.iter().filter_map(|concept| lexicon.work(*concept)))
            .collect();
        if text.contains(['?', '？', '¿']) {
            works.push(Work::Ask);
        }
        works.sort_unstable();
        works.dedup();
        let vector = together(units.iter().map(|unit| (unit.telling, unit.vector.as_slice())));
        Self { units, vector, works, meaning: Vec::new(), said: plain(&text) }
    }

    /// Its words, by their stems.
    pub(crate) fn stems(self) -> impl Iterator<Item = String> {
        self.units.into_iter().map(|unit| unit.stem)
    }

    /// With the vector of the text by the encoder that read the tools.
    #[must_use]
    pub fn meaning(self, vector: Vec<f32>) -> Self {
        Self { meaning: vector, ..self }
    }

    /// With the text as it was said: one that says the very same is known by it, values and all.
    #[must_use]
    pub(crate) fn said(self, text: &str) -> Self {
        Self { said: plain(text), ..self }
    }
}

/// A text without signs, in lower case.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Gives the words of a phrase what it means. A phrase of several words is known by all of them.
fn attach(units: &mut [Unit], words: std::ops::Range<usize>, concepts: &[Concept]) {
    for unit in &mut units[words] {
        for concept in concepts {
            if !unit.concepts.contains(concept) {
                unit.concepts.push(*concept);
            }
        }
    }
}

/// The text without the marks that stand for values.
fn unmasked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, mask)) = rest.split_once('‹') {
        plain.push_str(before);
        plain.push(' ');
        rest = mask.split_once('›').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_values_are_left_out() {
        assert_eq!(unmasked("tides in ‹place› on  ‹date› ?"), "tides in   on    ?");
        let asked = Asked::read("show ‹revision› please", Language::En);
        let stems: Vec<&str> = asked.units.iter().map(|unit| unit.stem.as_str()).collect();
        assert_eq!(stems, ["show", "pleas"]);
    }
}
