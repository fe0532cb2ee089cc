//! One coordinate: 121.5E, N24, 東經121.5度, lat 25, "twenty five north", 25°12'30"N.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Axis, Term};
use crate::extract::grammar::token::Shape;
use crate::extract::value::Fault;
use crate::extract::values::number::Manner;

use super::angle::{Angle, angle, habit};
use super::marks::{self, Mark, quoted, signed};

/// From here on a number in words before "north" is hardly anything but a coordinate.
const LEAST_ALONE: f64 = 10.0;

/// The way in which the words said which coordinate it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// By a hemisphere: 121.5E.
    Hemisphere,
    /// By a label before it: lon=121.5.
    Label,
    /// By a label behind it: 121.5 longitude.
    LabelBehind,
}

/// A coordinate that says which of the two it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Degrees {
    pub(crate) axis: Axis,
    pub(crate) value: f64,
    pub(crate) said: Said,
    /// True for a small number in words without a word for degrees: "two north" is much else.
    pub(crate) is_small_word: bool,
}

/// Reads a coordinate with a hemisphere or a label.
pub(crate) fn degrees(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    cursor.first_of(&[by_habit, with_comma])
}

fn by_habit(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    let manner = habit(cursor);
    read(cursor, manner)
}

/// Reads 121,5E, which is clear in any language.
fn with_comma(cursor: &mut Cursor<'_>) -> Option<Degrees> {
    let digits = cursor.shape() == Some(Shape::Digits);
    if !digits || cursor.sentence.tokens.text(cursor.at + 1) != "," {
        return None;
    }
    let found = read(cursor, Manner { points: ",", ..Manner::POINT })?;
    (found.said == Said::Hemisphere).then_some(found)
}

fn read(cursor: &mut Cursor<'_>, manner: Manner) -> Option<Degrees> {
    let before = cursor.attempt(marks::before);
    let is_han = cursor.shape() == Some(Shape::Han);
    let Angle { degrees, is_bare_word } = match before {
        Some(_) => quoted(cursor, |cursor| angle(cursor, manner))?,
        None => angle(cursor, manner)?,
    };
    let end = cursor.at;
    let behind = match before {
        Some(Mark { hemisphere: Some(_), .. }) => None,
        // The s and the o of "seis o siete" are no hemispheres.
        _ if is_bare_word && cursor.typed().len() == 1 => None,
        _ => cursor.attempt(|cursor| marks::behind(cursor, before)),
    };
    let (axis, hemisphere, said) = match (before, behind) {
        // Before a word such as 東 a Han numeral alone is another number; 東經 is clear unless it
        // begins a coordinate itself, as in 週三 北緯22度.
        (None, Some(_))
            if is_han && is_bare_word && (cursor.at - end == 1 || sees_number(*cursor)) =>
        {
            return None;
        }
        (None, Some(Mark { axis, hemisphere: None })) => (axis, None, Said::LabelBehind),
        (_, Some(Mark { axis, hemisphere })) => (axis, hemisphere, Said::Hemisphere),
        (Some(Mark { axis, hemisphere }), None) if is_ended(*cursor) => {
            let said = if hemisphere.is_some() { Said::Hemisphere } else { Said::Label };
            (axis, hemisphere, said)
        }
        _ => return None,
    };
    let value = hemisphere.map_or(degrees, |hemisphere| signed(degrees, hemisphere));
    let is_small_word = is_bare_word && before.is_none() && degrees.abs() < LEAST_ALONE;
    Some(Degrees { axis, value, said, is_small_word })
}

fn sees_number(cursor: Cursor<'_>) -> bool {
    cursor.shape() == Some(Shape::Digits) || cursor.sees_any(|term| matches!(term, Term::Number(_)))
}

/// Returns whether a number ended here: neither decimals nor a word are written to it, but for those
/// of the next coordinate.
fn is_ended(cursor: Cursor<'_>) -> bool {
    let next = |term| matches!(term, Term::Axis(_) | Term::Hemisphere(_));
    cursor.is_closed(".") || cursor.sees_any(next)
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
        Said::Label | Said::LabelBehind => rule(cursor.tongue, "coordinate.label"),
    }
}
