//! Rates: an amount of one unit for each of another, as in 5 kg/ha, 60 miles an hour, 3 公尺每秒.
//!
//! Any two units make a rate; only those that have a sign of their own (mph, knots) are in the tables.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::units::Measure;
use crate::extract::unit_code::UnitCode;
use crate::extract::value::Reading;

use super::quantity::Count;
use super::unit::{Units, is_end, units};

/// A number of units, so that signs count as units; the one before the unit of a rate is left out.
const SOME: Count = Count { value: 1.0, other: None, is_one: false };

/// The unit that an amount is for each of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Per {
    code: &'static str,
    dimension: &'static str,
}

/// Reads the rest of a rate behind its first unit: "/ha", "per hectare", "an hour", 每公頃.
pub(crate) fn per(cursor: &mut Cursor<'_>, amount: &Units) -> Option<Per> {
    let slash = cursor.attempt(|cursor| cursor.symbol("/")).is_some();
    let said = !slash && cursor.attempt(|cursor| cursor.eat(Term::Per)).is_some();
    if !slash && !said {
        // "An hour" makes a speed of a length; behind all else it is a time of its own.
        let one = |term| matches!(term, Term::One | Term::Number(1.0)).then_some(());
        if amount.first.dimension != "length" || cursor.take(one).is_none() {
            return None;
        }
    }
    let per = cursor.attempt(|cursor| time(cursor, slash)).or_else(|| {
        let measure = if slash || said { units(cursor, &SOME)?.first } else { return None };
        Some(Per { code: measure.code, dimension: measure.dimension })
    })?;
    let is_rate =
        !["temperature", "angle", "age"].contains(&per.dimension) && !per.code.contains('/');
    (is_rate && is_end(*cursor)).then_some(per)
}

/// Reads a unit of time.
fn time(cursor: &mut Cursor<'_>, slash: bool) -> Option<Per> {
    let glued = slash && cursor.is_glued();
    let code = cursor.take(|term| match term {
        Term::Unit(unit) => Term::Unit(unit).unit(),
        Term::ShortTime(measure) => Some(measure.code),
        // The m of L/m may be a minute, but that of kg/m is none.
        Term::GluedUnit(unit) if glued && unit != Unit::Minute => Term::Unit(unit).unit(),
        Term::HourMark => Some("h"),
        Term::MinuteMark => Some("min"),
        Term::SecondMark => Some("s"),
        _ => None,
    })?;
    Some(Per { code, dimension: "time" })
}

/// So many of a unit for each of another.
pub(crate) fn reading(value: f64, unit: &'static Measure, per: Per) -> Reading {
    let dimension = match (unit.dimension, per.dimension) {
        ("length", "time") => "speed",
        ("mass", "volume") => "density",
        _ => "rate",
    };
    Reading::Quantity { value, unit: UnitCode::of(unit.code).per(per.code), dimension }
}
