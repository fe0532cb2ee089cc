//! What a turn as a whole is: an act that steers the conversation, or a choice among options.

use super::operators::{Operator, Role, phrases};
use super::sentence::Sentence;
use crate::language::Language;
use crate::text::{Span, Text};

/// The act that a text is, if it is nothing else: cancel, go back, skip, tell the status, repeat.
///
/// Politeness, references and signs may stand around it. A text that names two different acts, or
/// denies one, is none.
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

pub(super) fn act_of(sentence: &Sentence<'_>) -> Option<Operator> {
    let mut act = None;
    for phrase in phrases(sentence, &[]) {
        match phrase.role {
            Role::Does(operator) | Role::Lone(operator) if operator.is_act() => {
                if act.is_some_and(|before| before != operator) {
                    return None;
                }
                act = Some(operator);
            }
            Role::Adds
            | Role::Does(Operator::And | Operator::Correction | Operator::Quantifier) => {}
            _ => return None,
        }
    }
    act
}

/// Whether nothing is left of a text without `spans`, the names of options, but words of choosing.
///
/// Politeness, references, signs, and words that deny, join or correct are such words too: what
/// they make of the options is told by [`operators`](super::operators()). A question is none.
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
    phrases(&sentence, &taken).all(|phrase| match phrase.role {
        Role::Adds => true,
        Role::Does(operator) => !operator.is_act() && operator != Operator::Question,
        Role::Lone(_) | Role::Says => false,
    })
}

/// Which tokens lie in a span.
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
