//! Things that happened, typed. Stages return them; only the router emits them.

mod asked;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Code, Error};
use crate::records::decision::{Call, Decision, LayerName, Outcome, Reason};

pub use crate::records::evidence::matched_by;

pub use asked::{Asked, Encoded, MAX_ASKED_BYTES, MAX_REPLY_BYTES, Recalled, Replies, Said};

/// An event as it is stored: what happened, in which turn, when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The decision that it belongs to.
    pub decision_id: String,
    /// The session, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The name of the pack that served the turn.
    #[serde(default)]
    pub pack: String,
    /// The instant of the request, RFC 3339.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened. Where S1-19 or S1-46 names a field, it has that name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A turn was decided.
    RouterEvent(Box<Routed>),
    /// Arguments of a call were resolved from words, a choice, a reference or a model.
    ChoiceEvent {
        /// The tool.
        tool: String,
        /// The arguments that were resolved.
        args: Map<String, Value>,
        /// How sure.
        confidence: f64,
        /// The matcher of the least certain of them; see [`matched_by`].
        matched_by: String,
        /// The matcher of each.
        by: BTreeMap<String, String>,
        /// What the user wrote.
        user_text: String,
    },
    /// A question with choices had been asked, and this turn took one of them or did not.
    ChoiceOutcome {
        /// The tool that it was about.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// The argument that it asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        argument: Option<String>,
        /// How many choices were shown.
        shown: usize,
        /// Whether one was taken.
        taken: bool,
        /// Which one, counted from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
    /// What would have been decided with a key on that is in shadow.
    ShadowEvent(Box<Shadowed>),
    /// A model was asked, in the background, about what the student had decided.
    AuditEvent(Box<Audited>),
    /// Traffic is no longer what the student in service has been seeing.
    DriftEvent(Drifted),
    /// A tool was called.
    ToolEvent {
        /// The tool.
        tool: String,
        /// The arguments that it got in the end.
        arguments: Map<String, Value>,
        /// Whether it succeeded.
        status: Status,
        /// How long all tries took, in milliseconds.
        #[serde(alias = "t_mcp_ms")]
        tool_latency_ms: f64,
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
    /// A rule of the routing contract was broken, or seems to be.
    ContractEvent {
        /// Which.
        rule: ContractRule,
        /// What was seen, for people who run this.
        detail: String,
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

impl Event {
    /// That something did not work as configured.
    pub fn degraded(what: &str, error: &Error) -> Self {
        Event::Degraded {
            what: format!("{what}:{}", error.code()),
            code: error.code(),
            detail: error.detail().unwrap_or(error.message()).to_owned(),
        }
    }

    /// The names of all events, in the order of the documentation.
    pub const TYPES: [&'static str; 11] = [
        "router_event",
        "choice_event",
        "choice_outcome",
        "shadow_event",
        "audit_event",
        "drift_event",
        "tool_event",
        "answer_event",
        "contract_event",
        "dropped",
        "degraded",
    ];

    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Event::RouterEvent(_) => "router_event",
            Event::ChoiceEvent { .. } => "choice_event",
            Event::ChoiceOutcome { .. } => "choice_outcome",
            Event::ShadowEvent(_) => "shadow_event",
            Event::AuditEvent(_) => "audit_event",
            Event::DriftEvent(_) => "drift_event",
            Event::ToolEvent { .. } => "tool_event",
            Event::AnswerEvent { .. } => "answer_event",
            Event::ContractEvent { .. } => "contract_event",
            Event::Dropped { .. } => "dropped",
            Event::Degraded { .. } => "degraded",
        }
    }
}

/// A rule of the routing contract that is watched while it runs. Source: S4-20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContractRule {
    /// A registered prefix decides and no model is asked.
    #[serde(rename = "RC-01")]
    Rc01,
    /// What was asked before says nothing of the route.
    #[serde(rename = "RC-03")]
    Rc03,
    /// A route without retrieval looks up nothing.
    #[serde(rename = "RC-04")]
    Rc04,
    /// A route is answered from its own slot.
    #[serde(rename = "RC-05")]
    Rc05,
}

