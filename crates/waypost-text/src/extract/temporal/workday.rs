//! Working days, counted from Monday to Friday: the next 4 business days, 3 días hábiles antes de hoy, the
//! next working day. Public holidays are not left out: they are matters of a place.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::values::number;

use super::calendars::gregorian::days_after;
use super::named::lately;
use super::stretch::Stretch;
use super::when::When;

/// Nobody counts more working days than these.
const MOST: f64 = 250.0;

/// The word stands at most so many tokens behind the first one: "the next twenty four working days".
const REACH: usize = 5;

/// Reads so many working days before or after today, or the one that is so many away.
pub(super) fn workdays(cursor: &mut Cursor<'_>) -> Option<When> {
    let is_near =
        |ahead| cursor.may_mean(ahead, Term::Workday) || cursor.may_mean(ahead, Term::Workdays);
    (0..REACH).any(is_near).then_some(())?;
    let ahead = cursor.attempt(inside).is_some();
    let before = cursor.attempt(lately);
    let count = cursor.attempt(number::count).filter(|count| count.fract() == 0.0);
    cursor.attempt(|cursor| cursor.eat(Term::Counter));
    let between = before.or_else(|| cursor.attempt(lately));
    cursor.take(|term| matches!(term, Term::Workday | Term::Workdays).then_some(()))?;
    let sign = between.or_else(|| cursor.attempt(behind));
    let away = if sign.is_none() { cursor.attempt(distance) } else { None };
    let sign = sign.or(away).or(ahead.then_some(1))?;
    let days = count.unwrap_or(1.0);
    (1.0..=MOST).contains(&days).then_some(())?;
    cursor.sentence.meter.steps(days as u32);
    let last = nth(cursor.today(), sign, days as i32)?;
    let is_one = count.is_none() || away.is_some() || ahead;
    if is_one {
        return Some(When::known(Stretch::day(last)?, rule(cursor.tongue, "date.workday")));
    }
    let first = nth(cursor.today(), sign, 1)?;
    let (start, end) = if sign < 0 { (last, first) } else { (first, last) };
    let all = Stretch::days(start, days_after(end, 1)?, Unit::Week)?;
    Some(When::known(all, rule(cursor.tongue, "range.workday")))
}

/// "in" or "within", before a length from now.
fn inside(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(|term| matches!(term, Term::In | Term::Inside).then_some(()))
}

fn behind(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::WhichAfter(sign @ (-1 | 1)) | Term::Lately(sign @ (-1 | 1)) => Some(sign),
        _ => None,
    })
}

fn distance(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::Ago => Some(-1),
        Term::Later => Some(1),
        _ => None,
    })
}

/// The nth working day after a day, or before it below zero.
fn nth(from: Date, sign: i32, count: i32) -> Option<Date> {
    let mut date = from;
    let mut left = count;
    while left > 0 {
        date = days_after(date, sign)?;
        left -= i32::from(date.weekday().to_monday_one_offset() <= 5);
    }
    Some(date)
}
