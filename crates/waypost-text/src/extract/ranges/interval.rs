//! Stretches of numbers: more than 5, between 3 and 10, 1000-5000, ≥ 30, 大於十小於二十, "5 or more".
//!
//! They are only looked for when asked ([`crate::extract::of_kind`]): in a request "more than 50000
//! nets" the number counts, and a stretch would take it away.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Side, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Interval, Reading};
use crate::extract::values::number;
use crate::extract::values::ordinal;
use crate::extract::values::percentage;

/// Finds a stretch of numbers.
pub(crate) fn interval(cursor: &mut Cursor<'_>) -> Option<Found> {
    // x>10 and x大於10 compare a letter with a number.
    let in_digits = matches!(cursor.shape(), Some(Shape::Digits | Shape::Word));
    if in_digits && !cursor.is_fresh() {
        return None;
    }
    let interval = cursor.first_of(&[between, half_bounded, dashed, equal, vague])?;
    let other = interval.without_end().map(Reading::Interval);
    let rule = rule(cursor.tongue, "interval");
    Some(Found::new(Kind::Interval, Reading::Interval(interval), rule).or(other))
}

/// A number, or a place in an order: "between the tenth and the fifteenth".
fn value(cursor: &mut Cursor<'_>, before_and: bool) -> Option<f64> {
    cursor.attempt(|cursor| cursor.eat(Term::The));
    if let Some(place) = cursor.attempt(ordinal::place_of) {
        return Some(place);
    }
    if let Some(share) = cursor.attempt(percentage::announced) {
        return Some(share);
    }
    let amount =
        if before_and { number::amount_before_and(cursor)? } else { number::amount(cursor)? };
    let closed = cursor.is_closed("/:.") || cursor.shape() == Some(Shape::Han);
    (closed && amount.value.is_finite()).then_some(amount.value)
}

/// between 20 and 30, from 200 to 300, 在第十和第十五之間
fn between(cursor: &mut Cursor<'_>) -> Option<Interval> {
    let announced = cursor.take(|term| match term {
        Term::Between => Some(Some(Term::And)),
        Term::From => Some(Some(Term::To)),
        Term::In | Term::At => Some(None),
        _ => None,
    });
    let low = value(cursor, true)?;
    let joined = |term| match announced {
        Some(Some(joint)) => term == joint || term == Term::To,
        _ => matches!(term, Term::And | Term::To),
    };
    if !cursor.sees_any(joined) {
        return None;
    }
    cursor.take(|term| joined(term).then_some(()))?;
    let high = value(cursor, false)?;
    let behind = cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter)).is_some();
    (matches!(announced, Some(Some(_))) || behind).then_some(())?;
    Interval::closed(low, high)
}

/// 1000-5000, 20~100, 一到五
fn dashed(cursor: &mut Cursor<'_>) -> Option<Interval> {
    let from = *cursor;
    let low = value(cursor, true)?;
    let to = cursor.attempt(|cursor| cursor.eat(Term::To)).is_some();
    if !to {
        cursor.symbol("-–—~〜")?;
    }
    // 1995-01 is a month, and +1-222 a telephone.
    let zero = cursor.sentence.tokens.text(cursor.at).starts_with('0');
    let signed = matches!(from.character(), '+');
    let high = value(cursor, false)?;
    let more = cursor.is_glued() && matches!(cursor.peek_symbol(), Some('-' | '–' | '~' | '/'));
    if zero && high != 0.0 || signed || more {
        return None;
    }
    Interval::closed(low, high)
}

/// One bound, or two that belong together: greater than 10 and at most 20.
fn half_bounded(cursor: &mut Cursor<'_>) -> Option<Interval> {
    let first = bound(cursor)?;
    let both = cursor.attempt(|cursor| {
        joint(cursor);
        first.and(bound(cursor)?)
    });
    Some(both.unwrap_or(first))
}

/// Reads what may stand between two bounds: "and", "but", a comma.
fn joint(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| cursor.symbol(",，、"));
    cursor
        .attempt(|cursor| cursor.take(|term| matches!(term, Term::And | Term::But).then_some(())));
}

fn bound(cursor: &mut Cursor<'_>) -> Option<Interval> {
    cursor.first_of(&[bound_before, bound_around, bound_behind])
}

