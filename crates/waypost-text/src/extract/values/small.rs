//! The small kinds: yes and no, quotations.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

/// Quotation marks that open, with those that close.
pub(crate) const QUOTES: [(char, char); 9] = [
    ('“', '”'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('‘', '’'),
    ('„', '“'),
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
];

/// A quotation longer than this many tokens is a missing closing mark.
const LONGEST_QUOTE: usize = 200;

/// No more marks than these stand before an answer: ¡, an opening quotation mark.
const MOST_BEFORE: usize = 3;

/// Finds an answer yes or no: a clause of its own at the beginning, as "no" is much else besides.
pub(crate) fn boolean(cursor: &mut Cursor<'_>) -> Option<Found> {
    let is_symbol = |at: usize| cursor.sentence.shape(at) == Some(Shape::Symbol);
    if cursor.at > MOST_BEFORE || !(0..cursor.at).all(is_symbol) {
        return None;
    }
    let answer = yes_or_no(cursor)?;
    let end = *cursor;
    let mut after = end;
    while after.attempt(|cursor| cursor.eat(Term::Filler)).is_some() {}
    let alone = matches!(after.shape(), None | Some(Shape::Symbol))
        || matches!(end.shape(), Some(Shape::Symbol));
    alone.then(|| Found::new(Kind::Boolean, Reading::Boolean(answer), rule(end.tongue, "boolean")))
}

/// Finds yes or no wherever it stands, for somebody who asked for just that: "I think so, yes",
/// "that's not ok".
pub(crate) fn boolean_anywhere(cursor: &mut Cursor<'_>) -> Option<Found> {
    let answer = yes_or_no(cursor)?;
    if !answer {
        // "not ok" is one answer.
        cursor.attempt(|cursor| cursor.eat(Term::Yes));
    }
    Some(Found::new(Kind::Boolean, Reading::Boolean(answer), rule(cursor.tongue, "boolean")))
}

fn yes_or_no(cursor: &mut Cursor<'_>) -> Option<bool> {
    cursor.take(|term| match term {
        Term::Yes => Some(true),
        Term::No => Some(false),
        _ => None,
    })
}

/// Finds words in quotation marks.
pub(crate) fn quoted(cursor: &mut Cursor<'_>) -> Option<Found> {
    let (open, close) = *QUOTES.iter().find(|(open, _)| cursor.peek_symbol() == Some(*open))?;
    let straight = open == close;
    // The apostrophe of "what's", the seconds of 25°12'30" and the inches of 5" open nothing.
    if straight && cursor.is_glued() && is_word_like(cursor.back()?.shape()) {
        return None;
    }
    cursor.at += 1;
    let first = cursor.at;
    let mut text = cursor.sentence.tokens.get(first)?.start;
    let mut depth = 0_usize;
    for at in first..first + LONGEST_QUOTE {
        cursor.at = at;
        if !straight && cursor.peek_symbol() == Some(open) {
            depth += 1;
        } else if depth > 0 && cursor.peek_symbol() == Some(close) {
            depth -= 1;
        } else if cursor.peek_symbol() == Some(close) && !(straight && goes_on(*cursor)) {
            let end = cursor.sentence.tokens.get(at)?.start;
            text = text.min(end);
            let inner = cursor.sentence.text.slice(cursor.sentence.text.span(text, end)).trim();
            cursor.at += 1;
            let reading = Reading::Text(inner.to_owned());
            return (!inner.is_empty()).then(|| Found::new(Kind::Quoted, reading, "quoted"));
        }
        cursor.shape()?;
        cursor.step()?;
    }
    None
}

/// Returns whether a straight mark stands within a word: the one of "don't" closes nothing.
fn goes_on(mut mark: Cursor<'_>) -> bool {
    mark.at += 1;
    mark.is_glued() && mark.shape() == Some(Shape::Word)
}

fn is_word_like(shape: Option<Shape>) -> bool {
    matches!(shape, Some(Shape::Word | Shape::Digits))
}
