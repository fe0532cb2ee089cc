//! Days as people write them: 2025-11-06, 11/6, November 6th, 11月6日, 6 de noviembre.

use jiff::civil::Date;

use super::Found;
use super::calendar::{self, days_after};
use super::cursor::Cursor;
use super::number;
use super::relative;
use super::term::{Term, Unit, rule};
use super::token::Shape;
use super::value::{Fault, Kind, Reading};
use crate::language::Language;

/// A day as far as the words say it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Partial {
    /// Fixed by itself.
    Known(Date),
    /// From a calendar, maybe without the year.
    Calendar { year: Option<i16>, month: i8, day: i8 },
    /// Only the number: the 1 of "Nov 5 to 1 Dec" or of "11月1日到5日".
    Number(i8),
}

/// A day, what else the words may mean, and the rule that read them.
#[derive(Debug, Clone)]
pub(super) struct Day {
    pub(super) partial: Partial,
    pub(super) others: Vec<Partial>,
    pub(super) rule: &'static str,
}

impl Day {
    pub(super) fn new(partial: Partial, rule: &'static str) -> Self {
        Self { partial, others: Vec::new(), rule }
    }
}

/// Finds a day.
pub(super) fn date(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() || cursor.follows(|term| term == Term::Every).is_some() {
        return None;
    }
    let day = day(cursor)?;
    part_of_day(cursor);
    Some(found(&day, cursor.today()))
}

/// Skips the part of the day behind a day; without an hour it says nothing that a day can hold.
pub(super) fn part_of_day(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::Part(_) | Term::PartOfDay).then_some(()))
    });
}

/// Reads a day in any form.
pub(super) fn day(cursor: &mut Cursor<'_>) -> Option<Day> {
    cursor.first_of(&[
        weekday_and_day,
        numeric,
        han,
        day_month,
        month_day,
        relative::weekday,
        relative::ago,
        day_of_other_year,
        relative::named,
    ])
}

/// The finding for a day, resolved against `today`.
fn found(day: &Day, today: Date) -> Found {
    let mut readings = readings(day.partial, today);
    let faulty = matches!(readings.first(), Some(Reading::Fault(_)));
    for other in &day.others {
        let more = self::readings(*other, today).into_iter();
        readings.extend(more.filter(|reading| !matches!(reading, Reading::Fault(_))));
    }
    let mut readings = readings.into_iter();
    let first = readings.next().unwrap_or(Reading::Fault(Fault::NoSuchDate));
    let found = Found::new(Kind::Date, first, day.rule);
    if faulty { found } else { found.or(readings) }
}

/// The likeliest date of a day.
pub(super) fn first(day: &Day, today: Date) -> Result<Date, Fault> {
    likeliest(day.partial, today)
}

/// The likeliest date of a day that may lack its year.
pub(super) fn likeliest(partial: Partial, today: Date) -> Result<Date, Fault> {
    match readings(partial, today).first() {
        Some(Reading::Date(date)) => Ok(*date),
        _ => Err(Fault::NoSuchDate),
    }
}

/// The past or today first: data is asked for more often than forecasts.
fn readings(partial: Partial, today: Date) -> Vec<Reading> {
    let dates = match partial {
        Partial::Known(date) => [Some(date), None],
        Partial::Calendar { year: Some(year), month, day } => {
            [Date::new(year, month, day).ok(), None]
        }
        Partial::Calendar { year: None, month, day } => {
            let (past, future) = calendar::nearest(month, day, today);
            [past, future]
        }
        Partial::Number(day) => [Date::new(today.year(), today.month(), day).ok(), None],
    };
    let dates: Vec<Reading> = dates.into_iter().flatten().map(Reading::Date).collect();
    if dates.is_empty() { vec![Reading::Fault(Fault::NoSuchDate)] } else { dates }
}

/// Thursday, 6 November: the weekday adds nothing, and is not checked, as people get it wrong.
fn weekday_and_day(cursor: &mut Cursor<'_>) -> Option<Day> {
    cursor.take(|term| matches!(term, Term::Weekday(_) | Term::ShortWeekday(_)).then_some(()))?;
    cursor.attempt(|cursor| cursor.symbol(",."));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    cursor.first_of(&[numeric, han, day_month, month_day])
}

/// Digits with separators, or eight digits alone.
fn numeric(cursor: &mut Cursor<'_>) -> Option<Day> {
    if cursor.shape()? != Shape::Digits {
        return None;
    }
    cursor.first_of(&[year_first, year_last, month_and_day, compact])
}

