//! Sentence encoders of this machine, if the feature `encoder` is on, and the vectors that are kept for the next start.

mod kept;
#[cfg(feature = "encoder")]
mod local;

pub use kept::KeptVectors;
#[cfg(feature = "encoder")]
pub use local::{LocalEncoder, outline};
#[cfg(feature = "encoder")]
pub use waypost_encoder::{FILES, Level, Outline, Precision, TokenizerKind};
