//! Numbers with a unit of measure: 5 km, 37.5 °C, three feet two inches, 一米八.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::grammar::units::Measure;
use crate::extract::kind::Kind;
use crate::extract::lang::measures as units;
use crate::extract::places::degrees;
use crate::extract::unit_code::UnitCode;
use crate::extract::value::Reading;

use super::number;
use super::ordinal;
use super::rate;
use super::unit::{Units, is_end, mark, sees_unit, units as read_units};

/// From so many pounds on they are money and no weight.
const TOO_HEAVY: f64 = 100_000.0;

/// Finds a number with its unit.
pub(crate) fn quantity(cursor: &mut Cursor<'_>) -> Option<Found> {
    if may_begin(*cursor) { read(cursor) } else { None }
}

/// Reads a number with its unit, whatever stands before.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Option<Found> {
    let start = *cursor;
    let negative = cursor.attempt(minus).is_some();
    let first = cursor.first_of(&[announced, part, bare_below_zero])?;
    let magnified = magnified(*cursor, &first);
    let value = sum(cursor, first)?;
    let negative = negative || cursor.attempt(below_zero).is_some();
    let units = first.units;
    if units.has(&units::DEGREE) && is_coordinate(start) {
        return None;
    }
    let per = if value.last.is_none() {
        cursor.attempt(|cursor| rate::per(cursor, &units))
    } else {
        None
    };
    if let Some(per) = per {
        let total = if negative { -value.total } else { value.total };
        let mut readings = units.all().map(|unit| rate::reading(tidy(total), unit, per));
        let found = Found::new(Kind::Quantity, readings.next()?, rule(cursor.tongue, "quantity"));
        return Some(found.or(readings));
    }
    let money = if units.has(&units::POUND) { currency(*cursor) } else { None };
    if money.is_some() && first.value >= TOO_HEAVY {
        return None;
    }
    let total = if negative { -value.total } else { value.total };
    let mut readings: Vec<Reading> = units.all().map(|unit| reading(total, unit)).collect();
    if readings.len() > 1 && units.first == &units::DEGREE && is_turned(start, *cursor) {
        readings.swap(0, 1);
    }
    if let Some(last) = value.last.filter(|last| *last != units.first) {
        readings.push(reading(total * units.first.factor / last.factor, last));
    }
    if let Some(larger) = larger(start, *cursor, &first) {
        readings.insert(0, larger);
    }
    readings.extend(first.count.other.map(|other| reading(other, units.first)));
    readings.extend(magnified.filter(|_| value.last.is_none() && !negative).map(Reading::Number));
    readings.extend(money.map(|currency| Reading::Money { value: tidy(total), currency }));
    let mut readings = readings.into_iter();
    let found = Found::new(Kind::Quantity, readings.next()?, rule(cursor.tongue, "quantity"));
    Some(found.or(readings))
}

/// The number if the unit is a magnitude as well, written to its digits: the 1.2m of "1.2m nets".
fn magnified(end: Cursor<'_>, part: &Part) -> Option<f64> {
    let unit = end.back().filter(Cursor::is_glued)?;
    let digits = unit.back().filter(|before| before.shape() == Some(Shape::Digits));
    let scale = digits.and_then(|_| {
        unit.sentence.senses(unit.at).iter().find_map(|sense| match sense.term {
            Term::LetterScale(scale) | Term::MoneyScale(scale) if sense.end == end.at => {
                Some(scale)
            }
            _ => None,
        })
    })?;
    (part.value == part.count.value).then(|| tidy(part.value * scale))
}

