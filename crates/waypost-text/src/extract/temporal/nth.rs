//! A day or a week by its place in a period: the first Monday of October, the last day of
//! February, 這個月的第二週.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::values::{number, ordinal};

use super::calendars::gregorian::{days_after, start_of};
use super::period::weekend_of;
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// The things that are counted: weekdays, weekends or other units of time.
#[derive(Debug, Clone, Copy)]
enum Counted {
    Weekday(i8),
    Weekend,
    /// the first half of 2016
    Half,
    Unit(Unit),
}

/// Reads a place in a period that is said behind it: the first Monday of October.
pub(super) fn nth(cursor: &mut Cursor<'_>) -> Option<When> {
    let (place, counted) = place_and_counted(cursor)?;
    // the first Monday evening of next month
    let part = match counted {
        Counted::Weekday(_) => cursor.attempt(super::edge::part_behind),
        _ => None,
    };
    let period = of_period(cursor)?;
    let day = one_of(cursor, &period, place, counted)?;
    match part {
        Some(part) => day.merge(&part),
        None => Some(day),
    }
}

/// the first 2 weeks of 2021, the last three days of March
pub(super) fn some_of(cursor: &mut Cursor<'_>) -> Option<When> {
    let counted = cursor.sentence.may_count(cursor.at)
        && (cursor.may_mean(1, Term::Ordinal(1)) || cursor.may_mean(1, Term::Which(-1)));
    let (place, count) =
        if counted { count_then_place(cursor)? } else { place_then_count(cursor)? };
    let unit = super::duration::unit(cursor).filter(|unit| *unit >= Unit::Day)?;
    let period = of_period(cursor)?;
    let rule = rule(cursor.tongue, "range.nth");
    let some = |whole: &Stretch| {
        let (mut start, mut end) = (whole.start.date(), whole.end.date());
        if unit == Unit::Week {
            (start, end) = (week(whole, 1)?.start.date(), week(whole, -1)?.end.date());
        }
        let (start, end) = if place > 0 {
            (start, crate::extract::temporal::calendars::gregorian::shift(start, count, unit)?)
        } else {
            (crate::extract::temporal::calendars::gregorian::shift(end, -count, unit)?, end)
        };
        (end <= whole.end.date() || unit == Unit::Week)
            .then(|| Stretch::days(start, end, unit.max(Unit::Week)))?
    };
    let all = settle(&period, cursor).ok()?;
    let found: Vec<Stretch> = all.iter().filter_map(some).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

fn place_then_count(cursor: &mut Cursor<'_>) -> Option<(i64, f64)> {
    let place = place(cursor).filter(|place| place.abs() == 1)?;
    Some((place, number::count(cursor)?))
}

/// los dos primeros meses
fn count_then_place(cursor: &mut Cursor<'_>) -> Option<(i64, f64)> {
    let count = number::count(cursor)?;
    Some((place(cursor).filter(|place| place.abs() == 1)?, count))
}

/// Reads what is said behind its period: 去年下半年, 去年的前10天, 十月的第二週.
pub(super) fn within_period(cursor: &mut Cursor<'_>) -> Option<When> {
    let period = period(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    if let Some(half) = cursor.attempt(|cursor| super::half::half_of(cursor, &period)) {
        return Some(half);
    }
    let few = cursor.attempt(|cursor| {
        let sign = end_of(cursor).or_else(|| lately(cursor))?;
        let (count, unit) = several(cursor)?;
        several_of(cursor, &period, sign, count, unit)
    });
    if few.is_some() {
        return few;
    }
    let (place, counted) = place_and_counted(cursor)?;
    one_of(cursor, &period, place, counted)
}

pub(super) fn of_period(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.take(|term| matches!(term, Term::Of | Term::In).then_some(()))?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    cursor.first_of(&[period, super::period::this_unit])
}

fn one_of(cursor: &Cursor<'_>, period: &When, place: i64, counted: Counted) -> Option<When> {
    let rule = rule(cursor.tongue, "date.nth");
    let all = settle(period, cursor).ok()?;
    let first = all.iter().filter_map(|whole| pick(whole, place, counted, cursor));
    let other = all.iter().filter_map(|whole| full_week(whole, place, counted));
    let found: Vec<Stretch> = first.chain(other).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

/// The first `count` units of a period, or the last ones.
fn several_of(
    cursor: &Cursor<'_>,
    period: &When,
    sign: i64,
    count: i64,
    unit: Unit,
) -> Option<When> {
    let rule = rule(cursor.tongue, "range.nth");
    let all = settle(period, cursor).ok()?;
    let (from, to) = if sign > 0 { (1, count) } else { (-count, -1) };
    let several = |whole: &Stretch| {
        let first = pick(whole, from, Counted::Unit(unit), cursor)?;
        let last = pick(whole, to, Counted::Unit(unit), cursor)?;
        Stretch::days(first.start.date(), last.end.date(), unit.max(Unit::Week))
    };
    let found: Vec<Stretch> = all.iter().filter_map(several).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

/// first or last
fn end_of(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.take(|term| match term {
        Term::Ordinal(sign @ (1 | -1)) => Some(sign),
        Term::Which(-1) => Some(-1),
        _ => None,
    })
}

/// The 前 of 去年前三天: behind a period it counts from its beginning.
fn lately(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.take(|term| match term {
        Term::Lately(sign) => Some(i64::from(-sign)),
        _ => None,
    })
}

fn several(cursor: &mut Cursor<'_>) -> Option<(i64, Unit)> {
    let count = number::count(cursor).filter(|count| (2.0..1000.0).contains(count))?;
    let unit = super::duration::unit(cursor).filter(|unit| *unit >= Unit::Day)?;
    Some((count as i64, unit))
}

fn place_and_counted(cursor: &mut Cursor<'_>) -> Option<(i64, Counted)> {
    let before = cursor.attempt(place);
    let counted = cursor.take(|term| match term {
        Term::Weekday(day) | Term::ShortWeekday(day) => Some(Counted::Weekday(day)),
        Term::Weekend => Some(Counted::Weekend),
        Term::Half => Some(Counted::Half),
        Term::Unit(unit @ (Unit::Day | Unit::Week | Unit::Month | Unit::Quarter)) => {
            Some(Counted::Unit(unit))
        }
        // 第三個月, where 第三個 is the place.
        Term::MonthMark => Some(Counted::Unit(Unit::Month)),
        _ => None,
    })?;
    let place = before.or_else(|| cursor.attempt(place))?;
    Some((place, counted))
}

fn place(cursor: &mut Cursor<'_>) -> Option<i64> {
    let which = |cursor: &mut Cursor<'_>| {
        cursor.take(|term| match term {
            Term::Which(-1) => Some(-1),
            _ => None,
        })
    };
    // "the third last week" is counted from the end.
    let from_end = |cursor: &mut Cursor<'_>| {
        let place = ordinal::rank(cursor).filter(|place| *place > 1)?;
        cursor.eat(Term::Which(-1))?;
        Some(-place)
    };
    cursor.first_of(&[from_end, ordinal::rank, which])
}

/// A month, a year or any other period longer than a day.
fn period(cursor: &mut Cursor<'_>) -> Option<When> {
    let when = super::compose::whole_period(cursor)?;
    (!when.has_time() && when.day.is_none() && when.weekday.is_none()).then_some(when)
}

fn pick(whole: &Stretch, place: i64, counted: Counted, cursor: &Cursor<'_>) -> Option<Stretch> {
    if whole.grain <= Unit::Day {
        return None;
    }
    let place = i32::try_from(place).ok().filter(|place| *place != 0)?;
    match counted {
        Counted::Weekday(weekday) => {
            let fits = |date: Date| date.weekday().to_monday_one_offset() == weekday;
            Stretch::day(at(whole, place, 7, fits)?)
        }
        Counted::Weekend => {
            let saturday = |date: Date| date.weekday().to_monday_one_offset() == 6;
            weekend_of(cursor, start_of(at(whole, place, 7, saturday)?, Unit::Week)?)
        }
        Counted::Half => match place {
            1 => super::half::cut(whole, 1),
            2 | -1 => super::half::cut(whole, 2),
            _ => None,
        },
        Counted::Unit(Unit::Day) => Stretch::day(at(whole, place, 1, |_| true)?),
        Counted::Unit(Unit::Week) => week(whole, place),
        Counted::Unit(unit) => {
            let start = whole.start.date();
            let first = start_of(start, unit)?;
            let nth = if place > 0 {
                crate::extract::temporal::calendars::gregorian::shift(
                    first,
                    f64::from(place - 1),
                    unit,
                )?
            } else {
                crate::extract::temporal::calendars::gregorian::shift(
                    whole.end.date(),
                    f64::from(place),
                    unit,
                )?
            };
            let found = Stretch::unit(nth, unit)?;
            whole.contains(&found).then_some(found)
        }
    }
}

/// The nth day of a period that fits, such days being `step` apart; -1 is the last.
fn at(whole: &Stretch, place: i32, step: i32, fits: impl Fn(Date) -> bool) -> Option<Date> {
    let (start, end) = (whole.start.date(), whole.end.date());
    let found = if place > 0 {
        let first = (0..step).find_map(|days| days_after(start, days).filter(|d| fits(*d)))?;
        days_after(first, step.checked_mul(place - 1)?)?
    } else {
        let last = (1..=step).find_map(|days| days_after(end, -days).filter(|d| fits(*d)))?;
        days_after(last, step.checked_mul(place + 1)?)?
    };
    (start..end).contains(&found).then_some(found)
}

/// The nth of the weeks that lie in a period from Monday to Sunday.
fn full_week(whole: &Stretch, place: i64, counted: Counted) -> Option<Stretch> {
    let place = i32::try_from(place).ok().filter(|place| *place != 0)?;
    (matches!(counted, Counted::Unit(Unit::Week)) && whole.grain > Unit::Week).then_some(())?;
    let day = if place > 0 { 1 } else { 7 };
    let edge = at(whole, place, 7, |date| date.weekday().to_monday_one_offset() == day)?;
    let week = Stretch::unit(start_of(edge, Unit::Week)?, Unit::Week)?;
    whole.contains(&week).then_some(week)
}

/// The nth week, where the first is the one with the period's first Thursday, as ISO 8601 has it.
fn week(whole: &Stretch, place: i32) -> Option<Stretch> {
    let thursday = |date: Date| date.weekday().to_monday_one_offset() == 4;
    let day = at(whole, place, 7, thursday)?;
    Stretch::unit(start_of(day, Unit::Week)?, Unit::Week)
}
