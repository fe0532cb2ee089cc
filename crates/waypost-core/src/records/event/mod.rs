//! Things that happened, typed. Stages return them; only the router emits them.

mod agent;
mod asked;
mod model;
mod plan;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Code, Error};
use crate::records::decision::{Call, Decision, LayerName, Outcome, Reason};
use crate::records::era::Era;
use crate::records::write::WriteEnd;

pub use crate::records::evidence::matched_by;

pub use agent::AgentRun;
pub use asked::{Asked, Encoded, MAX_ASKED_BYTES, MAX_REPLY_BYTES, Recalled, Replies, Said};
pub use model::{ModelCall, Purpose, ToolTokens};
pub use plan::PlanRun;

/// An event as it is stored: with its turn and its instant.
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
    /// The era in which its turn began.
    #[serde(skip)]
    pub era: Era,
    /// The event.
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
        /// The confidence.
        confidence: f64,
        /// The matcher of the least certain of them; see [`matched_by`].
        matched_by: String,
        /// The matcher of each.
        by: BTreeMap<String, String>,
        /// The text of the user.
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
        /// The number of choices that were shown.
        shown: usize,
        /// True if one was taken.
        taken: bool,
        /// The position of the one that was taken, counted from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<usize>,
    },
    /// A key that is in shadow was turned on, and the turn decided once more.
    ShadowEvent(Box<Shadowed>),
    /// A model was asked, in the background, about what the student had decided.
    AuditEvent(Box<Audited>),
    /// Traffic is no longer what the student in service has been seeing.
    DriftEvent(Drifted),
    /// A model was called.
    ModelEvent(ModelCall),
    /// The agent reasoned over the results of calls.
    AgentEvent(AgentRun),
    /// The calls of a turn were run as a plan.
    PlanEvent(PlanRun),
    /// A tool was called.
    ToolEvent {
        /// The tool.
        tool: String,
        /// The arguments that it got in the end.
        arguments: Map<String, Value>,
        /// The status: success or error.
        status: Status,
        /// The time that all tries took, in milliseconds.
        #[serde(alias = "t_mcp_ms")]
        tool_latency_ms: f64,
        /// The number of tries.
        tries: u32,
        /// The relaxations that were applied, such as `date -1d`.
        relaxed: Vec<String>,
        /// The codes of the tries that failed.
        errors: Vec<Code>,
    },
    /// The end of an earlier write was told: the answer of its own turn did not come to be given.
    WriteEvent {
        /// The tool.
        tool: String,
        /// The arguments that it was called with.
        arguments: Map<String, Value>,
        /// The decision that approved it.
        approved_by: String,
        /// The end, as far as it is known.
        end: WriteEnd,
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
        /// The rule.
        rule: ContractRule,
        /// The violation that was seen, for people who run this.
        detail: String,
    },
    /// Something the caller sent was dropped, and why.
    Dropped {
        /// The part of the request.
        what: String,
        /// The reason.
        why: String,
    },
    /// Something did not work as configured; the turn went on.
    Degraded {
        /// The part, by name.
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
    pub const TYPES: [&'static str; 15] = [
        "router_event",
        "choice_event",
        "choice_outcome",
        "shadow_event",
        "audit_event",
        "drift_event",
        "model_event",
        "agent_event",
        "plan_event",
        "tool_event",
        "write_event",
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
            Event::ModelEvent(_) => "model_event",
            Event::AgentEvent(_) => "agent_event",
            Event::PlanEvent(_) => "plan_event",
            Event::ToolEvent { .. } => "tool_event",
            Event::WriteEvent { .. } => "write_event",
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
    /// An earlier question says nothing of the route.
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

/// A turn and how it was decided. Source: S1-40, S1-46.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Routed {
    /// The text as the classifier saw it.
    pub text: String,
    /// The route.
    pub intent: String,
    /// The outcome: what happens next.
    pub action: Outcome,
    /// The layer that decided.
    pub layer: LayerName,
    /// The calibrated probability.
    pub confidence: f64,
    /// The calls with their arguments.
    pub entities: Vec<Value>,
    /// `closed`: the first gate that is closed, or the reason of a refusal; and for every flag of
    /// the pack `requires_FLAG`: whether the calls need it.
    pub gating: Map<String, Value>,
    /// The reason, in one sentence.
    pub reasoning_summary: String,
    /// The time that reading the session and deciding took, in milliseconds.
    #[serde(alias = "t_classify_ms")]
    pub classification_latency_ms: f64,
    /// The number of model calls.
    pub llm_calls: u32,
    /// True if it asks what was asked just before.
    #[serde(default)]
    pub repeated: bool,
    /// The parts that did not work as configured.
    pub degraded: Vec<String>,
    /// The flags that the pack declares, as they stood when the turn began.
    pub flags: Map<String, Value>,
    /// The whole record, for replay.
    pub decision: Box<Decision>,
    /// The request as it was decided on; `None` where it was too large to keep, or the program that
    /// wrote it kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<Asked>>,
    /// The replies that came from outside while it was decided.
    #[serde(default)]
    pub replies: Box<Replies>,
    /// True if personal data was taken out: the decision cannot be made again.
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

/// The change that a key in shadow would have made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shadowed {
    /// The key, such as `layer.linear`.
    pub key: String,
    /// The text as the classifier saw it.
    pub text: String,
    /// The decision without it, which stands.
    pub standing: Outline,
    /// The decision with it.
    pub shadow: Outline,
    /// The fields that differ: `decision`, `route`, `calls`, `reason`; empty if they agree.
    pub differs: Vec<String>,
    /// The number of model calls that were made for it alone.
    pub llm_calls: u32,
}

/// A model's answer about a turn that it was not asked about when it was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audited {
    /// The text as the classifier saw it.
    pub text: String,
    /// The decision that stands.
    pub standing: Outline,
    /// The decision that the model would have made.
    pub teacher: Outline,
    /// True if route and tools are the same; filling arguments is not the student's work.
    pub agrees: bool,
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A change of traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drifted {
    /// The signal that has changed most: `confidence`, `scope` or `routes`.
    pub signal: String,
    /// The distance from what it was, in standard deviations.
    pub deviation: f64,
    /// The largest distance that raises no alarm.
    #[serde(rename = "bar")]
    pub threshold: f64,
    /// Its mean before; nothing for routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Its mean in the latest turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// The number of turns between the end of the reference and the alarm.
    pub after: u64,
}

/// The part of a decision by which two decisions are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// The outcome: what happens next.
    pub decision: Outcome,
    /// The route.
    pub route: String,
    /// The layer that decided.
    pub layer: LayerName,
    /// The calibrated probability.
    pub confidence: f64,
    /// The calls with their arguments.
    pub calls: Vec<Value>,
    /// The first closed gate, or the reason of a refusal.
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

    /// The fields in which the other differs. The layer and the confidence do not count: nobody
    /// notices them.
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

/// The status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did.
    Success,
    /// It did not.
    Error,
}

/// The order in which one name is chosen for a call whose arguments were matched in several ways:
/// first what this turn's words gave, the least certain first, then what was carried over.
const PRECEDENCE: [&str; 10] = [
    "llm",
    "learned",
    "fuzzy",
    "words",
    "gazetteer",
    "regex",
    "ordinal",
    "exact",
    "reference",
    "memory",
];

/// Returns how each resolved argument of a call was matched, and the call as a whole; `None` where
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