/// The currency that the unit right before is as well: pounds.
fn currency(end: Cursor<'_>) -> Option<&'static str> {
    let start = end.at.checked_sub(1)?;
    end.sentence.senses(start).iter().find_map(|sense| match sense.term {
        Term::Currency(codes) if sense.end == end.at => codes.first().copied(),
        _ => None,
    })
}

/// Returns whether a quantity may begin here: not amid a name (`scp-173m`) or an order (第三度).
pub(crate) fn may_begin(cursor: Cursor<'_>) -> bool {
    let marked = cursor.follows(|term| term == Term::OrdinalMark).is_some();
    let words = matches!(cursor.shape(), Some(Shape::Word | Shape::Han));
    if words && !cursor.sees_any(begins_amount) {
        return false;
    }
    if !cursor.is_fresh() || marked || cursor.sees(Term::NoNumber) || number::is_either(cursor) {
        return false;
    }
    let Some(before) = cursor.back() else { return true };
    let hyphen = cursor.is_glued() && before.peek_symbol() == Some('-');
    let word = before.back().is_some_and(|word| word.shape() == Some(Shape::Word))
        && before.follows(|term| matches!(term, Term::Measure(_) | Term::Sign(_))).is_none();
    !(hyphen && before.is_glued() && word)
}

/// Returns whether an amount can begin with this term. Asked first, as most words say no.
fn begins_amount(term: Term) -> bool {
    matches!(
        term,
        Term::Number(_)
            | Term::SoftNumber(_)
            | Term::One
            | Term::Scale(_)
            | Term::Half
            | Term::Parts(_)
            | Term::Ordinal(_)
            | Term::Minus
            | Term::Point
            | Term::NoNumber
            | Term::BelowZero
            | Term::MeasureBefore(_)
            | Term::DegreesBefore(_)
            | Term::CurrencySign(_)
            | Term::Coin(_)
    )
}

/// The number of units in an amount.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) value: f64,
    /// The number if its separators mean something else.
    pub(crate) other: Option<f64>,
    /// Said as "a" or "one".
    pub(crate) is_one: bool,
}

/// Reads how many: digits, number words, "a", "half a".
pub(crate) fn count(cursor: &mut Cursor<'_>) -> Option<Count> {
    cursor.first_of(&[amount, fraction, article])
}

/// Reads digits without a magnitude: the 12 of 12千米.
fn digits(cursor: &mut Cursor<'_>) -> Option<Count> {
    let amount = number::figure(cursor)?;
    Some(Count { value: amount.value, other: amount.other, is_one: false })
}

/// Reads a numeral of its own without a magnitude: the 一百 of 一百千瓦.
fn numeral(cursor: &mut Cursor<'_>) -> Option<Count> {
    if cursor.shape()? != Shape::Han || number::is_open(cursor) {
        return None;
    }
    let value = cursor.take(|term| match term {
        Term::Number(value) => Some(value),
        _ => None,
    })?;
    Some(Count { value, other: None, is_one: value == 1.0 })
}

fn amount(cursor: &mut Cursor<'_>) -> Option<Count> {
    let start = *cursor;
    let words = matches!(start.shape()?, Shape::Word | Shape::Han);
    let amount = number::amount(cursor).filter(|_| !number::holds_odd(start, *cursor))?;
    let is_one = words && amount.value == 1.0;
    Some(Count { value: amount.value, other: amount.other, is_one })
}

fn article(cursor: &mut Cursor<'_>) -> Option<Count> {
    cursor.eat(Term::One)?;
    Some(Count { value: 1.0, other: None, is_one: true })
}

/// Reads half a, a quarter million, a tenth of a.
fn fraction(cursor: &mut Cursor<'_>) -> Option<Count> {
    cursor.attempt(|cursor| cursor.eat(Term::One));
    let mut value = 1.0 / ordinal::denominator(cursor)?.value;
    if let Some(scale) = cursor.take(scale) {
        value *= scale;
    }
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::One));
    Some(Count { value, other: None, is_one: false })
}

pub(crate) fn scale(term: Term) -> Option<f64> {
    match term {
        Term::Scale(scale) if scale >= 1000.0 => Some(scale),
        _ => None,
    }
}

/// Reads what may stand between a number and what it counts: a hyphen, "de", 個.
pub(crate) fn link(cursor: &mut Cursor<'_>, count: &Count) {
    let hyphen = |cursor: &mut Cursor<'_>| {
        cursor.symbol("-")?;
        (cursor.shape()? == Shape::Word).then_some(())
    };
    if cursor.attempt(hyphen).is_some() {
        return;
    }
    let millions = |term| matches!(term, Term::Scale(scale) if scale >= 1e6);
    // The half of "dos millones y medio" stands behind them.
    let halved = cursor.follows(|term| matches!(term, Term::Half | Term::LoneHalf)).is_some();
    if cursor.follows(millions).is_some() || halved || count.value.fract() != 0.0 {
        cursor.attempt(|cursor| cursor.eat(Term::Of));
    }
}

/// A number and the units that its word may mean, the likeliest first.
#[derive(Debug, Clone, Copy)]
struct Part {
    count: Count,
    /// With the halves and tenths behind the unit.
    value: f64,
    units: Units,
}

impl Part {
    fn factor(&self) -> f64 {
        self.units.first.factor
    }
}

/// Reads a number and its unit.
fn part(cursor: &mut Cursor<'_>) -> Option<Part> {
    let ways = [digits, numeral, amount, fraction, article];
    let read = ways.into_iter().find_map(|way| cursor.attempt(|cursor| measured(cursor, way)));
    let (count, units) = read?;
    let mut value = count.value;
    if units.first.factor > 0.0 {
        value += trailing(cursor);
    }
    is_end(*cursor).then_some(Part { count, value, units })
}

