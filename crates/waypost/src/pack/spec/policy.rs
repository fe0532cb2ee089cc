//! The thresholds and bounds of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::signal::PrefixMatch;

/// The thresholds and bounds of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// From this confidence a decision runs. Source: S1-8.
    pub run: f64,
    /// From this confidence a call that changes something is put before the user for approval; below,
    /// it is asked first which tool is meant. A threshold of the route counts where it is higher, one
    /// of the tool counts alone.
    pub write: f64,
    /// From this confidence one question is asked; below, the user is asked to rephrase.
    pub ask: f64,
    /// From this confidence the student's decision stands without the teacher.
    pub student: f64,
    /// From this probability a clause asks for a tool of its own.
    pub select: f64,
    /// The most calls of one turn.
    pub max_calls: usize,
    /// The most choices of one question.
    pub max_choices: usize,
    /// The most tries of one call, the first among them.
    pub max_tries: u32,
    /// The wait before the second try, in milliseconds; it grows by `backoff_factor`.
    pub backoff_ms: u64,
    /// The factor by which each wait is longer than the one before.
    pub backoff_factor: f64,
    /// The longest turn, in milliseconds; one whose tools report progress goes on.
    pub turn_timeout_ms: u64,
    /// The longest turn whose tools report progress, in milliseconds.
    pub longest_turn_ms: u64,
    /// The longest wait for a model that decides, in milliseconds.
    pub llm_timeout_ms: u64,
    /// The longest reply of a model that decides, in tokens. Source: S0-48.
    pub llm_max_tokens: u32,
    /// The most questions to a model at once, where it judges each tool by itself: more are faster, and may be more than its
    /// server takes at a time.
    pub max_concurrent_classifications: usize,
    /// The most decisions of a model that are kept, so that the same question asks no model again;
    /// 0 keeps none.
    pub recall_entries: usize,
    /// The longest time for which such a decision is good, in seconds on the clock of the requests.
    pub recall_ttl_s: u64,
    /// The order in which matchers and a model fill arguments.
    pub order: Order,
    /// The places where a registered prefix decides.
    pub prefix_match: PrefixMatch,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            run: 0.7,
            write: 0.8,
            ask: 0.4,
            student: 0.7,
            select: 0.75,
            max_calls: 6,
            max_choices: 4,
            max_tries: 3,
            backoff_ms: 200,
            backoff_factor: 2.0,
            turn_timeout_ms: 60_000,
            longest_turn_ms: 600_000,
            llm_timeout_ms: 20_000,
            llm_max_tokens: 256,
            max_concurrent_classifications: 5,
            recall_entries: 1000,
            recall_ttl_s: 86_400,
            order: Order::LlmLast,
            prefix_match: PrefixMatch::TrustedStart,
        }
    }
}

/// The order of those who fill arguments: matchers or a model first. Source: S1-2, S1-9.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// A model is asked only for what the matchers leave open.
    #[default]
    LlmLast,
    /// A model is asked for every tool that takes arguments; the matchers fill what it does not
    /// settle, or everything where its reply is not usable.
    LlmFirst,
}
