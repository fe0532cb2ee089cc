//! Fills in what was not said: which year, which Monday. The past or today comes first, as data is
//! asked for more often than forecasts; the future is the other reading. If the clause has a tense, that decides.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use crate::extract::conventions::Hours;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Part, Tense, Unit};
use crate::extract::value::Fault;

use super::calendars::gregorian::{self, days_after};
use super::stretch::Stretch;
use super::tense;
use super::when::When;

/// No more readings than these are kept.
const MOST: usize = 16;

/// The number of days within which a day by its weekday and number is looked for: both meet at
/// least once a year.
const REACH: i32 = 400;

/// Within so many years every date but the last of February is on every weekday.
const YEARS: i32 = 12;

/// The stretches that a time may mean, the likeliest first.
pub(super) fn settle(when: &When, cursor: &Cursor<'_>) -> Result<Vec<Stretch>, Fault> {
    if let Some(fault) = when.fault {
        return Err(fault);
    }
    let mut found = days(when, cursor)?;
    if when.swaps
        && let (Some(month), Some(day)) = (when.month, when.day)
    {
        let swapped = When { month: Some(day), day: Some(month), ..when.clone() };
        found.extend(days(&swapped, cursor).unwrap_or_default());
    }
    keep_tense(&mut found, cursor);
    found.truncate(MOST);
    Ok(timed(when, cursor, found))
}

/// Leaves the readings that fit the tense of the clause, if any does: "was it warm on Monday" is of the last one.
fn keep_tense(found: &mut Vec<Stretch>, cursor: &Cursor<'_>) {
    let today = cursor.today();
    let begun = |one: &Stretch| one.start.date() <= today;
    let to_come = |one: &Stretch| one.end.date() > today;
    if found.iter().all(begun) || found.iter().all(to_come) {
        return;
    }
    match tense::around(cursor) {
        Some(Tense::Past) if found.iter().any(begun) => found.retain(begun),
        Some(Tense::Future) if found.iter().any(to_come) => found.retain(to_come),
        _ => {}
    }
}

/// Puts the time of day on each day.
fn timed(when: &When, cursor: &Cursor<'_>, mut days: Vec<Stretch>) -> Vec<Stretch> {
    if when.has_time() && days.iter().any(Stretch::is_day) {
        days.retain(Stretch::is_day);
    }
    if let Some(clock) = when.clock {
        let each = |day: &Stretch| {
            let date = day.start.date();
            clock
                .times()
                .filter_map(move |time| Stretch::instant(date.to_datetime(time), clock.grain))
        };
        // All days with the likelier time first.
        let mut found: Vec<Stretch> = days.iter().filter_map(|day| each(day).next()).collect();
        found.extend(days.iter().filter_map(|day| each(day).nth(1)));
        found.truncate(MOST);
        return found;
    }
    match when.part {
        None => days,
        Some(part) => {
            let hours = hours_of(&cursor.context.conventions.hours, part);
            days.iter().filter_map(|day| Stretch::hours(day.start.date(), hours)).collect()
        }
    }
}

/// The hour at which a part of the day begins, and the one at which it ends.
pub(super) fn hours_of(hours: &Hours, part: Part) -> (i8, i8) {
    match part {
        Part::Dawn => hours.dawn,
        Part::EarlyMorning => hours.early_morning,
        Part::Morning => hours.morning,
        Part::Breakfast => hours.breakfast,
        Part::LateMorning => hours.late_morning,
        Part::Noon => hours.lunch,
        Part::EarlyAfternoon => hours.early_afternoon,
        Part::Afternoon => hours.afternoon,
        Part::LateAfternoon => hours.late_afternoon,
        Part::Evening => hours.evening,
        Part::Dinner => hours.dinner,
        Part::Night => hours.night,
        Part::LateNight => hours.late_night,
        Part::Daytime => hours.daytime,
    }
}

fn days(when: &When, cursor: &Cursor<'_>) -> Result<Vec<Stretch>, Fault> {
    let today = cursor.today();
    if !when.has_fields() {
        if when.within.is_empty() {
            return Ok(Stretch::day(today).into_iter().collect());
        }
        return Ok(when.within.clone());
    }
    let found: Vec<Stretch> = if when.within.is_empty() {
        anywhere(when, today)
    } else {
        when.within.iter().filter_map(|bounds| inside(when, bounds)).collect()
    };
    if found.is_empty() { Err(Fault::NoSuchDate) } else { Ok(found) }
}

/// The first day, month or year of `bounds` that fits.
fn inside(when: &When, bounds: &Stretch) -> Option<Stretch> {
    if when.day.is_none() && when.weekday.is_none() {
        let found = bounds.dates().find(|date| fits_month(when, *date) && date.day() == 1);
        return Stretch::unit(found?, if when.month.is_some() { Unit::Month } else { Unit::Year });
    }
    let weekday =
        |date: Date| when.weekday.is_none_or(|day| date.weekday().to_monday_one_offset() == day);
    let fits =
        |date: &Date| fits_month(when, *date) && when.day.is_none_or(|day| date.day() == day);
    let exact = bounds.dates().find(|date| fits(date) && weekday(*date));
    // People get weekdays wrong, and hardly ever the day of the month.
    let near = || bounds.dates().find(fits).filter(|_| when.day.is_some());
    Stretch::day(exact.or_else(near)?)
}

