//! Positions: (121.5, 25.0), 121.5E 25N, 東經121.5度北緯25度, lat 25 lon 121.5.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Axis, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Point, Reading};
use crate::extract::values::number::{self, Dictated, Manner, dictated, has_decimal_comma};

use super::angle::degree_mark;
use super::degrees::{self, Said, check, degrees};
use super::legend;
use super::marks::{self, close, open};

/// Numbers beyond this are no mistaken degrees but something else, like the years of (1990, 2000).
const BEYOND_DEGREES: f64 = 360.0;

/// Of two whole numbers in words one is at least this, as "position two, three" is much else.
const LEAST_SPOKEN: f64 = 10.0;

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
    /// The two numbers as they stand, if nothing says which is which.
    pub(crate) bare: Option<[f64; 2]>,
    rule: Rule,
}

/// Reads a position in any form.
pub(crate) fn position(cursor: &mut Cursor<'_>) -> Option<Position> {
    if cursor.sentence.names_coordinates_behind(cursor.at) {
        cursor.first_of(&[said, with_legend, pair])
    } else {
        cursor.attempt(pair)
    }
}

/// Reads a position of which a word before it says that it is one.
pub(crate) fn announced(cursor: &mut Cursor<'_>) -> Option<Position> {
    cursor.first_of(&[said, with_legend, |cursor| pair_of(cursor, true)])
}

/// Two coordinates that say which they are, in either order.
fn said(cursor: &mut Cursor<'_>) -> Option<Position> {
    let bracket = open(cursor);
    let one = degrees(cursor)?;
    marks::between(cursor);
    let two = marks::past_entries(cursor, degrees)?;
    if one.is_small_word && two.is_small_word {
        return None;
    }
    // The 25 of "3 longitude 121 latitude 25" is the latitude.
    if one.said == Said::LabelBehind && cursor.shape() == Some(Shape::Digits) {
        return None;
    }
    close(cursor, bracket)?;
    let (longitude, latitude) = match (one.axis, two.axis) {
        (Axis::Longitude, Axis::Latitude) => (one.value, two.value),
        (Axis::Latitude, Axis::Longitude) => (two.value, one.value),
        _ => return None,
    };
    let rule = degrees::rule_of(cursor, one.said);
    Some(certain(longitude, latitude, rule))
}

/// A position whose numbers have been told apart.
fn certain(longitude: f64, latitude: f64, rule: Rule) -> Position {
    let first = check(longitude, latitude).map(|()| Point { longitude, latitude });
    Position { first, other: None, bare: None, rule }
}

/// Two numbers, and words before or behind them that name both: "lat/lon 22.1, 119.7".
fn with_legend(cursor: &mut Cursor<'_>) -> Option<Position> {
    let ([one, two], [axis, other]) = legend::listed(cursor, legend::axes)?;
    let (longitude, latitude) = match (axis, other) {
        (Axis::Longitude, Axis::Latitude) => (one, two),
        (Axis::Latitude, Axis::Longitude) => (two, one),
        _ => return None,
    };
    let rule = rule(cursor.tongue, "point.legend");
    Some(certain(longitude, latitude, rule))
}

/// Two bare numbers, where something shows that they are coordinates.
fn pair(cursor: &mut Cursor<'_>) -> Option<Position> {
    let announced = is_announced(*cursor);
    pair_of(cursor, announced)
}

fn pair_of(cursor: &mut Cursor<'_>, announced: bool) -> Option<Position> {
    let with_commas = |cursor: &mut Cursor<'_>| commas(cursor, announced);
    if has_decimal_comma(cursor)
        && let Some(found) = cursor.attempt(with_commas)
    {
        return Some(found);
    }
    let named = announced && !follows_is(*cursor, is_preposition);
    let bracket = open(cursor);
    let certain = announced || bracket.is_some();
    let one = plain(cursor, Manner::POINT)?;
    let comma = cursor.attempt(|cursor| cursor.symbol(",、;，/")).is_some();
    if !comma && !certain {
        return None;
    }
    let two = plain(cursor, Manner::POINT)?;
    close(cursor, bracket)?;
    let decimal = if has_decimal_comma(cursor) || one.is_spoken || two.is_spoken {
        // 1.234,5 is one number there.
        one.is_decimal && two.is_decimal
    } else {
        one.is_decimal || two.is_decimal
    };
    // "At five twenty" is a time, and "point two, three" a number and something else.
    let is_far = one.value.abs().max(two.value.abs()) >= LEAST_SPOKEN;
    if (one.is_spoken || two.is_spoken) && !(comma && (decimal || named && is_far)) {
        return None;
    }
    if !certain && (!decimal || is_in_list(*cursor)) {
        return None;
    }
    pair_position(cursor, one.value, two.value, certain)
}

/// Reads two numbers with decimals behind commas: (23,5; 119,2).
fn commas(cursor: &mut Cursor<'_>, announced: bool) -> Option<Position> {
    let bracket = open(cursor);
    let manner = Manner { points: ",", ..Manner::POINT };
    let one = plain(cursor, manner)?;
    let sign = cursor.attempt(|cursor| cursor.symbol(",;/|"));
    let two = plain(cursor, manner)?;
    close(cursor, bracket)?;
    let certain = announced || bracket.is_some();
    let fits = certain || sign.is_some_and(|sign| sign != ',');
    if fits && one.is_decimal && two.is_decimal && !is_in_list(*cursor) {
        pair_position(cursor, one.value, two.value, certain)
    } else {
        None
    }
}

/// Returns whether the word before says that a position follows: 座標, "at", "coordinates:".
fn is_announced(cursor: Cursor<'_>) -> bool {
    follows_is(cursor, |term| matches!(term, Term::Coordinates | Term::At | Term::Before(_)))
}

/// Returns whether a word before says something else than that a position follows.
fn is_preposition(term: Term) -> bool {
    matches!(term, Term::At | Term::Before(_) | Term::Point)
}

/// Returns whether a word with a meaning that `fits` stands before the cursor and any "is".
fn follows_is(mut cursor: Cursor<'_>, fits: impl Fn(Term) -> bool) -> bool {
    while cursor.at > 0 && cursor.follows(|term| term == Term::Is).is_some() {
        cursor.at -= 1;
    }
    cursor.follows(fits).is_some()
}

fn plain(cursor: &mut Cursor<'_>, manner: Manner) -> Option<Dictated> {
    let start = cursor.at;
    let found = dictated(cursor, manner)?;
    let mut texts = (start..cursor.at).map(|at| cursor.sentence.tokens.text(at));
    // The 000.5 of 10,000.5 is no position.
    if texts.any(|text| text.len() > 2 && text.starts_with("00")) {
        return None;
    }
    // 三點五 is a time as well.
    if found.is_spoken && (start..cursor.at).any(|at| cursor.sentence.shape(at) == Some(Shape::Han))
    {
        return None;
    }
    degree_mark(cursor);
    cursor.is_closed("-/:").then_some(found)
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
    Some(Position { first, other, bare: Some([one, two]), rule })
}
