//! Boxes by the range of each coordinate: 118-123E 20-25N, "between latitudes 22 and 25 and …".

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number::Manner;

use super::angle::{Angle, angle, habit};
use super::bbox::{WIDEST, area, box_word, found};
use super::marks::{self, axis_of, close, hemisphere, label, open, signed};

/// The range of one coordinate.
#[derive(Debug, Clone, Copy)]
struct Side {
    axis: Axis,
    ends: [f64; 2],
    /// Its ends if the words before them name the edges of the box: from west 118 to east 121.
    edges: Option<[f64; 2]>,
    /// True if its ends are joined by "and" after "between", which then holds for the other coordinate
    /// too.
    between: bool,
    /// True if both ends are degrees west, of which the lower number is said first: 70 to 80 W.
    is_western: bool,
}

/// Two ranges that say which coordinate they are of.
pub(super) fn sides(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.attempt(box_word);
    let bracket = open(cursor);
    let one = side(cursor, false)?;
    marks::between(cursor);
    let two = marks::past_entries(cursor, |cursor| side(cursor, one.between))?;
    cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter));
    close(cursor, bracket)?;
    // "Between 123 and 118" says of neither that it comes first.
    let (longitudes, latitudes) = match (one.axis, two.axis) {
        (Axis::Longitude, Axis::Latitude) => (one, two),
        (Axis::Latitude, Axis::Longitude) => (two, one),
        _ => return None,
    };
    let rule = rule(cursor.tongue, "bbox.sides");
    let [west, east] = longitudes.ends;
    if let (Some(across), Some(along)) = (longitudes.edges, latitudes.edges)
        && east - west > WIDEST
    {
        return Some(found(area(across, along), across, true, rule));
    }
    let reading = area(longitudes.ends, latitudes.ends);
    let ordered = !(longitudes.between || longitudes.is_western);
    Some(found(reading, longitudes.ends, ordered, rule))
}

fn side(cursor: &mut Cursor<'_>, between: bool) -> Option<Side> {
    /// The most tokens before the "and" of two ends, of which the first is "one hundred".
    const REACH: usize = 8;
    let manner = habit(cursor);
    if let Some(side) = cursor.attempt(|cursor| side_in(cursor, between, manner)) {
        return Some(side);
    }
    let mut ahead = cursor.at..cursor.at + REACH;
    if !ahead.any(|at| cursor.sentence.may_mean(at, Term::And)) {
        return None;
    }
    cursor.attempt(|cursor| side_in(cursor, between, Manner { joins: false, ..manner }))
}

fn side_in(cursor: &mut Cursor<'_>, between: bool, manner: Manner) -> Option<Side> {
    let mut opening = cursor.attempt(opening);
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let axis = cursor.attempt(label);
    opening = opening.or_else(|| cursor.attempt(self::opening));
    let bracket = if axis.is_some() { open(cursor) } else { None };
    let before = cursor.attempt(leading);
    let axis = axis.or_else(|| before.and_then(|_| cursor.attempt(label)));
    let one = angle(cursor, manner)?;
    let first = if before.is_none() { cursor.attempt(hemisphere) } else { None };
    let between = between || opening == Some(Term::Between);
    let join = join(cursor, between, axis.is_some())?;
    // "From latitude 22 to latitude 25" names it twice.
    let again = cursor.attempt(label);
    if again.is_some() && again != axis {
        return None;
    }
    let middle = cursor.attempt(leading);
    let two = angle(cursor, manner)?;
    // 北緯 behind 東經118到123度 belongs to the other coordinate.
    let is_said = before.or(middle).is_some();
    let last = if is_said { None } else { cursor.attempt(hemisphere) };
    let axis = axis.or_else(|| cursor.attempt(|cursor| label_behind(cursor, last)));
    close(cursor, bracket)?;
    let told =
        join != Join::And || cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter)).is_some();
    let listed = join == Join::List && (axis.is_none() || one.degrees >= two.degrees);
    if !told || listed {
        return None;
    }
    let second = last.or(middle).or(before).or(first);
    let first = first.or(before).or(last).or(middle);
    let (axis, ends) = ends(axis, (one, first), (two, second))?;
    let edges = before.zip(middle).filter(|(before, middle)| before != middle);
    let edges = edges.map(|_| [one.degrees, two.degrees]);
    let is_western = [first, second] == [Some(Hemisphere::West); 2];
    Some(Side { axis, ends, edges, between, is_western })
}

fn opening(cursor: &mut Cursor<'_>) -> Option<Term> {
    cursor.take(|term| matches!(term, Term::From | Term::Between).then_some(term))
}

/// Reads a hemisphere before a number.
fn leading(cursor: &mut Cursor<'_>) -> Option<Hemisphere> {
    let found = hemisphere(cursor)?;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    Some(found)
}

/// Reads the label of "22 to 25 north latitude"; not that of a number behind it.
fn label_behind(cursor: &mut Cursor<'_>, hemisphere: Option<Hemisphere>) -> Option<Axis> {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let axis = label(cursor)?;
    let fits = hemisphere.is_none_or(|hemisphere| axis_of(hemisphere) == axis);
    (fits && cursor.shape() != Some(Shape::Digits)).then_some(axis)
}

/// What stands between the two ends of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    /// "to", a hyphen, or "and" after "between".
    To,
    /// "and" alone, which only a "between" behind makes a range.
    And,
    /// A comma, behind a label.
    List,
}

fn join(cursor: &mut Cursor<'_>, between: bool, labeled: bool) -> Option<Join> {
    if cursor.attempt(|cursor| cursor.eat(Term::And)).is_some() {
        return Some(if between { Join::To } else { Join::And });
    }
    if cursor.attempt(to).is_some() {
        return Some(Join::To);
    }
    let comma = labeled && cursor.symbol(",、;/").is_some();
    comma.then_some(Join::List)
}

fn ends(
    axis: Option<Axis>,
    (one, first): (Angle, Option<Hemisphere>),
    (two, second): (Angle, Option<Hemisphere>),
) -> Option<(Axis, [f64; 2])> {
    match (first, second) {
        (Some(first), Some(second)) => {
            let own = axis_of(first);
            let ends = [signed(one.degrees, first), signed(two.degrees, second)];
            (own == axis_of(second) && axis.is_none_or(|axis| axis == own)).then_some((own, ends))
        }
        _ => axis.map(|axis| (axis, [one.degrees, two.degrees])),
    }
}

/// Reads what stands between the two ends of a range.
pub(super) fn to(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.attempt(|cursor| cursor.eat(Term::To)).is_some() {
        return Some(());
    }
    cursor.symbol("-~–—−〜").map(drop)
}
