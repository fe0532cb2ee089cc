//! The plans of a pack: their orchestration, and their bounds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plans of a pack. Source: S3-15 to S3-26, whose defaults these are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlanSpec {
    /// The orchestration: the whole plan first, or a step at a time.
    pub orchestration: Orchestration,
    /// The author of the task where the words point back to the conversation.
    pub task: TaskSource,
    /// The author of the steps, where a plan has several; with `plan_first` only.
    pub steps: StepsSource,
    /// The most steps of a turn, tries and answers included.
    pub max_steps: u32,
    /// The longest time of a turn, in seconds.
    pub max_time_s: u64,
    /// The most times that a step is tried again.
    pub max_step_retries: u32,
    /// The wait before a step is tried again, in milliseconds; it grows by `backoff_factor`.
    pub backoff_ms: u64,
    /// The factor by which each wait is longer than the one before.
    pub backoff_factor: f64,
    /// The most plans of a turn.
    pub max_plans: u32,
    /// The most times that a turn chooses its tools again.
    pub max_reclassifications: u32,
}

impl Default for PlanSpec {
    fn default() -> Self {
        Self {
            orchestration: Orchestration::PlanFirst,
            task: TaskSource::Words,
            steps: StepsSource::Needs,
            max_steps: 100,
            max_time_s: 3000,
            max_step_retries: 3,
            backoff_ms: 500,
            backoff_factor: 1.5,
            max_plans: 2,
            max_reclassifications: 1,
        }
    }
}

/// The author of the task of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskSource {
    /// The words of the user, with the instants that their times mean.
    #[default]
    Words,
    /// The model of the pack, for words that point back; without one, or where it fails, the words.
    Model,
}

/// The author of the steps of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepsSource {
    /// The tools, by what each needs and provides.
    #[default]
    Needs,
    /// The model of the pack, which may have more wait for each other than the tools say; without one, or where it fails, the
    /// tools.
    Model,
}

/// The order of planning and doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Orchestration {
    /// All steps, then the first of them.
    #[default]
    PlanFirst,
    /// One step at a time, each chosen by what the steps before gave.
    React,
}
