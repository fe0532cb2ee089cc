//! Numbers as positions are dictated: minus 33 point 9, one twenty two point five, two three point five.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::token::Shape;
use crate::extract::values::quantity::tidy;

use super::words::{self, Scope};
use super::{digits, fraction, minus};

/// The most numbers that are joined to one: "one two two point five".
const MOST_JOINED: usize = 3;

/// A number as it is dictated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dictated {
    pub(crate) value: f64,
    /// True if it has a decimal part.
    pub(crate) is_decimal: bool,
    /// True if any of it is in words.
    pub(crate) is_spoken: bool,
}

/// The signs and words that may be part of a dictated number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// The signs before the decimal part of digits.
    pub(crate) points: &'static str,
    /// True if "and" may stand within: one hundred and five.
    pub(crate) joins: bool,
}

impl Manner {
    /// The usual one, in which a point stands before decimals.
    pub(crate) const POINT: Self = Self { points: ".", joins: true };
}

/// Reads a number in digits or words with a sign and decimals.
pub(crate) fn dictated(cursor: &mut Cursor<'_>, manner: Manner) -> Option<Dictated> {
    let start = cursor.at;
    let sign = minus(cursor);
    let signed = cursor.at - start > 0 && cursor.back()?.shape() != Some(Shape::Symbol);
    if cursor.shape() != Some(Shape::Digits) {
        let scope = Scope { joins: manner.joins, digits: false, parts: true, money: false };
        let value = joined(cursor, scope)?;
        let value = sign * value;
        return Some(Dictated { value, is_decimal: value.fract() != 0.0, is_spoken: true });
    }
    let first = cursor.at;
    let whole = digits::decimal_of(cursor, manner.points)?;
    if cursor.at - first == 1
        && let Some(part) = cursor.attempt(fraction::spoken_decimal)
    {
        return Some(Dictated {
            value: sign * tidy(whole + part),
            is_decimal: true,
            is_spoken: true,
        });
    }
    let is_decimal = cursor.at - first > 1;
    Some(Dictated { value: sign * whole, is_decimal, is_spoken: signed })
}

/// Reads a number in words, also one in which "hundred" is left out, and one that is said digit by digit.
fn joined(cursor: &mut Cursor<'_>, scope: Scope) -> Option<f64> {
    let mut value = words::count(cursor, scope)?.value;
    let mut by_digits = value < 10.0;
    for _ in 0..MOST_JOINED {
        if value.fract() != 0.0 {
            break;
        }
        let next = cursor.attempt(|cursor| {
            let next = words::count(cursor, scope)?.value;
            match next.trunc() {
                10.0..100.0 if value == 1.0 => Some((100.0 + next, false)),
                0.0..10.0 if by_digits => Some((10.0 * value + next, true)),
                _ => None,
            }
        });
        let Some((longer, goes_on)) = next else { break };
        (value, by_digits) = (longer, goes_on);
    }
    Some(tidy(value))
}
