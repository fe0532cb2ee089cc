//! Boxes by two opposite corners: (118,20)-(123,25), "upper left 27N 122E, lower right 25N 124E".

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Hemisphere, Term};
use crate::extract::kind::Kind;
use crate::extract::value::{Point, Reading};

use super::bbox::{area, box_word};
use super::degrees::check;
use super::marks::{close, open};
use super::point::{Position, announced, position};
use super::sides::to;

/// A corner by the two edges that meet there.
type Name = (Hemisphere, Hemisphere);

/// Two opposite corners with nothing that names them.
pub(super) fn corners(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = cursor.first_of(&[box_word, corner_word]).is_some();
    let from = cursor.attempt(opening);
    let one = position(cursor)?;
    joined(cursor, named, from)?;
    let two = position(cursor)?;
    let rule = rule(cursor.tongue, "bbox.corners");
    Some(reading((None, one), (None, two), rule))
}

/// Two opposite corners with their names.
pub(super) fn named_corners(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.sentence.names_corners_behind(cursor.at) {
        return None;
    }
    cursor.attempt(box_word);
    cursor.attempt(opening);
    let (one, two) = cursor.first_of(&[named_before, named_behind])?;
    let rule = rule(cursor.tongue, "bbox.corners");
    Some(reading(one, two, rule))
}

fn opening(cursor: &mut Cursor<'_>) -> Option<Term> {
    cursor.take(|term| matches!(term, Term::From | Term::Between).then_some(term))
}

/// Reads what stands between two corners without names.
fn joined(cursor: &mut Cursor<'_>, named: bool, from: Option<Term>) -> Option<()> {
    let and = (named || from == Some(Term::Between))
        && cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    if !and && cursor.attempt(to).is_none() {
        let comma = named && cursor.attempt(|cursor| cursor.symbol(",;")).is_some();
        (comma || named).then_some(())?;
    }
    Some(())
}

type Corner = (Option<Name>, Position);

/// Reads two corners, each with its name before it.
fn named_before(cursor: &mut Cursor<'_>) -> Option<(Corner, Corner)> {
    let one = (Some(name(cursor)?), announced(cursor)?);
    between(cursor);
    Some((one, (Some(name(cursor)?), announced(cursor)?)))
}

/// Reads two corners, each with its name behind it.
fn named_behind(cursor: &mut Cursor<'_>) -> Option<(Corner, Corner)> {
    let one = announced(cursor)?;
    let one = (Some(name(cursor)?), one);
    between(cursor);
    let two = announced(cursor)?;
    Some((one, (Some(name(cursor)?), two)))
}

/// Reads the word that corners have in common: "corners at".
fn corner_word(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::CornerWord)?;
    while cursor.attempt(filler).is_some() {}
    Some(())
}

/// Reads the name of a corner: "the upper left corner is at", 左上角, (NE).
fn name(cursor: &mut Cursor<'_>) -> Option<Name> {
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let bracket = open(cursor);
    cursor.attempt(corner_word);
    let name = cursor.take(|term| match term {
        Term::Corner(vertical, horizontal) => Some((vertical, horizontal)),
        _ => None,
    })?;
    cursor.attempt(corner_word);
    close(cursor, bracket)?;
    while cursor.attempt(filler).is_some() {}
    Some(name)
}

fn filler(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(|term| {
        matches!(term, Term::Is | Term::At | Term::In | Term::Coordinates).then_some(())
    })
}

fn between(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| cursor.symbol(",、;；/&|"));
    cursor.attempt(|cursor| cursor.eat(Term::And).or_else(|| to(cursor)));
}

/// The box between two corners. Where nothing says which number is which, it is the same in both, and
/// the names of the corners tell.
fn reading(one: Corner, two: Corner, rule: Rule) -> Found {
    let ((one_name, one), (two_name, two)) = (one, two);
    let found = |reading| Found::new(Kind::Bbox, reading, rule);
    let between =
        |one: Point, two: Point| area([one.longitude, two.longitude], [one.latitude, two.latitude]);
    if let (Some(a), Some(b)) = (one.bare, two.bare) {
        let orders = [[point(a, 0), point(b, 0)], [point(a, 1), point(b, 1)]];
        let possible = |[one, two]: &[Point; 2]| {
            check(one.longitude, one.latitude).is_ok() && check(two.longitude, two.latitude).is_ok()
        };
        let named = |ends: &[Point; 2]| fits(one_name, two_name, ends);
        let mut readings: Vec<[Point; 2]> = orders.into_iter().filter(possible).collect();
        readings.sort_by_key(|ends| !named(ends));
        let mut readings = readings.into_iter().map(|[one, two]| between(one, two));
        if let Some(first) = readings.next() {
            return found(first).or(readings);
        }
    }
    found(match (one.first, two.first) {
        (Ok(one), Ok(two)) => between(one, two),
        (Err(fault), _) | (_, Err(fault)) => Reading::Fault(fault),
    })
}

/// The position of two numbers, the longitude being the one at `place`.
fn point(numbers: [f64; 2], place: usize) -> Point {
    let [longitude, latitude] = if place == 0 { numbers } else { [numbers[1], numbers[0]] };
    Point { longitude, latitude }
}

/// Returns whether two corners lie as their names say.
fn fits(one: Option<Name>, two: Option<Name>, ends: &[Point; 2]) -> bool {
    let (Some((one_row, one_column)), Some((two_row, two_column))) = (one, two) else {
        return true;
    };
    let [a, b] = ends;
    let above = one_row == two_row || (one_row == Hemisphere::North) == (a.latitude > b.latitude);
    let right =
        one_column == two_column || (one_column == Hemisphere::East) == (a.longitude > b.longitude);
    above && right
}
