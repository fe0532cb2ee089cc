//! Sentence encoders of the BERT family on the CPU, from a folder of safetensors.
//!
//! A text becomes a vector, and texts of like meaning have like vectors. The crate knows nothing of
//! routes. It reads BERT (all-MiniLM-L6-v2) and XLM-R (bge-m3, multilingual-e5) with pooling by mean or
//! first token, in floats of 32 bits or integers of 8.
//!
//! # Example
//!
//! ```no_run
//! use waypost_encoder::{Encoder, Precision};
//!
//! let encoder = Encoder::open("encoders/all-MiniLM-L6-v2".as_ref(), Precision::F32)?;
//! let vectors = encoder.encode_batch(&["tides in Keelung", "marées à Keelung"])?;
//! assert_eq!(vectors[0].len(), encoder.dimensions());
//! # Ok::<(), waypost_encoder::Error>(())
//! ```

mod checksum;
mod config;
mod encoder;
mod error;
mod folder;
mod kernels;
mod model;
mod safetensors;
mod tokenizer;

pub use encoder::{Encoder, EncoderOptions, FILES, MAX_TOKENS, Outline, outline};
pub use error::{Error, Kind, Result};
pub use kernels::Level;
pub use model::Precision;
pub use tokenizer::{Token, TokenizerKind, Vocabulary};