impl ContractRule {
    /// The name in records and figures.
    pub fn name(self) -> &'static str {
        match self {
            ContractRule::Rc01 => "RC-01",
            ContractRule::Rc03 => "RC-03",
            ContractRule::Rc04 => "RC-04",
            ContractRule::Rc05 => "RC-05",
        }
    }
}

/// How a turn was decided. Source: S1-40, S1-46.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Routed {
    /// The text as the classifier saw it.
    pub text: String,
    /// The route.
    pub intent: String,
    /// What happens next.
    pub action: Outcome,
    /// The layer that decided.
    pub layer: LayerName,
    /// The calibrated probability.
    pub confidence: f64,
    /// The calls with their arguments.
    pub entities: Vec<Value>,
    /// `closed`: the first gate that is closed, or why it is refused; and for every flag of the
    /// pack `requires_FLAG`: whether what was asked needs it.
    pub gating: Map<String, Value>,
    /// Why, in one sentence.
    pub reasoning_summary: String,
    /// How long reading the session and deciding took, in milliseconds.
    #[serde(alias = "t_classify_ms")]
    pub classification_latency_ms: f64,
    /// How many model calls it took.
    pub llm_calls: u32,
    /// Whether it asks what was asked just before.
    #[serde(default)]
    pub repeated: bool,
    /// What did not work as configured.
    pub degraded: Vec<String>,
    /// The flags that the pack declares, as they stood when the turn began.
    pub flags: Map<String, Value>,
    /// The whole record, for replay.
    pub decision: Box<Decision>,
    /// The request as it was decided on; `None` where it was too large to keep, or of a program that
    /// kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<Asked>>,
    /// What came from outside while it was decided.
    #[serde(default)]
    pub replies: Box<Replies>,
    /// Whether something that tells who somebody is was taken out: the decision cannot be made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// The same flags as fields of their own: `tpr_complete`.
    #[serde(flatten)]
    pub state: Map<String, Value>,
}

impl Routed {
    /// The fields of a record that a flag of the same name may not hide.
    pub const FIELDS: [&'static str; 22] = [
        "action",
        "at",
        "classification_latency_ms",
        "confidence",
        "decision",
        "decision_id",
        "degraded",
        "entities",
        "flags",
        "gating",
        "intent",
        "layer",
        "llm_calls",
        "pack",
        "reasoning_summary",
        "redacted",
        "repeated",
        "replies",
        "request",
        "session_id",
        "text",
        "type",
    ];
}

/// What a key in shadow would have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shadowed {
    /// The key, such as `layer.linear`.
    pub key: String,
    /// The text as the classifier saw it.
    pub text: String,
    /// What was decided without it, and stands.
    pub standing: Outline,
    /// What would have been decided with it.
    pub shadow: Outline,
    /// In what they differ: `decision`, `route`, `calls`, `reason`; empty if they agree.
    pub differs: Vec<String>,
    /// How many model calls were made for it alone.
    pub llm_calls: u32,
}

/// What a model says of a turn that it was not asked about when it was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audited {
    /// The text as the classifier saw it.
    pub text: String,
    /// What was decided and stands.
    pub standing: Outline,
    /// What the model would have decided.
    pub teacher: Outline,
    /// Whether route and tools are the same; how arguments are filled is not the student's.
    pub agrees: bool,
}

/// How traffic has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drifted {
    /// What has changed most: `confidence`, `scope` or `routes`.
    pub signal: String,
    /// How far it is from what it was, in standard deviations.
    pub deviation: f64,
    /// How far it may be.
    #[serde(rename = "bar")]
    pub threshold: f64,
    /// Its mean before; nothing for routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Its mean in the latest turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// Turns between the end of what it is held against and the alarm.
    pub after: u64,
}

