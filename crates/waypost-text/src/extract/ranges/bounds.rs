//! Bands of numbers as people say ages and classes: under 5s, 0-59 months, 5歲以上, de cinco para
//! arriba.
//!
//! Unlike a stretch of numbers or of amounts, a band may have a unit or none, and its words may be
//! those of an age on either side. A bare number is no band.

use jiff::{Timestamp, tz::TimeZone};

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Side, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::value::Interval;
use crate::extract::values::{money, number};
use crate::extract::{Context, Conventions, Kinds};
use crate::language::Language;
use crate::text::{Span, Text};

use super::interval::{behind, comparison};

/// A band of numbers that a text names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Its place in the text.
    pub span: Span,
    /// The two ends, and which of them belong to it.
    pub interval: Interval,
    /// The unit in UCUM: `a` for years, `mo` for months; `money` for any currency; `None` where none was said.
    pub unit: Option<&'static str>,
}

/// The bands of numbers that a text names, in its order; none overlap.
///
/// A band such as "5 and up" or 5以上 begins with that number and takes it in, as people mean it.
///
/// # Example
///
/// ```
/// use waypost_text::extract::bounds;
/// use waypost_text::{language::Language, text::Text};
///
/// let found = bounds(&Text::new("0-59 months or under 5s"), Language::En);
/// assert_eq!(found.len(), 2);
/// assert_eq!((found[0].interval.high, found[0].unit), (Some(59.0), Some("mo")));
/// assert_eq!((found[1].interval.high, found[1].interval.high_included), (Some(5.0), false));
/// ```
pub fn bounds(text: &Text, language: Language) -> Vec<Bounds> {
    let sentence = Sentence::new(text, language);
    // Numbers are the same at any time.
    let now = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
    let conventions = Conventions::STANDARD;
    let context =
        Context { now: &now, language, gazetteers: &[], conventions, wanted: Kinds::NONE };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        let mut cursor = Cursor::new(&sentence, &context, at);
        let Some(band) = band(&mut cursor) else {
            at += 1;
            continue;
        };
        let end = sentence.token(cursor.at - 1).map_or(token.end, |last| last.end);
        let span = text.span(token.start, end);
        found.push(Bounds { span, interval: band.interval, unit: band.unit });
        at = cursor.at;
    }
    found
}

/// The unit of a band of money, of whatever currency.
const MONEY: &str = "money";

#[derive(Debug, Clone, Copy)]
struct Band {
    interval: Interval,
    unit: Option<&'static str>,
}

/// One end of a band.
#[derive(Debug, Clone, Copy)]
struct Limit {
    value: f64,
    unit: Option<&'static str>,
}

fn band(cursor: &mut Cursor<'_>) -> Option<Band> {
    let in_name = matches!(cursor.shape(), Some(Shape::Digits | Shape::Word)) && !cursor.is_fresh();
    if in_name || cursor.is_glued() && cursor.back().is_some_and(|before| before.character() == '-')
    {
        return None;
    }
    cursor.first_of(&[between, one_sided])
}

/// Reads 0-59 months, 0 to 4, between 5 and 14 years, 五到九歲.
fn between(cursor: &mut Cursor<'_>) -> Option<Band> {
    let age = cursor.attempt(announced);
    let joined = cursor.take(|term| match term {
        Term::Between => Some(Some(Term::And)),
        Term::From | Term::In => Some(None),
        _ => None,
    });
    let age = age.or_else(|| cursor.attempt(announced));
    let low = limit(cursor, true)?;
    let to = |term| term == Term::To || joined.flatten() == Some(term);
    if cursor.take(|term| to(term).then_some(())).is_none() {
        cursor.symbol("-–—~〜")?;
    }
    // 2025-01 is a month, and 10-20-30 a number of a telephone.
    let padded = cursor.sentence.tokens.text(cursor.at).starts_with('0');
    let high = limit(cursor, false)?;
    let goes_on = cursor.is_glued() && matches!(cursor.peek_symbol(), Some('-' | '–' | '~' | '/'));
    if padded && high.value != 0.0 || goes_on {
        return None;
    }
    cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter));
    if low.unit.is_some() && high.unit.is_some() && low.unit != high.unit {
        return None;
    }
    let interval = Interval::closed(low.value, high.value)?;
    Some(Band { interval, unit: high.unit.or(low.unit).or(age) })
}

/// One side, or two that belong together: at least 5 but under 15.
fn one_sided(cursor: &mut Cursor<'_>) -> Option<Band> {
    let first = side(cursor)?;
    let both = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.symbol(",，、"));
        let joint = |term| matches!(term, Term::And | Term::But).then_some(());
        cursor.attempt(|cursor| cursor.take(joint));
        let second = side(cursor)?;
        let unit = second.unit.or(first.unit);
        let same = first.unit.is_none() || first.unit == unit;
        let interval = first.interval.and(second.interval).filter(|_| same)?;
        Some(Band { interval, unit })
    });
    Some(both.unwrap_or(first))
}

