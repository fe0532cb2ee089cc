//! Finds the words that do something in a conversation: deny, join, correct, ask, navigate.
//!
//! Words are marked wherever they stand. Callers that know the names decide what a word applies to,
//! and whether it is rather a part of a name.

use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Correction, Operator, Term};
use crate::extract::grammar::token::Shape;
use crate::language::Language;
use crate::text::{Span, Text};

impl Operator {
    /// Returns whether it navigates the conversation, and says something even if it stands alone.
    pub(crate) fn is_act(self) -> bool {
        matches!(
            self,
            Operator::Cancel
                | Operator::Back
                | Operator::Skip
                | Operator::Status
                | Operator::Repeat
        )
    }
}

/// A word or phrase that does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Its place in the text: whole words or signs.
    pub span: Span,
    /// The operator that it stands for.
    pub operator: Operator,
}

/// The words and signs that do something, in the order of the text; none overlap.
///
/// "No" before a pause corrects what was said before, and with nothing behind it denies nothing.
/// A comma joins unless it stands beside another mark.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Operator, operators};
/// use waypost_text::{language::Language, text::Text};
///
/// let marks = operators(&Text::new("not primary, rather the second"), Language::En);
/// let found: Vec<Operator> = marks.iter().map(|mark| mark.operator).collect();
/// assert_eq!(found, [Operator::Not, Operator::Correction]);
/// ```
pub fn operators(text: &Text, language: Language) -> Vec<Mark> {
    let sentence = Sentence::of_conversation(text, language);
    let values = Sentence::new(text, language);
    // "No more than 50" denies nothing.
    let bounds = |phrase: &Phrase| {
        let mut senses = values.senses(phrase.start).iter();
        senses.any(|sense| matches!(sense.term, Term::Bound(_)) && sense.end > phrase.end)
    };
    let mut found: Vec<(Phrase, Operator)> = Vec::new();
    let mut alone: Option<bool> = None;
    for phrase in phrases(&sentence, &[]) {
        // The whole text is read for an act once, and only where it matters.
        let mut is_act = || *alone.get_or_insert_with(|| super::act::act_of(&sentence).is_some());
        let operator = match (phrase.lone, phrase.role) {
            (Some(operator), _) if is_act() => operator,
            (_, Role::Does(Operator::Not)) if bounds(&phrase) => continue,
            (_, Role::Does(operator)) => operator,
            _ => continue,
        };
        found.push((phrase, operator));
    }
    let is_word = |at: Option<usize>| {
        at.and_then(|at| found.get(at)).filter(|(phrase, _)| !phrase.is_sign).map(|(p, _)| p)
    };
    let marks = found.iter().enumerate().filter(|(at, (phrase, _))| {
        let before = is_word(at.checked_sub(1)).is_some_and(|word| word.end == phrase.start);
        let behind = is_word(Some(at + 1)).is_some_and(|word| word.start == phrase.end);
        !phrase.is_sign || !(before || behind)
    });
    marks.map(|(_, &(phrase, operator))| Mark { span: phrase.span(&sentence), operator }).collect()
}

/// Returns whether a clause ends behind a phrase and did not begin with it: what it leaves out stands before it, 溫度不用.
fn closes(sentence: &Sentence<'_>, start: usize, end: usize) -> bool {
    let is_pause = |at: usize| {
        sentence.shape(at) == Some(Shape::Symbol) && PAUSES.contains(sentence.tokens.text(at))
    };
    start > 0 && !is_pause(start - 1) && (sentence.shape(end).is_none() || is_pause(end))
}

/// The part that a phrase plays in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Does something wherever it stands.
    Does(Operator),
    /// Does something if nothing else is said.
    Lone(Operator),
    /// A word of selecting, of reference or of politeness, or a sign: it adds nothing.
    Adds,
    /// Names what a conversation goes through, and adds nothing either.
    Stage,
    /// Names what choices are called: beside a word that points back it adds nothing.
    Noun,
    /// Says something else.
    Says,
}

/// A stretch of tokens that is read as one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phrase {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) role: Role,
    /// The operator it stands for if nothing else is said, though beside other words it takes
    /// something away.
    pub(crate) lone: Option<Operator>,
    /// True if it points to something said before.
    pub(crate) points: bool,
    /// The correction that it makes to how the turn before was understood.
    pub(crate) correction: Option<Correction>,
    pub(crate) is_sign: bool,
}

impl Phrase {
    /// Tells what it is for; `opens` says whether a clause begins with it.
    fn read(&mut self, sentence: &Sentence<'_>, opens: bool) {
        let mut does = None;
        let mut silent = None;
        for sense in sentence.senses(self.start).iter().filter(|sense| sense.end == self.end) {
            match sense.term {
                Term::Operator(Operator::Not) => does = does.or(Some(denial(sentence, self.end))),
                Term::Correction(correction) => {
                    self.correction = self.correction.or(Some(correction));
                    does = does.or(Some(match correction {
                        Correction::Unwanted | Correction::Unlike => denial(sentence, self.end),
                        _ => Role::Does(Operator::Correction),
                    }));
                }
                Term::Operator(Operator::Dropped) if !closes(sentence, self.start, self.end) => {}
                Term::Operator(Operator::Dropped) => does = Some(Role::Does(Operator::Dropped)),
                Term::Operator(operator) => does = does.or(Some(Role::Does(operator))),
                Term::Opening(operator) if opens => does = does.or(Some(Role::Does(operator))),
                Term::Lone(operator) => self.lone = Some(operator),
                Term::Reference | Term::Same | Term::Former => self.points = true,
                Term::Stage => silent = Some(Role::Stage),
                Term::Noun => silent = silent.or(Some(Role::Noun)),
                term if adds(term) && silent != Some(Role::Stage) => silent = Some(Role::Adds),
                _ => {}
            }
        }
        // "Ignore" takes away what stands behind it.
        let takes = does == Some(Role::Does(Operator::Except));
        if takes && self.lone.is_some() && !sentence.says_behind(self.end) {
            does = None;
        }
        let lone = self.lone.map(Role::Lone);
        let points = self.points.then_some(Role::Adds);
        self.role = does.or(lone).or(silent).or(points).unwrap_or(Role::Says);
    }

