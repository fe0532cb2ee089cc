//! The tense of the clause that a day stands in: "was it warm on Monday" asks for another Monday than "will it be".
//!
//! A tense is that of words of the clause, or of the one beside it if the day is all that its own clause says.
//! Words that contradict each other tell nothing, because a wrong day is worse than two to choose from.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Tense, Term};
use crate::extract::grammar::token::Shape;

use super::memo::Memo;

/// A clause has so few bytes, if a day behind the question is all that it says: "and on Tuesday".
const AFTERTHOUGHT: usize = 14;

/// The same in front of the question: "On Monday the 3rd, was it warm?"
const TOPIC: usize = 20;

/// The clauses of a text that has words for a tense; none for one without.
#[derive(Debug, Default)]
pub(super) struct Tenses(Vec<Clause>);

/// A clause, and what its words tell of the tense.
#[derive(Debug, Clone, Copy)]
struct Clause {
    /// The token after the last.
    end: usize,
    /// The length in bytes.
    length: usize,
    told: Told,
    close: End,
}

/// What several words tell together.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    Nothing,
    One(Tense),
    /// Both tenses.
    Both,
}

impl Told {
    fn and(self, tense: Tense) -> Self {
        match self {
            _ if tense == Tense::Open => self,
            Told::Nothing => Told::One(tense),
            Told::One(other) if other == tense => self,
            _ => Told::Both,
        }
    }
}

/// The tense of the clause in which a time was read up to the cursor.
pub(super) fn around(cursor: &Cursor<'_>) -> Option<Tense> {
    let clauses = &Memo::tenses(cursor, || Tenses::of(cursor.sentence)).0;
    let last = cursor.at.checked_sub(1)?;
    let at = clauses.partition_point(|clause| clause.end <= last);
    let own = clauses.get(at)?;
    let before = || at.checked_sub(1).and_then(|before| clauses.get(before));
    let told = match own.told {
        Told::Nothing if own.close == End::Clause && own.length <= TOPIC => {
            clauses.get(at + 1)?.told
        }
        Told::Nothing if own.length <= AFTERTHOUGHT => {
            before().filter(|other| other.close != End::Sentence)?.told
        }
        told => told,
    };
    match told {
        Told::One(tense) => Some(tense),
        Told::Nothing | Told::Both => None,
    }
}

impl Tenses {
    fn of(sentence: &Sentence<'_>) -> Self {
        let length = sentence.tokens.len();
        let tells = |at: usize| sentence.may_mean(at, Term::Tense(Tense::Open));
        if !(0..length).any(tells) {
            return Self::default();
        }
        let mut clauses: Vec<Clause> = Vec::new();
        let (mut start, mut told, mut at) = (0, Told::Nothing, 0);
        while at < length {
            let close = ends_clause(sentence, at);
            let word = if tells(at) { tense_at(sentence, at) } else { None };
            at = word.map_or(at + 1, |(_, end)| end);
            told = word.map_or(told, |(tense, _)| told.and(tense));
            if close.is_none() && at < length {
                continue;
            }
            let close = close.unwrap_or(End::Sentence);
            match clauses.last_mut() {
                // The second sign of ", ¿" ends nothing new.
                Some(last) if close != End::Joint && at == start + 1 && at < length => {
                    last.end = at;
                }
                _ => clauses.push(Clause {
                    end: at,
                    length: bytes(sentence, start, at),
                    told,
                    close,
                }),
            }
            (start, told) = (at, Told::Nothing);
        }
        Self(clauses)
    }
}

/// The number of bytes of some tokens, the last of which ends a clause.
fn bytes(sentence: &Sentence<'_>, start: usize, end: usize) -> usize {
    let at = |token: usize| sentence.token(token);
    match (at(start), end.checked_sub(1).and_then(at)) {
        (Some(first), Some(last)) => last.end.saturating_sub(first.start),
        _ => 0,
    }
}

/// The longest phrase at a token that tells a tense, and the token behind it.
fn tense_at(sentence: &Sentence<'_>, at: usize) -> Option<(Tense, usize)> {
    sentence.senses(at).iter().find_map(|sense| match sense.term {
        Term::Tense(tense) => Some((tense, sense.end)),
        _ => None,
    })
}

/// What ends with a token.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// A clause before a word that joins it to the next.
    Joint,
    Clause,
    Sentence,
}

fn ends_clause(sentence: &Sentence<'_>, at: usize) -> Option<End> {
    if sentence.shape(at) != Some(Shape::Symbol) {
        let joins = |term| sentence.may_mean(at, term);
        return (joins(Term::And) || joins(Term::But)).then_some(End::Joint);
    }
    // The point of "Nov. 3" and "3. November" ends nothing.
    let is_short = |at: usize| {
        sentence.shape(at) == Some(Shape::Digits) || sentence.tokens.text(at).len() <= SHORT
    };
    match sentence.tokens.text(at).chars().next()? {
        ',' | '，' | '、' | ':' | '：' | '¿' | '¡' => Some(End::Clause),
        '?' | '!' | ';' | '？' | '！' | '；' | '。' => Some(End::Sentence),
        '.' if sentence.tokens.glued(at + 1) || at.checked_sub(1).is_none_or(is_short) => None,
        '.' => Some(End::Sentence),
        _ => None,
    }
}

/// Words up to this many letters are short for others if a point stands behind them.
const SHORT: usize = 3;
