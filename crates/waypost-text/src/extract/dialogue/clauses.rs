//! Finds the places where a text may go on to a second request: a word or a sign that joins.
//!
//! This only offers places to cut; whether both sides ask for something is for a classifier.

use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::value::Value;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// The most places to cut that are offered: a text with more is a list, not two questions.
const MOST_CUTS: usize = 8;

/// The stretches of the text that join what stands before and behind them, in order. None lies
/// within a value: "between 118 and 123E" is one.
pub fn joints(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let sentence = Sentence::new(text, language);
    let taken = Spans::of(values.iter().map(|value| value.span));
    let mut joints: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        let word = sentence.senses(at).iter().find(|sense| sense.term == Term::Joint);
        let sign = token.shape == Shape::Symbol
            && (is_sign(&text.normalized()[token.start..token.end])
                || is_stop(&text.normalized()[..token.end], &text.normalized()[token.end..]));
        let end = match word {
            Some(sense) => sense.end,
            None if sign => at + 1,
            None => {
                at += 1;
                continue;
            }
        };
        let last = sentence.token(end - 1).unwrap_or(token);
        let span = text.span(token.start, last.end);
        at = end;
        if taken.overlap(span) || is_short_form(text, span) {
            continue;
        }
        // ", and then" is one joint.
        let adjoins =
            |joint: &Span| text.slice(Span { start: joint.end, end: span.start }).trim().is_empty();
        let start = match joints.pop_if(|joint| adjoins(joint)) {
            Some(joint) => joint.start,
            None => span.start,
        };
        if joints.len() == MOST_CUTS {
            break;
        }
        joints.push(Span { start, end: span.end });
    }
    joints
}

/// Returns whether a slash is a part of a word: P/E, w/o.
fn is_short_form(text: &Text, slash: Span) -> bool {
    let side =
        |letters: &mut dyn Iterator<Item = char>| letters.take_while(|c| c.is_alphabetic()).count();
    let before = text.slice(Span { start: 0, end: slash.start });
    let behind = text.slice(Span { start: slash.end, end: text.original().chars().count() });
    text.slice(slash) == "/"
        && (side(&mut before.chars().rev()) == 1 || side(&mut behind.chars()) == 1)
}

/// Returns whether a text ends in a stop and not in the point of an abbreviation or a number, before what goes on behind.
fn is_stop(text: &str, behind: &str) -> bool {
    /// Fewer letters before a point may be short for something: "a. m.", "St. Ives".
    const LEAST_LETTERS: usize = 3;
    let Some(before) = text.strip_suffix('.') else { return false };
    let letters = before.chars().rev().take_while(|c| c.is_alphabetic()).count();
    letters >= LEAST_LETTERS && behind.starts_with(char::is_whitespace)
}

fn is_sign(sign: &str) -> bool {
    matches!(sign, "," | ";" | "/" | "+" | "&" | "、" | "。" | "?" | "!" | "；")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_its_stop_and_not_in_a_number_or_what_is_short() {
        for (words, parts) in [
            ("I come from Lima. How warm is it?", 3),
            ("How warm is it at 25.4 N", 1),
            ("the P/E ratio", 1),
            ("the price/RSI of Apple", 2),
            ("Mr. Li comes at 3 p.m. today", 1),
            ("see example.com for it", 1),
        ] {
            let joints = joints(&Text::new(words), &[], Language::En);
            assert_eq!(joints.len() + 1, parts, "{words}: {joints:?}");
        }
    }
}
