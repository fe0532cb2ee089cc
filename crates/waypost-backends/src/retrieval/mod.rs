//! Document retrieval: passages of a pack's Markdown documents that answer a question.

mod bm25;
mod elastic;
mod fusion;
mod passages;
mod terms;
mod vectors;

pub use bm25::Bm25Index;
pub use elastic::{Elastic, ElasticConfig, Fields, Flavor};
pub use fusion::{Fused, fuse};
pub use vectors::VectorIndex;
