//! Words that say what the numbers of a list are: "(W,S,E,N)", "lat, lon", "xmin ymin xmax ymax".

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::values::number::{Manner, dictated, has_decimal_comma};

use super::angle::degree_mark;
use super::marks::{close, open, quoted};

/// Signs between the numbers of a list.
const BETWEEN_NUMBERS: &str = ",、;/|";

/// Signs between the words of a legend.
const BETWEEN_NAMES: &str = ",、;/|-";

/// Reads a list of numbers with the legend that stands before or behind it.
pub(crate) fn listed<T, const N: usize>(
    cursor: &mut Cursor<'_>,
    legend: fn(&mut Cursor<'_>) -> Option<[T; N]>,
) -> Option<([f64; N], [T; N])> {
    let names = cursor.attempt(|cursor| before(cursor, legend));
    let numbers = numbers(cursor)?;
    let names = match names {
        Some(names) => names,
        None => behind(cursor, legend)?,
    };
    Some((numbers, names))
}

fn before<T, const N: usize>(
    cursor: &mut Cursor<'_>,
    legend: fn(&mut Cursor<'_>) -> Option<[T; N]>,
) -> Option<[T; N]> {
    let names = legend(cursor)?;
    while cursor.attempt(filler).is_some() {}
    Some(names)
}

/// Reads a legend behind its numbers: "(W,S,E,N)", "in lat, lon".
pub(crate) fn behind<T, const N: usize>(
    cursor: &mut Cursor<'_>,
    legend: fn(&mut Cursor<'_>) -> Option<[T; N]>,
) -> Option<[T; N]> {
    cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.symbol(","));
        while cursor.attempt(filler).is_some() {}
        legend(cursor)
    })
}

fn filler(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(|term| {
        matches!(term, Term::Is | Term::In | Term::Coordinates | Term::Box | Term::The)
            .then_some(())
    })
}

/// Reads the names of both coordinates.
pub(crate) fn axes(cursor: &mut Cursor<'_>) -> Option<[Axis; 2]> {
    let axis = |term| match term {
        Term::Axis(axis) => Some(axis),
        _ => None,
    };
    let names = names(cursor, axis)?;
    (names[0] != names[1]).then_some(names)
}

/// Reads the names of the four edges of a box.
pub(crate) fn edges(cursor: &mut Cursor<'_>) -> Option<[Hemisphere; 4]> {
    let names = names(cursor, edge)?;
    let is_once = |name: &Hemisphere| names.iter().filter(|other| *other == name).count() == 1;
    names.iter().all(is_once).then_some(names)
}

/// The edge that a word names: "west", "xmin", "min lon".
pub(crate) fn edge(term: Term) -> Option<Hemisphere> {
    match term {
        Term::Border(edge) | Term::Hemisphere(edge) => Some(edge),
        _ => None,
    }
}

fn names<T: Copy, const N: usize>(
    cursor: &mut Cursor<'_>,
    pick: fn(Term) -> Option<T>,
) -> Option<[T; N]> {
    let bracket = open(cursor);
    let first = quoted(cursor, |cursor| cursor.take(pick))?;
    let mut names = [first; N];
    for name in &mut names[1..] {
        between(cursor, BETWEEN_NAMES);
        *name = quoted(cursor, |cursor| cursor.take(pick))?;
    }
    close(cursor, bracket)?;
    Some(names)
}

fn between(cursor: &mut Cursor<'_>, signs: &str) {
    cursor.attempt(|cursor| cursor.symbol(signs));
    cursor.attempt(|cursor| cursor.eat(Term::And));
}

/// Reads as many numbers as there are names.
fn numbers<const N: usize>(cursor: &mut Cursor<'_>) -> Option<[f64; N]> {
    let with_commas = |cursor: &mut Cursor<'_>| numbers_of(cursor, ",");
    if has_decimal_comma(cursor)
        && let Some(found) = cursor.attempt(with_commas)
    {
        return Some(found);
    }
    numbers_of(cursor, ".")
}

fn numbers_of<const N: usize>(cursor: &mut Cursor<'_>, points: &'static str) -> Option<[f64; N]> {
    let bracket = open(cursor);
    let mut numbers = [0.0; N];
    for (at, number) in numbers.iter_mut().enumerate() {
        if at > 0 {
            between(cursor, BETWEEN_NUMBERS);
        }
        let found = dictated(cursor, Manner { points, joins: false })?;
        if points == "," && !found.is_decimal {
            return None;
        }
        *number = found.value;
        degree_mark(cursor);
    }
    close(cursor, bracket)?;
    cursor.is_closed("-/:,.").then_some(numbers)
}
