//! Days by their distance: yesterday, 3 days ago, last Friday, 下週一.

use super::calendar::{self, days_after, days_since};
use super::cursor::Cursor;
use super::date::{Day, Partial};
use super::small::stretch;
use super::term::{Term, Tongue, Unit, rule};

/// Reads today, yesterday, now and the like.
pub(super) fn named(cursor: &mut Cursor<'_>) -> Option<Day> {
    let offset = cursor.take(|term| match term {
        Term::Day(offset) => Some(Some(offset)),
        Term::Now => Some(None),
        _ => None,
    })?;
    let rule = match offset {
        Some(_) => rule!(cursor.tongue, "date.relative"),
        None => rule!(cursor.tongue, "date.now"),
    };
    let date = days_after(cursor.today(), offset.unwrap_or(0))?;
    Some(Day::new(Partial::Known(date), rule))
}

/// Reads a distance: 3 days ago, hace 3 días, in two weeks, 三天前.
pub(super) fn ago(cursor: &mut Cursor<'_>) -> Option<Day> {
    let (count, unit) = distance(cursor)?;
    let date = calendar::shift(cursor.today(), count, unit)?;
    Some(Day::new(Partial::Known(date), rule!(cursor.tongue, "date.distance")))
}

/// Reads a signed length: negative for the past.
pub(super) fn distance(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    if let Some(sign) = cursor.take(|term| match term {
        Term::AgoBefore => Some(-1.0),
        Term::Within => Some(1.0),
        _ => None,
    }) {
        let (count, unit) = stretch(cursor)?;
        return Some((sign * count, unit));
    }
    let (count, unit) = stretch(cursor)?;
    let sign = cursor.take(|term| match term {
        Term::Ago => Some(-1.0),
        Term::Later => Some(1.0),
        _ => None,
    })?;
    Some((sign * count, unit))
}

/// Reads a weekday with the word that says which: last Friday, 上週三, el lunes pasado.
pub(super) fn weekday(cursor: &mut Cursor<'_>) -> Option<Day> {
    let before = cursor.attempt(which);
    let on = cursor.follows(|term| term == Term::On).is_some();
    let weekday = cursor.take(|term| match term {
        Term::Weekday(day) => Some(day),
        Term::ShortWeekday(day) if before.is_some() || on => Some(day),
        _ => None,
    })?;
    let rule = |cursor: &Cursor<'_>| rule!(cursor.tongue, "date.weekday");
    if before.is_none()
        && let Some(week) = cursor.attempt(week_after)
    {
        let date = calendar::shift(cursor.today(), f64::from(week), Unit::Week)?;
        let date = calendar::weekday_of_week(date, weekday)?;
        return Some(Day::new(Partial::Known(date), rule(cursor)));
    }
    let which = before.or_else(|| cursor.attempt(which_after));
    let (first, other) = choose(cursor, weekday, which)?;
    let others = other.map(Partial::Known).into_iter().collect();
    Some(Day { others, ..Day::new(Partial::Known(first), rule(cursor)) })
}

type Days = (jiff::civil::Date, Option<jiff::civil::Date>);

/// The day meant by a weekday and the word beside it, with the runner-up.
fn choose(cursor: &Cursor<'_>, weekday: i8, which: Option<i32>) -> Option<Days> {
    let today = cursor.today();
    let back = days_since(today, weekday);
    let last = days_after(today, if back == 0 { -7 } else { -back })?;
    let next = days_after(today, 7 - back)?;
    let in_week = |offset: i32| {
        let day = calendar::weekday_of_week(today, weekday)?;
        days_after(day, 7 * offset)
    };
    Some(match which {
        None => (days_after(today, -back)?, Some(next)),
        // 上週三 and 下週三 name the week; "last Wednesday" is the nearest one.
        Some(offset) if cursor.tongue == Tongue::Zh => (in_week(offset)?, None),
        Some(0) => (in_week(0)?, None),
        Some(-1) => (last, in_week(-1)),
        Some(1) => (next, in_week(1)),
        Some(offset) => (in_week(offset)?, None),
    })
}

/// Reads last, this or next before what it names.
pub(super) fn which(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::Which(offset) => Some(offset),
        _ => None,
    })
}

/// Reads pasada, que viene and the like behind what they name.
pub(super) fn which_after(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::WhichAfter(offset) => Some(offset),
        _ => None,
    })
}

/// Reads "of next week", "last week", "de la semana pasada" behind a weekday.
fn week_after(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let before = cursor.attempt(which);
    cursor.eat(Term::Unit(Unit::Week))?;
    before.or_else(|| which_after(cursor))
}
