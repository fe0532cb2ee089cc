//! The work of the agent in a turn: how far it went, and what ended it.

use serde::{Deserialize, Serialize};

use crate::records::decision::Strategy;

/// The work of an agent that a model took part in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRun {
    /// The strategy that the decision chose.
    pub strategy: Strategy,
    /// The turns that it took: the calls that were decided are the first.
    pub turns: u32,
    /// The calls that it made, the decided ones among them.
    pub calls: usize,
    /// The calls that a model asked for and that were not made, each as `TOOL:REASON`, and the arguments that were left out of
    /// one, as `TOOL.ARGUMENT:REASON`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// The tokens of its model calls: as their servers counted them, or estimated.
    pub tokens: u64,
    /// Their cost, in the currency of the configuration's prices; 0 where it has none.
    pub cost: f64,
    /// The budget or guard that ended its work before a model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}
