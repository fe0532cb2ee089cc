//! Prefixes and signals of a pack, ready to be looked for.

use waypost_core::text_match::find_word;
use waypost_text::extract::Gazetteer;
use waypost_text::text::Text;

use super::spec::{PrefixSpec, SignalSpec};

/// A text that the platform puts before its prompts, as it is looked for.
#[derive(Debug)]
pub struct Prefix {
    /// As the pack has it.
    pub spec: PrefixSpec,
    text: String,
}

impl Prefix {
    pub(crate) fn new(spec: &PrefixSpec) -> Self {
        Self { spec: spec.clone(), text: squeeze(&spec.text) }
    }

    /// Returns its first place in a squeezed text, in bytes; 0 is the start.
    pub(crate) fn place(&self, squeezed: &str) -> Option<usize> {
        find_word(squeezed, &self.text)
    }
}

/// A text as prefixes are compared: normalized, with single spaces.
pub(crate) fn squeeze(text: &str) -> String {
    let text = Text::new(text);
    text.normalized().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A signal with its words in one gazetteer.
#[derive(Debug)]
pub struct Signal {
    /// As the pack has it.
    pub spec: SignalSpec,
    /// Keys are the numbers of groups, and [`UNLESS`].
    pub(crate) words: Gazetteer,
}

/// The key of the words that say that something else is meant.
pub(crate) const UNLESS: &str = "unless";

impl Signal {
    pub(super) fn new(spec: &SignalSpec) -> Self {
        let groups = spec.words.iter().enumerate().map(|(at, words)| (at.to_string(), words));
        let entries = groups.chain([(UNLESS.to_owned(), &spec.unless)]);
        let entries = entries.map(|(key, words)| (key, words.values().flatten()));
        Self { spec: spec.clone(), words: Gazetteer::new(&spec.name, entries) }
    }
}
