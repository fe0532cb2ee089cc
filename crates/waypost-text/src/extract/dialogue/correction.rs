//! Reads what a turn says against how the one before was understood: that something else was meant,
//! and which of its words say what.
//!
//! It does not cover complaints that an answer is wrong, slips of the user's own or new questions.
//! A classifier decides on the words that name the wish.

use std::ops::Range;

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Correction, Operator, Term};
use crate::extract::grammar::token::Shape;
use crate::language::Language;
use crate::text::{Span, Text};

use super::operators::{PAUSES, Phrase, Role, phrases};

/// A turn's denial of how the one before was understood, with what was meant instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// The stretches of the text that say what was meant instead, in order and apart. Empty if the
    /// turn rejects and says nothing behind that of what was meant.
    pub wish: Vec<Span>,
}

/// Reads what a text says against how the turn before was understood. Returns `None` where the text
/// goes on, asks something new, or says that something is wrong but not that something else was
/// asked.
///
/// # Example
///
/// ```
/// use waypost_text::extract::objection;
/// use waypost_text::{language::Language, text::Text};
///
/// let wish = |words: &str| {
///     let text = Text::new(words);
///     let found = objection(&text, Language::En)?;
///     Some(found.wish.iter().map(|span| text.slice(*span).to_owned()).collect::<Vec<_>>())
/// };
/// assert_eq!(wish("I asked about the tide, not the wind"), Some(vec!["the tide".to_owned()]));
/// assert_eq!(wish("that's not what I asked"), Some(vec![]));
/// assert_eq!(wish("that's wrong"), None);
/// assert_eq!(wish("sorry, what is the tide?"), None);
/// ```
pub fn objection(text: &Text, language: Language) -> Option<Objection> {
    let sentence = Sentence::read(text, language, Lexicon::CORRECTIONS);
    let phrases: Vec<Phrase> = phrases(&sentence, &[]).collect();
    let clauses = clauses(&sentence, &phrases);
    let corrections = corrections(&sentence, &phrases, &clauses);
    let heard = Heard::of(&corrections, says_no(&sentence, &phrases));
    if !heard.objects() {
        return None;
    }
    let is_wish = wished(&corrections, &clauses);
    let wish = stretches(&sentence, &phrases, &is_wish);
    (!wish.is_empty() || heard.rejects).then_some(Objection { wish })
}

/// Stretches between pauses, and before words that turn a denial into a wish.
fn clauses(sentence: &Sentence<'_>, phrases: &[Phrase]) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let (mut start, mut denies) = (0, false);
    for (at, phrase) in phrases.iter().enumerate() {
        let turns = match phrase.correction {
            Some(Correction::Instead) => true,
            Some(Correction::But | Correction::Asked | Correction::Wanted | Correction::Wants) => {
                denies
            }
            _ => false,
        };
        if turns || pauses(sentence, phrase) {
            clauses.push(start..at);
            (start, denies) = (at, false);
        }
        denies |= matches!(
            phrase.correction,
            Some(
                Correction::Unasked
                    | Correction::Misread
                    | Correction::Unwanted
                    | Correction::Unlike
                    | Correction::Wrong
            )
        );
    }
    clauses.push(start..phrases.len());
    clauses
}

/// Returns whether a clause ends with a phrase.
pub(super) fn pauses(sentence: &Sentence<'_>, phrase: &Phrase) -> bool {
    let at = phrase.start;
    let is = |at: usize| sentence.shape(at) == Some(Shape::Digits);
    let within = at > 0 && is(at - 1) && is(at + 1) && sentence.tokens.glued(at + 1);
    let sign = sentence.tokens.text(at);
    phrase.is_sign && !within && (PAUSES.contains(sign) || QUESTION_MARKS.contains(sign))
}

const QUESTION_MARKS: &str = "?？";

/// The corrections that count where they stand, by phrase.
fn corrections(
    sentence: &Sentence<'_>,
    phrases: &[Phrase],
    clauses: &[Range<usize>],
) -> Vec<Option<Correction>> {
    let mut corrections = vec![None; phrases.len()];
    let mut leads = true;
    for (nth, clause) in clauses.iter().enumerate() {
        let asks = is_question(sentence, phrases, clause, clauses.get(nth + 1));
        let mut opens = true;
        for at in clause.clone() {
            corrections[at] = phrases[at].correction.filter(|correction| match correction {
                Correction::Meant => leads,
                Correction::Asked
                | Correction::Wanted
                | Correction::Wants
                | Correction::Wrong
                | Correction::Is => opens,
                Correction::Unlike => opens && !asks && denies(&phrases[at]),
                _ => true,
            });
            opens &= is_lead(&phrases[at]);
            leads &= opens;
        }
    }
    corrections
}

/// The corrections of a text, taken together.
#[derive(Debug, Default)]
struct Heard {
    /// True if it says that something else was asked.
    restates: bool,
    /// True if it says that the answer is to something else.
    rejects: bool,
    slip: bool,
}

