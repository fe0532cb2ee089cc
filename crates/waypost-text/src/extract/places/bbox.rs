//! Boxes: [118,20,123,25], (118,20)-(123,25), 118-123E 20-25N, 東經118到123度 北緯20到25度.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Reading};
use crate::extract::values::number;

use super::degrees::{self, arc, check, hemisphere, label, signed};
use super::point::{between_coordinates, close, open, position};

/// Half way round: a wider box is meant to go the other way, over the antimeridian.
const WIDEST: f64 = 180.0;

/// All longitudes.
const WHOLE: f64 = 360.0;

/// Finds a box.
pub(crate) fn bbox(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    cursor.first_of(&[numbers, corners, sides])
}

/// Four numbers in brackets, after "bbox", or with decimals.
fn numbers(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = cursor.attempt(box_word).is_some();
    let bracket = open(cursor);
    let certain = named || bracket.is_some();
    let mut values = [0.0; 4];
    let start = cursor.at;
    for (index, value) in values.iter_mut().enumerate() {
        if index > 0 && cursor.attempt(|cursor| cursor.symbol(",、;")).is_none() && !certain {
            return None;
        }
        *value = number::decimal(cursor)?;
        degrees::degree_mark(cursor);
    }
    let decimal = (start..cursor.at).any(|at| cursor.sentence.tokens.text(at) == ".");
    close(cursor, bracket)?;
    let ended = cursor.is_closed("-/:,.");
    if !ended || !(certain || decimal) {
        return None;
    }
    let rule = rule(cursor.tongue, "bbox.numbers");
    let [a, b, c, d] = values;
    // Longitude comes first unless that cannot be.
    let swapped = b.abs().max(d.abs()) > 90.0 && a.abs().max(c.abs()) <= 90.0;
    let (longitudes, latitudes) = if swapped { ([b, d], [a, c]) } else { ([a, c], [b, d]) };
    // North-east and south-west are two corners as well, in the other order.
    let corners = longitudes[0] > longitudes[1] && latitudes[0] > latitudes[1];
    Some(found(area(longitudes, latitudes), longitudes, !corners, rule))
}

/// Reads "bbox", "bounding box", 範圍.
fn box_word(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::Box)?;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    Some(())
}

/// Two opposite corners.
fn corners(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = cursor.attempt(box_word).is_some();
    let from = cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::From | Term::Between).then_some(term))
    });
    let one = position(cursor)?;
    let and = (named || from == Some(Term::Between))
        && cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    if !and && to(cursor).is_none() {
        let comma = named && cursor.attempt(|cursor| cursor.symbol(",")).is_some();
        (comma || named).then_some(())?;
    }
    let two = position(cursor)?;
    let reading = match (one.first, two.first) {
        (Ok(one), Ok(two)) => area([one.longitude, two.longitude], [one.latitude, two.latitude]),
        (Err(fault), _) | (_, Err(fault)) => Reading::Fault(fault),
    };
    Some(Found::new(Kind::Bbox, reading, rule(cursor.tongue, "bbox.corners")))
}

/// Two ranges that say which coordinate they are of.
fn sides(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = cursor.attempt(box_word);
    let bracket = if named.is_some() { open(cursor) } else { None };
    let (one, between) = side(cursor, false)?;
    between_coordinates(cursor);
    let (two, both) = side(cursor, between)?;
    close(cursor, bracket)?;
    // "Between 123 and 118" says of neither that it comes first.
    let (longitudes, latitudes, ordered) = match (one.0, two.0) {
        (Axis::Longitude, Axis::Latitude) => (one.1, two.1, !between),
        (Axis::Latitude, Axis::Longitude) => (two.1, one.1, !both),
        _ => return None,
    };
    let rule = rule(cursor.tongue, "bbox.sides");
    Some(found(area(longitudes, latitudes), longitudes, ordered, rule))
}

/// A box as it was read. Where its sides were said in their order and the west one lies east of the
/// east one, that is a slip or a way around the Earth: neither is guessed, and the box between the two
/// is only the likelier reading. A box over the antimeridian has them so.
fn found(reading: Reading, [west, east]: [f64; 2], ordered: bool, rule: Rule) -> Found {
    let crosses = matches!(reading, Reading::Bbox([west, _, east, _]) if west > east);
    if ordered && west > east && !crosses && matches!(reading, Reading::Bbox(_)) {
        return Found::new(Kind::Bbox, Reading::Fault(Fault::BoxReversed), rule).or([reading]);
    }
    Found::new(Kind::Bbox, reading, rule)
}

type Side = (Axis, [f64; 2]);

/// Reads the range of one coordinate, and whether its ends are joined by "and" after "between",
/// which then holds for the other coordinate too.
fn side(cursor: &mut Cursor<'_>, between: bool) -> Option<(Side, bool)> {
    let axis = cursor.attempt(label);
    let opening = cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::From | Term::Between).then_some(term))
    });
    let before = cursor.attempt(hemisphere);
    let one = arc(cursor)?;
    degrees::degree_mark(cursor);
    let first = if before.is_none() { cursor.attempt(hemisphere) } else { None };
    let between = between || opening == Some(Term::Between);
    let and = between && cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    if !and {
        to(cursor)?;
    }
    let middle = cursor.attempt(hemisphere);
    let two = arc(cursor)?;
    degrees::degree_mark(cursor);
    // 北緯 behind 東經118到123度 belongs to the other coordinate.
    let is_said = before.or(middle).is_some();
    let last = if is_said { None } else { cursor.attempt(hemisphere) };
    let second = last.or(middle).or(before).or(first);
    let first = first.or(before).or(last).or(middle);
    Some((read_side(axis, (one, first), (two, second))?, between))
}

fn read_side(
    axis: Option<Axis>,
    (one, first): (f64, Option<Hemisphere>),
    (two, second): (f64, Option<Hemisphere>),
) -> Option<Side> {
    match (first, second) {
        (Some(first), Some(second)) => {
            let ((axis, one), (other, two)) = (signed(one, first), signed(two, second));
            (axis == other).then_some((axis, [one, two]))
        }
        _ => axis.map(|axis| (axis, [one, two])),
    }
}

/// Reads what stands between the two ends of a range.
fn to(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.attempt(|cursor| cursor.eat(Term::To)).is_some() {
        return Some(());
    }
    cursor.symbol("-~–—−〜").map(drop)
}

/// The box between two longitudes and two latitudes in any order.
fn area(longitudes: [f64; 2], latitudes: [f64; 2]) -> Reading {
    for (longitude, latitude) in longitudes.into_iter().zip(latitudes) {
        if let Err(fault) = check(longitude, latitude) {
            return Reading::Fault(fault);
        }
    }
    let [west, east] = sorted(longitudes);
    let [south, north] = sorted(latitudes);
    if west == east || south == north {
        return Reading::Fault(Fault::EmptyBox);
    }
    let width = east - west;
    if width > WIDEST && width < WHOLE {
        return Reading::Bbox([east, south, west, north]);
    }
    Reading::Bbox([west, south, east, north])
}

fn sorted([a, b]: [f64; 2]) -> [f64; 2] {
    if a <= b { [a, b] } else { [b, a] }
}
