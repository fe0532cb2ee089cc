//! The words that users of a pack use, so that what slipped is read as what was meant.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use waypost_learning::StaticTable;
use waypost_text::effort::Budget;
use waypost_text::extract::{self, Kind, Unread};
use waypost_text::language::Language;
use waypost_text::spelling::{Care, Speller, Used};
use waypost_text::text::{Span, Text};

use super::Pack;
use super::spec::Annotation;
use super::tool::Tool;
use super::vocabulary::Entries;
use crate::everyday;

/// How often a word counts as used that a table of a language has, or a name of the pack.
const OF_TABLE: u32 = 30;
const OF_NAME: u32 = 10;

/// The words of one language that are usual whatever a pack is about.
static USUAL: LazyLock<Option<Arc<StaticTable>>> = LazyLock::new(StaticTable::built_in);

/// The words of each language that are a day or a month.
static DATES: LazyLock<Vec<(Language, Speller)>> = LazyLock::new(|| {
    let dates = Language::ALL.map(|language| {
        let words = extract::table_words(&[]).map(|(word, _)| word);
        let words = words.filter(|word| extract::is_date_word(word, language));
        (language, Speller::new(words.map(used(false, OF_TABLE))))
    });
    dates.into()
});

/// The speller of a pack: it knows the words of its examples, given as normalized texts, of its names, and of the
/// tables of its languages.
pub(super) fn speller<'a>(
    languages: &[Language],
    examples: impl Iterator<Item = &'a String>,
    tools: &[Tool],
    entries: &Entries,
) -> Speller {
    let names: Vec<String> = names(tools, entries).map(str::to_lowercase).collect();
    let others: Vec<String> =
        everyday::requests(languages).map(|(_, text)| text.to_lowercase()).collect();
    let mut known: Vec<Used<'_>> = Vec::new();
    known.extend(examples.flat_map(|text| words(text)).map(used(false, 1)));
    known.extend(names.iter().flat_map(|name| words(name)).map(used(true, OF_NAME)));
    // What others ask other assistants has no slips, but nobody is taken to have meant it.
    let others: BTreeSet<&str> = others.iter().flat_map(|text| words(text)).collect();
    known.extend(others.into_iter().map(used(false, 1)));
    for (word, own) in extract::table_words(languages) {
        known.push(Used { word, count: if own { OF_TABLE } else { 1 }, is_name: false });
    }
    Speller::new(known)
}

/// All that the values of a pack's arguments are called.
fn names<'a>(tools: &'a [Tool], entries: &'a Entries) -> impl Iterator<Item = &'a str> {
    let notes = tools.iter().flat_map(|tool| tool.spec.arguments.values());
    let values = notes.flat_map(|note: &Annotation| note.values.values());
    let values = values.flat_map(|naming| &naming.words);
    let places = entries.values().flat_map(|entries| entries.values());
    values.chain(places.flat_map(|entry| &entry.names)).map(String::as_str)
}

fn used<'a>(is_name: bool, count: u32) -> impl Fn(&'a str) -> Used<'a> {
    move |word| Used { word, count, is_name }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// The table has the words of English; of another language nobody here knows all, or how they end.
fn care(language: Language) -> Care {
    if language == Language::En { Care::Usual } else { Care::Much }
}

/// Returns whether a word in lower case is usual whatever a pack is about.
pub(crate) fn usual(word: &str) -> bool {
    USUAL.as_ref().is_some_and(|table| table.has_word(word))
}

impl Pack {
    /// A text of a user in a language as the pack reads it: words that slipped are the ones that were meant.
    pub(crate) fn text(&self, original: &str, language: Language, budget: Budget) -> Text {
        self.corrected(Text::with_budget(original, budget), language)
    }

    /// The same text, in which words that slipped are the ones that were meant.
    pub(crate) fn corrected(&self, text: Text, language: Language) -> Text {
        text.corrected(&self.speller, care(language), usual)
    }

    /// The words of a text that nobody knows and that are nearly a day or a month, which nobody may pass over.
    pub(crate) fn unread_dates(&self, text: &Text, language: Language) -> Vec<Unread> {
        let Some((_, dates)) = DATES.iter().find(|(own, _)| *own == language) else {
            return Vec::new();
        };
        let is_word = |word: &str| self.speller.knows(word) || usual(word);
        let near = dates.near(text.normalized(), care(language), is_word).into_iter();
        // A name in the middle of a sentence is none: "the boat Monda".
        let is_name = |span: &Span| {
            let capital = text.slice(*span).starts_with(char::is_uppercase);
            capital && span.start > 0 && language != Language::De
        };
        let near =
            near.map(|bytes| text.span(bytes.start, bytes.end)).filter(|span| !is_name(span));
        near.map(|span| Unread { kind: Kind::Date, span }).collect()
    }
}