/// As much of a decision as two of them are compared by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// What happens next.
    pub decision: Outcome,
    /// The route.
    pub route: String,
    /// Who decided.
    pub layer: LayerName,
    /// The calibrated probability.
    pub confidence: f64,
    /// The calls with their arguments.
    pub calls: Vec<Value>,
    /// The first closed gate, or why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl Outline {
    /// The outline of a decision.
    pub fn of(decision: &Decision) -> Self {
        Self {
            decision: decision.decision,
            route: decision.route.clone(),
            layer: decision.layer,
            confidence: decision.confidence,
            calls: entities(&decision.calls),
            reason: decision.reason.clone(),
        }
    }

    /// The tools of its calls, in order.
    pub fn tools(&self) -> Vec<&str> {
        self.calls.iter().filter_map(|call| call.get("tool").and_then(Value::as_str)).collect()
    }

    /// In what the other differs. Who decided and how surely is no difference: nobody notices it.
    pub fn differences(&self, other: &Outline) -> Vec<String> {
        let differs = [
            ("decision", self.decision != other.decision),
            ("route", self.route != other.route),
            ("calls", self.calls != other.calls),
            ("reason", self.reason != other.reason),
        ];
        differs.iter().filter(|(_, differs)| *differs).map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// Calls as events show them.
pub fn entities(calls: &[Call]) -> Vec<Value> {
    let call = |call: &Call| json!({ "tool": call.tool, "arguments": call.arguments });
    calls.iter().map(call).collect()
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

/// What names a call as a whole, where its arguments were matched in several ways: first what this
/// turn's words gave, the least certain first, then what was carried over.
const PRECEDENCE: [&str; 9] =
    ["llm", "fuzzy", "words", "gazetteer", "regex", "ordinal", "exact", "reference", "memory"];

/// Which arguments of a call were resolved, how each was, and how the call as a whole; `None` where
/// all are defaults or the caller's own.
pub fn resolved(call: &Call) -> Option<(BTreeMap<String, String>, &'static str)> {
    let by: BTreeMap<&String, &'static str> = call
        .evidence
        .iter()
        .filter(|(name, _)| call.arguments.contains_key(*name))
        .map(|(name, evidence)| (name, matched_by(evidence)))
        .filter(|(_, matcher)| PRECEDENCE.contains(matcher))
        .collect();
    let whole = PRECEDENCE.into_iter().find(|name| by.values().any(|matcher| matcher == name))?;
    Some((by.into_iter().map(|(name, by)| (name.clone(), by.to_owned())).collect(), whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::evidence::{Evidence, Source};

    fn call(receipts: &[(&str, Source, &str)]) -> Call {
        let arguments = receipts.iter().map(|(name, ..)| ((*name).to_owned(), json!(1))).collect();
        let evidence = receipts
            .iter()
            .map(|(name, source, by)| ((*name).to_owned(), Evidence::new(*source, *by)));
        Call { tool: "t".to_owned(), arguments, evidence: evidence.collect() }
    }

    #[test]
    fn a_call_is_named_for_what_this_turn_said_least_certainly() {
        let resolved = |receipts| resolved(&call(receipts)).map(|(by, whole)| (by.len(), whole));
        assert_eq!(resolved(&[("a", Source::Default, "default")]), None);
        assert_eq!(resolved(&[("a", Source::Caller, "request")]), None);
        let carried = [("a", Source::Memory, "last call of t"), ("b", Source::Option, "ordinal")];
        assert_eq!(resolved(&carried), Some((2, "ordinal")));
        let guessed = [("a", Source::Span, "en.date"), ("b", Source::Llm, "llm")];
        assert_eq!(resolved(&guessed), Some((2, "llm")));
        let part = [("a", Source::Default, "default"), ("b", Source::Span, "fuzzy")];
        assert_eq!(resolved(&part), Some((1, "fuzzy")));
    }
}