fn fits_month(when: &When, date: Date) -> bool {
    when.month.is_none_or(|month| date.month() == month)
        && when.year.is_none_or(|year| date.year() == year)
}

/// The nearest before or on today, then the nearest after; one only where the year is said.
fn anywhere(when: &When, today: Date) -> Vec<Stretch> {
    let both = |(past, future): (Option<Date>, Option<Date>)| [past, future].into_iter().flatten();
    let day = |date: Date| Stretch::day(date);
    match (when.year, when.month, when.day, when.weekday) {
        (Some(year), Some(month), Some(day), _) => {
            Date::new(year, month, day).ok().and_then(Stretch::day).into_iter().collect()
        }
        (Some(year), Some(month), None, None) => {
            let start = Date::new(year, month, 1).ok();
            start.and_then(|start| Stretch::unit(start, Unit::Month)).into_iter().collect()
        }
        (Some(year), None, None, None) => {
            let start = Date::new(year, 1, 1).ok();
            start.and_then(|start| Stretch::unit(start, Unit::Year)).into_iter().collect()
        }
        (Some(year), ..) => {
            let bounds = Date::new(year, 1, 1).ok().and_then(|day| Stretch::unit(day, Unit::Year));
            bounds.and_then(|bounds| inside(when, &bounds)).into_iter().collect()
        }
        (None, Some(month), Some(number), None) => {
            both(gregorian::nearest(month, number, today)).filter_map(day).collect()
        }
        (None, Some(month), None, None) => both(gregorian::nearest(month, 1, today))
            .filter_map(|start| Stretch::unit(start, Unit::Month))
            .collect(),
        (None, None, None, Some(weekday)) => {
            let back = gregorian::days_since(today, weekday);
            both((days_after(today, -back), days_after(today, 7 - back))).filter_map(day).collect()
        }
        (None, None, Some(number), None) => numbered(number, today),
        _ => searched(when, today),
    }
}

/// A day of the month by its number: of this month first, as "the 15th" is, then of the nearest other
/// one. A month that has no such day is passed over, on both sides.
fn numbered(number: i8, today: Date) -> Vec<Stretch> {
    let month = today.first_of_month();
    let of = |offset: i32| {
        let month = month.checked_add(offset.months()).ok()?;
        Date::new(month.year(), month.month(), number).ok().and_then(Stretch::day)
    };
    // Of two months that follow each other one has a 31st; February is alone.
    let side = |sign: i32| (1..=2).find_map(|months| of(sign * months));
    let days = match of(0) {
        Some(own) if number > today.day() => [Some(own), side(-1)],
        Some(own) => [Some(own), side(1)],
        None => [side(1), side(-1)],
    };
    days.into_iter().flatten().collect()
}

/// The first day after another that fits what was said.
pub(super) fn first_after(when: &When, start: Date, cursor: &Cursor<'_>) -> Option<Stretch> {
    let found = timed(when, cursor, anywhere(when, start));
    found.into_iter().find(|day| day.start.date() > start)
}

/// The nearest days on both sides on which weekday, number and month meet.
fn searched(when: &When, today: Date) -> Vec<Stretch> {
    let fits = |date: &Date| {
        fits_month(when, *date)
            && when.day.is_none_or(|day| date.day() == day)
            && when.weekday.is_none_or(|day| date.weekday().to_monday_one_offset() == day)
    };
    let side = |sign: i32, from: i32| match (when.month, when.day) {
        // The day of a month is on another weekday each year.
        (Some(month), Some(day)) => (0..YEARS)
            .filter_map(|years| {
                let year = i32::from(today.year()) + sign * years;
                Date::new(i16::try_from(year).ok()?, month, day).ok()
            })
            .find(|date| fits(date) && if sign < 0 { *date <= today } else { *date > today }),
        _ => (from..REACH).find_map(|days| days_after(today, sign * days).filter(&fits)),
    };
    let found: Vec<Stretch> =
        [side(-1, 0), side(1, 1)].into_iter().flatten().filter_map(Stretch::day).collect();
    // The weekday was got wrong: the day of the month counts.
    match (found.is_empty(), when.month, when.day) {
        (_, Some(_), Some(_)) => {
            let loose = When { weekday: None, ..when.clone() };
            let mut all = anywhere(&loose, today);
            all.sort_by_key(|day| !found.contains(day));
            all
        }
        _ => found,
    }
}

/// The instant now, without its zone.
pub(super) fn now(cursor: &Cursor<'_>) -> DateTime {
    cursor.context.now.datetime()
}
