//! Parts of one: two thirds, three and a half, tres cuartos, 三分之一, two point five.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::values::ordinal;

use super::minus;
use super::words::{self, Scope, Sum, scale};

/// The scope in which the parts of a fraction are read: without a fraction of their own.
const WHOLE: Scope = Scope { joins: false, digits: true, parts: false, money: false };

/// A decimal part longer than this adds nothing to a number.
const LONGEST_DECIMAL: usize = 18;

/// Reads what stands for a fraction by itself or before a magnitude: a half, half a, quarter.
///
/// Unless something says that a number is meant, only words that mean nothing else are one: a
/// "media" is an average as well.
pub(crate) fn leading(cursor: &mut Cursor<'_>, is_number: bool) -> Option<f64> {
    let one = cursor.attempt(|cursor| cursor.eat(Term::One)).is_some();
    let alone = one || is_number || cursor.sees(Term::LoneHalf);
    if cursor.attempt(|cursor| cursor.eat(Term::Half)).is_some() {
        let ahead = cursor.attempt(before_scale).is_some() || cursor.sees_any(is_scale);
        return (alone || ahead).then_some(0.5);
    }
    let below = ordinal::denominator(cursor)?;
    let ahead = cursor.attempt(before_scale).is_some() || cursor.sees_any(is_scale);
    (ahead || one && below.is_singular).then_some(1.0 / below.value)
}

fn is_scale(term: Term) -> bool {
    scale(term).is_some()
}

/// Reads the "of a" of "two thirds of a million".
fn before_scale(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::One));
    cursor.sees_any(is_scale).then_some(())
}

/// Makes the number before it a part: "fifths" behind three, 分之一 behind 三, "over 20" behind 1.
pub(crate) fn whole_of(cursor: &mut Cursor<'_>, sum: &mut Sum, in_digits: bool) -> Option<()> {
    let before = sum.value();
    let value = cursor
        .attempt(|cursor| parts_first(cursor, before))
        .or_else(|| cursor.attempt(|cursor| over(cursor, before)))
        .or_else(
            || if in_digits { None } else { cursor.attempt(|cursor| parts(cursor, before)) },
        )?;
    *sum = Sum::of(value);
    if cursor.attempt(before_scale).is_some() {
        sum.scale(cursor.take(scale)?)?;
    }
    Some(())
}

/// Reads the "fifths" of "three fifths", and the "fifth" of "one fifth".
fn parts(cursor: &mut Cursor<'_>, above: f64) -> Option<f64> {
    cursor.attempt(|cursor| cursor.symbol("-—–"));
    let below = ordinal::denominator(cursor)?;
    (above == 1.0 || below.is_plural).then_some(above / below.value)
}

/// Reads the 分之一 of 三分之一.
fn parts_first(cursor: &mut Cursor<'_>, below: f64) -> Option<f64> {
    cursor.eat(Term::PartsOf)?;
    let sign = minus(cursor);
    let above = words::count(cursor, Scope { parts: true, ..WHOLE })?.value;
    (below != 0.0).then_some(sign * above / below)
}

/// Reads the "over 20" of "1 over 20". "12 out of 10" is no part of anything.
fn over(cursor: &mut Cursor<'_>, above: f64) -> Option<f64> {
    let is_share = cursor.take(|term| match term {
        Term::Over => Some(false),
        Term::OutOf => Some(true),
        _ => None,
    })?;
    let below = words::count(cursor, Scope { joins: true, ..WHOLE })?.value;
    // "sales of 5 over 3 days" divide nothing.
    let counts = cursor.sees_any(|term| matches!(term, Term::Unit(_)));
    let fits = below != 0.0 && !(is_share && above > below) && cursor.is_closed(".,/-:");
    (fits && !counts).then_some(above / below)
}

/// Reads a fraction that is added to the number before it: "and a half", 又三分之一.
///
/// If "and" may join ones to the tens, as in "treinta y dos quintos", it adds halves only.
pub(crate) fn added(cursor: &mut Cursor<'_>, joins_ones: bool) -> Option<f64> {
    if cursor.attempt(bare_half).is_some() {
        return Some(0.5);
    }
    let and = cursor.take(|term| match term {
        Term::And => Some(true),
        Term::Point | Term::Again => Some(false),
        _ => None,
    })?;
    let part = if and && joins_ones { leading(cursor, true) } else { part(cursor) };
    part.filter(|part| *part < 1.0)
}

/// Reads the half that stands behind a number without an "and": dua setengah, 6 rưỡi.
///
/// A 半 behind a number alone begins another word as often, and 五個半 is a number only where it ends there.
fn bare_half(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.may_mean(0, Term::AndHalf).then_some(())?;
    let (from, is_han) = (cursor.at, cursor.shape() == Some(Shape::Han));
    cursor.eat(Term::AndHalf)?;
    if is_han {
        return (cursor.at > from + 1 && cursor.shape() != Some(Shape::Han)).then_some(());
    }
    // In "tanggal 5 setengah tiga" the half is taken from the hour behind it.
    let hour = |term| matches!(term, Term::Number(_));
    (!cursor.sees_any(hour)).then_some(())
}

