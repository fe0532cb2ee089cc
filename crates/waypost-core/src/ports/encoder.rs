//! Sentence encoders as training and the cascade see them. Implementations live elsewhere.

use async_trait::async_trait;

use crate::error::Result;

/// Turns text into a vector of a fixed length, so that texts of like meaning are near each other.
///
/// An implementer returns vectors of Euclidean length 1 with [`Encoder::dimensions`] finite
/// entries, the same for the same text whatever is encoded beside it, and any text has one: a text
/// longer than the encoder can read is cut, and the empty text is no error.
#[async_trait]
pub trait Encoder: Send + Sync + std::fmt::Debug {
    /// Its name and a checksum of its weights: another id means that vectors cannot be compared.
    fn id(&self) -> &str;

    /// The name of the instructions that compute, since others may give other last bits; vectors of
    /// one kernel are the same bit for bit.
    fn kernel(&self) -> &str {
        ""
    }

    /// The number of entries of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of `text`, computed off the calling thread.
    ///
    /// A caller that drops the future has left: no work is begun for it afterwards.
    async fn encode(&self, text: &str) -> Result<Vec<f32>>;

    /// The vectors of `texts`, in their order. It blocks, and is meant for training.
    ///
    /// # Errors
    ///
    /// Whatever [`Encoder::encode`] returns for one of them.
    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;
}
