//! The words and signs that say which coordinate a number is: lat, 北緯, "of north latitude", `"lon":`.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number;

/// The marks around the keys and values of JSON.
const QUOTES: &str = "\"'“”‘’`";

/// The most other entries between two coordinates of an object.
const MOST_ENTRIES: usize = 4;

/// The most tokens of a key or a string that is skipped.
const LONGEST_STRING: usize = 16;

/// What was said of a coordinate beside its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) axis: Axis,
    pub(crate) hemisphere: Option<Hemisphere>,
}

impl Mark {
    fn of(axis: Option<Axis>, hemisphere: Option<Hemisphere>) -> Option<Self> {
        let own = hemisphere.map(axis_of);
        match (axis, own) {
            (Some(axis), Some(own)) if axis != own => None,
            _ => Some(Self { axis: axis.or(own)?, hemisphere }),
        }
    }
}

/// Reads what says the coordinate of the number behind it: lon, "north latitude", "latitud norte".
pub(crate) fn before(cursor: &mut Cursor<'_>) -> Option<Mark> {
    if let Some(axis) = cursor.attempt(label) {
        let said = cursor.attempt(|cursor| Mark::of(Some(axis), Some(leading(cursor)?)));
        return Some(said.unwrap_or(Mark { axis, hemisphere: None }));
    }
    let hemisphere = leading(cursor)?;
    let said = cursor.attempt(|cursor| Mark::of(Some(label(cursor)?), Some(hemisphere)));
    said.or_else(|| Mark::of(None, Some(hemisphere)))
}

/// Reads a hemisphere before its number; a letter must be written to it.
fn leading(cursor: &mut Cursor<'_>) -> Option<Hemisphere> {
    let hemisphere = hemisphere(cursor)?;
    let letter = cursor.sentence.tokens.text(cursor.at - 1).len() == 1;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    (!letter || cursor.is_glued()).then_some(hemisphere)
}

/// Reads what says the coordinate of the number before it: N, "degrees north", "of latitude".
pub(crate) fn behind(cursor: &mut Cursor<'_>, before: Option<Mark>) -> Option<Mark> {
    let glued = cursor.is_glued();
    let of = cursor.attempt(|cursor| cursor.eat(Term::Of)).is_some();
    let known = before.map(|mark| mark.axis);
    if let Some(hemisphere) = cursor.attempt(|cursor| trailing(cursor, glued && !of)) {
        let mark = Mark::of(known, Some(hemisphere))?;
        cursor.attempt(|cursor| Mark::of(axis(cursor), Some(hemisphere)).filter(|_| ends(*cursor)));
        return Some(mark);
    }
    let axis = axis(cursor).filter(|axis| known.is_none_or(|known| known == *axis))?;
    let hemisphere = cursor.attempt(|cursor| trailing(cursor, false));
    Mark::of(Some(axis), hemisphere).or(Some(Mark { axis, hemisphere: None }))
}

/// Returns whether a label that was read behind a number is not the one of a number behind it.
fn ends(cursor: Cursor<'_>) -> bool {
    cursor.shape() != Some(Shape::Digits) && !cursor.sees(Term::Is)
}

/// Reads a hemisphere behind its number.
fn trailing(cursor: &mut Cursor<'_>, glued: bool) -> Option<Hemisphere> {
    let letter = cursor.sentence.tokens.text(cursor.at).len() == 1;
    let hemisphere = hemisphere(cursor)?;
    // "20 n" is a latitude, but the e of "20 events" or the s of "20 s" must end there.
    let ended = cursor.shape() != Some(Shape::Word) || !cursor.is_glued();
    (ended && (glued || !letter || is_spaced_letter(*cursor))).then_some(hemisphere)
}

/// A spaced letter counts only as it does in "25 N": with an end or a sign of a pair behind it.
fn is_spaced_letter(cursor: Cursor<'_>) -> bool {
    cursor.shape() != Some(Shape::Symbol) || cursor.peek_symbol() != Some('\'')
}