/// Reads under 5s, less than five yrs old, 滿五歲以上, from age five upwards, 5+.
fn side(cursor: &mut Cursor<'_>) -> Option<Band> {
    if let Some(band) = cursor.attempt(compared) {
        return Some(band);
    }
    let age = cursor.attempt(announced);
    let before = cursor.attempt(comparison);
    if before.is_none() {
        cursor.attempt(|cursor| cursor.eat(Term::From));
    } else {
        // Under-fives.
        cursor.attempt(|cursor| cursor.glued_symbol("-"));
    }
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let age = age.or_else(|| cursor.attempt(announced));
    let limit = limit(cursor, false)?;
    let after = cursor.attempt(beyond);
    let side = match (before, after) {
        (Some(side), None) | (None, Some(side)) => side,
        // 滿五歲以上 says the same twice.
        (Some(Side::Above { .. }), Some(side @ Side::Above { .. })) => side,
        (Some(Side::Below { .. }), Some(side @ Side::Below { .. })) => side,
        _ => return None,
    };
    // The unit may stand last: 5+ years.
    let unit = limit.unit.or_else(|| cursor.attempt(unit)).or(age);
    Some(Band { interval: Interval::beyond(side, limit.value), unit })
}

/// Reads 比五歲大, whose 歲大 would be a unit elsewhere.
fn compared(cursor: &mut Cursor<'_>) -> Option<Band> {
    cursor.eat(Term::ComparedWith)?;
    let value = number::amount(cursor).map(|amount| amount.value)?;
    let start = *cursor;
    let units = start.sentence.senses(start.at).iter().filter_map(|sense| {
        let behind = Cursor { at: sense.end, ..start };
        Some((code(sense.term)?, compared_behind(behind)?))
    });
    let with_unit = units.map(|(unit, found)| (Some(unit), found)).next();
    let (unit, (end, side)) = with_unit.or_else(|| Some((None, compared_behind(start)?)))?;
    *cursor = end;
    Some(Band { interval: Interval::beyond(side, value), unit })
}

fn compared_behind(mut cursor: Cursor<'_>) -> Option<(Cursor<'_>, Side)> {
    let side = cursor.take(|term| match term {
        Term::Compare(side) => Some(side),
        _ => None,
    })?;
    Some((cursor, side))
}

/// Reads "and up", 以上, the plus of 5+.
fn beyond(cursor: &mut Cursor<'_>) -> Option<Side> {
    let plus = cursor.attempt(|cursor| {
        cursor.glued_symbol("+")?;
        (cursor.shape() != Some(Shape::Digits)).then_some(())
    });
    if plus.is_some() {
        return Some(Side::AT_LEAST);
    }
    Some(match behind(cursor)? {
        side @ Side::Above { .. } => side.including(),
        side @ Side::Below { .. } => side,
    })
}

/// Reads "aged", which says the unit before the number.
fn announced(cursor: &mut Cursor<'_>) -> Option<&'static str> {
    let unit = cursor.take(|term| match term {
        Term::MeasureBefore(unit) => Some(unit.code),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Is));
    Some(unit)
}

fn limit(cursor: &mut Cursor<'_>, before_and: bool) -> Option<Limit> {
    if let Some(value) = cursor.attempt(plural) {
        return Some(Limit { value, unit: None });
    }
    if let Some(value) = cursor.attempt(money::single) {
        return Some(Limit { value, unit: Some(MONEY) });
    }
    let read = if before_and { number::amount_before_and } else { number::amount };
    let value = match cursor.attempt(read) {
        Some(amount) => amount.value,
        // The năm of "năm tuổi" is five only because a unit follows.
        None => number::soft_before(cursor, |term| code(term).is_some())?,
    };
    value.is_finite().then_some(())?;
    // 5s and 5's are several of five.
    cursor.attempt(|cursor| {
        cursor.glued_symbol("'’");
        if !cursor.is_glued() || cursor.word()? != "s" {
            return None;
        }
        Some(())
    });
    // 五百萬股以上; the 歲 of 五歲以上 is a unit.
    let is_unit = unit_ahead(*cursor).is_some();
    let goes_on = |cursor: &Cursor<'_>| {
        let mut ahead = *cursor;
        unit_ahead(*cursor).is_some() || !is_unit && beyond(&mut ahead).is_some()
    };
    cursor.attempt(|cursor| cursor.eat(Term::Counter).filter(|()| goes_on(cursor)));
    let unit = cursor.attempt(unit);
    let closed = cursor.is_closed("/:.") || cursor.shape() == Some(Shape::Han);
    closed.then_some(Limit { value, unit })
}

/// Reads fives: a number word in the plural.
fn plural(cursor: &mut Cursor<'_>) -> Option<f64> {
    let stem = cursor.word()?.strip_suffix('s')?;
    Lexicon::VALUES.word(stem).find_map(|meaning| match meaning.term() {
        Term::Number(value) if meaning.tongue().is_spoken(cursor.context.language) => Some(value),
        _ => None,
    })
}

fn unit_ahead(mut cursor: Cursor<'_>) -> Option<&'static str> {
    unit(&mut cursor)
}

/// Reads a unit of measure, of age or of time.
fn unit(cursor: &mut Cursor<'_>) -> Option<&'static str> {
    let glued = cursor.is_glued();
    if !glued {
        cursor.attempt(|cursor| cursor.symbol("-"));
    }
    cursor.take(|term| match term {
        Term::GluedUnit(unit) if glued => of_time(unit),
        _ => code(term),
    })
}

fn code(term: Term) -> Option<&'static str> {
    match term {
        Term::Measure(unit) | Term::Sign(unit) => Some(unit.code),
        Term::Unit(unit) => of_time(unit),
        Term::Percent => Some("%"),
        _ => None,
    }
}

fn of_time(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Second => Some("s"),
        Unit::Minute => Some("min"),
        Unit::Hour => Some("h"),
        Unit::Day => Some("d"),
        Unit::Week => Some("wk"),
        Unit::Month => Some("mo"),
        Unit::Year => Some("a"),
        Unit::Quarter | Unit::Decade | Unit::Century => None,
    }
}
