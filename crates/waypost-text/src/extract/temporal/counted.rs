//! Days found by counting others: 2 Thursdays ago, Friday after next, the third Tuesday after
//! Christmas, the closest Monday to October 5th.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Holiday, Order, Term};
use crate::extract::values::{number, ordinal};

use super::calendars::feast::days_in;
use super::calendars::gregorian::{days_after, days_since};
use super::compose::when;
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// Nobody counts more weekdays than these.
const MOST: i32 = 500;

/// The closest holiday is looked for among so many years on both sides.
const YEARS: i16 = 16;

/// 2 thursdays ago, 3 fridays from now
pub(super) fn weekdays_away(cursor: &mut Cursor<'_>) -> Option<When> {
    let count = place_of(number::count(cursor)?)?;
    let weekday = weekday(cursor)?;
    let sign = cursor.take(|term| match term {
        Term::Ago => Some(-1),
        Term::Later => Some(1),
        _ => None,
    })?;
    let date = nth_from(cursor.today(), weekday, sign * count)?;
    Some(When::known(Stretch::day(date)?, rule(cursor.tongue, "date.weekday")))
}

/// friday after next
pub(super) fn after_next(cursor: &mut Cursor<'_>) -> Option<When> {
    let weekday = weekday(cursor)?;
    cursor.eat(Term::Order(Order::After))?;
    cursor.eat(Term::Which(1))?;
    let date = nth_from(cursor.today(), weekday, 2)?;
    Some(When::known(Stretch::day(date)?, rule(cursor.tongue, "date.weekday")))
}

/// third Tuesday after Christmas, the first Monday before May 5
pub(super) fn nth_weekday(cursor: &mut Cursor<'_>) -> Option<When> {
    let place =
        i32::try_from(ordinal::rank(cursor)?).ok().filter(|place| (1..MOST).contains(place))?;
    let weekday = weekday(cursor)?;
    let sign = cursor.take(|term| match term {
        Term::Order(Order::Before) => Some(-1),
        Term::Order(Order::After) => Some(1),
        _ => None,
    })?;
    let rule = rule(cursor.tongue, "date.weekday");
    let found = around(cursor, |whole| {
        let from = if sign < 0 { whole.start.date() } else { days_after(whole.end.date(), -1)? };
        nth_from(from, weekday, sign * place)
    })?;
    Some(When::any_of(found, rule))
}

/// the closest Monday to October 5th, the second closest Christmas to today
pub(super) fn closest(cursor: &mut Cursor<'_>) -> Option<When> {
    let place = cursor.attempt(ordinal::rank).unwrap_or(1);
    let place = usize::try_from(place).ok()?.checked_sub(1)?;
    cursor.eat(Term::Nearest)?;
    let looked_for = cursor.take(|term| match term {
        Term::Weekday(day) | Term::ShortWeekday(day) => Some(Ok(day)),
        Term::Holiday(holiday) => Some(Err(holiday)),
        _ => None,
    })?;
    cursor.take(|term| matches!(term, Term::To | Term::From).then_some(()))?;
    let rule = rule(cursor.tongue, "date.nearest");
    // As many days are reckoned on either side.
    cursor.sentence.meter.steps(2 * MOST.unsigned_abs());
    let found = around(cursor, |whole| {
        let from = whole.start.date();
        let mut all = match looked_for {
            Ok(weekday) => weekdays_around(from, weekday, i32::try_from(place).ok()?),
            Err(holiday) => holidays_around(from, holiday),
        };
        all.sort_by_key(|day| (*day - from).get_days().abs());
        all.get(place).copied()
    })?;
    Some(When::any_of(found, rule))
}

/// A day for each reading of the time that follows.
fn around(
    cursor: &mut Cursor<'_>,
    pick: impl Fn(&Stretch) -> Option<Date>,
) -> Option<Vec<Stretch>> {
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let other = year_or(cursor)?;
    let all = settle(&other, cursor).ok()?;
    let found: Vec<Stretch> = all.iter().filter_map(|one| Stretch::day(pick(one)?)).collect();
    (!found.is_empty()).then_some(found)
}

fn year_or(cursor: &mut Cursor<'_>) -> Option<When> {
    if let Some(found) = cursor.attempt(when) {
        return Some(found);
    }
    let year = super::dates::calendar_year(cursor)?;
    Some(When { year: Some(year), ..When::new("range.year") })
}

fn weekdays_around(from: Date, weekday: i8, count: i32) -> Vec<Date> {
    let count = count.min(MOST);
    (-count - 1..=count + 1).filter_map(|place| nth_from(from, weekday, place)).collect()
}

fn holidays_around(from: Date, holiday: Holiday) -> Vec<Date> {
    let year = from.year();
    let years = year.saturating_sub(YEARS)..=year.saturating_add(YEARS);
    years.flat_map(|year| days_in(holiday, year)).filter(|day| *day != from).collect()
}

/// The nth such weekday after a day, or before it below zero; the day itself is the 0th.
fn nth_from(date: Date, weekday: i8, place: i32) -> Option<Date> {
    let back = days_since(date, weekday);
    let zeroth = days_after(date, -back)?;
    let step = match place {
        // The last one is the first before.
        ..0 if back > 0 => place + 1,
        0 if back > 0 => return None,
        _ => place,
    };
    days_after(zeroth, step.checked_mul(7)?)
}

fn place_of(count: f64) -> Option<i32> {
    (count.fract() == 0.0 && (1.0..f64::from(MOST)).contains(&count)).then_some(count as i32)
}

fn weekday(cursor: &mut Cursor<'_>) -> Option<i8> {
    cursor.take(|term| match term {
        Term::Weekday(day) | Term::Weekdays(day) | Term::ShortWeekday(day) => Some(day),
        _ => None,
    })
}
