//! Words that stand beside a value and say which argument it is for: those of the pack, or those of
//! the argument's name and description.

use waypost_core::text_match::find_word;
use waypost_text::extract::Operator;
use waypost_text::text::{Span, folded};

use crate::pack::Tool;
use crate::pack::suggest::words_of;
use crate::understand::Turn;

/// The score of a word of the argument that stands right beside a value.
pub(super) const CUED: f64 = 2.0;
/// The score that each word between a value and its cue takes away.
const DISTANCE: f64 = 0.4;
/// The distance that an "and" adds.
const APART: f64 = 2.0;
/// The score that each character of a cue adds.
const LENGTH: f64 = 0.005;
/// Cues are counted up to this length, in characters.
const LONGEST: usize = 20;
/// Shorter words of a name say nothing: "of", "n".
const TELLING: usize = 3;
/// The most words of a description that count.
const MOST_WORDS: usize = 6;

/// The end of a cue that counts right before a value alone: "a _" is the "a" of "baja a 80", and not that of "5 A".
const BEFORE: &str = " _";

/// Words that stand beside a value of an argument: those of the pack, or of its name; those of its
/// description where the name is a letter.
pub(crate) fn cues<'a>(tool: &'a Tool, argument: &'a str) -> impl Iterator<Item = String> + 'a {
    let own = tool.annotation(argument).map(|note| note.cues.as_slice()).unwrap_or_default();
    let mut words: Vec<String> = own.iter().map(|word| word.to_lowercase()).collect();
    if words.is_empty() {
        words = words_of(argument);
        words.retain(|word| word.len() >= TELLING || word == "id");
        let own: Vec<String> =
            words.iter().filter(|word| !is_shared(tool, argument, word)).cloned().collect();
        // `initial_value` and `final_value` are told apart by the words that they do not share.
        if !own.is_empty() {
            words = own;
        }
        if words.is_empty() {
            words = described(tool, argument);
        }
        let plurals: Vec<String> = words.iter().map(|word| other_number(word)).collect();
        words.extend(plurals);
    }
    words.into_iter()
}

/// Returns whether the name of another argument of the same kind of value has a word, too.
fn is_shared(tool: &Tool, argument: &str, word: &str) -> bool {
    let kind = |name: &str| tool.annotation(name).and_then(|note| note.kind);
    let own = kind(argument);
    let others = tool.arguments().filter(|name| *name != argument && kind(name) == own);
    let mut others = others.take(MOST_OTHERS).flat_map(words_of);
    others.any(|other| other == word)
}

/// The words of a description that tell one argument from the others of the tool.
fn described(tool: &Tool, argument: &str) -> Vec<String> {
    let words = |name: &str| -> Vec<String> {
        let description = tool.shape(name).map_or("", |shape| shape.description.as_str());
        let words = description.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > TELLING).map(str::to_owned).collect()
    };
    let others: Vec<String> = tool
        .arguments()
        .filter(|name| *name != argument)
        .take(MOST_OTHERS)
        .flat_map(words)
        .collect();
    let mut own = words(argument);
    own.retain(|word| !others.contains(word));
    own.truncate(MOST_WORDS);
    own
}

/// The most other arguments whose descriptions are compared.
const MOST_OTHERS: usize = 16;

/// An English word in its other number: "side" and "sides".
fn other_number(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.len() >= TELLING => one.to_owned(),
        _ => format!("{word}s"),
    }
}

/// Scores how near a cue stands to a value with none of `others` between them; a cue behind the value
/// counts a little more.
pub(super) fn nearness(turn: &Turn<'_>, cue: &str, value: Span, others: &[Span]) -> Option<f64> {
    /// Cues further away belong to something else.
    const FARTHEST: f64 = 4.0;
    let (cue, right_before) = match cue.strip_suffix(BEFORE) {
        Some(cue) => (cue, true),
        None => (cue, false),
    };
    let text = turn.said.text.normalized();
    // Who types without accents means the same words.
    let bare = if text.is_ascii() && !cue.is_ascii() { folded(cue) } else { cue.to_owned() };
    let cue = bare.as_str();
    let mut from = 0;
    let mut best: Option<f64> = None;
    while let Some(at) = text.get(from..).and_then(|rest| find_word(rest, cue)) {
        let start = from + at;
        from = start + cue.len();
        let span = turn.said.text.span(start, from);
        let (gap, behind) = if span.start >= value.end {
            (Span { start: value.end, end: span.start }, true)
        } else if span.end <= value.start {
            (Span { start: span.end, end: value.start }, false)
        } else {
            continue;
        };
        let divided = others.iter().any(|other| gap.contains(*other));
        // "5 rooms and the year 1990": another part of the sentence begins behind an "and".
        let joined = turn.said.discourse.has(Operator::And, gap);
        let distance = distance(turn.said.text.slice(gap)) + if joined { APART } else { 0.0 };
        let is_apart = right_before && (behind || distance > 0.0);
        if divided || is_apart || distance > FARTHEST {
            continue;
        }
        // Of two phrases the longer one says more: "not contain" and "contain".
        let longer = LENGTH * cue.chars().count().min(LONGEST) as f64;
        let score = if behind { CUED + 0.2 } else { CUED } - DISTANCE * distance + longer;
        best = Some(best.map_or(score, |known: f64| known.max(score)));
    }
    best
}

/// The score of the nearest cue of an argument.
pub(super) fn nearest(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    value: Span,
    others: &[Span],
) -> f64 {
    let scores = cues(tool, name).filter_map(|cue| nearness(turn, &cue, value, others));
    scores.fold(0.0, f64::max)
}

/// Words between two things; a comma is as far as two words, and two Han characters are one.
fn distance(gap: &str) -> f64 {
    let han = gap.chars().filter(|c| waypost_core::text_match::is_han(*c)).count() as f64;
    let latin = |word: &&str| {
        word.chars().any(|c| c.is_alphanumeric() && !waypost_core::text_match::is_han(c))
    };
    let words = gap.split_whitespace().filter(latin).count() as f64;
    let commas = gap.chars().filter(|c| matches!(c, ',' | ';' | '，' | '、' | '；')).count() as f64;
    words + han / 2.0 + 2.0 * commas
}
