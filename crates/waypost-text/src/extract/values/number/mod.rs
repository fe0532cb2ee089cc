//! Numbers: 1,234.5, 3萬, two hundred and five, three quarters, minus 2.5 million.
//!
//! `digits` reads figures, `words` what is said, `fraction` parts of one; all three meet in
//! [`amount`], on which quantities and money build. [`count`] reads plain whole numbers, as days
//! and hours are counted.

mod dictated;
mod digits;
mod either;
mod fraction;
mod memo;
mod words;

pub(crate) use dictated::{Dictated, Manner, dictated};
pub(crate) use digits::decimal;
pub(crate) use either::{either, is_either};
pub(crate) use fraction::and_part;
pub(crate) use memo::Memo;
pub(crate) use words::{MOST_WORDS, Sum, is_open, next_cardinal};

use words::{Scope, soft};

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

/// Finds a plain number.
pub(crate) fn number(cursor: &mut Cursor<'_>) -> Option<Found> {
    let marked = |term| matches!(term, Term::OrdinalMark | Term::NoNumber);
    if !cursor.is_fresh() || cursor.follows(marked).is_some() || cursor.sees(Term::NoNumber) {
        return None;
    }
    if is_either(*cursor) {
        return None;
    }
    let start = *cursor;
    let (value, other) = match cursor.attempt(amount) {
        Some(Amount { value, other }) => (value, other),
        None => (alone(cursor)?, None),
    };
    if holds_odd(start, *cursor) {
        return None;
    }
    let fits = match start.shape()? {
        Shape::Han => is_han_number(start, *cursor),
        // "one" is a pronoun more often than a number.
        Shape::Word => value != 1.0 || cursor.at - start.at > 1 || is_all(start, *cursor),
        _ => is_number_end(*cursor) && !is_in_name(start, *cursor),
    };
    let found = Found::new(Kind::Number, Reading::Number(value), rule(cursor.tongue, "number"));
    fits.then(|| found.or(other.map(Reading::Number)))
}

/// Returns whether a number leaves open how many it is: the 幾 of 十幾萬, but not the 多 of 三十多萬, which is more
/// than so many.
pub(crate) fn holds_odd(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let means = |at: usize, term: Term| start.sentence.may_mean(at, term);
    (start.at + 1..end.at).any(|at| means(at, Term::Odd) && means(at, Term::Vague))
}

/// Reads a word that is a number only as an answer of its own: few, nil, một.
fn alone(cursor: &mut Cursor<'_>) -> Option<f64> {
    let start = *cursor;
    if let Some(value) = cursor.attempt(fraction::bare_decimal) {
        return Some(value);
    }
    let value = cursor.take(soft)?;
    is_all(start, *cursor).then_some(value)
}

/// Returns whether nothing but signs stands around what was read.
fn is_all(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let is_edge = |shape| matches!(shape, None | Some(Shape::Symbol));
    is_edge(start.back().and_then(|before| before.shape())) && is_edge(end.shape())
}

/// A Han numeral is a number if it counts something or stands alone: 一樣, 四川 and 三明治 are words.
fn is_han_number(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let before = start.back();
    let after_han = before.is_some_and(|before| before.shape() == Some(Shape::Han));
    // The 三十 of 二三十 is no number: it is two or three tens.
    if after_han && start.follows(|term| matches!(term, Term::Number(_))).is_some() {
        return false;
    }
    let told = start.follows(|term| matches!(term, Term::Is | Term::Change | Term::Lately(_)));
    let told = told.is_some();
    let before_han = end.shape() == Some(Shape::Han) && !end.sees_any(is_function_word);
    let is_long = end.at - start.at > 1;
    is_long || end.sees(Term::Counter) || ((told || !after_han) && !before_han)
}

/// Words that begin something new and are part of no name.
fn is_function_word(term: Term) -> bool {
    matches!(term, Term::Is | Term::Of | Term::And | Term::No | Term::Which(0) | Term::Change)
}

/// A letter behind the digits makes them a name (`3d`) or a quantity (`5km`).
fn is_number_end(end: Cursor<'_>) -> bool {
    end.is_closed("-/⁄:") || !end.is_closed("") && end.shape() == Some(Shape::Han)
}

