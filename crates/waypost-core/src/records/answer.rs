//! The answer: the envelope that every surface returns, and the parts that lead up to it.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::error::Code;
use crate::records::content::Progress;
use crate::records::decision::Decision;
use crate::records::image::Image;
use crate::records::request::Choice;

/// The answer of a turn. Source: S0-15.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Answer {
    /// `tool`, `clarify`, `rephrase`, `refuse`, `error`, or the route.
    pub mode: String,
    /// The words that the user reads, in the user's language.
    pub text: String,
    /// The tool or the branch that answered: `ghrsst.bbox_mean`, `rag.explain`.
    pub source: String,
    /// The calibrated probability of the decision.
    pub confidence: f64,
    /// The choices of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Pictures that the tools drew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The failure, if the turn failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AnswerFault>,
    /// The parts that lie behind the answer.
    pub raw: Raw,
    /// The decision's id.
    pub id: String,
}

impl Answer {
    /// Returns why the model's words end before they are whole, if they do.
    ///
    /// It is read from the names of what did not work as configured, so that a stored answer says the same.
    pub fn cut(&self) -> Option<Cut> {
        let degraded = self.raw.plan["degraded"].as_array()?;
        Cut::ALL.into_iter().find(|cut| degraded.iter().any(|name| name == cut.name()))
    }
}

/// The reason why a model's words end before the model was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The reply reached its longest length.
    Length,
    /// The model's server withheld the rest.
    Filter,
}

impl Cut {
    /// All reasons.
    pub const ALL: [Cut; 2] = [Cut::Length, Cut::Filter];

    /// The name of this fault among what did not work as configured.
    pub fn name(self) -> &'static str {
        match self {
            Cut::Length => "model:length",
            Cut::Filter => "model:content_filter",
        }
    }
}

/// A failure as a user may see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnswerFault {
    /// The code of the failure.
    pub code: Code,
    /// The same as one of three, for callers that know no others: `INVALID_ARGUMENT`, `NOT_FOUND` or `UNAVAILABLE`. Source:
    /// S0-35, S0-50.
    #[serde(default = "unavailable")]
    pub class: Code,
    /// A short sentence in the user's language.
    pub message: String,
    /// Advice on what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl AnswerFault {
    /// A failure with its code.
    pub fn new(code: Code, message: impl Into<String>, hint: Option<&str>) -> Self {
        let class = match code {
            Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::PermissionDenied
            | Code::Unimplemented => Code::InvalidArgument,
            Code::NotFound => Code::NotFound,
            Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Internal
            | Code::Unavailable => Code::Unavailable,
        };
        Self { code, class, message: message.into(), hint: hint.map(str::to_owned) }
    }
}

fn unavailable() -> Code {
    Code::Unavailable
}

/// The parts that lie behind an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Raw {
    /// The decision record, with the plan keys of S0-17 beside its own.
    pub plan: Json,
    /// The results of the tools: an object for one call, a list for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<Json>,
    /// Timings, tries and relaxations, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Json>,
}

/// A phase of the work. Source: S2-24.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its name: `planning`, `reasoning`.
    pub phase: &'static str,
    /// The action in it: `decision`, `turn`, `calls`.
    pub action: &'static str,
    /// A short sentence in the user's language.
    pub content: String,
}

/// A piece of the work as it happens; `ask` merely collects them.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// The decision stands.
    Decided(Box<Decision>),
    /// The material for the answer is there; no word of it has been sent.
    Prepared {
        /// The number of passages of documents that were found.
        passages: usize,
    },
    /// The work is in a phase that people may want to know of.
    Phase(Phase),
    /// A tool starts.
    ToolStarted {
        /// The tool.
        tool: String,
    },
    /// A tool says how far it is.
    ToolProgress {
        /// The tool.
        tool: String,
        /// How far it is.
        progress: Progress,
    },
    /// A tool is done.
    ToolDone {
        /// The tool.
        tool: String,
        /// The code, if it failed.
        code: Option<Code>,
    },
    /// Some more words of the answer.
    Token(String),
    /// The words so far are no part of the answer, because the model broke off; what follows takes their
    /// place. The sentence says so to a reader who has seen them.
    Withdrawn(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s0_35_each_of_the_ten_codes_has_one_of_three_classes() {
        let class = |code| AnswerFault::new(code, "it failed", None).class.name();
        let found: Vec<_> = Code::all().map(|code| (code.name(), class(code))).collect();
        let expected = [
            ("CANCELLED", "UNAVAILABLE"),
            ("INVALID_ARGUMENT", "INVALID_ARGUMENT"),
            ("DEADLINE_EXCEEDED", "UNAVAILABLE"),
            ("NOT_FOUND", "NOT_FOUND"),
            ("PERMISSION_DENIED", "INVALID_ARGUMENT"),
            ("RESOURCE_EXHAUSTED", "UNAVAILABLE"),
            ("FAILED_PRECONDITION", "INVALID_ARGUMENT"),
            ("UNIMPLEMENTED", "INVALID_ARGUMENT"),
            ("INTERNAL", "UNAVAILABLE"),
            ("UNAVAILABLE", "UNAVAILABLE"),
        ];
        assert_eq!(found, expected);
    }
}