/// more than 5, at least 4, ≥ 30, "less than 5000 or equal"
fn bound_before(cursor: &mut Cursor<'_>) -> Option<Interval> {
    // The > of => and <> compares nothing.
    let torn = cursor.is_glued()
        && cursor
            .back()
            .is_some_and(|before| matches!(before.peek_symbol(), Some('<' | '=' | '>')));
    let side = comparison(cursor).filter(|_| !torn)?;
    let limit = value(cursor, false)?;
    let equal = cursor.attempt(or_equal_behind).is_some();
    let side = if equal { side.including() } else { side };
    Some(Interval::beyond(side, limit))
}

/// Reads "or equal", which a number that follows takes for itself.
fn or_equal_behind(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::OrEqual)?;
    cursor.attempt(value_ahead).is_none().then_some(())
}

fn value_ahead(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.attempt(|cursor| cursor.eat(Term::Than));
    value(cursor, false)
}

/// Reads a comparison: "over", "more than", "equal to or less than", "bigger or equal than".
pub(crate) fn comparison(cursor: &mut Cursor<'_>) -> Option<Side> {
    let equal = cursor.attempt(|cursor| cursor.eat(Term::EqualOr)).is_some();
    let side = cursor.attempt(full_comparison).or_else(|| cursor.attempt(adjective_comparison))?;
    let more = cursor.attempt(|cursor| {
        cursor.eat(Term::OrEqual)?;
        cursor.attempt(|cursor| cursor.eat(Term::Than));
        Some(())
    });
    Some(if equal || more.is_some() { side.including() } else { side })
}

fn full_comparison(cursor: &mut Cursor<'_>) -> Option<Side> {
    cursor.take(|term| match term {
        Term::Bound(side) => Some(side),
        _ => None,
    })
}

/// Reads "bigger than" and "bigger or equal than".
fn adjective_comparison(cursor: &mut Cursor<'_>) -> Option<Side> {
    let side = cursor.take(|term| match term {
        Term::Compare(side) => Some(side),
        _ => None,
    })?;
    let equal = cursor.attempt(|cursor| cursor.eat(Term::OrEqual)).is_some();
    let than = cursor.attempt(|cursor| cursor.eat(Term::Than)).is_some();
    let after = !equal && cursor.attempt(|cursor| cursor.eat(Term::OrEqual)).is_some();
    cursor.attempt(|cursor| cursor.eat(Term::Than));
    (equal || than).then(|| if equal || after { side.including() } else { side })
}

/// 比一百大
fn bound_around(cursor: &mut Cursor<'_>) -> Option<Interval> {
    cursor.eat(Term::ComparedWith)?;
    let limit = value(cursor, false)?;
    let side = cursor.take(|term| match term {
        Term::Compare(side) => Some(side),
        _ => None,
    })?;
    Some(Interval::beyond(side, limit))
}

/// 5 or more, 五百以上, "equal to 5000 or less"
fn bound_behind(cursor: &mut Cursor<'_>) -> Option<Interval> {
    cursor.attempt(|cursor| cursor.eat(Term::EqualTo));
    let limit = value(cursor, false)?;
    // 20萬次以上
    let counted = cursor.attempt(|cursor| {
        cursor.eat(Term::Counter)?;
        behind(cursor)
    });
    let side = counted.or_else(|| behind(cursor))?;
    Some(Interval::beyond(side, limit))
}

pub(crate) fn behind(cursor: &mut Cursor<'_>) -> Option<Side> {
    let side = cursor.take(|term| match term {
        Term::BoundAfter(side) => Some(side),
        _ => None,
    })?;
    // "200 or greater than 190" is two things.
    cursor.attempt(value_ahead).is_none().then_some(side)
}

/// equal to 170
fn equal(cursor: &mut Cursor<'_>) -> Option<Interval> {
    cursor.eat(Term::EqualTo)?;
    let value = value(cursor, false)?;
    Interval::closed(value, value)
}

/// 五百多, 十幾萬: some more than that.
fn vague(cursor: &mut Cursor<'_>) -> Option<Interval> {
    let from = cursor.at;
    let least = value(cursor, false)?;
    let odd = |at: usize| cursor.sentence.senses(at).iter().any(|sense| sense.term == Term::Odd);
    let within = (from..cursor.at).any(odd);
    if !within {
        cursor.eat(Term::Odd)?;
    }
    Some(Interval::beyond(Side::MORE_THAN, least))
}
