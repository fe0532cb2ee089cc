//! Boxes: [118,20,123,25], "bbox=118,20,123,25 (W,S,E,N)".

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Hemisphere, Term};
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Reading};
use crate::extract::values::number;

use super::angle::degree_mark;
use super::corners::{corners, named_corners};
use super::degrees::check;
use super::edges::{edges, quartet};
use super::legend;
use super::marks::{close, open, quoted};
use super::sides::sides;

/// Half way round: a wider box is meant to go the other way, over the antimeridian.
pub(super) const WIDEST: f64 = 180.0;

/// All longitudes.
const WHOLE: f64 = 360.0;

/// Finds a box.
pub(crate) fn bbox(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    // Most texts name no coordinate, so that most rules are not tried.
    if cursor.sentence.names_coordinates_behind(cursor.at) {
        cursor.first_of(&[with_legend, edges, numbers, named_corners, corners, sides, quartet])
    } else {
        cursor.first_of(&[numbers, corners])
    }
}

/// Four numbers, and words before or behind them that name the edges: "(W,S,E,N) = (118,21,121,26)".
fn with_legend(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.attempt(box_word);
    let (numbers, edges) = legend::listed(cursor, legend::edges)?;
    let value = |edge: Hemisphere| {
        let at = edges.iter().position(|own| *own == edge)?;
        numbers.get(at).copied()
    };
    let longitudes = [value(Hemisphere::West)?, value(Hemisphere::East)?];
    let latitudes = [value(Hemisphere::South)?, value(Hemisphere::North)?];
    let rule = rule(cursor.tongue, "bbox.legend");
    Some(found(area(longitudes, latitudes), longitudes, true, rule))
}

/// Four numbers in brackets, after "bbox", or with decimals.
fn numbers(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = cursor.attempt(box_word).is_some();
    let bracket = open(cursor);
    let certain = named || bracket.is_some();
    let mut values = [0.0; 4];
    let start = cursor.at;
    let mut signs = [None; 4];
    for (index, value) in values.iter_mut().enumerate() {
        if index > 0 {
            signs[index] = cursor.attempt(|cursor| cursor.symbol(",、;"));
            if signs[index].is_none() && !certain {
                return None;
            }
        }
        *value = number::decimal(cursor)?;
        degree_mark(cursor);
    }
    let decimal = (start..cursor.at).any(|at| cursor.sentence.tokens.text(at) == ".");
    close(cursor, bracket)?;
    // (23,5; 119,2) are two numbers with decimals.
    if number::has_decimal_comma(cursor) && signs[1..].iter().any(|sign| *sign != signs[1]) {
        return None;
    }
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
pub(super) fn box_word(cursor: &mut Cursor<'_>) -> Option<()> {
    quoted(cursor, |cursor| cursor.eat(Term::Box))?;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    Some(())
}

/// A box as it was read. Where its sides were said in their order and the west one lies east of the
/// east one, that is a slip or a way around the Earth: neither is guessed, and the box between the two
/// is only the likelier reading. A box over the antimeridian has them so.
pub(super) fn found(reading: Reading, [west, east]: [f64; 2], ordered: bool, rule: Rule) -> Found {
    let crosses = matches!(reading, Reading::Bbox([west, _, east, _]) if west > east);
    if ordered && west > east && !crosses && matches!(reading, Reading::Bbox(_)) {
        return Found::new(Kind::Bbox, Reading::Fault(Fault::BoxReversed), rule).or([reading]);
    }
    Found::new(Kind::Bbox, reading, rule)
}

/// The box between two longitudes and two latitudes in any order.
pub(super) fn area(longitudes: [f64; 2], latitudes: [f64; 2]) -> Reading {
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
