//! Prefixes and signals, which decide a route by themselves: texts that the platform puts before its
//! prompts, and signs in the words that mean one route and no other.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_text::extract::Kind;

/// Words by the tag of their language.
pub type Words = BTreeMap<String, Vec<String>>;

/// A text that the platform itself puts before its prompts. Source: S4-12, S4-14.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrefixSpec {
    /// The words that a prompt begins with; case, width and spacing do not matter.
    pub text: String,
    /// The route of such a prompt.
    pub route: String,
}

/// The places where a prefix decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrefixMatch {
    /// At the start of what a trusted caller sends.
    #[default]
    TrustedStart,
    /// Anywhere in what anybody sends, to the letter of ADR-0008: a user can then choose the route.
    Contains,
}

/// A sign in the words that decides a route: values of a kind and words that stand together.
/// Source: S4-15.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalSpec {
    /// Its name in records.
    pub name: String,
    /// The route that it decides.
    pub route: String,
    /// The kinds of values of which one must stand there; without any, words are enough.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// Groups of words; one of each must stand there. They count in texts of any language.
    pub words: Vec<Words>,
    /// Words that say that something else is meant, if one stands between the others or beside them.
    #[serde(default)]
    pub unless: Words,
    /// The most words that may lie between the first and the last part of the signal.
    #[serde(default = "within")]
    pub within: usize,
    /// The most words that may lie between a part of the signal and a word of `unless`.
    #[serde(default = "beside")]
    pub beside: usize,
    /// The confidence of the decision.
    #[serde(default = "certain")]
    pub confidence: f64,
}

/// About the length of a clause.
fn within() -> usize {
    8
}

/// As far as "of the whole" reaches: "usage of the whole script".
fn beside() -> usize {
    3
}

fn certain() -> f64 {
    1.0
}