fn measured(
    cursor: &mut Cursor<'_>,
    read: fn(&mut Cursor<'_>) -> Option<Count>,
) -> Option<(Count, Units)> {
    let start = *cursor;
    let count = read(cursor)?;
    if let Some(unit) = cursor.attempt(mark) {
        let digits = start.shape() == Some(Shape::Digits);
        return digits.then_some((count, Units::only(unit)));
    }
    link(cursor, &count);
    let units = cursor
        .attempt(|cursor| read_units(cursor, &count))
        .or_else(|| cursor.attempt(|cursor| counted_units(cursor, &count)))
        .or_else(|| bracketed(cursor, &count))?;
    Some((count, units))
}

/// Reads 個加侖.
fn counted_units(cursor: &mut Cursor<'_>, count: &Count) -> Option<Units> {
    cursor.eat(Term::Counter)?;
    read_units(cursor, count)
}

/// Reads [kg].
fn bracketed(cursor: &mut Cursor<'_>, count: &Count) -> Option<Units> {
    let close = match cursor.symbol("[{<")? {
        '[' => "]",
        '{' => "}",
        _ => ">",
    };
    let units = read_units(cursor, count)?;
    cursor.symbol(close)?;
    Some(units)
}

/// Reads what a half or a single figure behind a unit adds: 一吨半, 一米八, 1米75, "y medio".
pub(crate) fn trailing(cursor: &mut Cursor<'_>) -> f64 {
    if let Some(part) = cursor.attempt(and_a_part) {
        return part;
    }
    let after_han = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Han));
    if !after_han || !cursor.is_glued() {
        return 0.0;
    }
    let half = cursor.attempt(|cursor| {
        cursor.eat(Term::Half)?;
        (!sees_unit(*cursor)).then_some(0.5)
    });
    half.or_else(|| cursor.attempt(tenths)).unwrap_or(0.0)
}

/// Reads the "and a half" of "three miles and a half", and any other part of the unit.
fn and_a_part(cursor: &mut Cursor<'_>) -> Option<f64> {
    let half = cursor.attempt(|cursor| cursor.eat(Term::AndHalf)).map(|()| 0.5);
    let part = half.or_else(|| cursor.attempt(number::and_part))?;
    let counts = |term| matches!(term, Term::Scale(_) | Term::One | Term::Unit(_) | Term::Of);
    (!sees_unit(*cursor) && !cursor.sees_any(counts)).then_some(part)
}

fn tenths(cursor: &mut Cursor<'_>) -> Option<f64> {
    let start = *cursor;
    let value = match cursor.attempt(Cursor::digits) {
        Some(digits) if digits.len() <= 2 => {
            digits.parse::<f64>().ok()? / if digits.len() == 1 { 10.0 } else { 100.0 }
        }
        Some(_) => return None,
        None => {
            let value = cursor.take(|term| match term {
                Term::Number(value) if value < 10.0 => Some(value),
                _ => None,
            })?;
            (cursor.at == start.at + 1).then_some(value / 10.0)?
        }
    };
    let ends = match cursor.shape() {
        None | Some(Shape::Symbol) => cursor.is_closed(".,:/-~"),
        Some(Shape::Han) => !goes_on(*cursor),
        _ => !cursor.is_glued(),
    };
    (ends && value > 0.0).then_some(value)
}

/// Returns whether what follows makes a count of its own of the figure before: 三個, 四分, 五點.
fn goes_on(mut cursor: Cursor<'_>) -> bool {
    sees_unit(cursor)
        || cursor
            .take(|term| match term {
                Term::Counter
                | Term::CoinSign(_)
                | Term::Unit(_)
                | Term::HourMark
                | Term::MinuteMark
                | Term::SecondMark
                | Term::YearMark
                | Term::MonthMark
                | Term::DayMark
                | Term::Scale(_)
                | Term::Number(_)
                | Term::Percent => Some(()),
                _ => None,
            })
            .is_some()
}

/// The total in the first unit, and the unit of the last part if there are several.
#[derive(Debug, Clone, Copy)]
struct Sum {
    total: f64,
    last: Option<&'static Measure>,
}

