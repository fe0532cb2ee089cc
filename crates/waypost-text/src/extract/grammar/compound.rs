//! Numbers written in one word: veintidosmilésimo, doscientosavos, twentyfifth.
//!
//! A word that no table knows is cut into number words that the tables do know; it is a number
//! only if nothing of it is left over and the parts follow each other as number words do.

use crate::extract::lang::Tongue;
use crate::extract::values::number::Sum;

use super::lexicon::Meaning;
use super::term::Term;
use super::trie::Trie;

/// Shorter words are never made of two number words.
const SHORTEST: usize = 6;

/// No number word that a person writes is longer.
const LONGEST: usize = 48;

/// Which pairs of letters number words begin with, so that most words are told at a glance.
#[derive(Debug, Default)]
pub(crate) struct Beginnings([u32; 26]);

impl Beginnings {
    /// Notes a phrase that has the meaning `term`.
    pub(crate) fn note(&mut self, phrase: &str, term: Term) {
        if let (Some((first, second)), Some(_)) = (pair(phrase), Piece::of(term)) {
            self.0[first] |= 1 << second;
        }
    }

    fn has(&self, word: &str) -> bool {
        pair(word).is_some_and(|(first, second)| self.0[first] & (1 << second) != 0)
    }
}

fn pair(word: &str) -> Option<(usize, usize)> {
    let letter = |at: usize| {
        let byte = word.as_bytes().get(at).copied()?;
        byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'))
    };
    Some((letter(0)?, letter(1)?))
}

/// What a number word adds to the number that it is part of.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Value(f64, Role),
    Scale(f64, Role),
    /// avos: makes parts of the number before it.
    Ending,
    /// The i of treintaicinco.
    Link,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Cardinal,
    Ordinal,
    Parts,
}

impl Piece {
    fn of(term: Term) -> Option<Self> {
        Some(match term {
            Term::Number(value) => Piece::Value(value, Role::Cardinal),
            Term::Ordinal(place @ 1..) => Piece::Value(place as f64, Role::Ordinal),
            Term::Parts(parts) => Piece::Value(parts, Role::Parts),
            Term::Scale(scale) if scale >= 100.0 => Piece::Scale(scale, Role::Cardinal),
            Term::OrdinalScale(scale) => Piece::Scale(scale, Role::Ordinal),
            Term::PartsScale(scale) => Piece::Scale(scale, Role::Parts),
            Term::PartsEnding => Piece::Ending,
            Term::Link => Piece::Link,
            _ => return None,
        })
    }
}

/// Reads a word that is no phrase of its own.
pub(crate) fn compound(
    word: &str,
    phrases: &Trie<Meaning>,
    beginnings: &Beginnings,
    is_spoken: impl Fn(Tongue) -> bool,
) -> Option<(Tongue, Term)> {
    if !(SHORTEST..=LONGEST).contains(&word.len()) || !beginnings.has(word) || !word.is_ascii() {
        return None;
    }
    let cut = Cut { phrases, is_spoken: &is_spoken };
    let (tongue, role, value) = cut.rest(word, None, Role::Cardinal, &Sum::default())?;
    let term = match role {
        Role::Cardinal => Term::Number(value),
        Role::Ordinal => Term::Ordinal(value as i64),
        Role::Parts => Term::Parts(value),
    };
    (value < 1e15).then_some((tongue, term))
}

/// How a word is cut.
struct Cut<'a> {
    phrases: &'a Trie<Meaning>,
    is_spoken: &'a dyn Fn(Tongue) -> bool,
}

impl Cut<'_> {
    /// Reads what is left of a word behind the number `sum`, the longest pieces first.
    fn rest(
        &self,
        word: &str,
        tongue: Option<Tongue>,
        role: Role,
        sum: &Sum,
    ) -> Option<(Tongue, Role, f64)> {
        if word.is_empty() {
            return Some((tongue?, role, sum.value()));
        }
        if role != Role::Cardinal {
            return None;
        }
        (1..=word.len()).rev().find_map(|end| {
            let known = self.phrases.word(&word[..end]).iter();
            known.copied().find_map(|Meaning { tongue: own, term, .. }| {
                let fits = (self.is_spoken)(own) && tongue.is_none_or(|tongue| tongue == own);
                let piece = Piece::of(term).filter(|_| fits)?;
                let mut sum = sum.clone();
                let role = add(&mut sum, piece)?;
                self.rest(&word[end..], Some(own), role, &sum)
            })
        })
    }
}

fn add(sum: &mut Sum, piece: Piece) -> Option<Role> {
    match piece {
        Piece::Value(value, role) => sum.add(value).map(|()| role),
        Piece::Scale(scale, role) => sum.scale(scale).map(|()| role),
        Piece::Ending => (!sum.is_empty()).then_some(Role::Parts),
        Piece::Link => (!sum.is_empty()).then_some(Role::Cardinal),
    }
}