/// Reads the half of a magnitude that stands right behind it: hai trăm rưỡi, 兩萬半, dua juta setengah.
pub(crate) fn half_of_magnitude(cursor: &mut Cursor<'_>) -> Option<f64> {
    /// Nobody says half of ten so.
    const LEAST: f64 = 100.0;
    cursor.may_mean(0, Term::AndHalf).then_some(())?;
    let mut before = cursor.sentence.senses_before(cursor.at);
    let magnitude = before.find_map(|sense| scale(sense.term)).filter(|scale| *scale >= LEAST)?;
    let from = cursor.at;
    cursor.eat(Term::AndHalf)?;
    // "Two hundred and a half" are not two hundred and fifty.
    (cursor.at == from + 1 && ends_number(*cursor)).then_some(magnitude / 2.0)
}

/// Returns whether no other word begins with the character before: the 半 of 兩萬半導體 does.
fn ends_number(cursor: Cursor<'_>) -> bool {
    let counts = |term| {
        matches!(
            term,
            Term::Counter
                | Term::Currency(_)
                | Term::CurrencySign(_)
                | Term::Measure(_)
                | Term::Sign(_)
                | Term::Of
                | Term::Scale(_)
        )
    };
    cursor.shape() != Some(Shape::Han) || cursor.sees_any(counts)
}

/// Reads a fraction of one behind "and", in digits or words: and a quarter, y tres cuartos.
pub(crate) fn and_part(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.eat(Term::And)?;
    part(cursor).filter(|part| *part < 1.0)
}

/// Reads a fraction of one, with its numerator.
fn part(cursor: &mut Cursor<'_>) -> Option<f64> {
    if let Some(value) = cursor.attempt(|cursor| leading(cursor, true)) {
        return Some(value);
    }
    let count = words::count(cursor, WHOLE)?;
    cursor
        .attempt(|cursor| parts_first(cursor, count.value))
        .or_else(|| if count.in_digits { None } else { parts(cursor, count.value) })
}

/// Reads the "point zero five" of a number: digit by digit, or as one number.
pub(crate) fn spoken_decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.eat(Term::Point)?;
    let mut decimals = String::from("0.");
    while decimals.len() < LONGEST_DECIMAL {
        let Some(digit) = cursor.attempt(digit) else { break };
        decimals.push_str(digit);
        if digit.len() > 1 {
            return decimals.parse().ok();
        }
    }
    let single = decimals.len() - "0.".len();
    if let Some(number) = cursor.attempt(|cursor| number_word(cursor, single)) {
        decimals.push_str(&number);
        return decimals.parse().ok();
    }
    if single == 0 {
        return None;
    }
    decimals.parse().ok()
}

/// Reads one digit as a word, or a row of digits.
fn digit<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    if let Some(digits) = cursor.attempt(crate::extract::grammar::cursor::Cursor::digits) {
        return Some(digits);
    }
    let value = cursor.take(|term| match term {
        Term::Number(value) | Term::SoftNumber(value) | Term::InnerNumber(value)
            if value < 10.0 && value.fract() == 0.0 =>
        {
            Some(value)
        }
        _ => None,
    })?;
    DIGITS.get(value as usize).copied()
}

/// Reads the "twenty-eight" of "point twenty-eight"; behind zeros and no other digit too.
fn number_word(cursor: &mut Cursor<'_>, single: usize) -> Option<String> {
    let value = words::count(cursor, Scope { joins: true, ..Scope::WORDS })?.value;
    (single == 0 && value.fract() == 0.0 && value < 1e15).then(|| format!("{value}"))
}

/// Reads a decimal number that leaves its zero out: "point 77". Only an answer of its own is one.
pub(crate) fn bare_decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    let at_start = cursor.back().is_none_or(|before| before.shape() == Some(Shape::Symbol));
    let value = spoken_decimal(cursor)?;
    (at_start && cursor.shape().is_none()).then_some(value)
}

/// Returns whether it is twenty, thirty … ninety.
pub(crate) fn is_tens(value: f64) -> bool {
    (20.0..100.0).contains(&value) && value % 10.0 == 0.0
}

/// Returns whether parts from one to nine of something follow: the "fifths" of "thirty fifths".
pub(crate) fn sees_small_parts(mut cursor: Cursor<'_>) -> bool {
    cursor.symbol("-—–");
    cursor.sees_any(|term| matches!(term, Term::Parts(parts) if parts < 10.0))
}
