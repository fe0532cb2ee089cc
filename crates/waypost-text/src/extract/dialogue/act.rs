//! Reads a turn as a whole: as an act that navigates the conversation, or as a choice among
//! options.

use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Operator;
use crate::language::Language;
use crate::text::{Span, Text};

use super::operators::{Phrase, Role, phrases};

/// The act that a text is, if it is nothing else: cancel, go back, skip, tell the status, repeat.
///
/// Politeness, references and signs may stand around it, and a step of the conversation may be
/// named as what is skipped or cancelled: "skip the age question". A text that names two different
/// acts, or denies one, is none.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Operator, act};
/// use waypost_text::{language::Language, text::Text};
///
/// assert_eq!(act(&Text::new("ok, go back please"), Language::En), Some(Operator::Back));
/// assert_eq!(act(&Text::new("back pain"), Language::En), None);
/// ```
pub fn act(text: &Text, language: Language) -> Option<Operator> {
    act_of(&Sentence::of_conversation(text, language))
}

pub(crate) fn act_of(sentence: &Sentence<'_>) -> Option<Operator> {
    let phrases: Vec<Phrase> = phrases(sentence, &[]).collect();
    let points = phrases.iter().any(|phrase| phrase.points);
    let mut act = None;
    let mut at = 0;
    while let Some(phrase) = phrases.get(at) {
        match (phrase.lone, phrase.role) {
            (Some(operator), _) | (_, Role::Does(operator)) if operator.is_act() => {
                if act.is_some_and(|before| before != operator) {
                    return None;
                }
                act = Some(operator);
            }
            (_, Role::Adds | Role::Stage)
            | (
                _,
                Role::Does(
                    Operator::And | Operator::Correction | Operator::Quantifier | Operator::Only,
                ),
            ) => {}
            (_, Role::Noun) if points => {}
            _ => {
                at = stage_end(&phrases, at)?;
                continue;
            }
        }
        at += 1;
    }
    act
}

/// The most words that may tell which step an act is about: "skip the facility level question".
const MOST_WORDS: usize = 3;

/// Returns the end of the name of a step that goes on at a phrase: "cancel the risk thing", "salta
/// la pregunta de la edad". Only a step that is skipped or cancelled may be named, and no sign
/// stands within.
fn stage_end(phrases: &[Phrase], at: usize) -> Option<usize> {
    let joins =
        |phrase: &&Phrase| matches!(phrase.role, Role::Adds | Role::Stage) && !phrase.is_sign;
    let head = phrases[..at].iter().rev().take_while(joins).count();
    let act = phrases[..at - head].last()?;
    if !matches!(act.role, Role::Does(Operator::Cancel | Operator::Skip)) {
        return None;
    }
    let mut words = 0;
    let run = phrases[at..].iter().take_while(|phrase| {
        let says = matches!(phrase.role, Role::Says | Role::Noun);
        words += usize::from(says);
        (says || phrase.role == Role::Adds && !phrase.is_sign) && words <= MOST_WORDS
    });
    let end = at + run.count();
    let is_stage = |phrase: &Phrase| phrase.role == Role::Stage;
    if phrases.get(end).is_some_and(is_stage) {
        return Some(end + 1);
    }
    // Between "question" and what it is about stands a word such as "of".
    let before = &phrases[at - head..at];
    let linked = before.last().is_some_and(|last| !is_stage(last)) && before.iter().any(is_stage);
    (linked && end == phrases.len()).then_some(end)
}

/// Returns whether a text says nothing but words of selecting beside `spans`, the names of options.
///
/// Politeness, references with what choices are called ("the same level as before"), signs, and
/// words that deny, join or correct count as words of selecting too:
/// [`operators`](crate::extract::operators()) tells how they change the choice. A question does not.
///
/// # Example
///
/// ```
/// use waypost_text::extract::selects;
/// use waypost_text::{language::Language, text::{Span, Text}};
///
/// let text = Text::new("Can we do secondary?");
/// assert!(selects(&text, &[Span { start: 10, end: 19 }], Language::En));
/// let text = Text::new("what is secondary?");
/// assert!(!selects(&text, &[Span { start: 8, end: 17 }], Language::En));
/// ```
pub fn selects(text: &Text, spans: &[Span], language: Language) -> bool {
    let sentence = Sentence::of_conversation(text, language);
    let taken = taken(&sentence, spans);
    let phrases: Vec<Phrase> = phrases(&sentence, &taken).collect();
    let points = phrases.iter().any(|phrase| phrase.points);
    phrases.iter().all(|phrase| match phrase.role {
        Role::Adds | Role::Stage => true,
        Role::Noun => points,
        Role::Does(Operator::Repeat) => phrase.points,
        Role::Does(operator) => !operator.is_act() && operator != Operator::Question,
        Role::Lone(_) => phrase.points && phrases.len() > 1,
        Role::Says => false,
    })
}

/// Returns which tokens lie in a span.
fn taken(sentence: &Sentence<'_>, spans: &[Span]) -> Vec<bool> {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut next = spans.iter().copied();
    // Spans may overlap: how far the ones so far reach is all that matters.
    let mut ahead = next.next();
    let mut reach = 0;
    let tokens = (0..sentence.tokens.len()).filter_map(|at| sentence.token(at));
    let taken = tokens.map(|token| {
        let own = sentence.text.span(token.start, token.end);
        while let Some(span) = ahead.filter(|span| span.start < own.end) {
            reach = reach.max(span.end);
            ahead = next.next();
        }
        own.start < reach
    });
    taken.collect()
}