/// 2025-11-06, 2025/11/6, 2025.11.6
fn year_first(cursor: &mut Cursor<'_>) -> Option<Day> {
    let year = four_digits(cursor.digits()?)?;
    let separator = cursor.glued_symbol("-/.")?;
    let same: &str = separator_text(separator);
    let month = short(cursor.glued_digits()?)?;
    cursor.glued_symbol(same)?;
    let day = short(cursor.glued_digits()?)?;
    cursor.is_closed(same).then_some(())?;
    Some(Day::new(Partial::Calendar { year: Some(year), month, day }, "date.iso"))
}

/// 6/11/2025, 06-11-2025: in the order of the language, or the other if only that can be.
fn year_last(cursor: &mut Cursor<'_>) -> Option<Day> {
    let first = short(cursor.digits()?)?;
    let separator = cursor.glued_symbol("-/.")?;
    let second = short(cursor.glued_digits()?)?;
    cursor.glued_symbol(separator_text(separator))?;
    let year = Some(four_digits(cursor.glued_digits()?)?);
    cursor.is_closed("-/.").then_some(())?;
    let day_first = separator == '.' || is_day_first(cursor);
    Some(ordered(first, second, year, day_first))
}

/// 11/6, but neither 24/7 nor a fraction with something behind it.
fn month_and_day(cursor: &mut Cursor<'_>) -> Option<Day> {
    let is_after_digits = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    let first = short(cursor.digits()?)?;
    cursor.glued_symbol("/")?;
    let second = short(cursor.glued_digits()?)?;
    let closed = cursor.is_closed("/") && !cursor.sees(Term::Percent);
    // "2 1/4" is two and a quarter.
    if is_after_digits || !closed || (first, second) == (24, 7) {
        return None;
    }
    let day = ordered(first, second, None, is_day_first(cursor));
    is_possible(day.partial).then_some(day)
}

/// 20251106
fn compact(cursor: &mut Cursor<'_>) -> Option<Day> {
    let digits = cursor.digits().filter(|digits| digits.len() == 8)?;
    let year = four_digits(&digits[..4]).filter(|year| (1900..2100).contains(year))?;
    let (month, day) = (short(&digits[4..6])?, short(&digits[6..])?);
    let partial = Partial::Calendar { year: Some(year), month, day };
    (is_possible(partial) && cursor.is_closed("-/.,")).then(|| Day::new(partial, "date.compact"))
}

/// Two numbers in the order that is possible; if both are, the other is kept as another reading.
fn ordered(first: i8, second: i8, year: Option<i16>, day_first: bool) -> Day {
    let day_month = Partial::Calendar { year, month: second, day: first };
    let month_day = Partial::Calendar { year, month: first, day: second };
    let (likely, other) = if day_first { (day_month, month_day) } else { (month_day, day_month) };
    match (is_possible(likely), is_possible(other)) {
        (false, true) => Day::new(other, "date.slashed"),
        (true, true) if likely != other => {
            Day { others: vec![other], ..Day::new(likely, "date.slashed") }
        }
        _ => Day::new(likely, "date.slashed"),
    }
}

fn is_possible(partial: Partial) -> bool {
    match partial {
        // A leap year stands for a year that is not known.
        Partial::Calendar { year, month, day } => {
            Date::new(year.unwrap_or(2024), month, day).is_ok()
        }
        _ => true,
    }
}

/// [2025年] 11月6日, 民國114年11月6日, 去年11月6號
fn han(cursor: &mut Cursor<'_>) -> Option<Day> {
    let year = cursor.attempt(han_year);
    let (year, month) = match cursor.attempt(month_of_today) {
        Some((this, month)) if year.is_none() => (Some(this), month),
        _ => {
            let month = small(number::count(cursor)?)?;
            cursor.eat(Term::MonthMark)?;
            (year, month)
        }
    };
    let day = small(number::count(cursor)?)?;
    // 10月28到11月3號: the end says that the first number is a day too.
    if cursor.eat(Term::DayMark).is_none() && !cursor.sees(Term::To) {
        return None;
    }
    let rule = rule!(cursor.tongue, "date.calendar");
    Some(Day::new(Partial::Calendar { year, month, day }, rule))
}

