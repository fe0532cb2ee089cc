//! The stretch that is likeliest meant for an argument of which no pack says how people speak of it.
//!
//! Weights that were learned from the arguments of other servers tell how likely; a stretch that is only rather likely is asked about, if
//! the argument is needed.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted};
use crate::arguments::Guess;
use crate::decide::slots::{phrase, scope};
use crate::pack::is_usual;
use crate::pack::spec::Access;

/// The name of the matcher that settles what plain signs leave undecided.
pub(in crate::decide::slots) const NAME: &str = "likely";
/// From so likely on a stretch settles what plain signs leave undecided.
const SURE: f64 = 0.9;
/// From so likely on one of several codes is the one that is meant.
const SETTLED: f64 = 0.75;
/// From so likely on a stretch is taken where there are no other signs: for what may be left out, for what a call needs that runs at
/// once, and for what one needs that is shown first.
const OPTIONAL: f64 = 0.6;
const NEEDED: f64 = 0.5;
const NEEDED_AND_SHOWN: f64 = 0.4;
/// From so likely on a stretch is taken rather than all words, some of which say something else: "3 papers on rope, newest first".
const RATHER_THAN_ALL: f64 = 0.3;
/// The shortest code that is no usual word, in characters.
const LEAST_STRANGE: usize = 5;

/// From so likely on a stretch is offered.
const OFFERED: f64 = 0.15;
/// The most stretches that are offered.
const MOST_OFFERED: usize = 3;

/// A stretch that is likely meant.
pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let reads = || wanted.turn.access(&wanted.tool.spec.name) == Access::Read;
    let least = match wanted.tool.requires(wanted.name) {
        _ if wanted.undecided && is_code(wanted) => SETTLED,
        _ if wanted.undecided => SURE,
        false if is_code(wanted) => SURE,
        false => OPTIONAL,
        true if super::text::takes_whole(wanted) && !wanted.used.is_empty() => RATHER_THAN_ALL,
        true if reads() => NEEDED,
        true => NEEDED_AND_SHOWN,
    };
    // Words for several items were read, and not all of them: nobody leaves out the others.
    let is_partial = wanted.undecided && wanted.tool.is_list(wanted.name);
    found(wanted, &guesses(wanted), least).filter(|_| !is_partial)
}

/// The stretches that may be meant, as a question.
pub(in crate::decide::slots) fn offered(wanted: &Wanted<'_>) -> Option<Match> {
    if !wanted.tool.requires(wanted.name) || wanted.tool.is_list(wanted.name) {
        return None;
    }
    let guesses = guesses(wanted);
    let offered = guesses.iter().filter(|guess| guess.probability >= OFFERED).take(MOST_OFFERED);
    let values = offered.map(|guess| json!(wanted.turn.said.text.slice(guess.span)));
    let fitting = values.filter(|value| wanted.tool.accepts(wanted.name, value));
    let fitting: Vec<Json> = fitting.collect();
    (!fitting.is_empty()).then_some(Match::Unsure(fitting))
}

/// Returns whether an argument takes a code: "a new branch" is not called "new".
fn is_code(wanted: &Wanted<'_>) -> bool {
    let kinds = [Kind::Identifier, Kind::Revision, Kind::Repository];
    wanted.annotation.kind.is_some_and(|kind| kinds.contains(&kind))
}

/// Returns whether words are written as only codes are: "the F1 team" is no customer.
fn is_strange(words: &str) -> bool {
    let has_sign = words.contains(|c: char| c.is_ascii_digit() || "-_/".contains(c));
    has_sign && words.chars().count() >= LEAST_STRANGE
}

/// The guesses in words that are free: the items of a list in their order, or else the likeliest first.
fn guesses(wanted: &Wanted<'_>) -> Vec<Guess> {
    let Some(guesses) = wanted.guesses() else { return Vec::new() };
    let is_text = wanted.annotation.kind == Some(Kind::Text);
    let times = wanted.turn.said.values.iter().filter(|value| scope::is_when(value));
    let is_code = is_code(wanted);
    let text = &wanted.turn.said.text;
    let is_written = |span: Span| {
        let words = text.slice(span);
        let is_sign = |c: char| !c.is_alphabetic() || c.is_uppercase();
        words.contains(is_sign) && !words.contains(char::is_whitespace)
    };
    let is_free = |span: Span| {
        (!is_code || is_written(span))
            && phrase::is_free(wanted, span)
            && (is_text || !times.clone().any(|time| time.span.overlaps(span)))
    };
    match wanted.tool.is_list(wanted.name) {
        true => guesses.several(wanted.name, is_free),
        false => guesses.free(wanted.name, is_free),
    }
}

fn found(wanted: &Wanted<'_>, guesses: &[Guess], least: f64) -> Option<Match> {
    let is_list = wanted.tool.is_list(wanted.name);
    let taken = if is_list { guesses } else { guesses.get(..1)? };
    let probability: f64 = taken.iter().map(|guess| guess.probability).sum();
    let (first, last) = (taken.first()?.span, taken.last()?.span);
    let text = &wanted.turn.said.text;
    let mut words = taken.iter().map(|guess| json!(text.slice(guess.span)));
    let value = if is_list { words.collect() } else { words.next()? };
    let words = text.slice(Span { start: first.start, end: last.end });
    // "Create a new branch": a word that is usual elsewhere may say no name at all.
    let is_usual = words.to_lowercase() == words && is_usual(words);
    let least = if is_usual { least.max(OPTIONAL) } else { least };
    let is_doubtful = is_code(wanted) && !taken.iter().all(|it| is_strange(text.slice(it.span)));
    let least = if is_doubtful { SURE } else { least };
    let fits = probability >= least && wanted.tool.accepts(wanted.name, &value);
    fits.then(|| {
        let spans = taken.iter().map(|guess| guess.span).collect();
        let evidence = Evidence::span(words, By::Text);
        Match::Found(FilledValue { value, evidence, spans })
    })
}
