//! Pictures that belong to a result, bounded where they come in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Image {
    /// The media type, such as `image/svg+xml`.
    pub mime: String,
    /// The title, in a few words of the tool's; empty if the tool gives none.
    pub title: String,
    /// The picture itself in base64.
    pub data: String,
}

/// Pictures in their order, as many as an answer has room for.
///
/// # Example
///
/// ```
/// use waypost_core::records::image::{Image, Images};
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

    /// The number of pictures that there was no room for.
    pub fn dropped(&self) -> usize {
        self.dropped
    }
}