    pub(crate) fn span(self, sentence: &Sentence<'_>) -> Span {
        let first = sentence.token(self.start).map_or(0, |token| token.start);
        let end = sentence.token(self.end - 1).map_or(first, |token| token.end);
        sentence.text.span(first, end)
    }
}

/// Cuts a sentence into phrases, the longest at each place; skips tokens that are `taken`.
pub(crate) fn phrases<'s>(
    sentence: &'s Sentence<'_>,
    taken: &'s [bool],
) -> impl Iterator<Item = Phrase> + 's {
    let is_taken = |at: usize| taken.get(at).copied().unwrap_or_default();
    let mut opens = true;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < sentence.tokens.len() && is_taken(at) {
            opens = false;
            at += 1;
        }
        let shape = sentence.shape(at)?;
        let fits = |end: usize| !(at..end).any(is_taken) && !is_part_of_name(sentence, at, end);
        let longest = sentence.senses(at).iter().map(|sense| sense.end).find(|end| fits(*end));
        let end = longest.unwrap_or(at + 1);
        let is_sign = shape == Shape::Symbol && end == at + 1;
        let mut phrase = Phrase {
            start: at,
            end,
            role: Role::Says,
            lone: None,
            points: false,
            correction: None,
            is_sign,
        };
        match longest {
            Some(_) if !is_sign || joins(sentence, at) => phrase.read(sentence, opens),
            _ if is_sign => phrase.role = Role::Adds,
            _ => {}
        }
        opens = is_sign || is_joint(sentence, at, end);
        at = end;
        Some(phrase)
    })
}

fn adds(term: Term) -> bool {
    matches!(
        term,
        Term::Change
            | Term::Filler
            | Term::Select
            | Term::Opening(_)
            | Term::Yes
            | Term::Greeting
            | Term::Joint
            | Term::All
            | Term::Place(_)
            | Term::Rest
    )
}

/// Returns the role of a word of denial, which depends on what stands behind it.
fn denial(sentence: &Sentence<'_>, end: usize) -> Role {
    let is_symbol = sentence.shape(end) == Some(Shape::Symbol);
    match sentence.says_behind(end) {
        false => Role::Adds,
        true if is_symbol && PAUSES.contains(sentence.tokens.text(end)) => {
            Role::Does(Operator::Correction)
        }
        true => Role::Does(Operator::Not),
    }
}

/// The signs behind a "no" that is an answer.
pub(crate) const PAUSES: &str = ",.;:!…—–。；：！，、";

/// Returns whether a sign stands between two things, and is not part of a number, a date or an
/// address.
fn joins(sentence: &Sentence<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| sentence.shape(before));
    let (Some(before), Some(behind)) = (before, sentence.shape(at + 1)) else { return false };
    let glued = [sentence.tokens.glued(at), sentence.tokens.glued(at + 1)];
    let clings = |shape: Shape, glued: bool| shape == Shape::Symbol && glued;
    !(clings(before, glued[0])
        || clings(behind, glued[1])
        || glued == [true, true] && [before, behind] == [Shape::Digits, Shape::Digits])
}

/// Returns whether the words are written together with digits or, by a hyphen, with other words:
/// the o of o5 is no "or" of Spanish.
fn is_part_of_name(sentence: &Sentence<'_>, start: usize, end: usize) -> bool {
    let tokens = &sentence.tokens;
    let is = |at: usize, shape: Shape| sentence.shape(at) == Some(shape);
    let is_name = |at: usize| is(at, Shape::Word) || is(at, Shape::Digits);
    let hyphen = |at: usize| tokens.text(at) == "-";
    let before = start > 0
        && is(start, Shape::Word)
        && tokens.glued(start)
        && (is(start - 1, Shape::Digits)
            || start > 1 && hyphen(start - 1) && tokens.glued(start - 1) && is_name(start - 2));
    let behind = is(end - 1, Shape::Word)
        && tokens.glued(end)
        && (is(end, Shape::Digits) || hyphen(end) && tokens.glued(end + 1) && is_name(end + 1));
    before || behind
}

/// Returns whether a clause may open behind the words.
fn is_joint(sentence: &Sentence<'_>, start: usize, end: usize) -> bool {
    let mut senses = sentence.senses(start).iter().filter(|sense| sense.end == end);
    senses
        .any(|sense| matches!(sense.term, Term::Joint | Term::Yes | Term::Operator(Operator::And)))
}
