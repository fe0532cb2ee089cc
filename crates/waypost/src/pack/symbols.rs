//! Keys that stand in a text as they are written: the ticker MU of a gazetteer whose keys are no words otherwise.
//!
//! Capitals tell a ticker from a word ("mu" is one of Vietnamese), unless the whole text is in capitals, or the examples of a
//! language write the same capitals where nothing of the gazetteer is asked for: the AI of "AI股".

use std::collections::{BTreeSet, HashMap, HashSet};

use waypost_core::text_match::is_han;
use waypost_text::language::Language;
use waypost_text::text::{Span, Text};

use super::examples::Example;
use super::tool::Tool;
use super::vocabulary::Entries;

/// The shortest key that counts, in characters: a letter alone is anything.
const SHORTEST: usize = 2;

/// The keys that count as they are written.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// The gazetteers that have a key.
    of: HashMap<String, Vec<String>>,
    /// Keys that are words of a language, in capitals.
    words: HashSet<(Language, String)>,
}

impl Symbols {
    /// The keys of the gazetteers whose keys are no names.
    pub(super) fn new(
        entries: &Entries,
        nameless: &[String],
        tools: &[Tool],
        examples: &[Example],
    ) -> Self {
        let mut symbols = Self::default();
        for name in nameless {
            let keys = entries.get(name).into_iter().flatten().map(|(key, _)| key);
            for key in keys.filter(|key| is_symbol(key)) {
                symbols.of.entry(key.clone()).or_default().push(name.clone());
            }
        }
        if symbols.of.is_empty() {
            return symbols;
        }
        let takers: BTreeSet<&str> = tools
            .iter()
            .filter(|tool| {
                let mut notes = tool.annotations();
                notes.any(|(_, note)| {
                    note.gazetteer.as_ref().is_some_and(|own| nameless.contains(own))
                })
            })
            .map(|tool| tool.spec.name.as_str())
            .collect();
        let others = examples
            .iter()
            .filter(|example| !example.tools.iter().any(|tool| takers.contains(tool.as_str())));
        for example in others {
            let written = written(&example.text);
            let known = written.into_iter().filter(|(_, word)| symbols.of.contains_key(*word));
            let words: Vec<_> = known.map(|(_, word)| (example.lang, word.to_owned())).collect();
            symbols.words.extend(words);
        }
        symbols
    }

    /// The keys in a text, each with its place and the gazetteers that have it.
    pub(crate) fn find(&self, text: &Text, language: Language) -> Vec<(Span, &[String])> {
        if self.of.is_empty() {
            return Vec::new();
        }
        let written = written(text.original()).into_iter();
        let found = written.filter_map(|(span, word)| {
            let of = self.of.get(word)?;
            let is_word = self.words.contains(&(language, word.to_owned()));
            (!is_word).then_some((span, of.as_slice()))
        });
        found.collect()
    }
}

/// Returns whether a key is told from words by how it is written.
fn is_symbol(key: &str) -> bool {
    key.chars().count() >= SHORTEST
        && key.chars().all(is_capital)
        && key.contains(char::is_alphabetic)
}

fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '.' | '-')
}

/// The words of a text that are written in capitals, where not all of it is.
fn written(text: &str) -> Vec<(Span, &str)> {
    let is_small = |c: char| c.is_lowercase() || is_han(c);
    if !text.contains(is_small) {
        return Vec::new();
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let mut words = Vec::new();
    let (mut start, mut chars) = (None, 0);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_part(c)) {
            (None, true) => start = Some((at, chars)),
            (Some((bytes, before)), false) => {
                let word = text[bytes..at].trim_end_matches(['.', '-']);
                let span = Span { start: before, end: before + word.chars().count() };
                if is_symbol(word) {
                    words.push((span, word));
                }
                start = None;
            }
            _ => {}
        }
        chars += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, usize, &str)> {
        written(text).into_iter().map(|(span, word)| (span.start, span.end, word)).collect()
    }

    #[test]
    fn capitals_tell_a_key_from_a_word() {
        assert_eq!(words("resistance on MU, please"), [(14, 16, "MU")]);
        assert_eq!(words("giá của BRK-B. và mu"), [(8, 13, "BRK-B")]);
        assert_eq!(words("看看HD跟600519.SS"), [(2, 4, "HD"), (5, 14, "600519.SS")]);
        assert_eq!(words("PRICE OF MU"), [], "all of it is in capitals");
        assert_eq!(words("give me A"), [], "a letter alone is anything");
        assert_eq!(words("iPhone and eBay"), []);
    }
}
