//! Document retrieval as handlers see it. Implementations live elsewhere.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use waypost_text::language::Language;

use crate::error::{Error, Result};

/// A document of a pack, as an index takes it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its name in the pack, such as `docs/tides.en.md`.
    pub name: String,
    /// The language it is written in.
    pub language: Language,
    /// Its Markdown text.
    pub text: String,
}

/// A part of a document that answers a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The document's name.
    pub document: String,
    /// The nearest headings above it, outermost first.
    pub headings: Vec<String>,
    /// Its language.
    pub language: Language,
    /// The words themselves.
    pub text: String,
    /// The fit to the question; higher is better, comparable within one search.
    pub score: f64,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The passages, the best first.
    pub passages: Vec<Passage>,
    /// Parts of the search that did not work, by their names; the others answered without them.
    pub failed: Vec<(String, Error)>,
}

/// Finds passages for a question.
///
/// An implementer returns at most `limit` passages, the best first, those in `language` before
/// others of nearly equal fit, and an empty list when nothing fits.
#[async_trait]
pub trait Retriever: Send + Sync + std::fmt::Debug {
    /// Searches for `question`.
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>>;

    /// Searches for `question` and tells which parts of the search failed; for a retriever that is
    /// made of several. Others have nothing to add.
    async fn find(&self, question: &str, language: Language, limit: usize) -> Result<Found> {
        let passages = self.search(question, language, limit).await?;
        Ok(Found { passages, failed: Vec::new() })
    }
}
