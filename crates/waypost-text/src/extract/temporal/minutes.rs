//! Minutes behind an hour: 半, "y media", 30分, the g45 of 10g45, the figures on the face of a clock.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number;

/// Reads the g45 of 10g45.
pub(super) fn hour_sign(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.is_glued().then_some(())?;
    cursor.eat(Term::HourSign)?;
    let minute = cursor.glued_digits().filter(|digits| digits.len() == 2)?.parse().ok()?;
    ((0.0..60.0).contains(&minute) && cursor.is_closed("-/.,:")).then_some(minute)
}

/// Reads 半, "y media", 30分 or a bare 30 behind the hour; less than nothing for "menos cuarto".
pub(super) fn minutes_behind(cursor: &mut Cursor<'_>) -> Option<f64> {
    if let Some(fixed) = cursor.take(|term| match term {
        Term::Minutes(minutes) => Some(f64::from(minutes)),
        Term::MinutesTo(minutes) => Some(-f64::from(minutes)),
        _ => None,
    }) {
        return Some(fixed);
    }
    if let Some(minutes) = cursor.attempt(fives) {
        return Some(minutes);
    }
    let sign = match cursor.attempt(|cursor| cursor.eat(Term::ToHour)) {
        Some(()) => -1.0,
        None => {
            cursor.attempt(|cursor| cursor.eat(Term::And));
            1.0
        }
    };
    let from = cursor.at;
    let minute = number::count(cursor).filter(|minute| (0.0..60.0).contains(minute))?;
    // 十點五 is a decimal; 十點零五 and 十點十五 are not.
    let short = cursor.at - from == 1 && cursor.sentence.tokens.text(from).chars().count() == 1;
    let marked = cursor.attempt(|cursor| {
        cursor
            .take(|term| matches!(term, Term::MinuteMark | Term::Unit(Unit::Minute)).then_some(()))
    });
    // "las 3 y 5 días" is not five past three.
    let open = cursor.sees_any(|term| {
        matches!(term, Term::Unit(_) | Term::HourMark | Term::DayMark | Term::MonthMark)
    });
    let half = cursor.sees_any(|term| matches!(term, Term::Meridiem(_)));
    let bare = !open && (!short || sign < 0.0) && (half || cursor.is_closed("-/.,:"));
    (marked.is_some() || bare).then_some(sign * minute)
}

/// Reads 踏三, 搭半 and 三個字 behind the hour: the figures on the face of a clock.
fn fives(cursor: &mut Cursor<'_>) -> Option<f64> {
    let told = cursor.attempt(|cursor| cursor.eat(Term::Fives)).is_some();
    if told && let Some(fixed) = cursor.attempt(|cursor| cursor.take(fixed_minute)) {
        return Some(fixed);
    }
    let count = number::count(cursor).filter(|count| (1.0..12.0).contains(count))?;
    let unit = cursor.attempt(|cursor| {
        cursor.take(|term| match term {
            Term::Units(many, Unit::Minute) => Some(f64::from(many)),
            _ => None,
        })
    });
    Some(count * unit.or(told.then_some(5.0))?)
}

/// The 三 of 晏晝三點三, a figure on the face of a clock, where nothing goes on behind it.
pub(super) fn face(cursor: &mut Cursor<'_>) -> Option<f64> {
    let from = cursor.at;
    let count = number::count(cursor).filter(|count| (1.0..12.0).contains(count))?;
    let plain = cursor.tongue.counts_weeks && cursor.sentence.shape(from) == Some(Shape::Han);
    (plain && cursor.shape() != Some(Shape::Han)).then_some(count * 5.0)
}

pub(super) fn fixed_minute(term: Term) -> Option<f64> {
    match term {
        Term::Minutes(minutes) => Some(f64::from(minutes)),
        _ => None,
    }
}

/// Reads the rưỡi of "6 rưỡi sáng".
pub(super) fn minutes_before_part(cursor: &mut Cursor<'_>) -> Option<f64> {
    let minutes = cursor.take(|term| match term {
        Term::Minutes(minutes) => Some(f64::from(minutes)),
        _ => None,
    })?;
    let part = |term| matches!(term, Term::Meridiem(_) | Term::Part(_) | Term::DayPart(..));
    cursor.sees_any(part).then_some(minutes)
}
