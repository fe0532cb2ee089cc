//! A tool as a catalog reads it: the words of each part of what is written about it.

use std::collections::HashMap;

use waypost_text::language::Language;

use super::asked::Asked;
use super::lexicon::{Concept, Work};
use super::vectors::together;
use super::words::spelled;

/// What is written about a tool, by its server and by its pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// The name of its server.
    pub server: String,
    /// The words on what it does.
    pub description: String,
    /// Its arguments: the name, the words on it, and the values that it lists.
    pub arguments: Vec<(String, String, Vec<String>)>,
    /// Texts that asked for it, each with its language.
    pub examples: Vec<(String, Language)>,
}

/// The most characters of a description that are read.
const LONGEST: usize = 2_000;

/// The parts of what is written about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its name.
    Name,
    /// The first sentence of its description.
    Line,
    /// The rest of its description.
    Rest,
    /// Its arguments, with what they list.
    Arguments,
}

impl Part {
    /// All of them, in the order of [`Entry::fields`].
    pub(crate) const ALL: [Part; 4] = [Part::Name, Part::Line, Part::Rest, Part::Arguments];
}

/// The number of a word in a catalog.
pub(crate) type Word = u32;

/// The words of a part, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Field {
    /// In order.
    pub(crate) words: Vec<Word>,
    /// What they may mean, in order.
    pub(crate) concepts: Vec<Concept>,
    /// Of length 1, or empty.
    pub(crate) vector: Vec<f32>,
}

impl Field {
    pub(crate) fn has(&self, word: Word) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    pub(crate) fn means(&self, concepts: &[Concept]) -> bool {
        concepts.iter().any(|concept| self.concepts.binary_search(concept).is_ok())
    }
}

/// A tool, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entry {
    /// In the order of [`Part::ALL`].
    pub(crate) fields: [Field; 4],
    /// The vector of all of it.
    pub(crate) vector: Vec<f32>,
    /// The kinds of work that its name asks for, or else its first sentence.
    pub(crate) works: Vec<Work>,
}

/// All words of a catalog, each once.
#[derive(Debug, Default)]
pub(crate) struct Words {
    numbers: HashMap<String, Word>,
    /// By number: what it may mean, how much it tells, its vector; a catalog that is read holds the vectors itself.
    pub(crate) concepts: Vec<Vec<Concept>>,
    pub(crate) telling: Vec<f32>,
    pub(crate) vectors: Vec<Vec<f32>>,
}

impl Words {
    /// The number of a word, if the catalog has it.
    pub(crate) fn number(&self, stem: &str) -> Option<Word> {
        self.numbers.get(stem).copied()
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.telling.len()
    }

    fn take(&mut self, read: &Asked) -> Vec<Word> {
        let mut numbers = Vec::with_capacity(read.units.len());
        for unit in &read.units {
            let next = self.telling.len() as Word;
            let number = *self.numbers.entry(unit.stem.clone()).or_insert(next);
            if number == next {
                self.concepts.push(Vec::new());
                self.telling.push(unit.telling);
                self.vectors.push(unit.vector.clone());
            }
            let known = &mut self.concepts[number as usize];
            known.extend(unit.concepts.iter().copied());
            known.sort_unstable();
            known.dedup();
            numbers.push(number);
        }
        numbers
    }
}

impl Entry {
    /// Reads what is written about a tool.
    pub(crate) fn read(written: &Written, words: &mut Words) -> Self {
        let (line, rest) = first_sentence(&written.description);
        let mut arguments = String::new();
        for (name, description, listed) in &written.arguments {
            arguments.push_str(&spelled(name));
            arguments.push(' ');
            arguments.push_str(description);
            arguments.push(' ');
            arguments.push_str(&listed.join(" "));
            arguments.push(' ');
        }
        let read = |text: &str| {
            let text: String = text.chars().take(LONGEST).collect();
            Asked::read(&text.to_lowercase(), language(&text))
        };
        let parts = [read(&spelled(&written.name)), read(line), read(rest), read(&arguments)];
        let works = parts[..2].iter().map(|part| &part.works).find(|works| !works.is_empty());
        let works = works.into_iter().flatten().filter(|work| **work != Work::Ask);
        let works = works.copied().take(1).collect();
        let weights = [1.0, 1.0, 0.4, 0.4];
        let vectors = weights.into_iter().zip(&parts).map(|(w, part)| (w, part.vector.as_slice()));
        let vector = together(vectors);
        let fields = parts.map(|part| {
            let mut numbers = words.take(&part);
            numbers.sort_unstable();
            numbers.dedup();
            let mut concepts: Vec<Concept> =
                part.units.iter().flat_map(|unit| unit.concepts.iter().copied()).collect();
            concepts.sort_unstable();
            concepts.dedup();
            Field { words: numbers, concepts, vector: part.vector }
        });
        Self { fields, vector, works }
    }
}

/// The language in which a description is read.
fn language(text: &str) -> Language {
    match text.chars().any(waypost_core::text_match::is_han) {
        true => Language::ZhHans,
        false => Language::En,
    }
}

/// The first sentence of a description, and the rest.
fn first_sentence(description: &str) -> (&str, &str) {
    let text = description.trim();
    let end = text.char_indices().find_map(|(at, c)| {
        let after = &text[at + c.len_utf8()..];
        let ends = match c {
            '\n' | '。' | '；' => true,
            '.' | '!' | ';' => after.starts_with(char::is_whitespace),
            _ => false,
        };
        (ends && at > 0).then_some(at + c.len_utf8())
    });
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_told_apart() {
        assert_eq!(first_sentence("Reads a file. Then more."), ("Reads a file.", " Then more."));
        assert_eq!(first_sentence("Version 1.2 of it"), ("Version 1.2 of it", ""));
        assert_eq!(first_sentence("读取文件。更多"), ("读取文件。", "更多"));
        assert_eq!(first_sentence(""), ("", ""));
    }
}
