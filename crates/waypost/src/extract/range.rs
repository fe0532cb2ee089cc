//! Whole periods: last week, the last 3 days, October 2025, 去年, el mes pasado.

use jiff::civil::Date;

use super::Found;
use super::calendar::{self, days_after};
use super::cursor::Cursor;
use super::date;
use super::number;
use super::relative::{which, which_after};
use super::small::{stretch, unit};
use super::term::{Term, Tongue, Unit, rule};
use super::time::away;
use super::value::{Kind, Moment, Reading};

/// Finds a period.
pub(super) fn period(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    cursor.first_of(&[last_n, weekend, month_of_period, named_month, whole, named_year])
}

/// A finding of whole days, half-open.
pub(super) fn days(bounds: (Date, Date), rule: &'static str) -> Found {
    Found::new(Kind::Range, reading(bounds), rule)
}

fn reading((start, end): (Date, Date)) -> Reading {
    Reading::Range(Moment::Date(start), Moment::Date(end))
}

/// last 3 days, 最近三天, los últimos 7 días, next two weeks: today is not among them.
fn last_n(cursor: &mut Cursor<'_>) -> Option<Found> {
    let sign = cursor.take(|term| match term {
        Term::Lately(sign) | Term::Which(sign @ (-1 | 1)) => Some(sign),
        _ => None,
    })?;
    let (count, unit) = stretch(cursor)?;
    // 看一下2009年 names a year.
    if unit == Unit::Year && count >= 1000.0 {
        return None;
    }
    let rule = rule!(cursor.tongue, "range.last_n");
    if matches!(unit, Unit::Hour | Unit::Minute | Unit::Second) {
        let now = cursor.context.now;
        let other = away(now, f64::from(sign) * count, unit)?;
        let (start, end) = if sign < 0 { (other, now.clone()) } else { (now.clone(), other) };
        let reading = Reading::Range(Moment::Instant(start), Moment::Instant(end));
        return Some(Found::new(Kind::Range, reading, rule));
    }
    let today = cursor.today();
    let bounds = if sign < 0 {
        (calendar::shift(today, -count, unit)?, today)
    } else {
        let tomorrow = days_after(today, 1)?;
        (tomorrow, calendar::shift(tomorrow, count, unit)?)
    };
    Some(days(bounds, rule))
}

/// this weekend, 上週末, el fin de semana pasado: Saturday and Sunday.
fn weekend(cursor: &mut Cursor<'_>) -> Option<Found> {
    let before = cursor.attempt(which);
    cursor.eat(Term::Weekend)?;
    let offset = before.or_else(|| cursor.attempt(which_after)).unwrap_or(0);
    let (start, end) = calendar::period(cursor.today(), offset, Unit::Week)?;
    Some(days((days_after(start, 5)?, end), rule!(cursor.tongue, "range.weekend")))
}

/// last week, semana pasada, 去年
fn whole(cursor: &mut Cursor<'_>) -> Option<Found> {
    let (offset, unit) = cursor.first_of(&[one_word, before_unit, after_unit])?;
    let bounds = calendar::period(cursor.today(), offset, unit)?;
    Some(days(bounds, rule!(cursor.tongue, "range.period")))
}

fn one_word(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    cursor.take(|term| match term {
        Term::Period(offset, unit) => Some((offset, unit)),
        _ => None,
    })
}

fn before_unit(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    let offset = which(cursor)?;
    let unit = long_unit(cursor)?;
    // "el próximo mes que viene"
    cursor.attempt(which_after);
    Some((offset, unit))
}

fn after_unit(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    let unit = long_unit(cursor)?;
    Some((which_after(cursor)?, unit))
}

fn long_unit(cursor: &mut Cursor<'_>) -> Option<Unit> {
    unit(cursor)
        .filter(|unit| matches!(unit, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year))
}

/// October 2025, 2025年10月, 2025-10, 10月, last October
fn named_month(cursor: &mut Cursor<'_>) -> Option<Found> {
    let before = cursor.attempt(which);
    let (year, month) = year_and_month(cursor)?;
    let rule = rule!(cursor.tongue, "range.month");
    let (first, other) = month_bounds(cursor.today(), year, month, before == Some(1))?;
    Some(days(first, rule).or(other.map(reading)))
}

type Bounds = (Date, Date);

