//! The day that a text states as today: "today is November 3rd, tide tomorrow?" Relative words count from it, and it
//! is not looked up as one more day.
//!
//! What is stated is a day with its month, or a weekday: the one that is nearest to the clock, if several may be meant.

use jiff::Zoned;
use jiff::civil::Date;

use crate::extract::Context;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;

use super::compose;
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// A statement of what day it is.
#[derive(Debug)]
pub(in crate::extract) struct Stated {
    /// The instant that times count from: on the day that was stated, at the time of the clock if none was.
    pub(in crate::extract) now: Zoned,
    /// The tokens of the statement, half-open.
    pub(in crate::extract) start: usize,
    pub(in crate::extract) end: usize,
}

/// Finds the first statement of what day it is.
pub(in crate::extract) fn stated(sentence: &Sentence<'_>, context: &Context<'_>) -> Option<Stated> {
    let opens = |at: &usize| {
        [Term::TodayIs, Term::ItIs, Term::Day(0)].iter().any(|term| sentence.may_mean(*at, *term))
    };
    (0..sentence.tokens.len())
        .filter(opens)
        .find_map(|at| Cursor::new(sentence, context, at).attempt(statement))
}

fn statement(cursor: &mut Cursor<'_>) -> Option<Stated> {
    let start = cursor.at;
    let opening = opening(cursor)?;
    // "le 3 novembre", "der 3. November"
    for _ in 0..2 {
        cursor.attempt(|cursor| {
            cursor.take(|term| matches!(term, Term::On | Term::The).then_some(()))
        });
    }
    let when = compose::when(cursor)?;
    let dated = when.day.is_some() && when.month.is_some();
    let is_told = dated || opening == Opening::Today && when.weekday.is_some();
    // "Today is Friday of next week" is none, but Christmas is a day.
    let is_feast = when.rule.name() == "date.holiday";
    let is_feast = is_feast && opening == Opening::Today && when.names_day();
    let is_dated = is_told && when.within.is_empty() || is_feast;
    (is_dated && when.part.is_none()).then_some(())?;
    let named = cursor.attempt(|cursor| cursor.eat(Term::Day(0))).is_some();
    let ends = matches!(cursor.shape(), None | Some(Shape::Symbol));
    let goes_on = cursor.sees_any(|term| matches!(term, Term::And | Term::But));
    // 今天是11月3日的潮汐 asks for that day.
    let is_owner = cursor.shape() == Some(Shape::Han) && cursor.sees(Term::Of);
    let is_closed = match opening {
        Opening::Today => !is_owner,
        Opening::It => ends || named || goes_on,
        Opening::Bare => ends,
        Opening::Apposition => ends && when.year.is_some(),
    };
    is_closed.then_some(())?;
    let now = nearest(&when, cursor)?;
    // "今天11月6日，明天11月7日" tells nothing new.
    let is_new = matches!(opening, Opening::Today | Opening::It) || now.date() != cursor.today();
    is_new.then_some(Stated { now, start, end: cursor.at })
}

/// What a statement begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Opening {
    /// today is
    Today,
    /// it is
    It,
    /// today, with a colon or nothing before the date
    Bare,
    /// today, with a comma before a date that has a year
    Apposition,
}

fn opening(cursor: &mut Cursor<'_>) -> Option<Opening> {
    let begins = cursor.back().is_none_or(|before| before.shape() == Some(Shape::Symbol));
    if cursor.attempt(|cursor| cursor.eat(Term::TodayIs)).is_some() {
        return Some(Opening::Today);
    }
    begins.then_some(())?;
    if cursor.attempt(|cursor| cursor.eat(Term::ItIs)).is_some() {
        return Some(Opening::It);
    }
    cursor.eat(Term::Day(0))?;
    match cursor.attempt(|cursor| cursor.symbol(":：=,，")) {
        Some(',' | '，') => Some(Opening::Apposition),
        _ => Some(Opening::Bare),
    }
}

/// The instant on the day that is meant, of several the one nearest to the clock.
fn nearest(when: &When, cursor: &Cursor<'_>) -> Option<Zoned> {
    let now = cursor.context.now;
    let today = cursor.today();
    let days = settle(when, cursor).ok()?;
    let away = |one: &&Stretch| distance(one.start.date(), today);
    let day = days.iter().min_by_key(away)?;
    let at = if day.is_instant() { day.start } else { day.start.date().to_datetime(now.time()) };
    at.to_zoned(now.time_zone().clone()).ok()
}

/// The number of days between two, up to many years.
fn distance(one: Date, other: Date) -> i32 {
    one.since(other).map_or(i32::MAX, |span| span.get_days().saturating_abs())
}
