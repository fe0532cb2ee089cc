//! What a text leaves out of what it asks for is asked of nobody: "the water temperature, not the tides".

use std::ops::Range;

use waypost_text::extract::{self, Operator, Value};
use waypost_text::language::Language;
use waypost_text::text::{Span, Spans, Text};

use super::Utterance;
use super::mention::Discourse;

impl Utterance {
    /// A part of the text without what it leaves out.
    pub(super) fn without_left_out(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let mut kept = Vec::new();
        let mut at = part.start;
        for out in self.left_out.iter().map(|span| self.text.bytes(*span)) {
            if out.end <= at || out.start >= part.end {
                continue;
            }
            if out.start > at {
                kept.push(at..out.start);
            }
            at = out.end;
        }
        if at < part.end {
            kept.push(at..part.end);
        }
        kept
    }

    /// Returns whether a part of the text is among what it leaves out.
    pub(crate) fn leaves_out(&self, part: Span) -> bool {
        self.left_out.iter().any(|out| out.overlaps(part))
            && self
                .without_left_out(self.text.bytes(part))
                .iter()
                .all(|kept| !self.text.normalized()[kept.clone()].contains(char::is_alphanumeric))
    }
}

/// The parts of a text that leave something out of what the rest asks for; none if nothing else asks.
pub(super) fn find(
    text: &Text,
    language: Language,
    values: &[Value],
    discourse: &Discourse,
) -> Vec<Span> {
    let mut denials = [Operator::Not, Operator::Except, Operator::Dropped].into_iter();
    if !denials.any(|denial| discourse.says(denial)) {
        return Vec::new();
    }
    let mut found = extract::left_out(text, values, language);
    found.retain(|out| !discourse.contents.iter().any(|content| content.overlaps(*out)));
    let known = values.iter().map(|value| value.span);
    let known = Spans::of(
        known.chain(discourse.marks.iter().map(|mark| mark.span)).chain(found.iter().copied()),
    );
    let characters = text.original().chars().enumerate();
    let mut asking = characters
        .filter(|(at, c)| c.is_alphabetic() && !known.overlap(Span { start: *at, end: at + 1 }));
    // A letter or two are no word.
    if asking.nth(1).is_none() {
        found.clear();
    }
    found
}