/// Adds smaller parts: the 10 inches of 7 feet 10 inches.
fn sum(cursor: &mut Cursor<'_>, first: Part) -> Option<Sum> {
    let mut sum = Sum { total: first.value, last: None };
    let mut smallest = first.factor();
    while let Some(next) = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.symbol(","));
        cursor.attempt(|cursor| cursor.eat(Term::And));
        let next = part(cursor)?;
        let unit = next.units.first;
        let fits = unit.dimension == first.units.first.dimension
            && unit.factor > 0.0
            && unit.factor < smallest
            && next.value > 0.0;
        fits.then_some(next)
    }) {
        smallest = next.factor();
        sum.total += next.value * smallest / first.factor();
        sum.last = Some(next.units.first);
    }
    Some(sum)
}

/// Reads 攝氏37度, age 87.
fn announced(cursor: &mut Cursor<'_>) -> Option<Part> {
    let (unit, degrees) = cursor.take(|term| match term {
        Term::DegreesBefore(unit) => Some((unit, true)),
        Term::MeasureBefore(unit) => Some((unit, false)),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Is));
    let below = cursor.attempt(|cursor| cursor.eat(Term::BelowZero)).is_some();
    let mut count = count(cursor).filter(|count| !count.is_one)?;
    let own = |term| match term {
        Term::Sign(&units::DEGREE) => degrees.then_some(()),
        Term::Measure(said) => (said.dimension == "length").then_some(()),
        _ => None,
    };
    let marked = cursor.take(own).is_some();
    if below {
        count.value = -count.value;
    }
    let units = Units::only(unit);
    ((marked || !degrees) && is_end(*cursor)).then_some(Part { count, value: count.value, units })
}

/// Reads 零下, and the minus of "- 2 degrees" where a text begins with it.
fn minus(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.attempt(|cursor| cursor.eat(Term::BelowZero)).is_some() {
        return Some(());
    }
    let starts = cursor.at == 0;
    cursor.symbol("-−").filter(|_| starts && !cursor.is_glued()).map(drop)
}

/// Reads the number of "10 below zero", whose degrees are left out.
fn bare_below_zero(cursor: &mut Cursor<'_>) -> Option<Part> {
    let count = count(cursor).filter(|count| !count.is_one && count.value > 0.0)?;
    let units = Units::only(&units::DEGREE);
    cursor.sees(Term::BelowZero).then_some(Part { count, value: count.value, units })
}

fn below_zero(cursor: &mut Cursor<'_>) -> Option<()> {
    let spaced = !cursor.is_glued();
    cursor.eat(Term::BelowZero)?;
    spaced.then_some(())
}

/// Returns whether the words around speak of an angle: rotate 90°, a 45 degree angle.
fn is_turned(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    /// The number of tokens before the degrees in which the word may stand.
    const REACH: usize = 4;
    let turns =
        |at: usize| start.sentence.senses(at).iter().any(|sense| sense.term == Term::Turning);
    (start.at.saturating_sub(REACH)..start.at).any(turns) || turns(end.at)
}

/// Returns whether the degrees are a longitude or a latitude.
fn is_coordinate(mut start: Cursor<'_>) -> bool {
    let said = |term| matches!(term, Term::Axis(_) | Term::Hemisphere(_));
    let mut before = start;
    while before.at > 0 && before.follows(|term| term == Term::Is).is_some() {
        before.at -= 1;
    }
    before.follows(said).is_some() || degrees::degrees(&mut start).is_some()
}

/// The kilobits of 三千比特: a longer unit that begins with the last magnitude of the number.
fn larger(start: Cursor<'_>, end: Cursor<'_>, part: &Part) -> Option<Reading> {
    let sentence = start.sentence;
    let (at, longer) = (start.at + 1..end.at).find_map(|at| {
        let mut senses = sentence.senses(at).iter().filter(|sense| sense.end == end.at);
        senses.find_map(|sense| match sense.term {
            Term::Measure(unit) => Some((at, unit)),
            _ => None,
        })
    })?;
    let scale = sentence.senses(at).iter().find_map(|sense| match sense.term {
        Term::Scale(scale) if sense.end == at + 1 => Some(scale),
        _ => None,
    })?;
    let first = part.units.first;
    let fits = longer != first && longer.dimension == first.dimension;
    fits.then(|| reading(part.value / scale, longer))
}

fn reading(total: f64, unit: &'static Measure) -> Reading {
    Reading::Quantity {
        value: tidy(total),
        unit: UnitCode::of(unit.code),
        dimension: unit.dimension,
    }
}

/// Twelve digits are more than anyone measures; what is beyond them comes from the arithmetic.
pub(crate) fn tidy(value: f64) -> f64 {
    if value.fract() == 0.0 { value } else { format!("{value:.11e}").parse().unwrap_or(value) }
}
