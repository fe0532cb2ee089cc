//! Rhythms: every day, every other Monday at 3, weekly, once a month, 每天, todos los lunes.
//! Recognised, and not expanded into days.

use jiff::civil::Time;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Part, Term, Unit};
use crate::extract::kind::Kind;
use crate::extract::value::{Reading, Recurrence};
use crate::extract::values::{number, ordinal};

use super::clock::{clock, part_of_day};
use super::duration::unit;

/// The names in records of what is no unit of time and comes back all the same.
const WEEKEND: &str = "weekend";
const WORKDAY: &str = "weekday";

/// Finds a rhythm.
pub(in crate::extract) fn recurring(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let before = cursor.attempt(time_before);
    let (mut found, part) = rhythm(cursor)?;
    found.time = before.or_else(|| times_behind(cursor, part));
    Some(Found::new(Kind::Recurring, Reading::Recurring(found), rule(cursor.tongue, "recurring")))
}

/// The 9 am of "9 am every day", the 19th of "the 19th of every month".
fn time_before(cursor: &mut Cursor<'_>) -> Option<Time> {
    let found = time(cursor)?;
    let begins = |term| {
        matches!(
            term,
            Term::Every
                | Term::EveryOther
                | Term::Rhythm(_)
                | Term::Rhythms(..)
                | Term::Weekdays(_)
        )
    };
    cursor.sees_any(begins).then_some(found)
}

/// Times and parts of the day behind a rhythm: every evening at 7:13.
fn times_behind(cursor: &mut Cursor<'_>, part: Option<Part>) -> Option<Time> {
    let mut part = part;
    for _ in 0..2 {
        let step = cursor.attempt(|cursor| {
            cursor.attempt(|cursor| {
                cursor.take(|term| {
                    matches!(term, Term::At | Term::In | Term::The | Term::Of).then_some(())
                })
            });
            cursor.first_of(&[clock, part_of_day])
        })?;
        match step.clock {
            Some(clock) => {
                let half = part.and_then(|part| clock.on_part(part));
                return Some(half.unwrap_or(clock).time);
            }
            None => part = step.part,
        }
    }
    None
}

fn time(cursor: &mut Cursor<'_>) -> Option<Time> {
    let when = cursor.first_of(&[clock, part_of_day])?;
    Some(when.clock?.time)
}

/// A rhythm, and the part of the day that is said with it.
type Said = (Recurrence, Option<Part>);

fn rhythm(cursor: &mut Cursor<'_>) -> Option<Said> {
    cursor.first_of(&[numbered_day, weekday_first, every, one_word, once, parts_of_weekday, plural])
}

fn each(every: u16, unit: &'static str) -> Said {
    (Recurrence { every: (every, unit), weekday: None, time: None }, None)
}

fn on_weekday(every: u16, weekday: i8) -> Said {
    (Recurrence { every: (every, Unit::Week.name()), weekday: Some(weekday), time: None }, None)
}

/// the 19th of every month
fn numbered_day(cursor: &mut Cursor<'_>) -> Option<Said> {
    super::dates::day_number(cursor)?;
    cursor.eat(Term::Of)?;
    every(cursor).filter(|(rhythm, _)| rhythm.every.1 == Unit::Month.name())
}

/// thứ hai hàng tuần, Mondays every week
fn weekday_first(cursor: &mut Cursor<'_>) -> Option<Said> {
    let day = weekday(cursor)?;
    let (rhythm, part) = cursor.first_of(&[every, one_word])?;
    let fits = rhythm.every.1 == Unit::Week.name() && rhythm.weekday.is_none();
    fits.then_some((Recurrence { weekday: Some(day), ..rhythm }, part))
}

/// every 2 weeks, every other Monday, each third day, every weekend, 每週三, cada mes
fn every(cursor: &mut Cursor<'_>) -> Option<Said> {
    let other = cursor.attempt(|cursor| cursor.eat(Term::EveryOther)).is_some();
    if !other {
        cursor.eat(Term::Every)?;
    }
    let counted = cursor.attempt(|cursor| {
        let count = if other { 2 } else { interval(cursor)? };
        repeated(cursor, count)
    });
    // "every second" is no other unit than a second.
    counted.or_else(|| repeated(cursor, 1).filter(|_| !other))
}

