//! Names for arguments that take text of no kind that extractors know: a city, a person, a title.
//!
//! A name has a right to be there by its quotation marks, by a word of the argument beside it, or, where
//! the argument is one for names, by its capitals. Other words never fill such an argument.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, ObjectClass, Role};

use super::phrase::{self, Chosen, Phrase};
use super::{FilledValue, Match, Wanted, fit, roles};
use crate::pack::suggest::words_of;

/// The most words of an answer that is a name.
const MOST_WORDS: usize = 5;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if !is_open_name(wanted, wanted.name) {
        return None;
    }
    if wanted.tool.is_list(wanted.name) {
        let quoted = phrase::quoted(wanted);
        let names = if quoted.is_empty() { capitals(wanted) } else { quoted };
        return if names.is_empty() { None } else { listed(wanted, &names) };
    }
    match chosen(wanted) {
        Chosen::None => None,
        Chosen::One(phrase) => found(wanted, &phrase),
        Chosen::Unsure(phrases) => {
            let values: Vec<Json> = phrases.iter().map(|phrase| json!(phrase.words)).collect();
            Some(Match::Unsure(values))
        }
    }
}

/// The name that fills the argument, by the surest sign that there is.
fn chosen(wanted: &Wanted<'_>) -> Chosen {
    if let [only] = &phrase::beside(wanted)[..] {
        return Chosen::One(only.clone());
    }
    let kind = wanted.annotation.kind;
    let rivals =
        rivals(wanted, |name| wanted.tool.annotation(name).and_then(|note| note.kind) == kind);
    let for_names = |name: &str| is_for_names(name) && is_open_name(wanted, name);
    let named = phrase::objects(wanted, &[ObjectClass::Name, ObjectClass::Into]);
    let short = |phrase: &Phrase| phrase.words.split_whitespace().count() <= MOST_WORDS;
    let role = roles::of_argument(wanted.tool, wanted.name, &rivals).filter(|_| kind.is_some());
    // "Go to X": where nothing else can be meant, what is gone to is what is named.
    let alone = (rivals.len() == 1 && kind.is_some()).then_some(Role::Target);
    let by_role = role.filter(|role| *role != Role::Object).or(alone);
    let signs: [(Vec<Phrase>, Vec<&str>); 5] = [
        (phrase::quoted(wanted), rivals.clone()),
        (by_role.map(|role| phrase::in_role(wanted, role)).unwrap_or_default(), rivals.clone()),
        (named.into_iter().filter(short).collect(), rivals.clone()),
        (capitals(wanted), self::rivals(wanted, for_names)),
        (if kind.is_some() { phrase::acted_on(wanted) } else { Vec::new() }, rivals),
    ];
    for (phrases, rivals) in signs {
        match phrase::choose(wanted, phrases, &rivals) {
            Chosen::None => {}
            chosen => return chosen,
        }
    }
    phrase::answer(wanted, MOST_WORDS).map_or(Chosen::None, Chosen::One)
}

/// The arguments of the tool that might take the same names, this one among them.
fn rivals<'a>(wanted: &Wanted<'a>, is_rival: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let names = wanted.tool.arguments();
    names
        .filter(|name| *name == wanted.name || is_open_name(wanted, name) && is_rival(name))
        .collect()
}

/// Names by their capitals, for an argument whose values have them.
fn capitals(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let fits = is_for_names(wanted.name) && wanted.annotation.kind.is_none();
    if fits && wanted.tool.requires(wanted.name) { phrase::capitalized(wanted) } else { Vec::new() }
}

/// Returns whether an argument takes text of no kind that extractors know as it is written.
fn is_open_name(wanted: &Wanted<'_>, name: &str) -> bool {
    let note = wanted.tool.annotation(name);
    let plain = note.is_some_and(|note| {
        let kinds = [Kind::Identifier, Kind::Revision, Kind::Repository];
        note.gazetteer.is_none() && note.kind.is_none_or(|kind| kinds.contains(&kind))
    });
    let shape = fit::item(wanted.tool, name);
    let text = shape.is_some_and(|shape| shape.types.string && !shape.types.numeric());
    plain && text && wanted.tool.listed(name).is_empty()
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
