//! A call of a language model: who was asked for what, and what came of it. Prices are not known here:
//! whoever counts the tokens multiplies.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::error::Code;
use crate::records::slot::Slot;
use crate::records::usage::Usage;

/// The work that a model was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To decide what the cheaper layers left open.
    Decide,
    /// To read the arguments of one tool.
    Read,
    /// To write the words of an answer.
    Write,
    /// To decide once more with a key that is in shadow.
    Shadow,
    /// To say afterwards what it would have decided.
    Audit,
}

impl Purpose {
    /// The name in records and figures.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Decide => "decide",
            Purpose::Read => "read",
            Purpose::Write => "write",
            Purpose::Shadow => "shadow",
            Purpose::Audit => "audit",
        }
    }
}

/// The tokens by which a model was told of tools, estimated alike for every model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTokens {
    /// Those that were sent: what the prompt and the schema of the reply say of tools.
    pub sent: u64,
    /// Those that the schemas of all tools of the pack would have taken.
    pub all: u64,
}

impl AddAssign for ToolTokens {
    fn add_assign(&mut self, other: Self) {
        self.sent = self.sent.saturating_add(other.sent);
        self.all = self.all.saturating_add(other.all);
    }
}

/// A model call that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The slot whose model was asked.
    pub slot: Slot,
    /// The name of the model.
    pub model: String,
    /// The work that it was asked for.
    pub purpose: Purpose,
    /// The route that was decided, or whose answer was written.
    pub route: String,
    /// Its tokens; `None` where the server did not count them, or the call came to no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The tokens by which it was told of tools, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolTokens>,
    /// The time until its last words were taken, in milliseconds.
    pub model_latency_ms: f64,
    /// The code with which it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}
