//! Days that are said by their places in the month alone: on the 3rd, since the 4th, am Fünfzehnten.
//!
//! A place may be one of a list as well. It is a day only if a word for days stands before it and nothing that
//! is counted stands behind it: "on the 3rd floor" and "click on the 3rd" name no day.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Order, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::lang::Tongue;
use crate::extract::values::ordinal;

use super::clock;
use super::dates::{MOST_OPTIONS, day_number};
use super::when::When;

/// Longer lists of days are of something else.
const MOST: usize = 6;

/// How sure the words before a place make it that a day is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// on the, since the, seit dem
    Day,
    /// before the, from the, for the: things have such places too.
    Side,
}

/// Reads the 3rd of "on the 3rd", of "since the 3rd" and of "on the 2nd and the 3rd".
pub(super) fn placed(cursor: &mut Cursor<'_>) -> Option<When> {
    let lead = lead(cursor, MOST)?;
    let is_digits = cursor.shape() == Some(Shape::Digits);
    let day = place(cursor)?;
    let fits = match lead {
        Lead::Day => true,
        Lead::Side => is_digits && day >= MOST_OPTIONS,
    };
    (fits && stands_alone(*cursor)).then_some(())?;
    Some(day_of(day, cursor))
}

/// Reads the 15th of "Keelung tides 15th": a place behind a word, as the last of the text.
pub(super) fn trailing(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.back()?;
    let leads = |term| {
        matches!(term, Term::The | Term::To | Term::In | Term::At | Term::Of | Term::Which(_))
            || matches!(term, Term::OrdinalSign | Term::Is | Term::Before(_) | Term::Step(_))
            || term == Term::NoTime
    };
    let is_name = before.shape() == Some(Shape::Word) && cursor.follows(leads).is_none();
    (is_name && cursor.shape() == Some(Shape::Digits)).then_some(())?;
    let day = place(cursor).filter(|day| *day >= MOST_OPTIONS)?;
    // A point or a question mark may end the text.
    let ends = !cursor.sentence.says_behind(cursor.at);
    (ends && cursor.tongue.places_days).then(|| day_of(day, cursor))
}

/// A day of the month and no more.
pub(super) fn day_of(day: i8, cursor: &Cursor<'_>) -> When {
    When { day: Some(day), ..When::new(rule(cursor.tongue, "date.day")) }
}

/// Reads 3rd, third or "3." in a language that numbers the days of a month by their places.
pub(super) fn place(cursor: &mut Cursor<'_>) -> Option<i8> {
    let start = cursor.at;
    let is_digits = cursor.shape()? == Shape::Digits;
    let mut ahead = *cursor;
    ahead.tongue = Tongue::COMMON;
    let day = if is_digits {
        day_number(&mut ahead).filter(|_| ahead.at > start + 1)?
    } else {
        i8::try_from(ordinal::rank(&mut ahead)?).ok()?
    };
    // The point of German is of no language.
    let is_point = is_digits && ahead.tongue == Tongue::COMMON;
    let places = if is_point { ahead.habits().ordinal_point } else { ahead.tongue.places_days };
    (places && (1..=31).contains(&day)).then_some(())?;
    *cursor = ahead;
    Some(day)
}

/// The words before a place, or before the list of days that it is in.
fn lead(cursor: &Cursor<'_>, most: usize) -> Option<Lead> {
    let article = cursor.follows(|term| term == Term::The).is_some();
    // "am" holds its article, and "on 3rd" leaves it out.
    let own = cursor.follows(|term| term == Term::On).is_some();
    let bare = cursor.habits().ordinal_point || cursor.shape() == Some(Shape::Digits);
    let contracted = own && !article && bare;
    let held = cursor.follows(|term| matches!(term, Term::Since | Term::Order(_)));
    let at = match (contracted || held.is_some(), article) {
        (true, _) => *cursor,
        (_, true) => cursor.back()?,
        _ => return listed(cursor, most),
    };
    let follows = |fits: fn(Term) -> bool| at.follows(fits).is_some();
    // "Click on the 3rd" is about a thing.
    (!follows(|term| term == Term::NoTime)).then_some(())?;
    if follows(|term| {
        matches!(term, Term::On | Term::Since | Term::Order(Order::Since | Order::Until))
    }) {
        return Some(Lead::Day);
    }
    if follows(|term| matches!(term, Term::Order(_) | Term::From | Term::For | Term::Of)) {
        return Some(Lead::Side);
    }
    listed(&at, most)
}

/// The words before a list of days, whose "and" or comma stands before the cursor.
fn listed(cursor: &Cursor<'_>, most: usize) -> Option<Lead> {
    let most = most.checked_sub(1)?;
    let joint = cursor.back()?;
    let joined = cursor.follows(|term| term == Term::And).is_some()
        || matches!(joint.peek_symbol(), Some(',' | '、'));
    joined.then_some(())?;
    // A place has one token, or two with its ending.
    (1..=2).find_map(|tokens| {
        let mut other = Cursor { at: joint.at.checked_sub(tokens)?, ..joint };
        let start = other;
        place(&mut other).filter(|_| other.at == joint.at)?;
        lead(&start, most)
    })
}

/// Returns whether nothing that could have the place follows: no floor, no Monday.
pub(super) fn stands_alone(mut cursor: Cursor<'_>) -> bool {
    for _ in 0..MOST {
        let next = cursor.attempt(|cursor| {
            let comma = cursor.attempt(|cursor| cursor.symbol(",、")).is_some();
            let and = cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
            (comma || and).then_some(())?;
            cursor.attempt(|cursor| cursor.eat(Term::The));
            place(cursor)
        });
        if next.is_none() {
            break;
        }
    }
    if matches!(cursor.shape(), Some(Shape::Word | Shape::Digits)) && cursor.is_glued() {
        return false;
    }
    match cursor.shape() {
        None => true,
        Some(Shape::Symbol) => !cursor.is_glued() || cursor.peek_symbol() != Some('-'),
        Some(Shape::Digits) => clock::clock(&mut cursor).is_some(),
        Some(Shape::Word | Shape::Han) => {
            let goes_on = |term| {
                matches!(
                    term,
                    Term::At
                        | Term::AtHour
                        | Term::In
                        | Term::From
                        | Term::To
                        | Term::And
                        | Term::On
                        | Term::For
                        | Term::With
                        | Term::But
                        | Term::Is
                        | Term::About
                        | Term::Since
                        | Term::Between
                        | Term::Order(_)
                        | Term::Onward
                        | Term::OrderBehind(_)
                        | Term::Before(_)
                        | Term::By
                        | Term::Filler
                )
            };
            // "On the 3rd of the list" has its place there.
            cursor.sees_any(goes_on) && !cursor.sees(Term::Of) && !cursor.sees(Term::Counter)
        }
    }
}
