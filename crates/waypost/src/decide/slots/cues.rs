//! Words that stand beside a value and say which argument it is for: those of the pack, or those of
//! the argument's name and description.

use waypost_core::text_match::find_word;
use waypost_text::extract::Operator;
use waypost_text::text::{Span, folded};

use crate::pack::Tool;
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

/// The end of a cue that counts right before a value alone: "a _" is the "a" of "baja a 80", and not that of "5 A".
const BEFORE: &str = " _";

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
    let cues = tool.cues(name).iter();
    let scores = cues.filter_map(|cue| nearness(turn, cue, value, others));
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
