//! Two numbers of which one is meant: two or three, 兩三, 2、3, hai ba.
//!
//! Which one is left open, so that they are no number, no quantity and no amount of money. A length of
//! time takes the greater: the last two or three days are covered by three.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::values::unit::sees_unit;

use super::words::plain;

/// The most digits of such a number.
const LONGEST: usize = 3;

/// Reads both numbers, the lower first.
pub(crate) fn either(cursor: &mut Cursor<'_>) -> Option<(f64, f64)> {
    let in_one = cursor.take(|term| match term {
        Term::Either(low, high) => Some((low, high)),
        _ => None,
    });
    in_one.or_else(|| two(cursor).map(|(low, high, _)| (low, high)))
}

/// Returns whether a number is one of two of which one is meant, and which count something: two or three amps.
pub(crate) fn is_either(cursor: Cursor<'_>) -> bool {
    let first = counted_second(cursor).is_some();
    // The second stands one or two tokens behind the first.
    first || {
        let mut before = cursor;
        (0..2).any(|_| match before.back() {
            Some(back) => {
                before = back;
                counted_second(before) == Some(cursor.at)
            }
            None => false,
        })
    }
}

/// The token of the second number, where both count something.
fn counted_second(mut cursor: Cursor<'_>) -> Option<usize> {
    let (_, _, second) = two(&mut cursor)?;
    let counted = |term| {
        matches!(
            term,
            Term::Scale(_)
                | Term::Currency(_)
                | Term::CurrencySign(_)
                | Term::Unit(_)
                | Term::Counter
                | Term::Percent
        )
    };
    (sees_unit(cursor) || cursor.sees_any(counted)).then_some(second)
}

/// Reads two numbers in a row, with the token of the second.
fn two(cursor: &mut Cursor<'_>) -> Option<(f64, f64, usize)> {
    // Most numbers are alone: what may stand behind the first is looked at before any is read.
    let next = Cursor { at: cursor.at + 1, ..*cursor };
    let is_listed = matches!(next.peek_symbol(), Some('、' | '-'));
    if !(is_listed || next.may_mean(0, Term::Or) || next.may_mean(0, Term::Number(0.0))) {
        return None;
    }
    let in_words = cursor.shape() != Some(Shape::Digits);
    let low = single(cursor)?;
    let or = cursor.attempt(|cursor| cursor.eat(Term::Or)).is_some();
    // "two-three days" leaves the number open; 2-3 may be a score, a day or a range.
    let signs = if in_words { "、-" } else { "、" };
    let sign = !or && cursor.attempt(|cursor| cursor.symbol(signs)).is_some();
    let second = cursor.at;
    let high = single(cursor)?;
    // "twenty three" is one number.
    let follows = low + 1.0 == high && (sign || in_words && high < 10.0);
    (or && low < high || follows).then_some((low, high, second))
}

/// Reads a number of one token.
fn single(cursor: &mut Cursor<'_>) -> Option<f64> {
    let start = cursor.at;
    let value = match cursor.attempt(Cursor::digits) {
        Some(digits) => digits.parse().ok().filter(|_| digits.len() <= LONGEST)?,
        None => cursor.take(plain)?,
    };
    (cursor.at == start + 1 && value > 0.0).then_some(value)
}
