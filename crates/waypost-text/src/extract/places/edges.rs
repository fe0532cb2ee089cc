//! Boxes whose edges are named one by one: "west 118 east 121 south 22 north 25", `{"minlon":118,…}`.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Reading};

use super::angle::{angle, habit};
use super::bbox::{WIDEST, area, box_word, found};
use super::degrees::degrees;
use super::marks::{self, axis_of, close, open, quoted, signed};

/// The edges of a box.
const EDGES: usize = 4;

/// An edge with its number.
#[derive(Debug, Clone, Copy)]
struct Edge {
    side: Hemisphere,
    value: f64,
    /// True if only a hemisphere names it, which may be the one of its number as well.
    is_hemisphere: bool,
}

/// Four edges, each said once, in any order.
pub(super) fn edges(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.first_of(&[|cursor| all(cursor, edge), |cursor| all(cursor, signed_edge)])
}

fn all(cursor: &mut Cursor<'_>, read: fn(&mut Cursor<'_>) -> Option<Edge>) -> Option<Found> {
    cursor.attempt(box_word);
    let bracket = open(cursor);
    let mut edges: [Option<Edge>; EDGES] = [None; EDGES];
    for at in 0..EDGES {
        let edge = if at == 0 {
            read(cursor)?
        } else {
            marks::between(cursor);
            marks::past_entries(cursor, read)?
        };
        let place = edges.get_mut(edge.side as usize)?;
        if place.replace(edge).is_some() {
            return None;
        }
    }
    close(cursor, bracket)?;
    let edge = |side: Hemisphere| edges.get(side as usize).copied().flatten();
    let (west, east) = (edge(Hemisphere::West)?, edge(Hemisphere::East)?);
    let (south, north) = (edge(Hemisphere::South)?, edge(Hemisphere::North)?);
    let rule = rule(cursor.tongue, "bbox.edges");
    let longitudes = [west.value, east.value];
    let latitudes = [south.value, north.value];
    let named = found(area(longitudes, latitudes), longitudes, true, rule);
    let all = [west, east, south, north];
    let may_be_signed = all.iter().all(|edge| edge.is_hemisphere && edge.value >= 0.0);
    let signs = |edges: [Edge; 2]| edges.map(|edge| signed(edge.value, edge.side));
    let (across, along) = (signs([west, east]), signs([south, north]));
    if !may_be_signed || across[1] - across[0] > WIDEST {
        return Some(named);
    }
    // W80 E34 has no west edge at 80: these are the hemispheres of its numbers.
    let is_slip = matches!(named.reading, Reading::Fault(Fault::BoxReversed));
    let own = match (is_slip, south.value > north.value) {
        (false, false) => return Some(named.or([area(across, along)])),
        (true, false) => area(across, latitudes),
        (false, true) => area(longitudes, along),
        (true, true) => area(across, along),
    };
    Some(Found::new(Kind::Bbox, own, rule).or([area(across, along)]))
}

/// Reads the name of an edge and its number: "west 118", "xmin=118", `"north": 25`.
fn edge(cursor: &mut Cursor<'_>) -> Option<Edge> {
    let name = |term| match term {
        Term::Border(side) => Some((side, false)),
        Term::Hemisphere(side) => Some((side, true)),
        _ => None,
    };
    let is_key = cursor.shape() == Some(Shape::Symbol);
    let (side, is_hemisphere) = quoted(cursor, |cursor| cursor.take(name))?;
    while cursor.attempt(filler).is_some() {}
    let manner = habit(cursor);
    let value = quoted(cursor, |cursor| angle(cursor, manner))?.degrees;
    Some(Edge { side, value, is_hemisphere: is_hemisphere && !is_key })
}

fn filler(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(|term| matches!(term, Term::Is | Term::At | Term::To).then_some(()))
}

/// Reads an edge whose number has a hemisphere of its own: "west 82W".
fn signed_edge(cursor: &mut Cursor<'_>) -> Option<Edge> {
    let Edge { side, value, .. } = edge(cursor)?;
    let own = marks::behind(cursor, None)?;
    let hemisphere = own.hemisphere.filter(|_| own.axis == axis_of(side))?;
    Some(Edge { side, value: signed(value, hemisphere), is_hemisphere: false })
}

/// Four coordinates that say which they are, two of each: 82W 74W 16S 4S.
pub(super) fn quartet(cursor: &mut Cursor<'_>) -> Option<Found> {
    let mut all = [(Axis::Longitude, 0.0); EDGES];
    for (at, one) in all.iter_mut().enumerate() {
        if at > 0 {
            marks::between(cursor);
        }
        let found = degrees(cursor)?;
        *one = (found.axis, found.value);
    }
    let [a, b, c, d] = all;
    // 27N 122E 25N 124E may be two positions.
    if a.0 != b.0 || c.0 != d.0 || a.0 == c.0 {
        return None;
    }
    let (longitudes, latitudes) = match a.0 {
        Axis::Longitude => ([a.1, b.1], [c.1, d.1]),
        Axis::Latitude => ([c.1, d.1], [a.1, b.1]),
    };
    let rule = rule(cursor.tongue, "bbox.sides");
    Some(found(area(longitudes, latitudes), longitudes, false, rule))
}
