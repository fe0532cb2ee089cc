//! Document retrieval: passages of a pack's Markdown documents that answer a question.

mod bm25;
mod passages;
mod terms;

pub use bm25::Bm25Index;
