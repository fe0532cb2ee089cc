//! The size of a coordinate, without the words that say which it is: 121.5, 25°12'30".

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::number::{Dictated, Manner, dictated, has_decimal_comma};

/// An angle that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Angle {
    pub(crate) degrees: f64,
    /// True if it is a number in words with nothing that says degrees.
    pub(crate) is_bare_word: bool,
}

/// The way in which the language of the text writes decimals.
pub(crate) fn habit(cursor: &Cursor<'_>) -> Manner {
    if has_decimal_comma(cursor) { Manner { points: ".,", ..Manner::POINT } } else { Manner::POINT }
}

/// Reads degrees, with minutes and seconds if they are there.
pub(crate) fn angle(cursor: &mut Cursor<'_>, manner: Manner) -> Option<Angle> {
    let Dictated { value, is_spoken, .. } = dictated(cursor, manner)?;
    if !degree_mark(cursor) {
        // The mark of "degrees north" belongs to the hemisphere.
        let is_bare_word = is_spoken && !cursor.sees(Term::Degree);
        return Some(Angle { degrees: value, is_bare_word });
    }
    let whole = |degrees| Some(Angle { degrees, is_bare_word: false });
    if cursor.attempt(half).is_some() {
        return whole(if value < 0.0 { value - 0.5 } else { value + 0.5 });
    }
    let minutes = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.eat(Term::And));
        let minutes = dictated(cursor, manner)?.value;
        cursor
            .symbol("'′’")
            .map(drop)
            .or_else(|| cursor.eat(Term::MinuteMark))
            .or_else(|| cursor.eat(Term::Unit(Unit::Minute)))?;
        Some(minutes)
    });
    let Some(minutes) = minutes else { return whole(value) };
    let seconds = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.eat(Term::And));
        let seconds = dictated(cursor, manner)?.value;
        second_mark(cursor)?;
        Some(seconds)
    });
    if !(0.0..60.0).contains(&minutes) || !(0.0..60.0).contains(&seconds.unwrap_or(0.0)) {
        return None;
    }
    let part = minutes / 60.0 + seconds.unwrap_or(0.0) / 3600.0;
    whole(if value < 0.0 { value - part } else { value + part })
}

/// Reads the half of 二十三度半 and "23 grados y medio".
fn half(cursor: &mut Cursor<'_>) -> Option<()> {
    let han = cursor.shape() == Some(Shape::Han);
    let and = cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    cursor.eat(Term::Half)?;
    (han || and || cursor.tongue.spells_accents).then_some(())
}

fn second_mark(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.symbol("\"″”").is_some() {
        return Some(());
    }
    if cursor.symbol("'′’").is_some() {
        return cursor.glued_symbol("'′’").map(drop);
    }
    let word = cursor.eat(Term::Unit(Unit::Second)).or_else(|| cursor.eat(Term::SecondMark));
    word.or_else(|| (cursor.sentence.tokens.text(cursor.at) == "秒").then(|| cursor.at += 1))
}

/// Reads the mark of degrees, if it is there and no word of a hemisphere has it.
pub(crate) fn degree_mark(cursor: &mut Cursor<'_>) -> bool {
    let of_hemisphere = cursor.sees_any(|term| matches!(term, Term::Hemisphere(_)));
    !of_hemisphere && cursor.attempt(|cursor| cursor.eat(Term::Degree)).is_some()
}
