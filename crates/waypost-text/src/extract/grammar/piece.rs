//! Pieces of numbers that are written in one word.

use super::term::Term;

/// The share of a number word in the number that it is part of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece {
    Value(f64, Role),
    Scale(f64, Role),
    /// avos: makes parts of the number before it.
    Ending,
    /// The i of treintaicinco.
    Link,
    /// The einhalb of zwölfeinhalb.
    Half,
}

/// The kind of a number, by its last piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    Cardinal,
    Ordinal,
    Parts,
}

impl Piece {
    pub(crate) fn of(term: Term) -> Option<Self> {
        Some(match term {
            Term::Number(value) => Piece::Value(value, Role::Cardinal),
            // The ein of einundzwanzig, which is no number by itself.
            Term::InnerNumber(value @ 1.0..) => Piece::Value(value, Role::Cardinal),
            Term::Ordinal(place @ 1..) => Piece::Value(place as f64, Role::Ordinal),
            Term::Parts(parts) => Piece::Value(parts, Role::Parts),
            Term::Scale(scale) if scale >= 100.0 => Piece::Scale(scale, Role::Cardinal),
            Term::OrdinalScale(scale) => Piece::Scale(scale, Role::Ordinal),
            Term::PartsScale(scale) => Piece::Scale(scale, Role::Parts),
            Term::PartsEnding => Piece::Ending,
            Term::Link => Piece::Link,
            Term::AndHalf => Piece::Half,
            _ => return None,
        })
    }
}

/// Pairs of letters that number words begin with, so that most words are told at a glance: for
/// each first letter a set of second ones.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beginnings(pub(crate) [u32; 26]);

impl Beginnings {
    pub(crate) fn has(&self, word: &str) -> bool {
        pair(word).is_some_and(|(first, second)| self.0[first] & (1 << second) != 0)
    }
}

/// The places of the first two letters in the alphabet.
pub(crate) fn pair(word: &str) -> Option<(usize, usize)> {
    let letter = |at: usize| {
        let byte = word.as_bytes().get(at).copied()?;
        byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'))
    };
    Some((letter(0)?, letter(1)?))
}
