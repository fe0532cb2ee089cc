//! The decision: the one record that every later stage reads, and the only thing they read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::records::request::Choice;
use crate::records::slot::Slot;

pub use crate::records::evidence::{By, Evidence, Source};
pub use crate::records::reason::{GateName, Reason, Steer};

/// The outcome of a decision: what happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The route's work is done.
    Run,
    /// One question is asked first.
    Clarify,
    /// The user is asked to say it in other words.
    Rephrase,
    /// Nothing here serves this.
    Refuse,
}

impl Outcome {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Run => "run",
            Outcome::Clarify => "clarify",
            Outcome::Rephrase => "rephrase",
            Outcome::Refuse => "refuse",
        }
    }
}

/// A layer of the cascade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayerName {
    /// The caller named the route.
    Declared,
    /// A rule: an answer to a question, a follow-up, a typed signal.
    Rules,
    /// The same question was decided before.
    Recall,
    /// The student.
    Linear,
    /// The teacher.
    Llm,
}

impl LayerName {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            LayerName::Declared => "declared",
            LayerName::Rules => "rules",
            LayerName::Recall => "recall",
            LayerName::Linear => "linear",
            LayerName::Llm => "llm",
        }
    }
}

/// The request of a turn, put so that it can be read later and without the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Task {
    /// The words, with the instants that their times mean.
    pub text: String,
    /// True if the words point back to what was said before.
    pub depends_on_history: bool,
    /// Its author.
    pub by: TaskBy,
}

/// The author of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskBy {
    /// The user, but for times and references.
    Words,
    /// A model, from the conversation.
    Model,
}

/// One tool with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments, valid for the tool's schema if the decision is `run`.
    pub arguments: Map<String, Value>,
    /// The evidence of every argument.
    pub evidence: BTreeMap<String, Evidence>,
}

/// Another route or tool that was likely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Alternative {
    /// The route.
    pub route: String,
    /// The tool, on a route that runs tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its calibrated probability.
    pub confidence: f64,
}

/// A part of a text that asks for something beside what the decision serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unserved {
    /// The user's words.
    pub text: String,
    /// The route that would serve them alone, or `out_of_scope`.
    pub reason: String,
}

/// The one question that is asked, and the choices that lead on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Question {
    /// The question, in the user's language.
    pub text: String,
    /// The choices, in the order in which they are shown.
    pub choices: Vec<Choice>,
    /// The tool that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The argument that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// True if it was asked before and no answer was understood: it then says how to answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The conditions under which something was asked for, in the user's words: the question for an approval says of each whether it
    /// was tested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

impl Question {
    /// Returns whether an answer to it would be understood as one.
    pub fn awaits(&self) -> bool {
        !self.choices.is_empty() || self.argument.is_some()
    }
}

/// The amount of work of a turn.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    /// One or two things.
    Simple,
    /// Three to five.
    Medium,
    /// Six or more.
    Complex,
}

impl Complexity {
    /// Counts what is asked for, a call each. Source: S2-14.
    pub fn of(asked: usize) -> Self {
        match asked {
            0..=2 => Complexity::Simple,
            3..=5 => Complexity::Medium,
            _ => Complexity::Complex,
        }
    }
}

/// The way in which calls are run.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Straight away.
    Direct,
    /// In turns.
    Iterative,
    /// At the same time, by a plan.
    Parallel,
}

impl Strategy {
    /// Follows the complexity. Source: S2-19.
    pub fn of(complexity: Complexity) -> Self {
        match complexity {
            Complexity::Simple => Strategy::Direct,
            Complexity::Medium => Strategy::Iterative,
            Complexity::Complex => Strategy::Parallel,
        }
    }
}