/// The month meant; without a year, the one that began last, and the next one as another reading.
fn month_bounds(
    today: Date,
    year: Option<i16>,
    month: i8,
    future: bool,
) -> Option<(Bounds, Option<Bounds>)> {
    let bounds = |start: Date| Some((start, calendar::shift(start, 1.0, Unit::Month)?));
    if let Some(year) = year {
        return Some((bounds(Date::new(year, month, 1).ok()?)?, None));
    }
    let (past, coming) = calendar::nearest(month, 1, today);
    let (first, other) = if future { (coming, past) } else { (past, coming) };
    Some((bounds(first?)?, other.and_then(bounds)))
}

/// Reads a month; without a year only where the words leave no doubt that it is one.
pub(super) fn year_and_month(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    cursor.first_of(&[month_then_year, month_alone, han_month, iso_month, slashed_month])
}

fn month_then_year(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    let month = date::month(cursor)?;
    cursor.attempt(|cursor| cursor.symbol(".-"));
    Some((Some(date::year_after(cursor)?), month))
}

fn month_alone(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    // "in may" says so in one language; in "temperatura del mar" it takes two to make it March.
    let announced =
        cursor.follows(|term| matches!(term, Term::In | Term::From | Term::To | Term::Since));
    let mut read = *cursor;
    read.tongue = Tongue::Common;
    let (month, is_short) = read.take(|term| match term {
        Term::Month(month) => Some((month, false)),
        Term::ShortMonth(month) => Some((month, true)),
        _ => None,
    })?;
    if is_short && announced != Some(read.tongue) {
        return None;
    }
    *cursor = read;
    Some((None, month))
}

fn han_month(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    let year = cursor.attempt(date::han_year);
    let month = number::count(cursor).filter(|month| (1.0..=12.0).contains(month))?;
    cursor.eat(Term::MonthMark)?;
    Some((year, month as i8))
}

/// 2025-10, where the month has two digits.
fn iso_month(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    let year = calendar_year(cursor)?;
    cursor.glued_symbol("-/")?;
    let month = cursor.glued_digits().filter(|digits| digits.len() == 2)?.parse().ok()?;
    ((1..=12).contains(&month) && cursor.is_closed("-/.,")).then_some((Some(year), month))
}

/// 9/2012
fn slashed_month(cursor: &mut Cursor<'_>) -> Option<(Option<i16>, i8)> {
    let month = cursor.digits().filter(|digits| digits.len() <= 2)?.parse().ok()?;
    cursor.glued_symbol("/")?;
    let year = calendar_year(cursor)?;
    ((1..=12).contains(&month) && cursor.is_closed("-/.,")).then_some((Some(year), month))
}

/// october of last year, 去年10月, octubre del año pasado
fn month_of_period(cursor: &mut Cursor<'_>) -> Option<Found> {
    let month = date::month(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let (offset, unit) = cursor.first_of(&[one_word, before_unit, after_unit])?;
    if unit != Unit::Year {
        return None;
    }
    let year = i16::try_from(i32::from(cursor.today().year()) + offset).ok()?;
    let (bounds, _) = month_bounds(cursor.today(), Some(year), month, false)?;
    Some(days(bounds, rule!(cursor.tongue, "range.month")))
}

/// in 2024, the year 2024, 2024年, 民國114年
fn named_year(cursor: &mut Cursor<'_>) -> Option<Found> {
    let announced = cursor.follows(|term| matches!(term, Term::In | Term::Since)).is_some();
    let year = match cursor.attempt(date::han_year) {
        Some(year) => year,
        None => {
            let named = cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Year))).is_some();
            let year = calendar_year(cursor)?;
            let closed = cursor.is_closed("-/.,:") && !cursor.sees(Term::Percent);
            if !(announced || named) || !closed || counts_something(*cursor) {
                return None;
            }
            year
        }
    };
    let rule = rule!(cursor.tongue, "range.year");
    Some(days(year_bounds(year)?, rule))
}

/// "in 2024 households" is a number.
fn counts_something(cursor: Cursor<'_>) -> bool {
    cursor.sees(Term::Counter)
        || cursor.sees(Term::Degree)
        || (cursor.tongue != Tongue::Common && cursor.sees(Term::Measure))
}

/// The days of a year.
pub(super) fn year_bounds(year: i16) -> Option<Bounds> {
    Some((Date::new(year, 1, 1).ok()?, Date::new(year.checked_add(1)?, 1, 1).ok()?))
}

/// Reads four digits that are a year of our time.
pub(super) fn calendar_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    let digits = cursor.digits().filter(|digits| digits.len() == 4)?;
    digits.parse().ok().filter(|year| (1900..2100).contains(year))
}
