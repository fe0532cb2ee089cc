//! Finds the stretches of a text that are meant for each argument of a tool, if no pack says how people speak of it.
//!
//! A log-linear choice among all stretches of the text and "it is not said". What speaks for a stretch is how it is written, the
//! words around it, and whether those are words for the argument in any language of the lexicon. The weights are learned on
//! invented servers (`cargo xtask tools arguments train`, from `spec/arguments/servers`), so they hold for servers that nobody has seen.

mod features;
pub mod learn;
mod pieces;
mod weights;
mod words;

use std::collections::BTreeMap;

use waypost_text::text::Span;

use self::features::Scene;
pub(crate) use self::features::is_open;
use self::weights::Weights;
use crate::pack::Tool;

/// The most stretches that are kept for an argument.
const MOST: usize = 8;
/// A stretch that is less likely is none.
const LEAST: f64 = 0.02;
/// A stretch that is so likely for one argument, and so many times as likely as for another, is not the other's.
const CLAIMED: f64 = 0.6;
const MUCH: f64 = 3.0;
/// The items of a list are about equally likely.
const ALIKE: f64 = 0.3;
/// The most characters of a text that are looked at.
const LONGEST: usize = 4_000;

/// A stretch of a text as the value of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// Its place in the text.
    pub span: Span,
    /// The probability that it is the value.
    pub probability: f64,
}

/// The stretches that may be meant for each argument of a tool, likeliest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guesses(BTreeMap<String, Vec<Guess>>);

impl Guesses {
    /// Those of a text for the arguments of a tool that take words as they stand and of which no pack says more.
    pub fn of(text: &str, tool: &Tool) -> Self {
        Self::by(text, tool, Weights::built_in())
    }

    fn by(text: &str, tool: &Tool, weights: &Weights) -> Self {
        if text.chars().nth(LONGEST).is_some() || weights.is_empty() {
            return Self::default();
        }
        let scene = Scene::of(text, tool);
        let looks = scene.looks();
        let of_argument = |argument: usize| {
            let unsaid = weights.score(&scene.unsaid(argument));
            let scores = looks.iter().map(|look| weights.score(&scene.features(argument, look)));
            let scores: Vec<f32> = scores.collect();
            let highest = scores.iter().copied().fold(unsaid, f32::max);
            let share = |score: f32| f64::from((score - highest).exp());
            let all: f64 = scores.iter().map(|score| share(*score)).sum::<f64>() + share(unsaid);
            let guesses = looks.iter().zip(scores).map(|(look, score)| Guess {
                span: scene.pieces.span(look.stretch),
                probability: share(score) / all,
            });
            let mut guesses: Vec<Guess> =
                guesses.filter(|guess| guess.probability >= LEAST).collect();
            guesses.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            guesses.truncate(MOST);
            guesses
        };
        let names = scene.arguments.iter().enumerate();
        Self(names.map(|(at, (name, _))| (name.clone(), of_argument(at))).collect())
    }

    /// The same in a longer text, in which so many characters stand before.
    pub(crate) fn behind(mut self, characters: usize) -> Self {
        for guess in self.0.values_mut().flatten() {
            guess.span.start += characters;
            guess.span.end += characters;
        }
        self
    }

    /// The stretches for an argument that are free and that no other argument has a stronger claim to, likeliest first.
    pub fn free(&self, argument: &str, is_free: impl Fn(Span) -> bool) -> Vec<Guess> {
        let own = self.0.get(argument).into_iter().flatten();
        let own = own.filter(|guess| is_free(guess.span) && !self.is_claimed(argument, guess));
        own.copied().collect()
    }

    /// Several stretches for an argument that takes a list, in the order of the text: those that are about as
    /// likely as the likeliest.
    pub fn several(&self, argument: &str, is_free: impl Fn(Span) -> bool) -> Vec<Guess> {
        let mut found: Vec<Guess> = Vec::new();
        for guess in self.free(argument, is_free) {
            let overlaps = found.iter().any(|other| other.span.overlaps(guess.span));
            let is_like = |first: &Guess| guess.probability >= ALIKE * first.probability;
            if !overlaps && found.first().is_none_or(is_like) {
                found.push(guess);
            }
        }
        found.sort_by_key(|guess| guess.span.start);
        found
    }

    /// Returns whether words are likely meant for another argument, and much less for this one.
    pub(crate) fn is_meant_for_another(&self, argument: &str, span: Span) -> bool {
        let most = |guesses: &[Guess]| {
            let over = guesses.iter().filter(|guess| guess.span.overlaps(span));
            over.map(|guess| guess.probability).fold(0.0, f64::max)
        };
        let own = self.0.get(argument).map_or(0.0, |guesses| most(guesses));
        let others = self.0.iter().filter(|(name, _)| *name != argument);
        others.map(|(_, guesses)| most(guesses)).any(|other| other >= CLAIMED.max(MUCH * own))
    }

    fn is_claimed(&self, argument: &str, guess: &Guess) -> bool {
        let others = self.0.iter().filter(|(name, _)| *name != argument);
        let mut others = others.flat_map(|(_, guesses)| guesses);
        others.any(|other| other.span.overlaps(guess.span) && other.probability > guess.probability)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::spec::ToolSpec;

    fn tool() -> Tool {
        let spec = json!({
            "name": "send_note",
            "server": "one",
            "summary": "Sends a note to somebody.",
            "schema": { "type": "object", "required": ["to", "text"], "properties": {
                "to": { "type": "string", "description": "Name of the recipient" },
                "text": { "type": "string", "description": "The text of the note" },
            } },
        });
        Tool::new(serde_json::from_value::<ToolSpec>(spec).unwrap()).unwrap()
    }

    fn likeliest(text: &str, argument: &str) -> Option<(String, f64)> {
        let guess = *Guesses::of(text, &tool()).free(argument, |_| true).first()?;
        let words = text.chars().skip(guess.span.start).take(guess.span.len()).collect();
        Some((words, guess.probability))
    }

    #[test]
    fn what_is_written_is_told_from_whom_it_is_for() {
        let text = "tell Marisol that the boxes are packed";
        let (to, text) = (likeliest(text, "to").unwrap(), likeliest(text, "text").unwrap());
        assert_eq!((to.0.as_str(), text.0.as_str()), ("Marisol", "the boxes are packed"));
        assert!(to.1 <= 1.0 && to.1 > 0.3 && text.1 > 0.3, "{to:?} {text:?}");
    }

    #[test]
    fn words_have_their_places_behind_other_text_too() {
        let text = "tell Marisol that the boxes are packed";
        let first = |guesses: &Guesses| guesses.free("to", |_| true)[0].span;
        let guesses = Guesses::of(text, &tool());
        let own = first(&guesses);
        assert_eq!(first(&guesses.behind(7)), Span { start: own.start + 7, end: own.end + 7 });
    }

    #[test]
    fn a_very_long_text_is_not_looked_at() {
        assert_eq!(Guesses::of(&"word ".repeat(1_000), &tool()), Guesses::default());
    }

    #[test]
    fn weights_are_read_as_they_were_written() {
        let weights = Weights::built_in();
        let read = Weights::read(&weights.write());
        let features: Vec<u32> = (0..64).map(|one| one * 977).collect();
        assert_eq!(read.score(&features).to_bits(), weights.score(&features).to_bits());
        assert!(!weights.is_empty() && Weights::read(b"short").is_empty());
    }
}
