//! Stretches of amounts: between 3 and 5 kg, 10-20 dollars, under $15, 六加侖以下.
//!
//! Like stretches of numbers they are only looked for when asked ([`crate::extract::of_kind`]).

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Interval, Reading};
use crate::extract::values::money;
use crate::extract::values::number;
use crate::extract::values::quantity;

use super::interval::{behind, comparison};

/// Finds a stretch of amounts of one unit.
pub(crate) fn amounts(cursor: &mut Cursor<'_>) -> Option<Found> {
    if cursor.shape() == Some(Shape::Digits) && !cursor.is_fresh() {
        return None;
    }
    let readings = cursor.first_of(&[between, one_sided])?;
    let mut readings = readings.into_iter();
    let first = readings.next()?;
    let kind = match first {
        Reading::MoneyInterval { .. } => Kind::Money,
        _ => Kind::Quantity,
    };
    Some(Found::new(kind, first, rule(cursor.tongue, "interval.amount")).or(readings))
}

/// One end: a number, and the units in which it was said.
#[derive(Debug)]
struct End {
    value: f64,
    /// Empty where the other end says the unit.
    readings: Vec<Reading>,
}

impl End {
    /// The number in the unit of `reading`.
    fn in_unit_of(&self, reading: &Reading) -> Option<f64> {
        if self.readings.is_empty() {
            return Some(self.value);
        }
        self.readings.iter().find(|own| is_same_unit(own, reading)).and_then(amount_of)
    }
}

fn amount_of(reading: &Reading) -> Option<f64> {
    match reading {
        Reading::Quantity { value, .. } | Reading::Money { value, .. } => Some(*value),
        _ => None,
    }
}

fn is_same_unit(one: &Reading, two: &Reading) -> bool {
    match (one, two) {
        (
            Reading::Quantity { unit: one, dimension: of, .. },
            Reading::Quantity { unit: two, dimension, .. },
        ) => one == two && of == dimension,
        (Reading::Money { currency: one, .. }, Reading::Money { currency: two, .. }) => one == two,
        _ => false,
    }
}

/// The stretch in the unit of a reading.
fn stretch(ends: Interval, reading: &Reading) -> Option<Reading> {
    match reading {
        Reading::Quantity { unit, dimension, .. } => {
            Some(Reading::QuantityInterval { ends, unit: *unit, dimension })
        }
        Reading::Money { currency, .. } => Some(Reading::MoneyInterval { ends, currency }),
        _ => None,
    }
}

/// Reads between 10 and 20 dollars, from 3km to 5km, $10 - 20, 二至三公升.
fn between(cursor: &mut Cursor<'_>) -> Option<Vec<Reading>> {
    about(cursor);
    let announced = cursor.take(|term| match term {
        Term::Between | Term::From => Some(()),
        _ => None,
    });
    about(cursor);
    let low = end(cursor, true)?;
    let joined = |term| match term {
        Term::To => Some(()),
        Term::And => announced,
        _ => None,
    };
    if cursor.take(joined).is_none() {
        cursor.symbol("-–—~〜")?;
    }
    about(cursor);
    let high = end(cursor, false)?;
    cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter));
    let said = if high.readings.is_empty() { &low.readings } else { &high.readings };
    let readings = said.iter().filter_map(|reading| {
        let low = low.in_unit_of(reading)?;
        let high = high.in_unit_of(reading)?;
        stretch(Interval::closed(low, high)?, reading)
    });
    let readings: Vec<Reading> = readings.collect();
    (!readings.is_empty()).then_some(readings)
}

/// Reads under $15, at least 4 oz, 六加侖以下.
fn one_sided(cursor: &mut Cursor<'_>) -> Option<Vec<Reading>> {
    let before = cursor.attempt(comparison);
    about(cursor);
    if before.is_none() {
        cursor.attempt(|cursor| cursor.eat(Term::From));
    }
    let limit = end(cursor, false).filter(|end| !end.readings.is_empty())?;
    let side = match before {
        Some(side) => side,
        None => behind(cursor)?,
    };
    let readings = limit
        .readings
        .iter()
        .filter_map(|reading| stretch(Interval::beyond(side, amount_of(reading)?), reading));
    Some(readings.collect())
}

/// The most words in a row that make a number a rough one: "somewhere around about".
const MOST_NEARLY: usize = 4;

/// Reads words that make the number behind them a rough one.
fn about(cursor: &mut Cursor<'_>) {
    let nearly = |term| matches!(term, Term::Nearly).then_some(());
    for _ in 0..MOST_NEARLY {
        if cursor.attempt(|cursor| cursor.take(nearly)).is_none() {
            break;
        }
    }
}

fn end(cursor: &mut Cursor<'_>, before_and: bool) -> Option<End> {
    let ways: [fn(&mut Cursor<'_>) -> Option<Found>; 2] = [money::read, quantity::read];
    let start = *cursor;
    // 四毫升 is a volume, though 四毫 would be money: the longer counts.
    let read = ways.into_iter().filter_map(|way| {
        let mut ahead = start;
        way(&mut ahead).map(|found| (ahead, found))
    });
    if let Some((ahead, found)) = read.max_by_key(|(ahead, _)| ahead.at) {
        *cursor = ahead;
        let mut readings = vec![found.reading];
        readings.extend(found.alternatives);
        return Some(End { value: amount_of(readings.first()?)?, readings });
    }
    let read = if before_and { number::amount_before_and } else { number::amount };
    let amount = read(cursor)?;
    amount.value.is_finite().then_some(End { value: amount.value, readings: Vec::new() })
}
