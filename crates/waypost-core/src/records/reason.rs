//! The reason why a turn does not simply run.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The reason why a turn does not simply run: the first gate that is closed, or why nothing was to
/// run. Records hold it as a string: `gate:completeness`, `gate:tpr_complete`, `out_of_scope`,
/// `steer:stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A gate is closed.
    Gate(GateName),
    /// The gate of the workflow is closed, since this flag is not set.
    Flag(String),
    /// Nothing here serves it.
    OutOfScope,
    /// It cannot be made out.
    Unclear,
    /// Reading the text was given up, so that nobody knows all that it says.
    Unread,
    /// A model asks a question of its own.
    Model,
    /// The turn only navigates: its words stop what is under way or ask about it.
    Steer(Steer),
    /// The handler of the route is not rolled out.
    HandlerOff(String),
    /// A reason that another version wrote.
    Recorded(String),
}

/// A gate that closes under its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GateName {
    /// A value is impossible, or unusual.
    Values,
    /// The caller may not do this.
    Permission,
    /// A thing may not be set to this.
    Limits,
    /// The user wants to see the plan first.
    Plan,
    /// The user has to say so first.
    Approval,
    /// A value is missing.
    Completeness,
    /// The decision is not sure enough.
    Confidence,
    /// It would be too many calls.
    Budget,
}

impl GateName {
    const ALL: [GateName; 8] = [
        GateName::Values,
        GateName::Permission,
        GateName::Limits,
        GateName::Plan,
        GateName::Approval,
        GateName::Completeness,
        GateName::Confidence,
        GateName::Budget,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            GateName::Values => "values",
            GateName::Permission => "permission",
            GateName::Limits => "limits",
            GateName::Plan => "plan",
            GateName::Approval => "approval",
            GateName::Completeness => "completeness",
            GateName::Confidence => "confidence",
            GateName::Budget => "budget",
        }
    }
}

/// The end of a turn whose words only navigate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Steer {
    /// The call under way is stopped.
    Stopped,
    /// The user is told where things stand.
    Status,
    /// Commands switch something, and nothing is asked.
    Switched,
}

impl Reason {
    /// The gate that is closed, as records name it: of the workflow, the flag that is not set.
    pub fn gate(&self) -> Option<&str> {
        match self {
            Reason::Gate(gate) => Some(gate.name()),
            Reason::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}

impl From<GateName> for Reason {
    fn from(gate: GateName) -> Self {
        Reason::Gate(gate)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Reason::Gate(gate) => return write!(f, "gate:{}", gate.name()),
            Reason::Flag(flag) => return write!(f, "gate:{flag}"),
            Reason::HandlerOff(handler) => return write!(f, "rollout:handler.{handler}"),
            Reason::OutOfScope => "out_of_scope",
            Reason::Unclear => "unclear",
            Reason::Unread => "unread",
            Reason::Model => "model",
            Reason::Steer(Steer::Stopped) => "steer:stopped",
            Reason::Steer(Steer::Status) => "steer:status",
            Reason::Steer(Steer::Switched) => "steer:switched",
            Reason::Recorded(reason) => reason,
        };
        f.write_str(word)
    }
}

impl From<&str> for Reason {
    /// Reads a reason from a record.
    fn from(reason: &str) -> Self {
        if let Some(name) = reason.strip_prefix("gate:") {
            let gate = GateName::ALL.into_iter().find(|gate| gate.name() == name);
            return gate.map_or_else(|| Reason::Flag(name.to_owned()), Reason::Gate);
        }
        if let Some(handler) = reason.strip_prefix("rollout:handler.") {
            return Reason::HandlerOff(handler.to_owned());
        }
        match reason {
            "out_of_scope" => Reason::OutOfScope,
            "unclear" => Reason::Unclear,
            "unread" => Reason::Unread,
            "model" => Reason::Model,
            "steer:stopped" => Reason::Steer(Steer::Stopped),
            "steer:status" => Reason::Steer(Steer::Status),
            "steer:switched" => Reason::Steer(Steer::Switched),
            _ => Reason::Recorded(reason.to_owned()),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|reason| Reason::from(reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_written_as_before_and_read_back() {
        let gates = GateName::ALL.map(|gate| (Reason::Gate(gate), format!("gate:{}", gate.name())));
        let others = [
            (Reason::Flag("tpr_complete".to_owned()), "gate:tpr_complete"),
            (Reason::OutOfScope, "out_of_scope"),
            (Reason::Unclear, "unclear"),
            (Reason::Unread, "unread"),
            (Reason::Model, "model"),
            (Reason::Steer(Steer::Stopped), "steer:stopped"),
            (Reason::Steer(Steer::Status), "steer:status"),
            (Reason::Steer(Steer::Switched), "steer:switched"),
            (Reason::HandlerOff("tool".to_owned()), "rollout:handler.tool"),
            (Reason::Recorded("schema".to_owned()), "schema"),
        ];
        let others = others.map(|(reason, written)| (reason, written.to_owned()));
        for (reason, written) in gates.into_iter().chain(others) {
            assert_eq!(reason.to_string(), written);
            assert_eq!(Reason::from(written.as_str()), reason);
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(json, format!("\"{written}\""));
            assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), reason);
        }
    }

    #[test]
    fn a_flag_is_the_gate_that_it_keeps_closed() {
        assert_eq!(Reason::from("gate:risk_complete").gate(), Some("risk_complete"));
        assert_eq!(Reason::from(GateName::Budget).gate(), Some("budget"));
        assert_eq!(Reason::OutOfScope.gate(), None);
    }
}
