//! What each thing that speaks for a tool is worth, and how far the best tool is to be believed.
//!
//! `cargo xtask tools train` learns the weights on invented servers (`spec/catalogs`); they are part of the program.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use waypost_core::{Error, Result};

use super::Asked;
use super::features::{Candidate, MEANING, names};

static BUILT_IN: LazyLock<Weights> =
    LazyLock::new(|| Weights::read(include_str!("../../catalog/weights.json")).unwrap_or_default());
static WITH_ENCODER: LazyLock<Weights> = LazyLock::new(|| {
    Weights::read(include_str!("../../catalog/weights.encoder.json")).unwrap_or_default()
});

/// The names of the signs by which the best tool is believed.
pub const SIGNS: [&str; 14] = [
    "share",
    "lead",
    "score",
    "known",
    "said.concept",
    "said.near",
    "any.concept",
    "name.concept",
    "of_name.concept",
    "cosine",
    "words",
    "open",
    "meaning",
    "always",
];

/// How much more examples decide between tools than they say that any tool is the right one: a text is like the examples of
/// its neighbours, too.
const SAID: f32 = 4.0;
/// What examples are worth that ask for a tool in nearly the same words.
const ASKED_SO: f32 = 6.0;

/// The worth of features and signs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    /// Of each feature of a tool.
    pub tool: Vec<f32>,
    /// Of each sign, that the best tool is the right one.
    pub right: Vec<f32>,
    /// Of each sign, that any tool serves the text.
    pub in_scope: Vec<f32>,
}

/// The file, by names, so that people can read it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: BTreeMap<String, f32>,
    right: BTreeMap<String, f32>,
    in_scope: BTreeMap<String, f32>,
}

/// The tools that a text may mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// The places of the tools in the catalog, each with its share among them, likeliest first.
    pub tools: Vec<(usize, f64)>,
    /// The probability that the first is the right one.
    pub right: f64,
    /// The probability that any of them serves the text.
    pub in_scope: f64,
    /// True if the first does to its own things what the text asks for with others, and nobody has asked it so.
    pub of_another: bool,
}

/// What speaks for candidates beside what is written about them, in the unit of a score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beside {
    /// For each candidate, in their order.
    pub tools: Vec<f32>,
    /// That none of them is meant.
    pub outside: f32,
}

impl Weights {
    /// Those that are part of the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Those for a text: an encoder takes over from words what it can tell better.
    pub fn of(asked: &Asked) -> &'static Self {
        Self::with_encoder(!asked.meaning.is_empty())
    }

    /// Those beside an encoder, or without one.
    pub fn with_encoder(is_there: bool) -> &'static Self {
        if is_there { &WITH_ENCODER } else { &BUILT_IN }
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// `INTERNAL` if it is no such file.
    pub fn read(text: &str) -> Result<Self> {
        let file: File =
            serde_json::from_str(text).map_err(|error| Error::internal(error.to_string()))?;
        let all = names();
        let in_order = |names: &[&str], named: &BTreeMap<String, f32>| -> Vec<f32> {
            names.iter().map(|name| named.get(*name).copied().unwrap_or_default()).collect()
        };
        let of_tools: Vec<&str> = all.iter().map(String::as_str).collect();
        Ok(Self {
            tool: in_order(&of_tools, &file.tool),
            right: in_order(&SIGNS, &file.right),
            in_scope: in_order(&SIGNS, &file.in_scope),
        })
    }

    /// Writes the file.
    pub fn write(&self) -> String {
        let named = |names: &[String], values: &[f32]| -> BTreeMap<String, f32> {
            let round = |value: &f32| (value * 10_000.0).round() / 10_000.0;
            names.iter().cloned().zip(values.iter().map(round)).collect()
        };
        let signs = SIGNS.map(str::to_owned);
        let file = File {
            tool: named(&names(), &self.tool),
            right: named(&signs, &self.right),
            in_scope: named(&signs, &self.in_scope),
        };
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// What speaks for a tool, in one number.
    pub fn score(&self, candidate: &Candidate) -> f32 {
        super::vectors::dot(&self.tool, &candidate.features)
    }

    /// Ranks candidates. `known` is the share of the text that the catalog knows.
    pub fn rank(&self, candidates: &[Candidate], known: f32, more: &Beside) -> Ranking {
        let beside = more.tools.iter().copied().chain(std::iter::repeat(0.0));
        let beside: Vec<f32> = beside.take(candidates.len()).collect();
        let scores: Vec<f32> = candidates
            .iter()
            .zip(&beside)
            .map(|(one, more)| self.score(one) + SAID * more)
            .collect();
        let shares = softmax(&scores);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
        let Some(signs) = signs(candidates, &scores, known) else { return Ranking::default() };
        // What people have asked the best tool for in such words speaks for it, whatever its description says.
        // That no tool is meant is said of nearly the same words alone: the berths of the museum are not those of the harbor.
        let outside = if more.outside >= ASKED_SO { more.outside } else { 0.0 };
        let said = order.first().map_or(0.0, |best| beside[*best]) - outside;
        let best = order.first().map(|best| &candidates[*best]);
        let sure =
            |weights: &[f32]| f64::from(sigmoid(super::vectors::dot(weights, &signs) + said));
        Ranking {
            tools: order.iter().map(|at| (candidates[*at].tool, f64::from(shares[*at]))).collect(),
            right: sure(&self.right),
            in_scope: sure(&self.in_scope),
            of_another: said < ASKED_SO && best.is_some_and(Candidate::is_of_another),
        }
    }
}

/// The signs by which the best of some candidates is believed; `None` if there are none.
pub(super) fn signs(candidates: &[Candidate], scores: &[f32], known: f32) -> Option<Vec<f32>> {
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(b.cmp(a)))?;
    let shares = softmax(scores);
    let others = scores.iter().enumerate().filter(|(at, _)| *at != best).map(|(_, score)| *score);
    let second = others.fold(f32::NEG_INFINITY, f32::max);
    // One tool leads as far as a tool can.
    let lead = (scores[best] - second).min(5.0);
    let own = &candidates[best].features;
    let signs = vec![
        shares[best],
        lead / 5.0,
        scores[best] / 10.0,
        known,
        own[13],
        own[14],
        own[11],
        own[1],
        own[16],
        own[22],
        (own[12] - own[10]).max(0.0),
        own[30],
        own[MEANING],
        1.0,
    ];
    Some(signs)
}

pub(crate) fn softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f32 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::features::COUNT;

    #[test]
    fn the_built_in_weights_are_all_there() {
        let file: File =
            serde_json::from_str(include_str!("../../catalog/weights.json")).expect("the file");
        assert_eq!(file.tool.len(), COUNT);
        assert_eq!((file.right.len(), file.in_scope.len()), (SIGNS.len(), SIGNS.len()));
        assert_eq!(
            Weights::read(&Weights::built_in().write()).expect("itself"),
            *Weights::built_in()
        );
    }
}
