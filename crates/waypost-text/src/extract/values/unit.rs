//! Units of measure behind a number: the words and signs, and which of several units a sign means.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::grammar::units::Measure;
use crate::extract::lang::measures as units;

use super::number;
use super::quantity::Count;

/// Hotter than this is no weather and no oven, so that a Boeing 777F is no temperature.
const HOTTEST: f64 = 300.0;

/// The units that one word may mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    pub(crate) first: &'static Measure,
    others: [Option<&'static Measure>; 2],
}

impl Units {
    /// One unit that is nothing else.
    pub(crate) fn only(first: &'static Measure) -> Self {
        Self { first, others: [None; 2] }
    }

    pub(crate) fn all(self) -> impl Iterator<Item = &'static Measure> {
        std::iter::once(self.first).chain(self.others.into_iter().flatten())
    }

    pub(crate) fn has(self, unit: &Measure) -> bool {
        self.all().any(|own| own == unit)
    }

    fn add(&mut self, unit: &'static Measure) {
        let room = self.others.iter_mut().find(|other| other.is_none());
        if let Some(room) = room.filter(|_| self.first != unit) {
            *room = Some(unit);
        }
    }

    /// Puts the unit first whose case is that of the sign: MB and Mb, mW and MW. A sign without
    /// capitals says nothing.
    fn by_case(mut self, sign: &str) -> Self {
        if !sign.contains(char::is_uppercase) {
            return self;
        }
        let fits = |unit: &Measure| {
            let bytes = unit.code.ends_with("By");
            let bits = bytes || unit.code.ends_with("bit");
            let prefix = unit.multiple == 1.0 || unit.code.chars().next() == sign.chars().next();
            // The k and the g of KB and Gb are written either way.
            if bits { bytes == sign.ends_with('B') } else { prefix }
        };
        let alike = |unit: &Measure| unit.dimension == self.first.dimension;
        if fits(self.first) {
            return self;
        }
        let mut others = self.others.iter_mut().flatten();
        if let Some(other) = others.find(|other| alike(other) && fits(other)) {
            std::mem::swap(&mut self.first, other);
        }
        self
    }
}

/// Returns whether a unit of any kind comes next, as it does behind a number.
pub(crate) fn sees_unit(mut cursor: Cursor<'_>) -> bool {
    let is_unit = |term| match term {
        Term::Measure(_)
        | Term::Sign(_)
        | Term::GluedSign(_)
        | Term::LoneSign(_)
        | Term::TimeSign
        | Term::Currency(_)
        | Term::CurrencySign(_)
        | Term::Millions(_)
        | Term::Coin(_) => Some(()),
        _ => None,
    };
    cursor.take(is_unit).is_some() && is_end(cursor)
}

/// Reads the marks of feet and inches: 5', 5'', 5".
pub(crate) fn mark(cursor: &mut Cursor<'_>) -> Option<&'static Measure> {
    if cursor.glued_symbol("\"″”").is_some() {
        return Some(&units::INCH);
    }
    cursor.glued_symbol("'′’")?;
    let inch = cursor.glued_symbol("'′’").is_some();
    let inside = cursor.is_glued() && cursor.shape() == Some(Shape::Word);
    (!inside).then_some(if inch { &units::INCH } else { &units::FOOT })
}

/// Reads a unit in all its meanings; the longest phrase that ends where a word ends.
pub(crate) fn units(cursor: &mut Cursor<'_>, count: &Count) -> Option<Units> {
    let start = *cursor;
    // The M of 3M is a million and no metre.
    if start.is_upper_case() && start.sees_any(|term| matches!(term, Term::LetterScale(_))) {
        return None;
    }
    let mut found: Option<Units> = None;
    for sense in start.sentence.senses(start.at) {
        if found.is_some() && sense.end != cursor.at {
            break;
        }
        let unit = match sense.term {
            Term::Measure(unit) => unit,
            Term::Sign(unit) if !count.is_one => unit,
            Term::GluedSign(unit) if is_glued_sign(start, sense.end, count) => unit,
            Term::LoneSign(unit) if !count.is_one && is_last(start, sense.end) => unit,
            _ => continue,
        };
        let end = Cursor { at: sense.end, ..start };
        if !is_end(end) || !is_tight(start, sense.end) {
            continue;
        }
        match &mut found {
            Some(units) => units.add(unit),
            None => found = Some(Units::only(unit)),
        }
        cursor.at = sense.end;
        if cursor.tongue == crate::extract::lang::Tongue::COMMON {
            cursor.tongue = sense.tongue;
        }
    }
    let first = start.sentence.token(start.at)?;
    let last = start.sentence.token(cursor.at.checked_sub(1)?)?;
    let text = start.sentence.text;
    found.map(|units| units.by_case(text.slice(text.span(first.start, last.end))))
}

/// Returns whether a sign that counts only beside its number stands there, or before a slash: the W of
/// 200 W/m2.
fn is_glued_sign(start: Cursor<'_>, end: usize, count: &Count) -> bool {
    let glued = start.is_glued() && count.value.abs() <= HOTTEST;
    let end = Cursor { at: end, ..start };
    glued || end.is_glued() && end.peek_symbol() == Some('/')
}

/// Returns whether the digits of a sign such as m2 are written to it.
fn is_tight(start: Cursor<'_>, end: usize) -> bool {
    (start.at + 1..end).all(|at| {
        start.sentence.shape(at) != Some(Shape::Digits) || start.sentence.tokens.glued(at)
    })
}

/// Returns whether no word follows, so that "in" can be no preposition.
fn is_last(start: Cursor<'_>, end: usize) -> bool {
    let end = Cursor { at: end, ..start };
    matches!(end.shape(), None | Some(Shape::Symbol | Shape::Han))
        || start.back().is_some_and(|before| {
            before.follows(|term| term == Term::Measure(&units::FOOT)).is_some()
        })
}

/// Returns whether a unit ends here, rather than go on in a name: m2a, L-202.
pub(crate) fn is_end(end: Cursor<'_>) -> bool {
    if !end.is_glued() {
        return true;
    }
    let before = end.back().and_then(|before| before.shape());
    match end.shape() {
        Some(Shape::Word | Shape::Digits) => before != Some(Shape::Word),
        Some(Shape::Symbol) => {
            let mut ahead = end;
            if ahead.symbol("-").is_none() || ahead.shape() != Some(Shape::Digits) {
                return true;
            }
            // 3km-5km is a stretch, and L-202 a name.
            number::figure(&mut ahead).is_some() && sees_unit(ahead)
        }
        _ => true,
    }
}
