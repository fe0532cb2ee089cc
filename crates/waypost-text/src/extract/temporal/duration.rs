//! Lengths of time: 3 days, 1 hour 30 minutes, two and a half weeks, 兩週, media hora.

use jiff::Span;
use jiff::civil::DateTime;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Part, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;
use crate::extract::values::number;

use super::calendars::gregorian;

/// A length, field by field, so that 1 month 3 days stays just that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    span: Span,
    finest: Option<Unit>,
    /// The number and the unit, where only one unit was said.
    single: Option<(f64, Unit)>,
}

impl Length {
    /// One day.
    pub(super) fn day() -> Option<Self> {
        let span = Span::new().try_days(1).ok()?;
        Some(Self { span, finest: Some(Unit::Day), single: Some((1.0, Unit::Day)) })
    }

    /// The number and the unit, where only one unit was said.
    pub(super) fn one_unit(&self) -> Option<(f64, Unit)> {
        self.single
    }

    /// The shortest unit that was said.
    pub(super) fn finest(&self) -> Option<Unit> {
        self.finest
    }

    /// The time that lies so far after another, or before it if `sign` is -1.
    pub(super) fn after(&self, start: DateTime, sign: i64) -> Option<DateTime> {
        start.checked_add(self.span.checked_mul(sign).ok()?).ok()
    }
}

/// Finds a length of time.
pub(in crate::extract) fn duration(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    // 每一天 is no length, and 哪一年 asks.
    if cursor.follows(|term| matches!(term, Term::Every | Term::Asked)).is_some() {
        return None;
    }
    // "more than 4 days" is told by its length.
    cursor.attempt(|cursor| cursor.take(|term| matches!(term, Term::Bound(_)).then_some(())));
    let length = length(cursor)?;
    // "the second test run": a unit alone is none, and an ordinal is read elsewhere.
    let reading = Reading::Duration(length.span.fieldwise());
    Some(Found::new(Kind::Duration, reading, rule(cursor.tongue, "duration")))
}

/// The most further parts of a length: there are no more units.
pub(super) const MOST_PARTS: usize = 10;

/// Reads a length; its units go down: "2 days 3 days" are two lengths.
pub(super) fn length(cursor: &mut Cursor<'_>) -> Option<Length> {
    let (count, mut last) = cursor.first_of(&[stretch, one_word, minutes_first, unit_and_part])?;
    let single = Some((count, last)).filter(|(count, _)| count.fract() == 0.0);
    let mut length = Length { span: Span::new(), finest: None, single };
    add(&mut length, count, last)?;
    for _ in 0..MOST_PARTS {
        let Some((count, unit)) = cursor.attempt(|cursor| further(cursor, last)) else { break };
        add(&mut length, count, unit)?;
        length.single = None;
        last = unit;
    }
    if last == Unit::Hour
        && let Some(minutes) = cursor.attempt(bare_minutes)
    {
        add(&mut length, minutes, Unit::Minute)?;
    }
    Some(length)
}

/// The thirty of "1 hour thirty" and of "2 hours and 10", where nothing follows that it counts.
fn bare_minutes(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.attempt(|cursor| cursor.eat(Term::And));
    let minutes = number::count(cursor).filter(|minutes| (1.0..60.0).contains(minutes))?;
    cursor.shape().is_none().then_some(minutes)
}

/// Reads one more stretch of a length, of a shorter unit; 兩天又一個月 may go up.
fn further(cursor: &mut Cursor<'_>, last: Unit) -> Option<(f64, Unit)> {
    let tied = cursor.attempt(|cursor| {
        cursor.eat(Term::Again)?;
        stretch(cursor).filter(|(_, unit)| *unit != last)
    });
    if tied.is_some() {
        return tied;
    }
    let loose = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.symbol(","));
        let and = cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
        let found = cursor.first_of(&[stretch, one_word, marked_minutes])?;
        // "Two hours and a quarter of an hour" are of one unit.
        let is_part = |(count, unit): &(f64, Unit)| and && *unit == last && *count < 1.0;
        Some(found).filter(|found| found.1 < last || is_part(found))
    });
    // 一年多三個月, 一個鐘零十五秒
    loose.or_else(|| {
        cursor.take(|term| matches!(term, Term::Odd | Term::Number(0.0)).then_some(()))?;
        stretch(cursor).filter(|(_, unit)| *unit < last)
    })
}

/// The minutes of 兩小時十分.
fn marked_minutes(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let count = number::count(cursor).filter(|count| (0.0..60.0).contains(count))?;
    cursor.eat(Term::MinuteMark)?;
    Some((count, Unit::Minute))
}

/// The minutes that 五分三十秒 and 五分半 begin with: alone they may be money or points.
fn minutes_first(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let (count, unit) = marked_minutes(cursor)?;
    if cursor.attempt(|cursor| cursor.eat(Term::AndHalf)).is_some() {
        return Some((count + 0.5, unit));
    }
    let (_, smaller) = stretch(&mut cursor.clone())?;
    (smaller == Unit::Second).then_some((count, unit))
}

