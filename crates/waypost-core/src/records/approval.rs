//! Approvals: what a yes to a shown call carries.

use std::fmt;

use serde_json::Value;

/// The time in which a yes counts, in seconds: people are called away from a question and come back,
/// and what they read an hour ago is not before their eyes any more.
const VALID_SECONDS: i64 = 60 * 60;
/// The most that the clock of whoever takes the yes may be behind that of whoever asked, in seconds.
const SKEW_SECONDS: i64 = 60;

/// The approval that a question asks for. It is good for the call that the question showed, once, and for a
/// time; the value of the choice “yes” carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The id of the decision that asked. It is spent by the call.
    pub question: String,
    /// The instant of the question, in seconds since 1970.
    pub asked_at: i64,
    /// A hash of all that was shown and of all that goes over the wire.
    pub seal: String,
}

impl Approval {
    /// The approval that the value of a choice carries, such as
    /// `{"tool": "note", "arguments": {}, "approve": "0123456789abcdef.1762419600.9f86d081"}`.
    pub fn of(value: &Value) -> Option<Self> {
        let mut parts = value.get("approve")?.as_str()?.split('.');
        let (question, asked_at, seal) = (parts.next()?, parts.next()?, parts.next()?);
        let approval = Self {
            question: question.to_owned(),
            asked_at: asked_at.parse().ok()?,
            seal: seal.to_owned(),
        };
        parts.next().is_none().then_some(approval)
    }

    /// Returns whether a yes still counts at an instant, in seconds since 1970. One from well before the question does not.
    pub fn is_valid(&self, now: i64) -> bool {
        now.checked_sub(self.asked_at)
            .is_some_and(|age| (-SKEW_SECONDS..=VALID_SECONDS).contains(&age))
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { question, asked_at, seal } = self;
        write!(f, "{question}.{asked_at}.{seal}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_approval_is_read_as_it_is_written_and_nothing_else_is_one() {
        let approval = Approval { question: "0f".to_owned(), asked_at: -5, seal: "9c".to_owned() };
        let value = json!({ "tool": "note", "approve": approval.to_string() });
        assert_eq!(Approval::of(&value), Some(approval));
        for other in [json!(true), json!("0f"), json!("0f.x.9c"), json!("0f.1.9c.2"), json!({})] {
            assert_eq!(Approval::of(&json!({ "approve": other })), None, "{other}");
        }
        assert_eq!(Approval::of(&json!("0f.1.9c")), None);
    }

    #[test]
    fn a_yes_counts_for_an_hour_after_its_question() {
        let asked = Approval { question: String::new(), asked_at: 1_000, seal: String::new() };
        let valid = [939, 940, 4_600, 4_601, i64::MIN].map(|now| asked.is_valid(now));
        assert_eq!(valid, [false, true, true, false, false]);
    }
}
