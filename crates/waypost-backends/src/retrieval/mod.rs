//! Document retrieval: passages of a pack's Markdown documents that answer a question.

mod bm25;
#[cfg(feature = "elasticsearch")]
mod elastic;
mod fusion;
mod passages;
mod search_server;
mod terms;
mod vectors;

pub use bm25::Bm25Index;
#[cfg(feature = "elasticsearch")]
pub use elastic::Elastic;
pub use fusion::{Fused, fuse};
pub use search_server::{ElasticConfig, Fields, Flavor};
pub use vectors::VectorIndex;
