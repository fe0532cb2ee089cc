//! Places in an order: first, 2nd, twenty-first, 第二個, #3, vigésimo primero, next to last.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

use super::number::{self, MOST_WORDS, Sum};

/// The greatest place that is read: beyond it not every whole number can be told from the next.
const GREATEST: f64 = 9_007_199_254_740_992.0;

/// Finds a place in an order.
pub(crate) fn ordinal(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let place = cursor.first_of(&[from_the_end, in_words, marked, in_digits, sign])?;
    Some(Found::new(Kind::Ordinal, Reading::Ordinal(place), rule(cursor.tongue, "ordinal")))
}

/// Finds a place by the sign before its number: no. 1, option 3, số 2. It may be a plain number
/// too.
pub(crate) fn numbered(cursor: &mut Cursor<'_>) -> Option<Found> {
    /// A greater number is an amount, and no place in a list.
    const MOST: f64 = 99.0;
    // A sign that is written with its own letter needs nothing else to be one: nº.
    let is_lettered = cursor.typed().contains(['º', '°', '№']);
    let is_lone = cursor.take(|term| match term {
        Term::OrdinalSign => Some(false),
        Term::LoneOrdinalSign => Some(!is_lettered),
        _ => None,
    })?;
    let behind_sign = *cursor;
    let place = number::whole(cursor).filter(|place| (1.0..=MOST).contains(place))?;
    let is_digits = behind_sign.shape() == Some(Shape::Digits);
    let ends = matches!(cursor.shape(), None | Some(Shape::Symbol))
        || cursor.sees_any(|term| matches!(term, Term::Filler | Term::Change));
    let goes_on = |term| {
        matches!(
            term,
            Term::BoundAfter(_)
                | Term::Unit(_)
                | Term::Scale(_)
                | Term::Percent
                | Term::To
                | Term::Extra
                | Term::OrdinalSuffix
        )
    };
    let is_place = cursor.is_closed("/⁄.,:-–~%")
        && !cursor.sees_any(goes_on)
        && !super::unit::sees_unit(*cursor)
        && (!is_lone || is_digits && ends);
    let found = Found::new(
        Kind::Ordinal,
        Reading::Ordinal(place as i64),
        rule(cursor.tongue, "ordinal.numbered"),
    );
    is_place.then(|| found.or([Reading::Number(place)]))
}

/// Finds a place in an order, also one beside the current one: next, previous.
///
/// Only callers that ask for ordinals get those: elsewhere "next" belongs to a week or to nothing.
pub(crate) fn any(cursor: &mut Cursor<'_>) -> Option<Found> {
    if let Some(found) = cursor.attempt(ordinal) {
        return Some(found);
    }
    let offset = cursor.take(|term| match term {
        Term::Step(offset) => Some(offset),
        _ => None,
    })?;
    Some(Found::new(Kind::Ordinal, Reading::Step(offset), rule(cursor.tongue, "ordinal.step")))
}

/// Reads a place from the first on as a number.
pub(crate) fn place_of(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.first_of(&[in_words, marked, in_digits]).map(|place| place as f64)
}

/// Reads a place in an order, counted from the end below zero.
pub(crate) fn rank(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.sentence.may_count(cursor.at).then_some(())?;
    cursor.first_of(&[from_the_end, in_words, marked, in_digits])
}

/// Reads last, penúltimo, 倒數第二.
fn from_the_end(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.take(|term| match term {
        Term::Ordinal(place @ ..0) => Some(place),
        _ => None,
    })
}

fn in_words(cursor: &mut Cursor<'_>) -> Option<i64> {
    let is_part = cursor.follows(|term| matches!(term, Term::One)).is_some();
    let place = last_word(cursor, |cursor| {
        let is_plural = cursor.sees_any(|term| parts(term).is_some());
        let large = |term| parts(term).filter(|last| last.is_scale);
        let last = cursor.take(place).or_else(|| cursor.take(large))?;
        Some(Last { is_plural, ..last })
    })?;
    // "a millionth" and "veinte quintos" are parts of something.
    let is_part = is_part && place.is_scale || place.is_plural && place.has_cardinal;
    (!is_part && place.value <= GREATEST).then_some(place.value as i64)
}

fn place(term: Term) -> Option<Last> {
    match term {
        Term::Ordinal(place @ 1..) => Some(Last::unit(place as f64)),
        Term::OrdinalScale(scale) => Some(Last::scale(scale)),
        _ => None,
    }
}

fn parts(term: Term) -> Option<Last> {
    let last = match term {
        Term::Half => return Some(Last::unit(2.0)),
        Term::Parts(parts) => Last::unit(parts),
        Term::PartsScale(scale) => Last::scale(scale),
        _ => return None,
    };
    Some(Last { is_plural: true, ..last })
}

/// Reads 第二十一, thứ mười.
fn marked(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.eat(Term::OrdinalMark)?;
    let place = number::whole(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::Counter));
    ((0.0..=GREATEST).contains(&place)).then_some(place as i64)
}

