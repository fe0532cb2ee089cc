//! Holidays and festivals with the year that may stand beside them: next Christmas, Easter 2020,
//! Thanksgiving in 3 years, Labor Day weekend.
//!
//! A name may be of several days, one in each country: all of them are readings.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Holiday, Term, Unit};
use crate::extract::temporal::dates::{calendar_year, year_after};
use crate::extract::temporal::memo::Memo;
use crate::extract::temporal::named::{distance, which, which_after};
use crate::extract::temporal::period::{offset_of_unit, weekend_start};
use crate::extract::temporal::stretch::Stretch;
use crate::extract::temporal::when::When;
use crate::extract::values::number;

use super::feast::days_in;
use super::gregorian::days_after;

/// Some holidays come once in four years.
const REACH: i16 = 4;

/// A holiday, or a festival with the day after its last.
pub(crate) type Feast = (Holiday, Option<Holiday>);

/// Reads a holiday with the year that may stand before or behind it.
pub(crate) fn holiday(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.attempt(offset_before);
    let from = *cursor;
    let first = cursor.take(feast)?;
    let weekend = cursor.attempt(|cursor| cursor.eat(Term::Weekend)).is_some();
    let rule = rule(cursor.tongue, "date.holiday");
    let offset = cursor.attempt(year_behind).map(Offset::Year);
    let offset = offset.or(before).or_else(|| cursor.attempt(offset_behind));
    let senses = from.sentence.senses(from.at);
    let longest = senses.iter().find(|sense| feast(sense.term) == Some(first))?.end;
    let all = senses.iter().filter(|sense| sense.end == longest);
    let mut days: Vec<Stretch> = Vec::new();
    for found in all.filter_map(|sense| feast(sense.term)) {
        let key = (found, offset);
        days.extend(Memo::feast(cursor, key, || chosen(found, offset, from.today())));
    }
    if weekend {
        days = days.iter().filter_map(|day| long_weekend(day, cursor)).collect();
    }
    (!days.is_empty()).then(|| When::any_of(days, rule))
}

fn feast(term: Term) -> Option<Feast> {
    match term {
        Term::Holiday(holiday) => Some((holiday, None)),
        Term::Festival(first, after) => Some((first, Some(after))),
        _ => None,
    }
}

/// The days of a feast that the word beside it may mean, the likeliest first.
fn chosen(feast: Feast, offset: Option<Offset>, today: Date) -> Vec<Stretch> {
    let here = today.year();
    let last = |included: bool| {
        let is_past =
            |day: &Stretch| day.start.date() < today || (included && day.start.date() == today);
        years(feast, (0..=REACH).map(|back| here - back), is_past)
    };
    let next =
        || years(feast, (0..=REACH).map(|on| here + on), |day: &Stretch| day.start.date() > today);
    match offset {
        Some(Offset::Year(year)) => days_of(feast, year),
        Some(Offset::Which(-1)) => last(false),
        Some(Offset::Which(1)) => next(),
        Some(Offset::Which(_)) => days_of(feast, here).into_iter().chain(next()).collect(),
        None => last(true).into_iter().chain(next()).collect(),
    }
}

/// All days that it may be, in the first of the years in which one fits.
fn years(
    feast: Feast,
    mut years: impl Iterator<Item = i16>,
    fits: impl Fn(&Stretch) -> bool,
) -> Vec<Stretch> {
    let found = years.find_map(|year| {
        let days: Vec<Stretch> = days_of(feast, year).into_iter().filter(&fits).collect();
        (!days.is_empty()).then_some(days)
    });
    found.unwrap_or_default()
}

fn days_of((first, after): Feast, year: i16) -> Vec<Stretch> {
    let starts = days_in(first, year);
    let Some(after) = after else {
        return starts.into_iter().filter_map(Stretch::day).collect();
    };
    // As many readings as the days have, the likeliest of both first.
    let mut all = Vec::new();
    for start in &starts {
        let mut ends = days_in(after, year);
        if ends.iter().all(|end| end <= start) {
            ends = days_in(after, year.saturating_add(1));
        }
        all.extend(ends.iter().filter_map(|end| Stretch::days(*start, *end, Unit::Week)));
    }
    all
}

/// The weekend that a Monday makes longer, or a Friday.
fn long_weekend(day: &Stretch, cursor: &Cursor<'_>) -> Option<Stretch> {
    let date = day.start.date();
    let weekday = date.weekday().to_monday_one_offset();
    let (start, end) = match weekday {
        1 => (weekend_start(cursor, days_after(date, -7)?)?, day.end),
        4 | 5 => (day.start, days_after(date, 8 - i32::from(weekday))?.at(0, 0, 0, 0)),
        6 | 7 => {
            let monday = days_after(date, 8 - i32::from(weekday))?;
            (weekend_start(cursor, days_after(monday, -7)?)?, monday.at(0, 0, 0, 0))
        }
        _ => return None,
    };
    Some(Stretch { start, end, grain: Unit::Week })
}

/// The word beside a feast that says which of them it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offset {
    Which(i32),
    Year(i16),
}

fn offset_before(cursor: &mut Cursor<'_>) -> Option<Offset> {
    if let Some(year) = cursor.attempt(whole_year) {
        return Some(Offset::Year(year));
    }
    which(cursor).map(Offset::Which)
}

fn offset_behind(cursor: &mut Cursor<'_>) -> Option<Offset> {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    if let Some(year) = cursor.attempt(whole_year) {
        return Some(Offset::Year(year));
    }
    which_after(cursor).map(Offset::Which)
}

/// 2018, in 2018, two thousand eighteen, in 3 years, 9 months ago
fn year_behind(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.first_of(&[year_after, year_by_distance, year_in, year_in_words])
}

fn year_in(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.eat(Term::In)?;
    let year = calendar_year(cursor)?;
    cursor.is_closed("-/.:").then_some(year)
}

fn year_in_words(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.sees_any(|term| matches!(term, Term::Number(_))).then_some(())?;
    let year = number::count(cursor)?;
    (1900.0..2100.0).contains(&year).then_some(year as i16)
}

fn year_by_distance(cursor: &mut Cursor<'_>) -> Option<i16> {
    let when = distance(cursor)?;
    let day = when.within.first().filter(|day| day.is_day())?;
    Some(day.start.year())
}

/// 去年, last year, 2013年
fn whole_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    if let Some(year) = cursor
        .attempt(crate::extract::temporal::dates::marked)
        .and_then(|when| when.year.filter(|_| when.month.is_none()))
    {
        cursor.attempt(|cursor| cursor.eat(Term::Of));
        return Some(year);
    }
    let (offset, unit) = offset_of_unit(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    (unit == Unit::Year).then_some(())?;
    i16::try_from(i32::from(cursor.today().year()) + offset).ok()
}
