//! Learns what features are worth, from requests whose arguments are known.

use serde_json::Value as Json;

use super::features::Scene;
use super::weights::{COUNT, Weights, place};
use super::{Guess, Guesses};
use crate::pack::Tool;

/// The passes over all rows.
const PASSES: usize = 6;
/// The length of a step.
const RATE: f32 = 0.1;
/// The strength that pulls worths towards 0.
const HOLD: f32 = 1e-2;

/// An argument of a request: the features of saying nothing, then those of each stretch, and which of them are right.
#[derive(Debug, Clone)]
pub struct Row {
    choices: Vec<Vec<u32>>,
    right: Vec<bool>,
}

/// The worths that were learned.
#[derive(Debug, Clone)]
pub struct Learned(Weights);

/// The rows of a request: one for each argument whose value is a stretch of the text, or is not said.
pub fn rows(text: &str, tool: &Tool, arguments: &serde_json::Map<String, Json>) -> Vec<Row> {
    let scene = Scene::of(text, tool);
    let looks = scene.looks();
    let characters: Vec<char> = text.chars().collect();
    let row = |(at, (name, _)): (usize, &(String, _))| {
        let values: Vec<&str> = match arguments.get(name) {
            None => Vec::new(),
            Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
            Some(value) => vec![value.as_str()?],
        };
        let is_value = |look: &super::features::Look| {
            let span = scene.pieces.span(look.stretch);
            let words: String = characters[span.start..span.end].iter().collect();
            values.iter().any(|value| is_meant(&words, value))
        };
        let said: Vec<bool> = looks.iter().map(is_value).collect();
        let is_found = said.contains(&true);
        if arguments.contains_key(name) && !is_found {
            return None;
        }
        let choices = std::iter::once(scene.unsaid(at));
        let choices = choices.chain(looks.iter().map(|look| scene.features(at, look))).collect();
        let right = std::iter::once(!is_found).chain(said).collect();
        Some(Row { choices, right })
    };
    scene.arguments.iter().enumerate().filter_map(row).collect()
}

/// Returns whether words are a value; a sign before a name may be left out.
pub fn is_meant(words: &str, value: &str) -> bool {
    words == value || words.trim_start_matches(['#', '@']) == value
}

/// Learns from rows; the same rows in the same order give the same worths.
pub fn learn(rows: &[Row]) -> Learned {
    let mut worths = vec![0.0f32; COUNT];
    let mut steepness = vec![1e-3f32; COUNT];
    for _ in 0..PASSES {
        for row in rows {
            descend(row, &mut worths, &mut steepness);
        }
    }
    Learned(Weights::of(&worths))
}

/// One step down the slope of one row; a worth whose slope was steep before moves less.
fn descend(row: &Row, worths: &mut [f32], steepness: &mut [f32]) {
    let score =
        |features: &Vec<u32>| -> f32 { features.iter().map(|one| worths[place(*one)]).sum() };
    let scores: Vec<f32> = row.choices.iter().map(score).collect();
    let shares = crate::catalog::weights::softmax(&scores);
    let right: f32 =
        shares.iter().zip(&row.right).filter(|(_, is)| **is).map(|(share, _)| share).sum();
    for ((features, share), is_right) in row.choices.iter().zip(&shares).zip(&row.right) {
        let wanted = if *is_right { share / right.max(1e-6) } else { 0.0 };
        let pull = share - wanted;
        if pull.abs() < 1e-4 {
            continue;
        }
        for feature in features {
            let at = place(*feature);
            let slope = pull + HOLD * worths[at];
            steepness[at] += slope * slope;
            worths[at] -= RATE * slope / steepness[at].sqrt();
        }
    }
}

impl Learned {
    /// Guesses by what was learned.
    pub fn guess(&self, text: &str, tool: &Tool) -> Guesses {
        Guesses::by(text, tool, &self.0)
    }

    /// The file that is part of the program.
    pub fn write(&self) -> Vec<u8> {
        self.0.write()
    }
}

/// The arguments that are guessed for a tool.
pub fn guessed(guesses: &Guesses) -> impl Iterator<Item = &str> {
    guesses.0.keys().map(String::as_str)
}

/// The likeliest guess for an argument where nothing is taken.
pub fn likeliest(guesses: &Guesses, argument: &str) -> Option<Guess> {
    guesses.free(argument, |_| true).first().copied()
}
