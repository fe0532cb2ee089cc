//! Decides which words mean the same: synonyms, and the words of other languages.
//!
//! A line of `crates/waypost/catalog/lexicon.jsonl` is a concept with its words by language. Requests in any language meet
//! descriptions, which are mostly English, in these concepts. It is data by authors who saw no tools.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use waypost_core::text_match::is_han;
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::stem::stem;

/// The number of a concept: its line.
pub(crate) type Concept = u16;

/// The most words of a phrase.
const LONGEST: usize = 5;
/// The most characters of a Chinese phrase.
const LONGEST_HAN: usize = 8;

static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::read(include_str!("../../catalog/lexicon.jsonl")));

/// The kind of work that a verb asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Work {
    /// Shows or reads one thing or many.
    Look,
    /// Finds among many.
    Search,
    /// Makes something new.
    Create,
    /// Changes what is there.
    Change,
    /// Takes away.
    Remove,
    /// Sends or shares.
    Send,
    /// Starts, stops or runs.
    Run,
    /// Works something out.
    Compute,
    /// Asks: a question wants something that reads, whatever its verb.
    Ask,
}

impl Work {
    /// All of them, in the order of reports.
    pub(crate) const ALL: [Work; 9] = [
        Work::Look,
        Work::Search,
        Work::Create,
        Work::Change,
        Work::Remove,
        Work::Send,
        Work::Run,
        Work::Compute,
        Work::Ask,
    ];
}

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    work: Option<Work>,
    en: Vec<String>,
    #[serde(default, rename = "zh-Hant")]
    zh_hant: Vec<String>,
    #[serde(default, rename = "zh-Hans")]
    zh_hans: Vec<String>,
    #[serde(default)]
    vi: Vec<String>,
    #[serde(default)]
    es: Vec<String>,
}

/// A concept in the words of each language, for those who write rather than read.
#[derive(Debug)]
pub(crate) struct Phrasing(Line);

impl Phrasing {
    /// Its words in a language, the most usual first; none where the lexicon does not know the language.
    pub(crate) fn words(&self, language: Language) -> &[String] {
        match language {
            Language::En => &self.0.en,
            Language::Es => &self.0.es,
            Language::Vi => &self.0.vi,
            Language::ZhHant => &self.0.zh_hant,
            Language::ZhHans => &self.0.zh_hans,
            _ => &[],
        }
    }

    /// Returns whether it is a verb.
    pub(crate) fn is_verb(&self) -> bool {
        self.0.work.is_some()
    }
}

/// All concepts in the words of each language.
pub(crate) fn phrasings() -> Vec<Phrasing> {
    let lines = include_str!("../../catalog/lexicon.jsonl").lines();
    lines.filter_map(|line| serde_json::from_str(line).ok().map(Phrasing)).collect()
}

/// The phrases of one way of writing, each with the concepts that it may mean.
type Phrases = HashMap<String, Vec<Concept>>;

/// Concepts by their words.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    en: Phrases,
    es: Phrases,
    vi: Phrases,
    han: Phrases,
    /// The first English word of each concept, which stands for it where vectors are compared.
    english: Vec<String>,
    works: Vec<Option<Work>>,
}

/// A stretch of a text that means one of some concepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meant {
    /// The words it takes, by their places.
    pub(crate) words: std::ops::Range<usize>,
    /// What they may mean.
    pub(crate) concepts: Vec<Concept>,
}

