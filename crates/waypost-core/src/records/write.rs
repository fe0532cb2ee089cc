//! A call that changes something, as it is recorded: before it begins, and when it has ended.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::records::era::Era;

/// A call that changes something and is about to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The approval that it spends. There is one write for each.
    pub token: String,
    /// The conversation, where there is one.
    pub session: Option<String>,
    /// The key of the caller, where there is one. A store need not keep it.
    pub owner: Option<Arc<str>>,
    /// The name of that key.
    pub owner_name: Option<Arc<str>>,
    /// The decision that approved it.
    pub decision_id: String,
    /// The name of the pack.
    pub pack: String,
    /// The instant of the request, RFC 3339.
    pub at: String,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The era in which its turn began.
    pub era: Era,
}

/// The end of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteEnd {
    /// The tool did it.
    Done,
    /// The tool said that it did not.
    Failed,
    /// Nobody knows: the tool was called, and no answer came.
    Unknown,
}

impl WriteEnd {
    /// The name, such as `done`.
    pub fn name(self) -> &'static str {
        match self {
            WriteEnd::Done => "done",
            WriteEnd::Failed => "failed",
            WriteEnd::Unknown => "unknown",
        }
    }

    /// The end with this name; another program's new name is an end that is not known here.
    pub fn from_name(name: &str) -> Self {
        [WriteEnd::Done, WriteEnd::Failed]
            .into_iter()
            .find(|end| end.name() == name)
            .unwrap_or(WriteEnd::Unknown)
    }
}

/// A write whose end no answer has told yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Untold {
    /// The write.
    pub write: Write,
    /// Its end, as far as it was recorded.
    pub end: WriteEnd,
}
