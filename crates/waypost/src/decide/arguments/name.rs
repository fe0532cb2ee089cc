//! Names for arguments that take text of no kind that extractors know: a city, a person, a title.
//!
//! A name has a right to be there by its quotation marks, by a word of the argument beside it, or, where
//! the argument is one for names, by its capitals. Other words never fill such an argument.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;

use super::phrase::{self, Phrase};
use super::{FilledValue, Match, Wanted, fit};
use crate::pack::suggest::words_of;

/// The most words of an answer that is a name.
const MOST_WORDS: usize = 5;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let item = fit::item(wanted.tool, wanted.name)?;
    let kind = wanted.annotation.kind;
    let is_name = matches!(kind, None | Some(Kind::Identifier | Kind::Revision | Kind::Repository));
    let open = item.types.string
        && !item.types.numeric()
        && wanted.tool.listed(wanted.name).is_empty()
        && wanted.annotation.gazetteer.is_none();
    if !is_name || !open {
        return None;
    }
    let list = wanted.tool.is_list(wanted.name);
    let phrases = candidates(wanted);
    if list && !phrases.is_empty() {
        return listed(wanted, &phrases);
    }
    match &phrases[..] {
        [] => None,
        [only] => found(wanted, only),
        several => {
            let values: Vec<Json> = several.iter().map(|phrase| json!(phrase.words)).collect();
            Some(Match::Unsure(values))
        }
    }
}

/// The names that may fill the argument, by the surest sign that there is.
fn candidates(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let beside = phrase::beside(wanted);
    if !beside.is_empty() {
        return beside;
    }
    let required = wanted.tool.requires(wanted.name);
    let alone = || {
        let others = wanted.tool.arguments().filter(|name| *name != wanted.name);
        let mut others = others.filter(|name| wanted.tool.requires(name));
        !others.any(|name| is_open_name(wanted, name))
    };
    let quoted = phrase::nearest(wanted, phrase::quoted(wanted));
    if required && !quoted.is_empty() && (alone() || quoted.len() == 1) {
        return quoted;
    }
    let names = phrase::capitalized(wanted);
    if is_for_names(wanted.name) && required && !names.is_empty() {
        return phrase::nearest(wanted, names);
    }
    phrase::answer(wanted, MOST_WORDS).into_iter().collect()
}

/// Returns whether another argument of the tool takes names as well, and has none yet.
fn is_open_name(wanted: &Wanted<'_>, name: &str) -> bool {
    let note = wanted.tool.annotation(name);
    let plain = note.is_some_and(|note| note.kind.is_none() && note.gazetteer.is_none());
    let shape = wanted.tool.shape(name);
    plain && shape.is_some_and(|shape| shape.types.string) && wanted.tool.listed(name).is_empty()
}

/// Words of arguments whose values have capitals.
const NAMED: [&str; 46] = [
    "city",
    "location",
    "place",
    "country",
    "region",
    "state",
    "town",
    "address",
    "destination",
    "origin",
    "departure",
    "arrival",
    "airport",
    "station",
    "venue",
    "name",
    "author",
    "artist",
    "actor",
    "director",
    "player",
    "team",
    "person",
    "user",
    "customer",
    "company",
    "brand",
    "manufacturer",
    "organization",
    "movie",
    "film",
    "book",
    "song",
    "album",
    "game",
    "show",
    "product",
    "stock",
    "restaurant",
    "hotel",
    "museum",
    "park",
    "league",
    "club",
    "language",
    "nationality",
];

fn is_for_names(name: &str) -> bool {
    words_of(name).iter().any(|word| NAMED.contains(&word.as_str()))
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}

fn listed(wanted: &Wanted<'_>, phrases: &[Phrase]) -> Option<Match> {
    let value = Json::Array(phrases.iter().map(|phrase| json!(phrase.words)).collect());
    if !wanted.tool.accepts(wanted.name, &value) {
        return None;
    }
    let spans: Vec<_> = phrases.iter().map(|phrase| phrase.span).collect();
    let start = spans.iter().map(|span| span.start).min()?;
    let end = spans.iter().map(|span| span.end).max()?;
    let words = wanted.turn.text.slice(waypost_text::text::Span { start, end });
    let evidence = Evidence::span(words, By::Text);
    Some(Match::Found(FilledValue { value, evidence, spans }))
}