/// 個半鐘
fn one_word(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    cursor.take(|term| match term {
        Term::Length(count, unit) => Some((f64::from(count), unit)),
        _ => None,
    })
}

/// Adds `count` units; a fraction counts in the next smaller unit.
fn add(length: &mut Length, count: f64, unit: Unit) -> Option<()> {
    let (whole, rest) = (count.trunc(), count.fract());
    if whole != 0.0 || rest == 0.0 {
        length.span = gregorian::add(length.span, whole, unit)?;
        length.finest = Some(unit);
    }
    if rest != 0.0 && unit == Unit::Second {
        let milliseconds = length.span.get_milliseconds() + (rest * 1000.0).round() as i64;
        length.span = length.span.try_milliseconds(milliseconds).ok()?;
        length.finest = Some(unit);
    } else if rest != 0.0 {
        let (many, smaller) = smaller(unit)?;
        length.span = gregorian::add(length.span, (rest * many).round(), smaller)?;
        length.finest = Some(smaller);
    }
    Some(())
}

/// Returns so many units as a span, a fraction in the next smaller unit, and the shortest unit of it.
pub(super) fn span(count: f64, unit: Unit) -> Option<(Span, Unit)> {
    let mut length = Length { span: Span::new(), finest: None, single: None };
    add(&mut length, count, unit)?;
    Some((length.span, length.finest?))
}

/// Returns the next smaller unit, and how many of it make one.
fn smaller(unit: Unit) -> Option<(f64, Unit)> {
    Some(match unit {
        Unit::Second => return None,
        Unit::Minute => (60.0, Unit::Second),
        Unit::Hour => (60.0, Unit::Minute),
        Unit::Day => (24.0, Unit::Hour),
        Unit::Week => (7.0, Unit::Day),
        Unit::Month => (30.0, Unit::Day),
        Unit::Quarter => (3.0, Unit::Month),
        Unit::Year => (12.0, Unit::Month),
        Unit::Decade => (10.0, Unit::Year),
        Unit::Century => (10.0, Unit::Decade),
    })
}

/// Reads a number of units of time: 3 days, a week, half an hour, 三個月, 2.5 hours, 一個半小時.
pub(super) fn stretch(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let start = *cursor;
    let half = cursor.attempt(|cursor| cursor.eat(Term::Half)).is_some();
    let count = match cursor.first_of(&[greater, amount]) {
        Some(count) => Some(count),
        // The năm of "nửa năm" is a year and not five.
        None => cursor.attempt(|cursor| loose_count(cursor).filter(|many| !half || *many == 1.0)),
    };
    let count = match (half, count) {
        (true, None | Some(1.0)) => 0.5,
        (false, Some(count)) => count,
        _ => return None,
    };
    // "one and a half hours": the half stands before the unit or behind it.
    let inner = cursor.attempt(|cursor| cursor.eat(Term::AndHalf)).is_some();
    cursor.attempt(|cursor| cursor.eat(Term::Extra));
    cursor.glued_symbol("-");
    // "tres cuartos de hora", "three quarters of an hour"
    let is_next = cursor.sees_any(|term| matches!(term, Term::Unit(_)));
    if !half && count.fract() != 0.0 && !is_next {
        cursor.attempt(|cursor| cursor.eat(Term::Of));
        cursor.attempt(|cursor| cursor.eat(Term::One));
    }
    let (many, unit) = match cursor.attempt(unit_of) {
        Some(found) => found,
        // 兩個半月
        None => cursor.eat(Term::MonthMark).filter(|()| inner).map(|()| (1, Unit::Month))?,
    };
    // "A second opinion" is the next one and lasts no time.
    let is_place = cursor.follows(|term| matches!(term, Term::Ordinal(_))).is_some();
    if is_place && start.sees(Term::One) && cursor.sees_noun() {
        return None;
    }
    // 2018年 and 08年 are years of the calendar.
    if unit == Unit::Year && super::dates::is_marked_year(start) {
        return None;
    }
    let outer = if inner || half { None } else { cursor.attempt(|cursor| part_of(cursor, unit)) };
    let part = if inner { 0.5 } else { outer.unwrap_or(0.0) };
    Some(((count + part) * f64::from(many), unit))
}

/// Reads the part of a unit that is said behind it: an hour and a quarter, dos horas y media, une heure et quart, deux
/// heures moins le quart.
fn part_of(cursor: &mut Cursor<'_>, unit: Unit) -> Option<f64> {
    if cursor.attempt(|cursor| cursor.eat(Term::AndHalf)).is_some() {
        return Some(0.5);
    }
    // The 5分前 of 2時間5分前 is no part that is taken away.
    let is_word = cursor.shape() == Some(Shape::Word);
    let minutes = |cursor: &mut Cursor<'_>| {
        cursor.take(|term| match term {
            Term::Minutes(minutes) => Some(f64::from(minutes)),
            Term::MinutesTo(minutes) if is_word => Some(-f64::from(minutes)),
            _ => None,
        })
    };
    if unit == Unit::Hour
        && let Some(minutes) = cursor.attempt(minutes)
    {
        return Some(minutes / 60.0);
    }
    let part = number::and_part(cursor)?;
    // "An hour and a quarter of the data" are two things.
    let counts = |term| matches!(term, Term::Of | Term::Unit(_) | Term::Scale(_));
    (!cursor.sees_any(counts)).then_some(part)
}

