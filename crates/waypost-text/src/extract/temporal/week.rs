//! Weeks by their number in a year, as ISO 8601 counts them, or by one of their days: week 31,
//! semana 27 del año pasado, the tenth week, the week of 10 April; and the one that it is.

use jiff::civil::{ISOWeekDate, Weekday};

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::{number, ordinal};

use super::calendars::gregorian;
use super::dates::year_after;
use super::period::offset_of_unit;
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;
use super::{dates, numeric};

/// Reads a week by its number or by one of its days.
pub(super) fn week(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.first_of(&[with_day, numbered])
}

/// la semana del 10 de abril, the week starting 4 February
fn with_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::Unit(Unit::Week))?;
    cursor.take(|term| matches!(term, Term::Of | Term::Since).then_some(()))?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let day = cursor.first_of(&[dates::day_month, dates::month_day, numeric::numeric])?;
    let rule = rule(cursor.tongue, "range.week");
    let whole = |day: &Stretch| {
        Stretch::unit(gregorian::start_of(day.start.date(), Unit::Week)?, Unit::Week)
    };
    let found: Vec<Stretch> = settle(&day, cursor).ok()?.iter().filter_map(whole).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

/// Of this year where none is said.
fn numbered(cursor: &mut Cursor<'_>) -> Option<When> {
    /// More weeks than these have their place in a year only.
    const OF_MONTH: i8 = 5;
    let place = cursor.attempt(place_before);
    let number = match place {
        Some(place) => place,
        None => number_behind(cursor)?,
    };
    let rule = rule(cursor.tongue, "range.week");
    let year = cursor.first_of(&[year_after, year_by_word]);
    if year.is_none() && place.is_some_and(|place| place <= OF_MONTH) {
        return None;
    }
    let year = year.unwrap_or_else(|| cursor.today().year());
    let monday = ISOWeekDate::new(year, number, Weekday::Monday).ok()?.date();
    Some(When::known(Stretch::unit(monday, Unit::Week)?, rule))
}

fn number_behind(cursor: &mut Cursor<'_>) -> Option<i8> {
    cursor.eat(Term::Unit(Unit::Week))?;
    // 星期三 is a weekday.
    if cursor.is_within(|term| matches!(term, Term::Weekday(_))) {
        return None;
    }
    let number = number::count(cursor).filter(|number| (1.0..=53.0).contains(number))?;
    (number.fract() == 0.0 && cursor.is_closed("-/.,:")).then_some(number as i8)
}

fn place_before(cursor: &mut Cursor<'_>) -> Option<i8> {
    // "thứ sáu tuần này" is the Friday of a week.
    if cursor.sees_any(|term| matches!(term, Term::Weekday(_))) {
        return None;
    }
    let place = ordinal::rank(cursor)?;
    cursor.eat(Term::Unit(Unit::Week))?;
    i8::try_from(place).ok().filter(|place| (1..=53).contains(place))
}

/// del año pasado, of this year
fn year_by_word(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let (offset, unit) = offset_of_unit(cursor)?;
    (unit == Unit::Year).then_some(())?;
    cursor.today().year().checked_add(i16::try_from(offset).ok()?)
}

/// Reads the week, the month, the year where a sentence ends with it: this one.
pub(super) fn this_unit(cursor: &mut Cursor<'_>) -> Option<When> {
    let article = cursor.follows(|term| term == Term::The)?;
    // "tres veces a la semana"
    let counted = cursor.back().is_some_and(|the| the.follows(|term| term == Term::To).is_some());
    let unit = super::duration::unit(cursor).filter(|unit| *unit >= Unit::Week)?;
    let ends = match cursor.shape() {
        None => true,
        Some(Shape::Symbol) => cursor.peek_symbol().is_some_and(|sign| ".,;?!".contains(sign)),
        _ => false,
    };
    (ends && !counted && article == cursor.tongue).then_some(())?;
    let (start, end) = gregorian::period(cursor.today(), 0, unit)?;
    Some(When::known(Stretch::days(start, end, unit)?, rule(cursor.tongue, "range.period")))
}
