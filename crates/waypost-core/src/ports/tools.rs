//! Tool servers as the router sees them. Implementations live elsewhere.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::error::Result;
pub use crate::records::access::{Access, Hints};
pub use crate::records::content::{Content, Link, Progress, Text};
pub use crate::records::image::{Image, Images};

/// A tool as its server describes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// The server's words on what it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of its result, where the server gives one.
    pub output_schema: Option<Value>,
    /// The server's hints at what it does to the world.
    #[serde(default, skip_serializing_if = "Hints::is_empty")]
    pub hints: Hints,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// The result for programs, an object: the structured one, or else one that is made of the
    /// parts (`text`, `content`).
    pub value: Value,
    /// True if `value` came as such, and was not made of the parts.
    pub structured: bool,
    /// The words and other parts that came beside it.
    pub parts: Vec<Content>,
    /// Pictures of it.
    pub images: Images,
    /// The reason why it is not what its tool promises, for logs.
    pub fault: Option<String>,
    /// The number of bytes that were too many to keep.
    pub left_out: usize,
}

impl From<Value> for ToolResult {
    fn from(value: Value) -> Self {
        Self { value, structured: true, ..Self::default() }
    }
}

/// Something that is told how far a call is. It must return at once.
pub trait ProgressSink: Send + Sync + std::fmt::Debug {
    /// Takes a report.
    fn report(&self, progress: Progress);
}

/// Something that runs tools.
///
/// An implementer may be called from many tasks at once, starts or reconnects what it needs by
/// itself, stops work when `cancel` fires, never retries (the router does), and bounds the size of
/// a result. A tool's own failure is an [`Error`](crate::error::Error) with the canonical code that
/// the tool named, or `INTERNAL` where it named none; a server that is missing, crashed or speaks
/// garbage is `UNAVAILABLE`, one that is slow `DEADLINE_EXCEEDED`. No text of the server is in the
/// message; it may be in the detail, and what a tool says about its failure is in the words.
#[async_trait]
pub trait ToolServer: Send + Sync + std::fmt::Debug {
    /// The tools that it offers now.
    async fn list(&self, cancel: &CancellationToken) -> Result<Vec<ToolDescription>>;

    /// The tools that it offered a short while ago: the list of before, where that is less than a few minutes old and the server
    /// has not said since that it changed. It is for calls that change nothing; what changes something needs
    /// [`ToolServer::list`]. A server that keeps no list asks for it.
    async fn list_lately(&self, cancel: &CancellationToken) -> Result<Arc<Vec<ToolDescription>>> {
        self.list(cancel).await.map(Arc::new)
    }

    /// Returns whether the latest list came whole. A tool that is missing in one that broke off may be there all the same. A
    /// server whose lists are whole or fail need not implement it.
    fn lists_whole(&self) -> bool {
        true
    }

    /// Returns a count that grows whenever the list of tools may have changed, such as when the server said
    /// so or was started anew. Whoever keeps a list asks for it again when the count is another than before it
    /// was listed. It must return at once; a server whose list never changes need not implement it.
    fn changes(&self) -> u64 {
        0
    }

    /// Calls a tool and returns its result.
    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult>;

    /// Calls a tool as [`ToolServer::call`] does, and tells `sink` how far it is. A server whose
    /// tools never say how far they are need not implement it.
    async fn call_reporting(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        sink: &dyn ProgressSink,
        cancel: &CancellationToken,
    ) -> Result<ToolResult> {
        let _ = sink;
        self.call(tool, arguments, cancel).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: usize) -> Image {
        let mime = "image/png".to_owned();
        Image { mime, title: String::new(), data: "A".repeat(bytes) }
    }

    #[test]
    fn pictures_are_bounded_together() {
        let mut images = Images::default();
        images.push(image(Images::MOST_BYTES - 10));
        images.push(image(11));
        // A smaller one still fits.
        images.push(image(10));
        assert_eq!((images.kept().len(), images.dropped()), (2, 1));
        let mut all = Images::default();
        all.push(image(1));
        all.append(images);
        assert_eq!((all.kept().len(), all.dropped()), (2, 2));
    }
}
