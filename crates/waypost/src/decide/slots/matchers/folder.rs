//! Paths without a slash or a stop in them: "docs" in "what is in docs", "the reports folder", "a folder called drafts".
//!
//! Such a word looks like any other, so it has to be led to: by "called", by a word for folders beside it, or by a preposition
//! before the end of a sentence. Where the word is one that is usual elsewhere, too, it is asked about: the folder that the
//! server was given would be another one than was said.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, ObjectClass};

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::phrase::{self, Phrase, Word};
use crate::pack::is_usual;

/// The words of the names of arguments that take any folder. A repository is a folder, too, and not one that people name so.
const NAMES: [&str; 5] = ["path", "directory", "dir", "folder", "file"];
/// Words of the names of tools that look through a folder.
const LOOKS: [&str; 8] =
    ["list", "search", "find", "tree", "directory", "folder", "browse", "contents"];
/// Words for folders. In English their names stand before them: "the reports folder".
const FOLDERS: [&str; 10] = [
    "folder",
    "directory",
    "subfolder",
    "carpeta",
    "directorio",
    "dossier",
    "répertoire",
    "pasta",
    "ordner",
    "verzeichnis",
];
/// The first of [`FOLDERS`] are English.
const ENGLISH: usize = 3;
/// Words that stand before a name of a folder.
const ARTICLES: [&str; 3] = ["the", "my", "our"];
/// Words before such a word that say which one without a name.
const WHICH: [&str; 14] = [
    "this", "that", "the", "a", "my", "parent", "root", "current", "whole", "entire", "new",
    "same", "home", "working",
];
/// Words that lead to where something is.
const PLACED: [&str; 12] =
    ["in", "inside", "under", "within", "of", "below", "en", "de", "trong", "của", "dans", "im"];

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let tool = wanted.tool;
    let takes_any = tool.words(wanted.name).iter().all(|word| NAMES.contains(&word.as_str()));
    if wanted.annotation.kind != Some(Kind::Path) || tool.is_list(wanted.name) || !takes_any {
        return None;
    }
    // What is called so may be the name that another argument wants.
    let is_alone = tool.arguments().all(|name| name == wanted.name || !tool.requires(name));
    let named = phrase::objects(wanted, &[ObjectClass::Name]).into_iter();
    let mut named = named.filter(|phrase| is_alone && !phrase.words.contains(char::is_whitespace));
    let words = phrase::words(wanted.turn);
    let placed = beside(wanted, &words).or_else(|| placed(wanted, &words));
    match (named.next(), placed) {
        (Some(named), None) => found(wanted, named),
        (Some(named), Some(within)) => {
            Some(Match::Unsure(vec![json!(format!("{}/{}", within.words, named.words))]))
        }
        (None, Some(placed)) => {
            let looks = tool.spec.name.to_lowercase();
            let looks = LOOKS.iter().any(|word| looks.contains(word));
            match is_name(&placed) || beside(wanted, &words).is_some() {
                true => found(wanted, placed),
                false => looks.then(|| Match::Unsure(vec![json!(placed.words)])),
            }
        }
        (None, None) => None,
    }
}

fn found(wanted: &Wanted<'_>, phrase: Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    let evidence = Evidence::span(phrase.words, By::Text);
    let fits = wanted.tool.accepts(wanted.name, &value);
    fits.then(|| Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] }))
}

/// The word beside a word for a folder: before it in "the docs folder", behind it in "carpeta docs".
fn beside(wanted: &Wanted<'_>, words: &[Word<'_>]) -> Option<Phrase> {
    let place =
        |word: &Word<'_>| FOLDERS.iter().position(|folder| *folder == word.text.to_lowercase());
    words.iter().enumerate().find_map(|(at, word)| {
        let is_english = place(word)? < ENGLISH;
        let before = at.checked_sub(1).map(|before| &words[before]).filter(|before| !before.ends);
        let is_among =
            |words: &[&str], word: &Word<'_>| words.contains(&word.text.to_lowercase().as_str());
        let led = at.checked_sub(2).map(|first| &words[first]);
        let led = led.is_some_and(|word| is_among(&ARTICLES, word) || is_among(&PLACED, word));
        let before = before.filter(|word| is_english && !is_among(&WHICH, word));
        let before = before.and_then(|word| is_free(wanted, word));
        let behind = words.get(at + 1).filter(|_| !word.ends);
        let behind = behind.and_then(|word| is_free(wanted, word)).filter(is_name);
        before.filter(|phrase| led || is_name(phrase)).or(behind)
    })
}

/// The last word of a sentence behind a word that leads to where something is.
fn placed(wanted: &Wanted<'_>, words: &[Word<'_>]) -> Option<Phrase> {
    let pairs = words.windows(2).enumerate();
    let mut led = pairs.filter(|(at, pair)| {
        let is_last = pair[1].ends || at + 2 == words.len();
        is_last && PLACED.contains(&pair[0].text.to_lowercase().as_str())
    });
    led.find_map(|(_, pair)| is_free(wanted, &pair[1]))
}

/// A word that is no value of another kind, leads to nothing and is none of the tool's own.
fn is_free(wanted: &Wanted<'_>, word: &Word<'_>) -> Option<Phrase> {
    let spec = &wanted.tool.spec;
    let own = format!("{} {}", spec.name, spec.summary).to_lowercase().replace(['_', '-'], " ");
    let phrase = Phrase::new(word.span, word.text);
    let is_own = find_word(&own, &word.text.to_lowercase()).is_some();
    let free = phrase::is_free(wanted, word.span)
        && !phrase::is_value(wanted.turn, word.span)
        && !wanted.turn.said.leads(word.span)
        && !wanted.turn.said.has_word(&word.text.to_lowercase());
    (free && !is_own).then_some(phrase)
}

/// Returns whether a word is rather a name than a word: in small letters, and none that is usual.
fn is_name(phrase: &Phrase) -> bool {
    let lower = phrase.words.to_lowercase();
    lower == phrase.words && !is_usual(&lower)
}
