//! Language models as the router sees them: a prompt in, text out. Implementations live elsewhere.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::error::Result;
pub use crate::records::answer::Cut;
pub use crate::records::slot::Slot;
pub use crate::records::usage::Usage;

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// Instructions.
    System,
    /// The user, or data that the user's question is about.
    User,
    /// The model.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub role: Speaker,
    /// The words.
    pub content: String,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The conversation, instructions first.
    pub messages: Vec<Message>,
    /// The JSON Schema that the reply must satisfy, with a short name for it.
    pub schema: Option<(String, serde_json::Value)>,
    /// The part of all this that tells of tools, in estimated tokens; 0 where none is told of.
    pub tool_tokens: u32,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
    /// 0 for decisions.
    pub temperature: f32,
    /// The longest wait for the whole reply.
    pub timeout: Duration,
}

/// A model's reply. It is data: nothing in it is ever executed or believed unchecked.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// Its tokens, where the server counts them.
    pub usage: Option<Usage>,
    /// True if the reply was cut: at `max_tokens`, or by a filter of the server.
    pub truncated: bool,
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The next words.
    Words(String),
    /// The words before this are all that there is, though the model was not done.
    Cut(Cut),
    /// The tokens of the whole call.
    Usage(Usage),
}

impl From<&str> for Piece {
    fn from(words: &str) -> Self {
        Piece::Words(words.to_owned())
    }
}

/// A reply as it comes; an error ends it.
pub type Pieces = BoxStream<'static, Result<Piece>>;

/// A language model.
///
/// An implementer may be called from many tasks at once, makes at most one request per call (no
/// hidden retry: the router counts calls), stops work when `cancel` fires, and returns
/// `UNAVAILABLE`, `DEADLINE_EXCEEDED`, `RESOURCE_EXHAUSTED` or `CANCELLED` for the faults of its
/// upstream, with no upstream text in the message.
#[async_trait]
pub trait Model: Send + Sync + std::fmt::Debug {
    /// The name of the model, for records.
    fn name(&self) -> &str;

    /// The cost of a call of so many tokens, in the currency of its prices; 0 where none are known.
    fn cost(&self, _usage: Usage) -> f64 {
        0.0
    }

    /// The whole reply.
    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply>;

    /// The reply in pieces as they come: its words, then whether they were cut, and behind that its
    /// tokens, where the server counts them.
    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces>;
}