impl Heard {
    /// `refused` says whether the text begins with a no.
    fn of(corrections: &[Option<Correction>], refused: bool) -> Self {
        let mut heard = Heard::default();
        let (mut wanted, mut wants, mut wrong) = (false, false, refused);
        let (mut unwanted, mut unlike) = (false, false);
        for correction in corrections.iter().flatten() {
            match correction {
                Correction::Meant | Correction::Asked => heard.restates = true,
                Correction::Unasked | Correction::Misread => heard.rejects = true,
                Correction::Wanted => wanted = true,
                Correction::Wants => wants = true,
                Correction::Unwanted => unwanted = true,
                Correction::Wrong => wrong = true,
                Correction::Unlike => {
                    unwanted |= wanted || wants;
                    unlike = true;
                }
                Correction::Instead => heard.restates |= unlike || unwanted,
                Correction::Is => heard.restates |= unlike,
                Correction::Slip => heard.slip = true,
                Correction::Known | Correction::But | Correction::Tag => {}
            }
        }
        heard.restates |= unwanted && (wanted || wants) || wrong && wanted;
        heard
    }

    fn objects(&self) -> bool {
        (self.restates || self.rejects) && !self.slip
    }
}

/// Returns whether a phrase may stand before the words that say what was meant: a no, other words
/// of correction, politeness and signs.
fn is_lead(phrase: &Phrase) -> bool {
    let does = [Operator::Not, Operator::Correction, Operator::And, Operator::Only];
    match phrase.role {
        Role::Adds => true,
        Role::Does(operator) => {
            does.contains(&operator)
                && !(phrase.correction == Some(Correction::Unlike) && denies(phrase))
        }
        _ => false,
    }
}

/// Returns whether a word of denial denies what stands behind it, and is no answer: "not the wind".
fn denies(phrase: &Phrase) -> bool {
    phrase.role == Role::Does(Operator::Not)
}

/// Returns whether a text begins with a no that is an answer: "no, I wanted the tide".
fn says_no(sentence: &Sentence<'_>, phrases: &[Phrase]) -> bool {
    let lead = phrases.iter().take_while(|phrase| is_lead(phrase));
    lead.into_iter().any(|phrase| {
        let mut senses = sentence.senses(phrase.start).iter();
        let is_no = |term: Term| matches!(term, Term::Operator(Operator::Not));
        phrase.role == Role::Does(Operator::Correction)
            && senses.any(|sense| sense.end == phrase.end && is_no(sense.term))
    })
}

/// Returns whether a clause ends in a question mark or a particle of questions.
fn is_question(
    sentence: &Sentence<'_>,
    phrases: &[Phrase],
    clause: &Range<usize>,
    next: Option<&Range<usize>>,
) -> bool {
    let tagged =
        phrases[clause.clone()].last().is_some_and(|p| p.correction == Some(Correction::Tag));
    let sign = next.and_then(|next| phrases.get(next.start));
    tagged || sign.is_some_and(|sign| QUESTION_MARKS.contains(sentence.tokens.text(sign.start)))
}

/// Returns which phrases say what was meant: those that no correction takes away, behind the one
/// that leads to them.
fn wished(corrections: &[Option<Correction>], clauses: &[Range<usize>]) -> Vec<bool> {
    let mut wished = vec![true; corrections.len()];
    for clause in clauses {
        let whole = |correction: &Correction| {
            matches!(correction, Correction::Misread | Correction::Wrong | Correction::Known)
        };
        if corrections[clause.clone()].iter().flatten().any(whole) {
            wished[clause.clone()].fill(false);
        }
        for at in clause.clone() {
            match corrections[at] {
                Some(Correction::Unasked | Correction::Unwanted | Correction::Unlike) => {
                    wished[at..clause.end].fill(false);
                    break;
                }
                Some(Correction::Tag) | None => {}
                Some(_) => wished[at] = false,
            }
        }
    }
    let first = |fits: fn(Correction) -> bool| {
        corrections.iter().position(|correction| correction.is_some_and(fits))
    };
    let leads = |correction| {
        use Correction::{Asked, Instead, Is, Meant, Wanted, Wants};
        matches!(correction, Meant | Asked | Wanted | Wants | Instead | Is)
    };
    let start = first(leads).or_else(|| first(|_| true)).unwrap_or_default();
    wished[..start].fill(false);
    wished
}

/// The runs of phrases that are left and say something, without the signs around them.
fn stretches(sentence: &Sentence<'_>, phrases: &[Phrase], is_wish: &[bool]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < phrases.len() {
        let run = is_wish[at..].iter().take_while(|wish| **wish).count();
        let trimmed = trimmed(&phrases[at..at + run]);
        at += run.max(1);
        let says = |phrase: &Phrase| matches!(phrase.role, Role::Says | Role::Noun);
        if let (Some(first), Some(last)) = (trimmed.first(), trimmed.last())
            && trimmed.iter().any(says)
        {
            let (first, last) = (first.span(sentence), last.span(sentence));
            found.push(Span { start: first.start, end: last.end });
        }
    }
    found
}

fn trimmed(mut run: &[Phrase]) -> &[Phrase] {
    while let [sign, rest @ ..] = run
        && sign.is_sign
    {
        run = rest;
    }
    while let [rest @ .., sign] = run
        && sign.is_sign
    {
        run = rest;
    }
    run
}