/// Reads a label: lon, 緯度, "latitude of", "longitud:", `"lat":`.
pub(crate) fn label(cursor: &mut Cursor<'_>) -> Option<Axis> {
    let axis = quoted(cursor, axis)?;
    // "lat. 25"
    cursor.attempt(|cursor| cursor.glued_symbol(".").filter(|_| !cursor.is_glued()));
    let joins = |term| matches!(term, Term::Is | Term::At).then_some(());
    while cursor.attempt(|cursor| cursor.take(joins)).is_some() {}
    Some(axis)
}

fn axis(cursor: &mut Cursor<'_>) -> Option<Axis> {
    cursor.take(|term| match term {
        Term::Axis(axis) => Some(axis),
        _ => None,
    })
}

/// Reads a hemisphere in a word or a letter.
pub(crate) fn hemisphere(cursor: &mut Cursor<'_>) -> Option<Hemisphere> {
    cursor.take(|term| match term {
        Term::Hemisphere(hemisphere) => Some(hemisphere),
        _ => None,
    })
}

/// The coordinate that a hemisphere is said of.
pub(crate) fn axis_of(hemisphere: Hemisphere) -> Axis {
    match hemisphere {
        Hemisphere::North | Hemisphere::South => Axis::Latitude,
        Hemisphere::East | Hemisphere::West => Axis::Longitude,
    }
}

/// The value with the sign of its hemisphere.
pub(crate) fn signed(value: f64, hemisphere: Hemisphere) -> f64 {
    match hemisphere {
        Hemisphere::North | Hemisphere::East => value,
        Hemisphere::South | Hemisphere::West => -value,
    }
}

/// Reads something with quotation marks around it, or with none.
pub(crate) fn quoted<T>(
    cursor: &mut Cursor<'_>,
    read: impl FnOnce(&mut Cursor<'_>) -> Option<T>,
) -> Option<T> {
    let quote = cursor.symbol(QUOTES);
    let found = read(cursor)?;
    if quote.is_some() {
        cursor.symbol(QUOTES)?;
    }
    Some(found)
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
pub(crate) fn between(cursor: &mut Cursor<'_>) {
    cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter));
    cursor.attempt(|cursor| cursor.symbol(",、;/&|"));
    let joins = |term| matches!(term, Term::And | Term::By).then_some(());
    cursor.attempt(|cursor| cursor.take(joins));
    cursor.attempt(|cursor| cursor.eat(Term::The));
}

/// Reads what follows in an object of JSON or a query, with other keys in between, which are skipped.
pub(crate) fn past_entries<T>(
    cursor: &mut Cursor<'_>,
    read: impl Fn(&mut Cursor<'_>) -> Option<T>,
) -> Option<T> {
    for _ in 0..=MOST_ENTRIES {
        if let Some(found) = cursor.attempt(&read) {
            return Some(found);
        }
        cursor.first_of(&[entry, parameter])?;
    }
    None
}

/// Reads a key with a scalar: `"depth": 10,`.
fn entry(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.symbol(QUOTES)?;
    to_quote(cursor)?;
    cursor.symbol(":")?;
    if cursor.symbol(QUOTES).is_some() {
        to_quote(cursor)?;
    } else {
        scalar(cursor)?;
    }
    cursor.symbol(",").map(drop)
}

/// Reads a parameter of a query: `depth=10&`.
fn parameter(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.word()?;
    cursor.glued_symbol("=")?;
    scalar(cursor)?;
    cursor.glued_symbol("&").map(drop)
}

fn scalar(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.first_of(&[|cursor| number::decimal(cursor).map(drop), |cursor| cursor.word().map(drop)])
}

/// Skips to behind the next quotation mark.
fn to_quote(cursor: &mut Cursor<'_>) -> Option<()> {
    for _ in 0..LONGEST_STRING {
        cursor.shape()?;
        if cursor.symbol(QUOTES).is_some() {
            return Some(());
        }
        cursor.at += 1;
    }
    None
}