/// Reads 去年今天: the day of the month that it is, in another year.
fn day_of_other_year(cursor: &mut Cursor<'_>) -> Option<Day> {
    let years = cursor.take(|term| match term {
        Term::Period(offset, Unit::Year) => Some(offset),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let days = cursor.take(|term| match term {
        Term::Day(offset) => Some(offset),
        _ => None,
    })?;
    let today = days_after(cursor.today(), days)?;
    let year = i16::try_from(i32::from(today.year()) + years).ok()?;
    let partial = Partial::Calendar { year: Some(year), month: today.month(), day: today.day() };
    Some(Day::new(partial, rule!(cursor.tongue, "date.relative")))
}

/// Reads 本月 or 上個月 before a day.
fn month_of_today(cursor: &mut Cursor<'_>) -> Option<(i16, i8)> {
    let offset = cursor.take(|term| match term {
        Term::Period(offset, Unit::Month) => Some(offset),
        _ => None,
    })?;
    let (start, _) = calendar::period(cursor.today(), offset, Unit::Month)?;
    Some((start.year(), start.month()))
}

/// Reads 2025年, 民國114年, 二〇二五年 or 去年 before a month.
pub(super) fn han_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    let today = cursor.today();
    if let Some(offset) = cursor.take(|term| match term {
        Term::Period(offset, Unit::Year) => Some(offset),
        _ => None,
    }) {
        return i16::try_from(i32::from(today.year()) + offset).ok();
    }
    let from = if cursor.attempt(|cursor| cursor.eat(Term::Era)).is_some() { 1911.0 } else { 0.0 };
    let year = number::count(cursor)? + from;
    cursor.eat(Term::YearMark)?;
    cursor.attempt(|cursor| cursor.symbol(","));
    ((1000.0..3000.0).contains(&year)).then_some(year as i16)
}

/// 6 Nov 2025, 6th of November, 6 de noviembre de 2025; also 32 August, to be told that it is wrong
fn day_month(cursor: &mut Cursor<'_>) -> Option<Day> {
    let day = match cursor.attempt(day_number) {
        Some(day) => day,
        None => small(number::count(cursor)?).filter(|day| (1..40).contains(day))?,
    };
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let month = month(cursor)?;
    cursor.attempt(|cursor| cursor.symbol("."));
    let year = cursor.attempt(year_after);
    let rule = rule!(cursor.tongue, "date.calendar");
    Some(Day::new(Partial::Calendar { year, month, day }, rule))
}

/// November 6, Nov. 6th, 2025
fn month_day(cursor: &mut Cursor<'_>) -> Option<Day> {
    let month = month(cursor)?;
    cursor.attempt(|cursor| cursor.symbol("."));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let day = day_number(cursor)?;
    // "Nov 14:30" and "May 5.5" are no days.
    cursor.is_closed(":.").then_some(())?;
    let year = cursor.attempt(year_after);
    let rule = rule!(cursor.tongue, "date.calendar");
    Some(Day::new(Partial::Calendar { year, month, day }, rule))
}

/// Reads a day of the month with or without its suffix: 6, 6th, primero.
pub(super) fn day_number(cursor: &mut Cursor<'_>) -> Option<i8> {
    if let Some(place) = cursor.take(|term| match term {
        Term::Ordinal(place @ 1..=31) => Some(place),
        _ => None,
    }) {
        return i8::try_from(place).ok();
    }
    let day = short(cursor.digits()?)?;
    if cursor.is_glued() {
        cursor.attempt(|cursor| cursor.eat(Term::OrdinalSuffix));
    }
    (1..=31).contains(&day).then_some(day)
}

/// Reads the name of a month, also a short one.
pub(super) fn month(cursor: &mut Cursor<'_>) -> Option<i8> {
    cursor.take(|term| match term {
        Term::Month(month) | Term::ShortMonth(month) => Some(month),
        _ => None,
    })
}

/// Reads a year behind a day or a month: 2025; ", 2025"; "de 2025".
pub(super) fn year_after(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.attempt(|cursor| cursor.symbol(",").map(drop));
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let year = four_digits(cursor.digits()?).filter(|year| (1000..3000).contains(year))?;
    cursor.is_closed("-/.").then_some(year)
}

/// Which of two numbers comes first is a matter of language.
fn is_day_first(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.context.language, Language::Es | Language::Vi)
}

fn four_digits(digits: &str) -> Option<i16> {
    digits.parse().ok().filter(|_| digits.len() == 4)
}

fn short(digits: &str) -> Option<i8> {
    digits.parse().ok().filter(|_| digits.len() <= 2)
}

fn small(number: f64) -> Option<i8> {
    (0.0..100.0).contains(&number).then_some(number as i8)
}

fn separator_text(separator: char) -> &'static str {
    match separator {
        '-' => "-",
        '/' => "/",
        _ => ".",
    }
}
