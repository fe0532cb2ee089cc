//! The agent: how far the work of a route that runs tools may go beyond the calls that were decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bounds of the agent. Without a model it makes the calls that were decided; with one it also reasons over what they gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSpec {
    /// From this number of calls a model reasons over the results; fewer are told by the tools' own templates.
    pub model_from: usize,
    /// The most turns of the agent, by the strategy of the decision: one makes calls, or answers.
    pub turns: TurnsSpec,
    /// The most calls of a request, the decided ones among them.
    pub max_calls: usize,
    /// The likely tools whose schemas a model is shown beside those that were chosen. Source: S2-20.
    pub more_tools: usize,
    /// The longest work of the agent, in milliseconds; what has begun by then ends.
    pub time_ms: u64,
    /// The most tokens of all its model calls together, prompts and replies.
    pub tokens: u64,
    /// The most that its model calls may cost, in the currency of the prices that the configuration gives; without a price nothing
    /// is counted.
    pub cost: f64,
    /// The longest reply of a model, in tokens.
    pub max_tokens: u32,
}

impl Default for AgentSpec {
    fn default() -> Self {
        Self {
            model_from: 2,
            turns: TurnsSpec::default(),
            max_calls: 12,
            more_tools: 0,
            time_ms: 45_000,
            tokens: 20_000,
            cost: 0.05,
            max_tokens: 600,
        }
    }
}

/// The most turns of the agent by strategy. Source: S2-19.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TurnsSpec {
    /// For one or two calls.
    pub direct: u32,
    /// For three to five.
    pub iterative: u32,
    /// For six and more.
    pub parallel: u32,
}

impl Default for TurnsSpec {
    fn default() -> Self {
        Self { direct: 2, iterative: 4, parallel: 6 }
    }
}
