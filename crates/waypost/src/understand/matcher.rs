//! A matcher of an embedder's: it finds a value for an argument in the words of a turn.

use std::fmt;

use serde_json::Value as Json;
use waypost_text::text::Span;

use super::Turn;
use super::mention::Stance;
use crate::pack::Tool;

/// Finds values for arguments in ways that a pack cannot say, such as a floor that stands for a branch.
///
/// It is asked after the matchers of the library and before the pack's default, for each argument that
/// none of them fills, and may be asked several times in a turn. It never blocks, returns the same for
/// the same turn (a replay asks again), and finds nothing rather than guess: then the user is asked.
/// Words may be denied ("not the second floor"); [`Utterance::stance`](super::Utterance::stance) says so.
///
/// What it finds is held as what the user's words say, never as what the user chose or the caller
/// gave, and passes every gate: a value that the schema of the tool refuses is asked about.
pub trait Matcher: fmt::Debug + Send + Sync {
    /// Its name in the evidence, behind the word `own`.
    fn name(&self) -> &str;

    /// Finds a value for the argument `argument` of `tool`.
    fn find(&self, turn: &Turn<'_>, tool: &Tool, argument: &str) -> Option<Found>;
}

/// A value with the words that say it. There is no value without words: what nobody said is for the
/// defaults of the pack.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The value, as the schema of the tool has it.
    pub value: Json,
    /// The words in [`Utterance::text`](super::Utterance::text); a value whose span holds none is not taken.
    pub span: Span,
}

/// A matcher for single words that stand for a value each, such as the codes of shelves.
///
/// `value` is asked about every word of the text that is meant, in lower case and without the signs around it; the first word with a
/// value fills the argument.
pub struct Words<F> {
    name: &'static str,
    argument: &'static str,
    value: F,
}

impl<F: Fn(&str) -> Option<Json> + Send + Sync> Words<F> {
    /// A matcher of this name for an argument.
    pub fn new(name: &'static str, argument: &'static str, value: F) -> Self {
        Self { name, argument, value }
    }
}

impl<F> fmt::Debug for Words<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({} for {})", self.name, self.argument)
    }
}

impl<F: Fn(&str) -> Option<Json> + Send + Sync> Matcher for Words<F> {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&self, turn: &Turn<'_>, _: &Tool, argument: &str) -> Option<Found> {
        if argument != self.argument {
            return None;
        }
        let text = turn.said.text.normalized();
        let mut at = 0;
        text.split_inclusive(char::is_whitespace).find_map(|piece| {
            let start = at + piece.len() - piece.trim_start_matches(is_sign).len();
            at += piece.len();
            let word = piece.trim_matches(is_sign);
            let span = turn.said.text.span(start, start + word.len());
            let is_said = || turn.said.stance(span) == Stance::Said;
            let value = Some(word).filter(|word| !word.is_empty()).and_then(&self.value);
            let value = value.filter(|_| is_said())?;
            Some(Found { value, span })
        })
    }
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
}