/// Reads what comes back.
fn repeated(cursor: &mut Cursor<'_>, count: u16) -> Option<Said> {
    // "todos los días laborables" begins like "todos los días".
    let workday = cursor.sees_any(|term| matches!(term, Term::Workday | Term::Workdays));
    if let Some(unit) = cursor.attempt(|cursor| unit(cursor).filter(|_| !workday)) {
        let weekday = cursor.attempt(weekday).filter(|_| unit == Unit::Week);
        let (rhythm, part) = each(count, unit.name());
        return Some((Recurrence { weekday, ..rhythm }, part));
    }
    // 每個月
    if cursor.attempt(|cursor| cursor.eat(Term::MonthMark)).is_some() {
        return Some(each(count, Unit::Month.name()));
    }
    let found = cursor.take(|term| match term {
        Term::Weekday(day) | Term::ShortWeekday(day) | Term::Weekdays(day) => {
            Some(on_weekday(count, day))
        }
        Term::Weekend | Term::Weekends => Some(each(count, WEEKEND)),
        Term::Workday | Term::Workdays => Some(each(count, WORKDAY)),
        Term::Part(part) | Term::ShortPart(part) | Term::DayParts(part) => {
            let (rhythm, _) = each(count, Unit::Day.name());
            Some((rhythm, Some(part)))
        }
        _ => None,
    })?;
    Some(found)
}

fn interval(cursor: &mut Cursor<'_>) -> Option<u16> {
    let count =
        |cursor: &mut Cursor<'_>| number::count(cursor).filter(|count| count.fract() == 0.0);
    let place = |cursor: &mut Cursor<'_>| ordinal::rank(cursor).map(|place| place as f64);
    let number = cursor.first_of(&[count, place])?;
    (1.0..1000.0).contains(&number).then_some(number as u16)
}

fn weekday(cursor: &mut Cursor<'_>) -> Option<i8> {
    cursor.take(|term| match term {
        Term::Weekday(day) | Term::ShortWeekday(day) => Some(day),
        _ => None,
    })
}

/// daily, weekly, biweekly, 每天 where it is one word
fn one_word(cursor: &mut Cursor<'_>) -> Option<Said> {
    let said = cursor.take(|term| match term {
        Term::Rhythm(unit) => Some(each(1, unit.name())),
        Term::Rhythms(many, unit) => Some(each(many, unit.name())),
        _ => None,
    })?;
    // The months and weeks of "khách hàng tháng 10" and "bán hàng tuần này" are named ones.
    let named = cursor.back()?.sees_any(|term| matches!(term, Term::Month(_)))
        || cursor.sees_any(|term| matches!(term, Term::WhichAfter(_)));
    (!named).then_some(said)
}

/// once a week
fn once(cursor: &mut Cursor<'_>) -> Option<Said> {
    cursor.eat(Term::Once)?;
    unit(cursor).map(|unit| each(1, unit.name()))
}

/// Tuesday afternoons
fn parts_of_weekday(cursor: &mut Cursor<'_>) -> Option<Said> {
    let weekday = weekday(cursor)?;
    let part = cursor.take(|term| match term {
        Term::DayParts(part) => Some(part),
        _ => None,
    })?;
    Some((on_weekday(1, weekday).0, Some(part)))
}

/// mondays, mornings, on weekdays
fn plural(cursor: &mut Cursor<'_>) -> Option<Said> {
    cursor.take(|term| match term {
        Term::Weekdays(day) => Some(on_weekday(1, day)),
        Term::Weekends => Some(each(1, WEEKEND)),
        Term::Workdays => Some(each(1, WORKDAY)),
        Term::DayParts(part) => Some((each(1, Unit::Day.name()).0, Some(part))),
        _ => None,
    })
}
