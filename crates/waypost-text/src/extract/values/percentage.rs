//! Shares in percent: 20%, fifty percent, 百分之二十, 三成, 八折.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

use super::number;

/// Finds a share.
pub(crate) fn percentage(cursor: &mut Cursor<'_>) -> Option<Found> {
    let value = cursor.first_of(&[announced, followed, halved])?;
    // The % of `%20` in an address is none.
    let fits = value.is_finite() && (cursor.shape() != Some(Shape::Digits) || !cursor.is_glued());
    let reading = Reading::Number(value);
    fits.then(|| Found::new(Kind::Percentage, reading, rule(cursor.tongue, "percentage")))
}

/// Reads 百分之二十, "per cent of 20".
pub(crate) fn announced(cursor: &mut Cursor<'_>) -> Option<f64> {
    let is_number = |term| matches!(term, Term::Number(_) | Term::Scale(_) | Term::Percent);
    let after_digits = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    if after_digits || cursor.follows(is_number).is_some() {
        return None;
    }
    let factor = cursor.take(|term| match term {
        Term::PercentOf(factor) => Some(factor),
        _ => None,
    })?;
    if let Some(amount) = cursor.attempt(number::amount) {
        // 百分之二三十 names no number,
        // and the 20% of "a percentage of 20%" stands for itself.
        let vague = cursor
            .sees_any(|term| matches!(term, Term::Number(_) | Term::Percent | Term::PerMille));
        return (!vague).then(|| round(amount.value * factor));
    }
    // 百分之百 is all of it.
    let scale = cursor.take(|term| match term {
        Term::Scale(scale) => Some(scale),
        _ => None,
    })?;
    Some(scale * factor)
}

/// Reads 20%, twenty percent, 2/3%, 三成, 八折.
fn followed(cursor: &mut Cursor<'_>) -> Option<f64> {
    let fresh = is_fresh(cursor);
    let amount = number::amount(cursor)?.value;
    let mark = cursor.attempt(mark).or_else(|| cursor.attempt(digit_before_discount))?;
    let value = match mark {
        Mark::Share(factor) => amount * factor,
        Mark::Tenths => tenths(cursor, amount),
        Mark::Discount => discount(amount)?,
        // 七 五 折
        Mark::Digit(digit) if (1.0..10.0).contains(&amount) => discount(amount * 10.0 + digit)?,
        Mark::Digit(_) => return None,
    };
    fresh.then(|| round(value))
}

/// A mark that makes a share of the number before it.
enum Mark {
    Share(f64),
    Tenths,
    Discount,
    Digit(f64),
}

fn mark(cursor: &mut Cursor<'_>) -> Option<Mark> {
    cursor.take(|term| match term {
        Term::Percent => Some(Mark::Share(1.0)),
        Term::PerMille => Some(Mark::Share(0.1)),
        Term::Tenths => Some(Mark::Tenths),
        Term::Discount => Some(Mark::Discount),
        _ => None,
    })
}

fn digit_before_discount(cursor: &mut Cursor<'_>) -> Option<Mark> {
    let digit = number::count(cursor).filter(|digit| *digit < 10.0)?;
    cursor.eat(Term::Discount)?;
    Some(Mark::Digit(digit))
}

/// 三成, 八點五成, 三成半
fn tenths(cursor: &mut Cursor<'_>, amount: f64) -> f64 {
    let half = cursor.attempt(|cursor| cursor.eat(Term::Half)).is_some();
    amount * 10.0 + if half { 5.0 } else { 0.0 }
}

/// 八折 is 80, 七五折 is 75: what is left of a price.
fn discount(amount: f64) -> Option<f64> {
    let value = if amount < 10.0 { amount * 10.0 } else { amount };
    (amount != 10.0 && value > 0.0 && value < 100.0).then_some(value)
}

/// Reads 半成, 半折, 打對折.
fn halved(cursor: &mut Cursor<'_>) -> Option<f64> {
    if !cursor.is_fresh() {
        return None;
    }
    if cursor.attempt(|cursor| cursor.eat(Term::HalfPrice)).is_some() {
        return Some(50.0);
    }
    cursor.eat(Term::Half)?;
    cursor.take(|term| match term {
        Term::Tenths => Some(5.0),
        Term::Discount => Some(50.0),
        _ => None,
    })
}

/// Returns whether a share may begin here: also behind a dash, as in 5-20%, but not inside an
/// address.
fn is_fresh(cursor: &Cursor<'_>) -> bool {
    let Some(before) = cursor.back().filter(|_| cursor.is_glued()) else { return true };
    match before.peek_symbol() {
        Some('%') => false,
        Some('-') => true,
        // 二三十個百分點
        None if before.shape() == Some(Shape::Han) => {
            cursor.follows(|term| matches!(term, Term::Number(_))).is_none()
        }
        _ => cursor.is_fresh(),
    }
}

/// Takes away the last digits that multiplying by a tenth leaves: 0.1 × 3 is 0.3.
fn round(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}