/// Returns whether hyphens tie a number to a word before it and to something behind it: ABC-123-X.
fn is_in_name(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let before = start.back().filter(|_| start.is_glued());
    let word = before.filter(|before| before.peek_symbol() == Some('-') && before.is_glued());
    let word = word.and_then(|hyphen| hyphen.back()?.shape());
    word == Some(Shape::Word) && end.is_glued() && end.peek_symbol() == Some('-')
}

/// A number with its magnitude, and what else its separators may mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amount {
    pub(crate) value: f64,
    pub(crate) other: Option<f64>,
}

/// Reads a number in digits or words, with a sign, a magnitude and a fraction.
pub(crate) fn amount(cursor: &mut Cursor<'_>) -> Option<Amount> {
    let before = cursor.back();
    let money = before.is_some_and(|before| before.peek_symbol().is_some_and(is_currency));
    let joins = cursor.follows(|term| term == Term::Between).is_none();
    unsigned(cursor, Scope { joins, digits: true, parts: true, money })
}

/// Reads a number in digits without a magnitude: the 12 of 12千米.
pub(crate) fn figure(cursor: &mut Cursor<'_>) -> Option<Amount> {
    let sign = minus(cursor);
    let figure = digits::figure(cursor)?;
    Some(Amount { value: sign * figure.value, other: figure.other.map(|other| sign * other) })
}

fn unsigned(cursor: &mut Cursor<'_>, scope: Scope) -> Option<Amount> {
    let sign = minus(cursor);
    let words::Count { value, other, .. } = words::count(cursor, scope)?;
    Some(Amount { value: sign * value, other: other.map(|other| sign * other) })
}

/// Reads an amount that "and" ends: the first of "between 100 and 200".
pub(crate) fn amount_before_and(cursor: &mut Cursor<'_>) -> Option<Amount> {
    unsigned(cursor, Scope { joins: false, digits: true, parts: true, money: false })
}

fn is_currency(symbol: char) -> bool {
    matches!(symbol, '$' | '€' | '£' | '¥' | '₫' | '₩' | '₹')
}

/// Reads a sign, as a symbol or as a word: minus, 負, menos.
fn minus(cursor: &mut Cursor<'_>) -> f64 {
    // The "menos" of "al menos 20" belongs to the words before it.
    if !cursor.is_within(|term| matches!(term, Term::Bound(..)))
        && let Some(()) = cursor.attempt(|cursor| {
            let behind_number = cursor.follows(|term| matches!(term, Term::Number(_))).is_some()
                || cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
            cursor.eat(Term::Minus).filter(|()| !behind_number)
        })
    {
        return -1.0;
    }
    digits::sign(cursor)
}

/// Returns whether the main language of the text writes 1.234,5 for 1,234.5.
pub(crate) fn has_decimal_comma(cursor: &Cursor<'_>) -> bool {
    cursor.habits().decimal_comma
}

/// Reads a whole number without sign or separators, in digits or words: the 3 of "3 days".
pub(crate) fn count(cursor: &mut Cursor<'_>) -> Option<f64> {
    if let Some(digits) = cursor.attempt(Cursor::digits) {
        return digits.parse().ok().filter(|_| digits.len() <= 6);
    }
    words::count(cursor, Scope::WORDS).map(|count| count.value)
}

/// Reads a word that is a number only before some others: the few of "a few days".
pub(crate) fn soft_before(cursor: &mut Cursor<'_>, fits: impl Fn(Term) -> bool) -> Option<f64> {
    if cursor.sees(Term::NoNumber) {
        return None;
    }
    let value = cursor.take(soft).filter(|value| *value > 1.0)?;
    cursor.sees_any(fits).then_some(value)
}

/// Reads a whole number of any size, in digits and words: the 3萬 of 第3萬.
pub(crate) fn whole(cursor: &mut Cursor<'_>) -> Option<f64> {
    let scope = Scope { joins: true, digits: true, parts: false, money: false };
    words::count(cursor, scope).map(|count| count.value).filter(|value| value.fract() == 0.0)
}
