//! Chinese and Japanese days and months by their marks: 五六月, 3號; the number of a thing is none.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number;

use super::calendars::gregorian;
use super::dates::marked_year;
use super::stretch::Stretch;
use super::when::When;

/// Reads 五六月, 5、6月 and 今年5，6月: two months that follow each other, as one stretch.
pub(super) fn two_months(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = Term::Period(0, Unit::Year);
    let begins = cursor.may_mean(0, year)
        || cursor.may_mean(0, Term::Either(0.0, 0.0))
        || cursor.sentence.may_count(cursor.at);
    begins.then_some(())?;
    let offset = cursor.attempt(|cursor| {
        cursor.take(|term| match term {
            Term::Period(offset, Unit::Year) => Some(offset),
            _ => None,
        })
    });
    let year = match offset {
        Some(offset) => Some(i16::try_from(i32::from(cursor.today().year()) + offset).ok()?),
        None => cursor.attempt(marked_year),
    };
    let (first, last) = cursor.first_of(&[number::either, listed])?;
    cursor.eat(Term::MonthMark)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let fits = first >= 1.0 && last <= 12.0 && last - first == 1.0;
    let first = fits.then_some(first as i8)?;
    let (past, future) = gregorian::nearest(first, 1, cursor.today());
    let starts = match year {
        Some(year) => [Date::new(year, first, 1).ok(), None],
        None => [past, future],
    };
    let both = starts.into_iter().flatten().filter_map(|start| {
        Stretch::days(start, gregorian::shift(start, 2.0, Unit::Month)?, Unit::Month)
    });
    Some(When::any_of(both.collect(), rule(cursor.tongue, "range.month")))
}

/// Reads two numbers with a comma between.
fn listed(cursor: &mut Cursor<'_>) -> Option<(f64, f64)> {
    let next = Cursor { at: cursor.at + 1, ..*cursor };
    matches!(next.peek_symbol(), Some(',' | '、')).then_some(())?;
    let first = number::count(cursor)?;
    cursor.symbol(",、")?;
    Some((first, number::count(cursor)?))
}

pub(super) fn marked_day(cursor: &mut Cursor<'_>) -> Option<i8> {
    let day = number::count(cursor).filter(|day| (0.0..100.0).contains(day))? as i8;
    cursor.eat(Term::DayMark)?;
    Some(day)
}

/// Reads a day without its month, if nothing says that the number is the name of a thing: 3號測站, 中正路12號.
pub(super) fn lone_marked_day(cursor: &mut Cursor<'_>) -> Option<i8> {
    let start = *cursor;
    let day = marked_day(cursor)?;
    let told = |term| matches!(term, Term::Street | Term::OrdinalSign);
    let is_name = start.follows(|term| term == Term::OrdinalMark).is_some()
        || start.follows(told).is_some() && ends_word(*cursor)
        || numbers_thing(*cursor);
    (!is_name).then_some(day)
}

/// Returns whether a thing follows whose number was read, maybe behind the numbers of others: 3號和5號測站.
pub(super) fn numbers_thing(mut cursor: Cursor<'_>) -> bool {
    /// Longer lists are of something else.
    const MOST: usize = 6;
    for _ in 0..MOST {
        if sees_numbered(cursor) {
            return true;
        }
        let joined = cursor.attempt(|cursor| cursor.symbol("、-~")).is_some()
            || cursor.attempt(|cursor| cursor.eat(Term::And)).is_some()
            || cursor.attempt(|cursor| cursor.eat(Term::To)).is_some();
        if !joined || cursor.attempt(marked_day).is_none() {
            return false;
        }
    }
    false
}

/// Returns whether a thing that bears numbers comes next, maybe with its kind: 測站, 水質監測站.
fn sees_numbered(mut cursor: Cursor<'_>) -> bool {
    /// The most words that say of which kind a thing is.
    const MOST: usize = 3;
    for _ in 0..=MOST {
        let mut lone = cursor;
        if cursor.sees(Term::Numbered) || lone.eat(Term::LoneNumbered).is_some() && ends_word(lone)
        {
            return true;
        }
        if cursor.eat(Term::NumberedKind).is_none() {
            return false;
        }
    }
    false
}

/// Returns whether the word that was read goes on no further, as far as the tables know.
fn ends_word(cursor: Cursor<'_>) -> bool {
    cursor.shape() != Some(Shape::Han) || cursor.sees_any(|_| true)
}
