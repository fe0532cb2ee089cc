//! The call that a flag of the workflow holds back: it is offered once the flag is set, because the user has asked for it already.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Pending;
use crate::records::decision::{Decision, LayerName, Reason, Steer, TurnOutcome};
use crate::records::request::PastCall;

/// A call that a flag of the workflow held back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blocked {
    /// The flag.
    pub flag: String,
    /// The call, with the words that asked for it.
    pub call: PastCall,
    /// The conditions under which it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

impl Blocked {
    /// The call that waits after a turn: the one that the turn held back, or else that of before, until it is asked for anew,
    /// offered or given up.
    pub(super) fn after(
        before: Option<Self>,
        text: &str,
        decision: &Decision,
        outcome: &TurnOutcome,
    ) -> Option<Self> {
        if let (Some(Reason::Flag(flag)), Some(question)) = (&decision.reason, &decision.question) {
            let mut calls = decision.calls.iter();
            let call = calls.find(|call| Some(&call.tool) == question.tool.as_ref())?;
            // An answer to a question does not say what is asked for.
            let says = decision.layer != LayerName::Rules && !text.trim().is_empty();
            let call = PastCall {
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                text: says.then(|| text.to_owned()),
            };
            return Some(Self {
                flag: flag.clone(),
                call,
                conditions: question.conditions.clone(),
            });
        }
        let is_stopped = decision.reason == Some(Reason::Steer(Steer::Stopped));
        before.filter(|own| !is_stopped && !own.is_asked_in(decision) && !own.is_offered(outcome))
    }

    /// Returns whether a decision is about its tool.
    pub fn is_asked_in(&self, decision: &Decision) -> bool {
        decision.calls.iter().any(|call| call.tool == self.call.tool)
    }

    /// Returns whether a turn ended with the question whether it shall be made.
    pub(super) fn is_offered(&self, outcome: &TurnOutcome) -> bool {
        outcome.next.as_ref().is_some_and(|next| next.tool.as_ref() == Some(&self.call.tool))
    }

    /// Returns whether its flag is set now, and an open question still offers the ways to set it.
    pub(super) fn is_open(&self, pending: &Pending, flags: &Map<String, Value>) -> bool {
        let asks = pending.tool.as_ref() == Some(&self.call.tool) && pending.argument.is_none();
        asks && flags.get(&self.flag) == Some(&Value::Bool(true))
    }
}
