//! The small kinds: ordinals, yes and no, quotations, lengths of time.

use jiff::Span;

use super::Found;
use super::calendar;
use super::cursor::Cursor;
use super::number;
use super::term::{Term, Unit, rule};
use super::token::Shape;
use super::value::{Kind, Reading};

/// Quotation marks that open, with those that close.
const QUOTES: [(char, char); 7] =
    [('“', '”'), ('「', '」'), ('『', '』'), ('«', '»'), ('‘', '’'), ('"', '"'), ('\'', '\'')];

/// A quotation longer than this many tokens is a missing closing mark.
const LONGEST_QUOTE: usize = 200;

/// Finds a place in an order: first, 2nd, 第二個, #3, último.
pub(super) fn ordinal(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let place = cursor.first_of(&[ordinal_word, ordinal_marked, ordinal_digits, ordinal_sign])?;
    Some(Found::new(Kind::Ordinal, Reading::Ordinal(place), rule!(cursor.tongue, "ordinal")))
}

fn ordinal_word(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.take(|term| match term {
        Term::Ordinal(place) => Some(place),
        _ => None,
    })
}

fn ordinal_marked(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.eat(Term::OrdinalMark)?;
    let place = number::count(cursor)? as i64;
    cursor.attempt(|cursor| cursor.eat(Term::Counter));
    Some(place)
}

fn ordinal_digits(cursor: &mut Cursor<'_>) -> Option<i64> {
    let digits = cursor.digits()?;
    let place = digits.parse().ok()?;
    if !cursor.is_glued() {
        return None;
    }
    cursor.eat(Term::OrdinalSuffix)?;
    Some(place)
}

fn ordinal_sign(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.symbol("#")?;
    cursor.glued_digits()?.parse().ok()
}

/// Finds an answer yes or no: a clause of its own at the beginning, as "no" is much else besides.
pub(super) fn boolean(cursor: &mut Cursor<'_>) -> Option<Found> {
    if cursor.at != 0 {
        return None;
    }
    let answer = cursor.take(|term| match term {
        Term::Yes => Some(true),
        Term::No => Some(false),
        _ => None,
    })?;
    let end = *cursor;
    let mut after = end;
    while after.attempt(|cursor| cursor.eat(Term::Filler)).is_some() {}
    let alone = matches!(after.shape(), None | Some(Shape::Symbol))
        || matches!(end.shape(), Some(Shape::Symbol));
    alone.then(|| Found::new(Kind::Boolean, Reading::Boolean(answer), rule!(end.tongue, "boolean")))
}

/// Finds words in quotation marks.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Option<Found> {
    let (open, close) = *QUOTES.iter().find(|(open, _)| cursor.peek_symbol() == Some(*open))?;
    let straight = open == close;
    // The apostrophe of "what's", the seconds of 25°12'30" and the inches of 5" open nothing.
    if straight && cursor.is_glued() && is_word_like(cursor.back()?.shape()) {
        return None;
    }
    cursor.at += 1;
    let first = cursor.at;
    let mut text = cursor.sentence.tokens.get(first)?.start;
    for at in first..first + LONGEST_QUOTE {
        cursor.at = at;
        if cursor.peek_symbol() == Some(close) && !(straight && goes_on(*cursor)) {
            let end = cursor.sentence.tokens.get(at)?.start;
            text = text.min(end);
            let inner = cursor.sentence.text.slice(cursor.sentence.text.span(text, end)).trim();
            cursor.at += 1;
            let reading = Reading::Quoted(inner.to_owned());
            return (!inner.is_empty()).then(|| Found::new(Kind::Quoted, reading, "quoted"));
        }
        cursor.shape()?;
    }
    None
}

/// Whether a straight mark stands within a word: the one of "don't" closes nothing.
fn goes_on(mut mark: Cursor<'_>) -> bool {
    mark.at += 1;
    mark.is_glued() && mark.shape() == Some(Shape::Word)
}

fn is_word_like(shape: Option<Shape>) -> bool {
    matches!(shape, Some(Shape::Word | Shape::Digits))
}

/// Finds a length of time: 3 days, 1 hour 30 minutes, 兩週.
pub(super) fn duration(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    // 哪一年 and 每一天 are no lengths.
    if cursor.back().is_some_and(|word| "哪某同任另".contains(word.character())) {
        return None;
    }
    if cursor.follows(|term| term == Term::Every).is_some() {
        return None;
    }
    let mut total: Option<Span> = None;
    let mut last = None;
    while let Some((count, unit)) = cursor.attempt(|cursor| {
        if last.is_some() {
            cursor.attempt(|cursor| cursor.eat(Term::And));
        }
        let (count, unit) = stretch(cursor)?;
        // Units go down: "2 days 3 days" are two lengths.
        last.is_none_or(|last: Unit| (unit as u8) < last as u8).then_some((count, unit))
    }) {
        let part = calendar::length(count, unit)?;
        total = Some(match total {
            None => part,
            Some(total) => join(total, part)?,
        });
        last = Some(unit);
    }
    let reading = Reading::Duration(total?.fieldwise());
    Some(Found::new(Kind::Duration, reading, rule!(cursor.tongue, "duration")))
}

/// Adds field by field, so that 1 month 3 days stays just that.
fn join(total: Span, part: Span) -> Option<Span> {
    total
        .try_weeks(total.get_weeks() + part.get_weeks())
        .and_then(|span| span.try_months(total.get_months() + part.get_months()))
        .and_then(|span| span.try_days(total.get_days() + part.get_days()))
        .and_then(|span| span.try_hours(total.get_hours() + part.get_hours()))
        .and_then(|span| span.try_minutes(total.get_minutes() + part.get_minutes()))
        .and_then(|span| span.try_seconds(total.get_seconds() + part.get_seconds()))
        .ok()
}

/// Reads a number of units of time: 3 days, a week, 三個月.
pub(super) fn stretch(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let count = match cursor.attempt(number::count) {
        Some(count) => count,
        None => cursor.eat(Term::One).map(|()| 1.0)?,
    };
    Some((count, unit(cursor)?))
}

/// Reads a unit of time.
pub(super) fn unit(cursor: &mut Cursor<'_>) -> Option<Unit> {
    cursor.take(|term| match term {
        Term::Unit(unit) => Some(unit),
        _ => None,
    })
}
