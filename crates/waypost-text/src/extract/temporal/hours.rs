//! Hours that are times only at the ends of a range: 14h, neuf heures, 14.30.
//!
//! Alone they are lengths and numbers. The other end, or a day before both, says that a time is meant; `between`
//! decides that.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Part, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number;
use crate::extract::values::unit::sees_unit;

use super::clock::hour_number;
use super::when::{Clock, When};

/// An hour that is a time if something else says so.
#[derive(Debug, Clone)]
pub(super) struct Hours {
    pub(super) when: When,
    pub(super) shown: Shown,
}

/// The way in which an hour is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// 14h
    Letter,
    /// neuf heures, 14 horas
    Word,
    /// 14.30
    Point,
    /// trưa: noon by a word that is also a part of the day.
    Noon,
}

/// Reads the hour at an end of a range.
pub(super) fn hours(cursor: &mut Cursor<'_>) -> Option<Hours> {
    // "A cada 2h até às 18h" is a rhythm, and "une durée de 2h à 3h" a length.
    let lasts = cursor.follows(|term| matches!(term, Term::Every | Term::For)).is_some();
    (!lasts).then_some(())?;
    let (clock, shown) = cursor.first_of(&[letter, word, point, noon])?;
    let clock = Some(clock);
    Some(Hours { when: When { clock, ..When::new(rule(cursor.tongue, "time")) }, shown })
}

/// 14h
fn letter(cursor: &mut Cursor<'_>) -> Option<(Clock, Shown)> {
    let hour = cursor.digits().filter(|digits| digits.len() <= 2)?.parse().ok()?;
    let is_letter = cursor.is_glued() && cursor.sentence.tokens.text(cursor.at).len() == 1;
    is_letter.then_some(())?;
    cursor.eat(Term::Unit(Unit::Hour))?;
    (hour < 24 && cursor.is_closed("/.,:")).then_some(())?;
    Some((Clock::new(hour, 0, 0, Unit::Hour).ok()?, Shown::Letter))
}

/// neuf heures, onze heures trente, 14 horas: in languages that say times so
fn word(cursor: &mut Cursor<'_>) -> Option<(Clock, Shown)> {
    cursor.habits().says_hours.then_some(())?;
    let hour = hour_number(cursor)? as i8;
    cursor.eat(Term::Unit(Unit::Hour))?;
    let minute = cursor.attempt(|cursor| {
        (cursor.shape()? == Shape::Word).then_some(())?;
        number::count(cursor).filter(|minute| (1.0..60.0).contains(minute))
    });
    let grain = if minute.is_some() { Unit::Minute } else { Unit::Hour };
    Some((Clock::new(hour, minute.unwrap_or(0.0) as i8, 0, grain).ok()?, Shown::Word))
}

/// 14.30
fn point(cursor: &mut Cursor<'_>) -> Option<(Clock, Shown)> {
    let hour = cursor.digits().filter(|digits| digits.len() <= 2)?.parse().ok()?;
    cursor.glued_symbol(".")?;
    let minute = cursor.glued_digits().filter(|digits| digits.len() == 2)?.parse().ok()?;
    let counts = |term| matches!(term, Term::Currency(_) | Term::CurrencySign(_) | Term::Percent);
    let counted = cursor.sees_any(counts) || sees_unit(*cursor);
    (cursor.is_closed("/.,:") && !counted).then_some(())?;
    Some((Clock::new(hour, minute, 0, Unit::Minute).ok()?, Shown::Point))
}

/// The trưa of "từ 9 giờ sáng đến trưa".
fn noon(cursor: &mut Cursor<'_>) -> Option<(Clock, Shown)> {
    cursor.eat(Term::ShortPart(Part::Noon))?;
    let clock = Clock::new(12, 0, 0, Unit::Hour).ok()?;
    Some((Clock { halves: false, has_half: true, ..clock }, Shown::Noon))
}
