//! Ranges by one end and a length: from 10 am for 3 hours, two weeks starting Monday, 14 March for
//! 7 hours from 9:30.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Order, Term, Unit};
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Reading};
use crate::extract::values::number;

use super::clock;
use super::compose::when;
use super::duration::{Length, length};
use super::found::{moment, zone};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::{Clock, When};

/// Reads a start and how long it goes on, in either order.
pub(super) fn lasting(cursor: &mut Cursor<'_>) -> Option<Found> {
    let (start, length) = cursor.first_of(&[length_first, start_first])?;
    let rule = rule(cursor.tongue, "range.lasting");
    let all = match settle(&start, cursor) {
        Ok(all) => all,
        Err(wrong) => return Some(Found::new(Kind::Range, Reading::Fault(wrong), rule)),
    };
    let zone = zone(&start, cursor);
    let mut readings = all.iter().filter_map(|one| {
        let days = length.finest()? >= Unit::Day && one.is_whole_days();
        let end = length.after(one.start, 1)?;
        let grain = if days { Unit::Week } else { Unit::Minute };
        let range = Stretch { start: one.start, end, grain };
        Some(Reading::Range(moment(&range, one.start, &zone)?, moment(&range, end, &zone)?))
    });
    let first = readings.next().unwrap_or(Reading::Fault(Fault::NoSuchDate));
    let others: Vec<Reading> = readings.collect();
    Some(Found::new(Kind::Range, first, rule).or(others))
}

/// two weeks starting Monday; "for 3 hours from 10", where "for" tells it from a distance.
fn length_first(cursor: &mut Cursor<'_>) -> Option<(When, Length)> {
    let lasts = cursor.follows(|term| term == Term::For).is_some();
    let length = length(cursor)?;
    cursor.attempt(|cursor| cursor.symbol(","));
    let from = lasts && cursor.attempt(|cursor| cursor.eat(Term::From)).is_some();
    if !from {
        cursor.eat(Term::Order(Order::Since))?;
    }
    Some((start(cursor, true)?, length))
}

/// from 2 pm for 2 hours, 14 March for 7 hours from 9:30
fn start_first(cursor: &mut Cursor<'_>) -> Option<(When, Length)> {
    let told =
        cursor.take(|term| matches!(term, Term::From | Term::Order(Order::Since)).then_some(()));
    let first = start(cursor, told.is_some())?;
    cursor.eat(Term::For)?;
    let length = length(cursor)?;
    let hours = cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::From | Term::At).then_some(()))?;
        first.merge(&clock::clock(cursor)?)
    });
    let is_start = told.is_some() || hours.is_some() || first.clock.is_some();
    is_start.then_some((hours.unwrap_or(first), length))
}

/// A time, or the number of an hour where a word says that something starts.
fn start(cursor: &mut Cursor<'_>, is_told: bool) -> Option<When> {
    cursor.attempt(|cursor| cursor.eat(Term::On));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    if let Some(found) = cursor.attempt(when) {
        return Some(found);
    }
    let hour = number::count(cursor).filter(|hour| is_told && (0.0..=24.0).contains(hour))?;
    let clock = Clock::new(hour as i8, 0, 0, Unit::Hour).ok();
    (hour.fract() == 0.0 && cursor.is_closed("-/.,:")).then(|| When { clock, ..When::new("time") })
}