/// A step of a plan. Source: R3.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlannedStep {
    /// The name by which later steps take what it gives.
    pub context_key: String,
    /// The tool, or what Waypost itself does: `respond` or `clarify`.
    pub capability: String,
    /// Its purpose, in the user's words.
    pub objective: String,
    /// The sign that it has succeeded.
    pub success_criteria: String,
    /// The things that it gives, by the names under which other tools need them.
    pub expected_output: Vec<String>,
    /// The arguments that are known before it runs.
    pub parameters: Map<String, Value>,
    /// The things that it takes of earlier steps, each with the key of the step that gives it.
    pub inputs: BTreeMap<String, String>,
    /// The steps of one level may run side by side; 0 is the first.
    pub level: usize,
}

/// The decision of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Decision {
    /// Ties everything that happens in this turn together.
    pub id: String,
    /// The pack and the hash of its content, `ocean@1f2e…`.
    pub pack: String,
    /// The hash of the student that was in service.
    pub bundle: String,
    /// The outcome: what happens next.
    pub decision: Outcome,
    /// The exclusive route of the turn.
    pub route: String,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The calibrated probability that the route and its tools are right.
    pub confidence: f64,
    /// The layer that decided.
    pub layer: LayerName,
    /// The other routes and tools that were likely, likeliest first.
    pub alternatives: Vec<Alternative>,
    /// Tools whose full schemas later stages may use; the calls are among them.
    pub selected: Vec<String>,
    /// One sentence: the rule, the nearest example or the model's reason.
    pub rationale: String,
    /// The question, when the decision is `clarify` or `rephrase`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// The first gate that is closed, or why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
    /// True if the route's handler looks up documents.
    pub retrieval: bool,
    /// The model slot that the route asks for.
    pub model_slot: Option<Slot>,
    /// The amount of work.
    pub complexity: Complexity,
    /// The way in which the calls are run.
    pub strategy: Strategy,
    /// The number of model calls for the route and the arguments.
    pub llm_calls: u32,
    /// The parts that did not work as configured, one name each.
    pub degraded: Vec<String>,
    /// The language that the answer is written in.
    pub language: waypost_text::language::Language,
    /// The text that the route's handler answers, if not this turn's own: the earlier question,
    /// when a choice settled its route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The reply that answers the turn by itself: where things stand, or that a call was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Values that were assumed rather than said, in the user's language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// The parts of the text that ask for something beside the route.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unserved: Vec<Unserved>,
    /// The steps of the calls, where the pack plans: each after those that it takes something of, the last one answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlannedStep>,
    /// The switches that commands of the text set in the conversation: `caps` to `off`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub switches: BTreeMap<String, String>,
    /// Options of this turn alone, by commands that Waypost does not know.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// The task that the steps serve, where the pack makes plans and something is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The run of an earlier turn that this one goes on with: what is on record of it is not done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<String>,
}

impl Decision {
    /// The tools of its calls, each once.
    pub fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for call in &self.calls {
            if !tools.contains(&call.tool) {
                tools.push(call.tool.clone());
            }
        }
        tools
    }
}

/// The outcome of a turn once its decision was made. It stands beside the decision, which does not
/// change any more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnOutcome {
    /// The parts that did not work as configured since, one name each.
    pub degraded: Vec<String>,
    /// The question of the next step, where the work ended with one.
    pub next: Option<Question>,
    /// True if the first explanation that the text asks for beside the route was given.
    pub explained: bool,
}

impl TurnOutcome {
    /// The question that is open after the turn: that of the next step, or the decision's own.
    pub fn question<'a>(&'a self, decision: &'a Decision) -> Option<&'a Question> {
        self.next.as_ref().or(decision.question.as_ref())
    }

    /// The record of a decision with the outcome of its turn, as an answer shows it.
    pub fn shown(&self, decision: &Decision) -> Decision {
        let degraded = decision.degraded.iter().chain(&self.degraded);
        Decision {
            degraded: degraded.cloned().collect(),
            question: self.question(decision).cloned(),
            ..decision.clone()
        }
    }
}

/// Probabilities to six digits: more is noise of the machine, and records should compare.
pub fn round(probability: f64) -> f64 {
    (probability * 1e6).round() / 1e6
}
