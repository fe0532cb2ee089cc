//! Things that happened, typed. Stages return them; only the router emits them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decision::{Decision, LayerName, Outcome};
use crate::error::Code;

/// An event as it is stored: what happened, in which turn, when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The decision that it belongs to.
    pub decision_id: String,
    /// The session, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The instant of the request, RFC 3339.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A turn was decided.
    RouterEvent {
        /// The text as the classifier saw it.
        text: String,
        /// The route.
        intent: String,
        /// What happens next.
        action: Outcome,
        /// The layer that decided.
        layer: LayerName,
        /// The calibrated probability.
        confidence: f64,
        /// The calls with their arguments.
        entities: Vec<Value>,
        /// The first gate that is closed, or why it is refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        gating: Option<String>,
        /// How long deciding took, in milliseconds.
        t_classify_ms: f64,
        /// How many model calls it took.
        llm_calls: u32,
        /// What did not work as configured.
        degraded: Vec<String>,
        /// The whole record, for replay.
        decision: Box<Decision>,
    },
    /// An argument was resolved from a question's answer, a reference or words.
    ChoiceEvent {
        /// The tool.
        tool: String,
        /// The arguments that were resolved.
        args: Map<String, Value>,
        /// How sure.
        confidence: f64,
        /// The matcher.
        matched_by: String,
        /// What the user wrote.
        user_text: String,
    },
    /// A tool was called.
    ToolEvent {
        /// The tool.
        tool: String,
        /// The arguments that it got in the end.
        arguments: Map<String, Value>,
        /// Whether it succeeded.
        status: Status,
        /// How long all tries took, in milliseconds.
        t_mcp_ms: f64,
        /// How many tries there were.
        tries: u32,
        /// The relaxations that were applied, such as `date -1d`.
        relaxed: Vec<String>,
        /// The codes of the tries that failed.
        errors: Vec<Code>,
    },
    /// The answer was given.
    AnswerEvent {
        /// The mode of the envelope.
        mode: String,
        /// The whole turn, in milliseconds.
        t_total_ms: f64,
        /// The code, if it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
    },
    /// Something the caller sent was dropped, and why.
    Dropped {
        /// What.
        what: String,
        /// Why.
        why: String,
    },
    /// Something did not work as configured; the turn went on.
    Degraded {
        /// What, by name.
        what: String,
        /// The code.
        code: Code,
        /// The cause, for people who run this.
        detail: String,
    },
}

/// Whether a tool call succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did.
    Success,
    /// It did not.
    Error,
}
