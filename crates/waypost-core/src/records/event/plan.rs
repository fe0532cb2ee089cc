//! The record of a plan that was run.

use serde::{Deserialize, Serialize};

/// The way of a turn through its plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlanRun {
    /// The things that were done, in order: `plan`, `step 0`, `retry 1`, `orchestrate`, `reclassify`, `respond`.
    pub happened: Vec<String>,
    /// The number of plans that were made.
    pub plans: u32,
    /// The limit that ended it before its answer, or the failure of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}