impl Lexicon {
    /// The one that is part of the program.
    pub(crate) fn built_in() -> &'static Self {
        &LEXICON
    }

    fn read(lines: &str) -> Self {
        let mut lexicon = Self::default();
        // A test reads every line; a broken one is none.
        let lines = lines.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        for (number, line) in lines.enumerate().take(usize::from(Concept::MAX)) {
            let number = number as Concept;
            add(&mut lexicon.en, &line.en, number);
            add(&mut lexicon.es, &line.es, number);
            add(&mut lexicon.vi, &line.vi, number);
            for phrase in line.zh_hant.iter().chain(&line.zh_hans) {
                let concepts =
                    lexicon.han.entry(Text::new(phrase).normalized().to_owned()).or_default();
                if !concepts.contains(&number) {
                    concepts.push(number);
                }
            }
            lexicon.english.push(line.en.first().cloned().unwrap_or_default());
            lexicon.works.push(line.work);
        }
        lexicon
    }

    /// The first English word of a concept.
    pub(crate) fn english(&self, concept: Concept) -> &str {
        self.english.get(usize::from(concept)).map_or("", String::as_str)
    }

    /// The kind of work that a concept is, if it is a verb.
    pub(crate) fn work(&self, concept: Concept) -> Option<Work> {
        self.works.get(usize::from(concept)).copied().flatten()
    }

    /// What a word or a phrase in any language may mean.
    pub(crate) fn of(&self, phrase: &str) -> Vec<Concept> {
        let text = Text::new(phrase);
        let normalized = text.normalized();
        if normalized.chars().any(is_han) {
            return self.han.get(normalized).cloned().unwrap_or_default();
        }
        let stems: Vec<String> = super::words::latin(normalized).map(|word| stem(&word)).collect();
        let stems = stems.join(" ");
        let found =
            [&self.en, &self.es, &self.vi].into_iter().filter_map(|phrases| phrases.get(&stems));
        found.flatten().copied().collect()
    }

    /// Finds what the words of a text mean, longest phrases first; English ones too in every language, as people mix them.
    pub(crate) fn meant(&self, stems: &[String], language: Language) -> Vec<Meant> {
        let mut meant = Vec::new();
        let own = match language {
            Language::Es => Some(&self.es),
            Language::Vi => Some(&self.vi),
            _ => None,
        };
        for phrases in own.into_iter().chain([&self.en]) {
            let mut at = 0;
            while at < stems.len() {
                let longest = LONGEST.min(stems.len() - at);
                let hit = (1..=longest).rev().find_map(|length| {
                    let phrase = stems[at..at + length].join(" ");
                    Some((length, phrases.get(&phrase)?))
                });
                if let Some((length, concepts)) = hit {
                    meant.push(Meant { words: at..at + length, concepts: concepts.clone() });
                }
                at += hit.map_or(1, |(length, _)| length);
            }
        }
        meant
    }

    /// Cuts Chinese characters into phrases that the lexicon has, longest first, and single characters.
    pub(crate) fn cut<'a>(&self, han: &'a str) -> Vec<(&'a str, &[Concept])> {
        let starts: Vec<usize> = han.char_indices().map(|(at, _)| at).chain([han.len()]).collect();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at + 1 < starts.len() {
            let longest = LONGEST_HAN.min(starts.len() - 1 - at);
            let hit = (1..=longest).rev().find_map(|length| {
                let phrase = &han[starts[at]..starts[at + length]];
                Some((length, phrase, self.han.get(phrase)?.as_slice()))
            });
            let (length, phrase, concepts) =
                hit.unwrap_or((1, &han[starts[at]..starts[at + 1]], &[]));
            pieces.push((phrase, concepts));
            at += length;
        }
        pieces
    }
}

fn add(phrases: &mut Phrases, words: &[String], concept: Concept) {
    for phrase in words {
        let normalized = Text::new(phrase).normalized().to_owned();
        let stems: Vec<String> = super::words::latin(&normalized).map(|word| stem(&word)).collect();
        if stems.is_empty() || stems.len() > LONGEST || normalized.chars().any(is_han) {
            continue;
        }
        let concepts = phrases.entry(stems.join(" ")).or_default();
        if !concepts.contains(&concept) {
            concepts.push(concept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_concept() {
        for (number, line) in include_str!("../../catalog/lexicon.jsonl").lines().enumerate() {
            let read = serde_json::from_str::<Line>(line);
            assert!(read.is_ok_and(|line| !line.en.is_empty()), "line {}", number + 1);
        }
    }
}