/// Reads "hora y media" and the "hour and a half" of "the last hour and a half": one of the unit goes without saying.
pub(super) fn unit_and_part(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let is_word = cursor.shape() == Some(Shape::Word) && cursor.may_mean(0, Term::Unit(Unit::Hour));
    let unit = unit(cursor).filter(|_| is_word)?;
    let from = cursor.at;
    let part = part_of(cursor, unit).filter(|part| *part > 0.0)?;
    // The "jam setengah" of "jam setengah tiga" is half an hour before three.
    (cursor.at > from + 1).then_some((1.0 + part, unit))
}

/// una, algunas, toda la: one, as few as three, and one whole.
fn loose_count(cursor: &mut Cursor<'_>) -> Option<f64> {
    // "mấy giờ" asks for the hour.
    let is_question = cursor.sees(Term::NoNumber);
    cursor.take(|term| match term {
        Term::One | Term::Whole => Some(1.0),
        _ if is_question => None,
        Term::Few => Some(3.0),
        Term::SoftNumber(many) | Term::Several(many) if many >= 1.0 => Some(many),
        _ => None,
    })
}

/// The three of "two or three days".
fn greater(cursor: &mut Cursor<'_>) -> Option<f64> {
    number::either(cursor).map(|(_, high)| high)
}

/// A count, or a number with a fraction.
fn amount(cursor: &mut Cursor<'_>) -> Option<f64> {
    let amount = |cursor: &mut Cursor<'_>| number::amount(cursor).map(|amount| amount.value);
    cursor.first_of(&[amount, number::count])
}

/// Reads a unit of time: a word for one, or the s behind digits.
pub(super) fn unit(cursor: &mut Cursor<'_>) -> Option<Unit> {
    let word = cursor.take(|term| match term {
        Term::Unit(unit) => Some(unit),
        _ => None,
    });
    word.or_else(|| cursor.attempt(second_sign).map(|()| Unit::Second))
}

/// Reads a unit of time, a letter for one behind digits, or a word for several: a fortnight is
/// two weeks.
fn unit_of(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    let before = cursor.back().and_then(|before| before.shape());
    let glued = cursor.is_glued() && before == Some(Shape::Digits);
    let plain = cursor.take(|term| match term {
        Term::Unit(unit) => Some((1, unit)),
        Term::Units(many, unit) => Some((many, unit)),
        Term::Part(Part::Night) | Term::DayParts(Part::Night) => Some((1, Unit::Day)),
        Term::Weekends => Some((2, Unit::Day)),
        _ => None,
    });
    if plain.is_some() {
        return plain;
    }
    if cursor.attempt(second_sign).is_some() {
        return Some((1, Unit::Second));
    }
    glued.then_some(())?;
    let count = cursor.back().and_then(|back| back.sentence.tokens.text(back.at).parse().ok());
    let unit = cursor.take(|term| match term {
        Term::GluedUnit(unit) => Some(unit),
        _ => None,
    })?;
    (is_among_lengths(*cursor) || is_length(count, unit)).then_some((1, unit))
}

/// Reads the s of 5s and of 90 s. In capitals it is the south, and behind the name of an axis it is too.
fn second_sign(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.may_mean(0, Term::GluedUnit(Unit::Second)).then_some(())?;
    let digits = cursor.back().filter(|before| before.shape() == Some(Shape::Digits))?;
    let south =
        cursor.is_upper_case() || digits.follows(|term| matches!(term, Term::Axis(_))).is_some();
    (!south && cursor.gap() <= 1).then_some(())?;
    let spaced = !cursor.is_glued();
    cursor.eat(Term::GluedUnit(Unit::Second))?;
    // "10 s'il vous plaît" and "2 S-bends" count no seconds.
    let goes_on = cursor.is_glued()
        && match cursor.shape() {
            Some(Shape::Word | Shape::Digits) => true,
            Some(Shape::Symbol) => cursor
                .peek_symbol()
                .is_some_and(|symbol| "'’".contains(symbol) || spaced && symbol == '-'),
            _ => false,
        };
    (!goes_on).then_some(())
}

/// Returns whether a number and a letter are a length by themselves: 120d, 4y, 6mo; but not the 3d of a plot.
fn is_length(count: Option<u32>, unit: Unit) -> bool {
    /// A picture has so many dimensions at most.
    const DIMENSIONS: u32 = 4;
    match unit {
        Unit::Day => count.is_some_and(|count| count > DIMENSIONS),
        Unit::Month | Unit::Year => count.is_some(),
        _ => false,
    }
}

/// Returns whether more of a distance follows: "1d 21h", "3w ago", but not "3d plot".
fn is_among_lengths(mut cursor: Cursor<'_>) -> bool {
    if cursor.sees_any(|term| matches!(term, Term::Ago | Term::Later)) {
        return true;
    }
    cursor.attempt(|cursor| cursor.symbol(","));
    cursor.shape() == Some(Shape::Digits)
}
