//! One coordinate: 121.5E, N24, 東經121.5度, lat 25, 25°12'30"N.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::value::Fault;
use crate::extract::values::number;

/// The way in which the words said which coordinate it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// By a hemisphere: 121.5E.
    Hemisphere,
    /// By a label: lon=121.5.
    Label,
}

/// A coordinate that says which of the two it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Degrees {
    pub(crate) axis: Axis,
    pub(crate) value: f64,
    pub(crate) said: Said,
}

/// Reads a coordinate with a hemisphere or a label.
pub(crate) fn degrees(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    cursor.first_of(&[labeled, suffixed, prefixed])
}

/// Reads a label: lon, 緯度, "latitude of", "longitud:".
pub(crate) fn label(cursor: &mut Cursor<'_>) -> Option<Axis> {
    let axis = cursor.take(|term| match term {
        Term::Axis(axis) => Some(axis),
        _ => None,
    })?;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    Some(axis)
}

/// Reads a hemisphere in a word or a letter.
pub(crate) fn hemisphere(cursor: &mut Cursor<'_>) -> Option<Hemisphere> {
    cursor.take(|term| match term {
        Term::Hemisphere(hemisphere) => Some(hemisphere),
        _ => None,
    })
}

/// The value with the sign of its hemisphere.
pub(crate) fn signed(value: f64, hemisphere: Hemisphere) -> (Axis, f64) {
    match hemisphere {
        Hemisphere::North => (Axis::Latitude, value),
        Hemisphere::South => (Axis::Latitude, -value),
        Hemisphere::East => (Axis::Longitude, value),
        Hemisphere::West => (Axis::Longitude, -value),
    }
}

fn labeled(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    let axis = label(cursor)?;
    if let Some(found) = cursor.first_of(&[suffixed, prefixed]) {
        return (found.axis == axis).then_some(found);
    }
    let value = arc(cursor)?;
    Some(Degrees { axis, value, said: Said::Label })
}

fn suffixed(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    let value = cursor
        .attempt(|cursor| with_suffix(cursor, arc))
        .or_else(|| with_suffix(cursor, number::comma_decimal))?;
    let (axis, value) = value;
    Some(Degrees { axis, value, said: Said::Hemisphere })
}

fn with_suffix(
    cursor: &mut Cursor<'_>,
    read: fn(&mut Cursor<'_>) -> Option<f64>,
) -> Option<(Axis, f64)> {
    let value = read(cursor)?;
    degree_mark(cursor);
    let glued = cursor.is_glued();
    let letter = cursor.sentence.tokens.text(cursor.at).len() == 1;
    let hemisphere = hemisphere(cursor)?;
    // "20 n" is a latitude, but the e of "20 events" or the s of "20 s" must end there.
    let ended = cursor.shape() != Some(Shape::Word) || !cursor.is_glued();
    (ended && (glued || !letter || is_spaced_letter(*cursor))).then(|| signed(value, hemisphere))
}

/// A spaced letter counts only as it does in "25 N": with an end or a sign of a pair behind it.
fn is_spaced_letter(cursor: Cursor<'_>) -> bool {
    match cursor.shape() {
        None | Some(Shape::Digits | Shape::Han) => true,
        Some(Shape::Symbol) => cursor.peek_symbol() != Some('\''),
        Some(Shape::Word) => true,
    }
}

fn prefixed(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    let hemisphere = hemisphere(cursor)?;
    let letter = cursor.sentence.tokens.text(cursor.at - 1).len() == 1;
    while cursor.attempt(|cursor| cursor.eat(Term::Is)).is_some() {}
    if letter && !cursor.is_glued() {
        return None;
    }
    let value = cursor.first_of(&[arc, spelled_arc])?;
    let (axis, value) = signed(value, hemisphere);
    Some(Degrees { axis, value, said: Said::Hemisphere })
}

/// Reads 一百二十二點五度, only behind a word such as 東經: before one it is another number.
fn spelled_arc(cursor: &mut Cursor<'_>) -> Option<f64> {
    let degrees = number::spelled_decimal(cursor)?;
    degree_mark(cursor);
    Some(degrees)
}

/// Reads degrees, with minutes and seconds if they are there.
pub(crate) fn arc(cursor: &mut Cursor<'_>) -> Option<f64> {
    let degrees = number::decimal(cursor)?;
    if !degree_mark(cursor) {
        return Some(degrees);
    }
    let minutes = cursor.attempt(|cursor| {
        let minutes = number::decimal(cursor)?;
        cursor.symbol("'′’").map(drop).or_else(|| cursor.eat(Term::MinuteMark))?;
        Some(minutes)
    });
    let Some(minutes) = minutes else { return Some(degrees) };
    let seconds = cursor.attempt(|cursor| {
        let seconds = number::decimal(cursor)?;
        second_mark(cursor)?;
        Some(seconds)
    });
    if !(0.0..60.0).contains(&minutes) || !(0.0..60.0).contains(&seconds.unwrap_or(0.0)) {
        return None;
    }
    let part = minutes / 60.0 + seconds.unwrap_or(0.0) / 3600.0;
    Some(if degrees < 0.0 { degrees - part } else { degrees + part })
}

fn second_mark(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.symbol("\"″”").is_some() {
        return Some(());
    }
    if cursor.symbol("'′’").is_some() {
        return cursor.glued_symbol("'′’").map(drop);
    }
    (cursor.sentence.tokens.text(cursor.at) == "秒").then(|| cursor.at += 1)
}

/// Reads the mark of degrees, if it is there.
pub(crate) fn degree_mark(cursor: &mut Cursor<'_>) -> bool {
    cursor.attempt(|cursor| cursor.eat(Term::Degree)).is_some()
}

/// Checks that the values can be a position.
pub(crate) fn check(longitude: f64, latitude: f64) -> Result<(), Fault> {
    if !(-90.0..=90.0).contains(&latitude) {
        Err(Fault::LatitudeRange)
    } else if !(-180.0..=180.0).contains(&longitude) {
        Err(Fault::LongitudeRange)
    } else {
        Ok(())
    }
}

/// The name of a rule after how the coordinate was said.
pub(crate) fn rule_of(cursor: &Cursor<'_>, said: Said) -> Rule {
    match said {
        Said::Hemisphere => rule(cursor.tongue, "coordinate.suffix"),
        Said::Label => rule(cursor.tongue, "coordinate.label"),
    }
}
