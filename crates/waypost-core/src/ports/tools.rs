//! Tool servers as the router sees them. Implementations live elsewhere.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::error::Result;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of its result, where the server gives one.
    pub output_schema: Option<Value>,
}

/// What a call of a tool gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// The structured result, an object.
    pub value: Value,
    /// Pictures of it.
    pub images: Images,
}

impl From<Value> for ToolResult {
    fn from(value: Value) -> Self {
        Self { value, images: Images::default() }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Image {
    /// What kind it is, such as `image/svg+xml`.
    pub mime: String,
    /// What it shows, in a few words of the tool's; empty if the tool does not say.
    pub title: String,
    /// The picture itself in base64.
    pub data: String,
}

/// Pictures in their order, as many as an answer has room for.
///
/// # Example
///
/// ```
/// use waypost_core::ports::tools::{Image, Images};
///
/// let mut images = Images::default();
/// for _ in 0..9 {
///     let mime = "image/png".to_owned();
///     images.push(Image { mime, title: String::new(), data: "iVBORw0KGgo=".to_owned() });
/// }
/// assert_eq!((images.kept().len(), images.dropped()), (8, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Images {
    kept: Vec<Image>,
    bytes: usize,
    dropped: usize,
}

impl Images {
    /// The most pictures of an answer: more are not looked at.
    pub const MOST: usize = 8;
    /// The most that they may weigh together, in bytes of base64: as much as a whole result.
    pub const MOST_BYTES: usize = 4 * 1024 * 1024;

    /// Takes a picture in, if there is room; else counts it.
    pub fn push(&mut self, image: Image) {
        let bytes = self.bytes + image.data.len();
        if self.kept.len() == Self::MOST || bytes > Self::MOST_BYTES {
            self.dropped += 1;
            return;
        }
        self.bytes = bytes;
        self.kept.push(image);
    }

    /// Counts a picture that cannot be taken in for another reason.
    pub fn drop_one(&mut self) {
        self.dropped += 1;
    }

    /// Takes in the pictures of another result, as far as there is room.
    pub fn append(&mut self, others: Images) {
        self.dropped += others.dropped;
        others.kept.into_iter().for_each(|image| self.push(image));
    }

    /// The pictures that there was room for.
    pub fn kept(&self) -> &[Image] {
        &self.kept
    }

    /// How many there was no room for.
    pub fn dropped(&self) -> usize {
        self.dropped
    }
}

/// Something that runs tools.
///
/// An implementer may be called from many tasks at once, starts or reconnects what it needs by
/// itself, stops work when `cancel` fires, never retries (the router does), and bounds the size of
/// a result. A tool's own failure is an [`Error`](crate::error::Error) with the canonical code that
/// the tool named, or `INTERNAL` where it named none; a server that is missing, crashed or speaks
/// garbage is `UNAVAILABLE`, one that is slow `DEADLINE_EXCEEDED`. No text of the server is in the
/// message; it may be in the detail.
#[async_trait]
pub trait ToolServer: Send + Sync + std::fmt::Debug {
    /// The tools that it offers now.
    async fn list(&self, cancel: &CancellationToken) -> Result<Vec<ToolDescription>>;

    /// Calls a tool and returns its structured result, an object, and its pictures.
    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult>;
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
