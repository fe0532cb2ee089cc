//! Positions: (121.5, 25.0), 121.5E 25N, 東經121.5度北緯25度, lat 25 lon 121.5.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Axis, Term};
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Point, Reading};
use crate::extract::values::number::{self, has_decimal_comma};

use super::degrees::{self, check, degrees};

/// Numbers beyond this are no mistaken degrees but something else, like the years of (1990, 2000).
const BEYOND_DEGREES: f64 = 360.0;

/// Finds a position.
pub(crate) fn point(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let position = position(cursor)?;
    let reading = match position.first {
        Ok(point) => Reading::Point(point),
        Err(fault) => Reading::Fault(fault),
    };
    let found = Found::new(Kind::Point, reading, position.rule);
    Some(found.or(position.other.map(Reading::Point)))
}

/// A position, with the other order of its numbers if both are possible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    pub(crate) first: Result<Point, Fault>,
    pub(crate) other: Option<Point>,
    rule: Rule,
}

/// Reads a position in any form.
pub(crate) fn position(cursor: &mut Cursor<'_>) -> Option<Position> {
    cursor.first_of(&[said, pair])
}

/// Two coordinates that say which they are, in either order.
fn said(cursor: &mut Cursor<'_>) -> Option<Position> {
    let bracket = open(cursor);
    let one = degrees(cursor)?;
    between_coordinates(cursor);
    let two = degrees(cursor)?;
    close(cursor, bracket)?;
    let (longitude, latitude) = match (one.axis, two.axis) {
        (Axis::Longitude, Axis::Latitude) => (one.value, two.value),
        (Axis::Latitude, Axis::Longitude) => (two.value, one.value),
        _ => return None,
    };
    let first = check(longitude, latitude).map(|()| Point { longitude, latitude });
    Some(Position { first, other: None, rule: degrees::rule_of(cursor, one.said) })
}

/// Two bare numbers, where something shows that they are coordinates.
fn pair(cursor: &mut Cursor<'_>) -> Option<Position> {
    let announced = is_announced(*cursor);
    let bracket = open(cursor);
    let certain = announced || bracket.is_some();
    let one = plain(cursor)?;
    let comma = cursor.attempt(|cursor| cursor.symbol(",、;，/")).is_some();
    if !comma && !certain {
        return None;
    }
    let two = plain(cursor)?;
    close(cursor, bracket)?;
    let decimal = if has_decimal_comma(cursor) {
        // 1.234,5 is one number there.
        one.is_decimal && two.is_decimal
    } else {
        one.is_decimal || two.is_decimal
    };
    if !certain && (!decimal || is_in_list(*cursor)) {
        return None;
    }
    pair_position(cursor, one.value, two.value, certain)
}

/// Returns whether the word before says that a position follows: 座標, "at", "coordinates:".
fn is_announced(mut cursor: Cursor<'_>) -> bool {
    while cursor.at > 0 && cursor.follows(|term| term == Term::Is).is_some() {
        cursor.at -= 1;
    }
    let says = |term| matches!(term, Term::Coordinates | Term::At | Term::Before(_));
    cursor.follows(says).is_some()
}

/// A bare number and whether it was written with a point.
#[derive(Debug, Clone, Copy)]
struct Plain {
    value: f64,
    is_decimal: bool,
}

fn plain(cursor: &mut Cursor<'_>) -> Option<Plain> {
    let start = cursor.at;
    let value = number::decimal(cursor)?;
    let texts = || (start..cursor.at).map(|at| cursor.sentence.tokens.text(at));
    // The 000.5 of 10,000.5 is no position.
    if texts().any(|text| text.len() > 2 && text.starts_with("00")) {
        return None;
    }
    let is_decimal = texts().any(|text| text == ".");
    degrees::degree_mark(cursor);
    cursor.is_closed("-/:").then_some(Plain { value, is_decimal })
}

/// Returns whether a third number follows: 3.5, 4.2 and 5.1 are no position.
fn is_in_list(mut cursor: Cursor<'_>) -> bool {
    let joined = cursor.symbol(",、;").is_some() | cursor.attempt(|c| c.eat(Term::And)).is_some();
    joined && number::decimal(&mut cursor).is_some()
}

/// Longitude first, unless only the other order is possible.
fn pair_position(cursor: &Cursor<'_>, one: f64, two: f64, certain: bool) -> Option<Position> {
    let point = |longitude, latitude| Point { longitude, latitude };
    let straight = check(one, two).map(|()| point(one, two));
    let swapped = check(two, one).map(|()| point(two, one));
    let plausible = one.abs() <= BEYOND_DEGREES && two.abs() <= BEYOND_DEGREES;
    let (first, other, rule) = match (straight, swapped) {
        (Ok(straight), Ok(swapped)) => {
            (Ok(straight), Some(swapped), rule(cursor.tongue, "point.ambiguous"))
        }
        (Ok(straight), Err(_)) => (Ok(straight), None, rule(cursor.tongue, "point.pair")),
        (Err(_), Ok(swapped)) => (Ok(swapped), None, rule(cursor.tongue, "point.pair")),
        (Err(fault), Err(_)) if certain && plausible => {
            (Err(fault), None, rule(cursor.tongue, "point.pair"))
        }
        _ => return None,
    };
    Some(Position { first, other, rule })
}

/// Reads an opening bracket; the closing one must match it.
pub(crate) fn open(cursor: &mut Cursor<'_>) -> Option<char> {
    cursor.attempt(|cursor| cursor.symbol("([{【〔"))
}

/// Reads the closing bracket of `open`, if there was one.
pub(crate) fn close(cursor: &mut Cursor<'_>, open: Option<char>) -> Option<()> {
    let closing = match open {
        None => return Some(()),
        Some('(') => ")",
        Some('[') => "]",
        Some('{') => "}",
        Some('【') => "】",
        Some(_) => "〕",
    };
    cursor.symbol(closing).map(drop)
}

/// Skips what may stand between two coordinates.
pub(crate) fn between_coordinates(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| cursor.symbol(",、;/&"));
    cursor.attempt(|cursor| cursor.eat(Term::And));
}