fn in_digits(cursor: &mut Cursor<'_>) -> Option<i64> {
    let digits = cursor.digits()?;
    let place = digits.parse().ok()?;
    // 4.º
    cursor.attempt(|cursor| {
        cursor.glued_symbol(".")?;
        matches!(cursor.typed(), "º" | "ª").then_some(())
    });
    if !cursor.is_glued() {
        return None;
    }
    let starts = cursor.at == 1;
    if cursor.attempt(point).is_some() {
        // At the end of a sentence a point ends that.
        return (starts || cursor.shape() == Some(Shape::Word)).then_some(place);
    }
    cursor.eat(Term::OrdinalSuffix)?;
    Some(place)
}

/// Reads the point behind digits that makes a place of them where a language writes it so: 3. November.
pub(crate) fn point(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.habits().ordinal_point.then_some(())?;
    cursor.glued_symbol(".")?;
    let is_word = !cursor.is_glued() && cursor.shape() != Some(Shape::Digits);
    (is_word || sees_range(*cursor)).then_some(())
}

/// Returns whether the sign of a range and another number follow: 17.–19. August.
fn sees_range(mut cursor: Cursor<'_>) -> bool {
    cursor.symbol("-–—").is_some() && cursor.digits().is_some()
}

fn sign(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.symbol("#")?;
    cursor.glued_digits()?.parse().ok()
}

/// The last word of an ordinal, or of a denominator, and what it adds to the number before it.
#[derive(Debug, Clone, Copy)]
struct Last {
    value: f64,
    is_scale: bool,
    /// True if it counts parts rather than naming one: thirds, but not third.
    is_plural: bool,
    /// True if a cardinal stands before it: twenty-first.
    has_cardinal: bool,
}

impl Last {
    fn unit(value: f64) -> Self {
        Self { value, is_scale: false, is_plural: false, has_cardinal: false }
    }

    fn scale(value: f64) -> Self {
        Self { is_scale: true, ..Self::unit(value) }
    }
}

/// The number of parts that a fraction divides into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Denominator {
    pub(crate) value: f64,
    /// True if it can stand behind any number: thirds, but not third.
    pub(crate) is_plural: bool,
    /// True if it can stand behind "a".
    pub(crate) is_singular: bool,
}

/// Reads thirds, twenty-fifth, centésimos, medio.
pub(crate) fn denominator(cursor: &mut Cursor<'_>) -> Option<Denominator> {
    let from = *cursor;
    let is_word_for_parts = from.sees_any(|term| parts(term).is_some());
    let last = last_word(cursor, |cursor| {
        // "Un millón y medio" adds a half.
        let adds = !is_word_for_parts && cursor.sees_any(|term| matches!(term, Term::Half));
        let below = if adds { None } else { cursor.take(parts) };
        below.or_else(|| cursor.take(place))
    })?;
    let below = Denominator {
        value: last.value,
        is_plural: last.is_plural,
        is_singular: !last.is_plural || is_word_for_parts,
    };
    // Nobody calls a half a second.
    (below.value > 2.0 || is_word_for_parts).then_some(below)
}

/// Reads a number whose last words, one at least, are those that `pick` accepts.
fn last_word(
    cursor: &mut Cursor<'_>,
    pick: impl Fn(&mut Cursor<'_>) -> Option<Last>,
) -> Option<Last> {
    let mut sum = Sum::default();
    let mut found: Option<Last> = None;
    let mut has_cardinal = false;
    for _ in 0..MOST_WORDS {
        let next = cursor.attempt(|cursor| {
            let mut ahead = sum.clone();
            let last = next_word(cursor, &pick, found.is_some(), &mut ahead)?;
            sum = ahead;
            Some(last)
        });
        let Some(last) = next else { break };
        if let Some(last) = last {
            let is_scale = found.is_none_or(|found| found.is_scale) && last.is_scale;
            found = Some(Last { value: sum.value(), is_scale, has_cardinal, ..last });
        } else {
            has_cardinal = true;
        }
    }
    found
}

/// Reads the next word: a cardinal one only before the first of the last words.
fn next_word(
    cursor: &mut Cursor<'_>,
    pick: impl Fn(&mut Cursor<'_>) -> Option<Last>,
    is_ending: bool,
    sum: &mut Sum,
) -> Option<Option<Last>> {
    if !sum.is_empty() {
        let hyphen = cursor.symbol("-—–").is_some();
        if !hyphen && !is_ending {
            cursor.attempt(|cursor| cursor.eat(Term::And));
        }
    }
    if let Some(last) = cursor.attempt(&pick) {
        if last.is_scale {
            sum.scale(last.value)?;
        } else {
            sum.add(last.value)?;
        }
        return Some(Some(last));
    }
    if is_ending {
        return None;
    }
    number::next_cardinal(cursor, sum)?;
    Some(None)
}
