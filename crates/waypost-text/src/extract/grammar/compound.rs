//! Numbers written in one word: veintidosmilésimo, doscientosavos, twentyfifth, fünfundzwanzig.
//!
//! A word that no table knows is cut into number words that the tables do know; it is a number
//! only if nothing of it is left over and the parts follow each other as number words do.

use super::lexicon::Lexicon;
use super::piece::{Piece, Role};
use super::term::Term;
use crate::extract::lang::Tongue;
use crate::extract::values::number::Sum;

/// Shorter words are never made of two number words.
const SHORTEST: usize = 6;

/// No number word that a person writes is longer.
const LONGEST: usize = 48;

/// Reads a word that is no phrase of its own.
pub(crate) fn compound(
    word: &str,
    lexicon: Lexicon,
    is_spoken: impl Fn(Tongue) -> bool,
) -> Option<(Tongue, Term)> {
    if !(SHORTEST..=LONGEST).contains(&word.len()) || !word.is_ascii() {
        return None;
    }
    let cut = Cut { lexicon, is_spoken: &is_spoken };
    let part = Part { sum: Sum::default(), role: Role::Cardinal, linked: false };
    let (tongue, role, value) = cut.rest(word, None, &part)?;
    let term = match role {
        Role::Cardinal => Term::Number(value),
        Role::Ordinal => Term::Ordinal(value as i64),
        Role::Parts => Term::Parts(value),
    };
    (value < 1e15).then_some((tongue, term))
}

/// The lexicon and the languages that a word is cut with.
struct Cut<'a> {
    lexicon: Lexicon,
    is_spoken: &'a dyn Fn(Tongue) -> bool,
}

impl Cut<'_> {
    /// Reads what is left of a word behind a part of it, the longest pieces first.
    fn rest(&self, word: &str, tongue: Option<Tongue>, part: &Part) -> Option<(Tongue, Role, f64)> {
        if word.is_empty() {
            return Some((tongue?, part.role, part.sum.value()));
        }
        if part.role != Role::Cardinal {
            return None;
        }
        (1..=word.len()).rev().find_map(|end| {
            self.lexicon.word(&word[..end]).find_map(|meaning| {
                let own = meaning.tongue();
                let fits = (self.is_spoken)(own) && tongue.is_none_or(|tongue| tongue == own);
                let piece = Piece::of(meaning.term()).filter(|_| fits)?;
                let part = part.with(piece, own.ones_first)?;
                self.rest(&word[end..], Some(own), &part)
            })
        })
    }
}

/// What was read of a word.
struct Part {
    sum: Sum,
    role: Role,
    /// True behind a piece that only links.
    linked: bool,
}

impl Part {
    fn with(&self, piece: Piece, ones_first: bool) -> Option<Part> {
        let mut sum = self.sum.clone();
        let linked = matches!(piece, Piece::Link);
        let role = match piece {
            Piece::Value(tens, role) if self.linked && ones_first => {
                sum.add_before_ones(tens).map(|()| role)
            }
            _ if self.linked && ones_first => None,
            _ => add(&mut sum, piece),
        };
        Some(Part { sum, role: role?, linked })
    }
}

fn add(sum: &mut Sum, piece: Piece) -> Option<Role> {
    match piece {
        Piece::Value(value, role) => sum.add(value).map(|()| role),
        Piece::Scale(scale, role) => sum.scale(scale).map(|()| role),
        Piece::Ending => (!sum.is_empty()).then_some(Role::Parts),
        Piece::Link => (!sum.is_empty()).then_some(Role::Cardinal),
        Piece::Half => sum.add_half().map(|()| Role::Cardinal),
    }
}
