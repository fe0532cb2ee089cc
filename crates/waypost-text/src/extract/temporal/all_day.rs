//! A whole day as a stretch: all day tomorrow, 11月5日一整天, todo el día 5 de noviembre, cả ngày mai.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

use super::compose::when;
use super::found::{moment, zone};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// Finds a day that is meant from its beginning to its end.
pub(in crate::extract) fn all_day(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let day = cursor.first_of(&[before_it, behind_it])?;
    let rule = rule(cursor.tongue, "range.all_day");
    let zone = zone(&day, cursor);
    let all = settle(&day, cursor).ok()?;
    let mut readings = all.iter().filter_map(|day| {
        // A stretch of one day, and not the day: it has two ends.
        let whole = Stretch { grain: Unit::Week, ..*day };
        let (start, end) = (moment(&whole, whole.start, &zone)?, moment(&whole, whole.end, &zone)?);
        Some(Reading::Range(start, end))
    });
    let first = readings.next()?;
    let others: Vec<Reading> = readings.collect();
    Some(Found::new(Kind::Range, first, rule).or(others))
}

/// the whole day of 5 November, all day tomorrow, cả ngày 5/11
fn before_it(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::AllDay)?;
    cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::Of | Term::On | Term::In).then_some(()))
    });
    cursor.attempt(|cursor| cursor.eat(Term::The));
    day(cursor)
}

/// tomorrow, all day; 11月5日一整天
fn behind_it(cursor: &mut Cursor<'_>) -> Option<When> {
    let day = day(cursor)?;
    cursor.attempt(|cursor| cursor.symbol(","));
    cursor.eat(Term::AllDay)?;
    Some(day)
}

fn day(cursor: &mut Cursor<'_>) -> Option<When> {
    when(cursor).filter(|day| day.names_day() && !day.has_time())
}
