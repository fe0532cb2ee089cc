//! Finds passages by their words, ranked with BM25 of SQLite's full-text index.
//!
//! The index is in memory and is built once. A passage is returned only if it holds enough of the
//! question's rare terms, so a question about something else finds nothing.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use waypost_core::ports::retrieval::{Document, Passage, Retriever};
use waypost_core::{Error, Result};
use waypost_text::language::Language;

use super::{passages, terms};
use crate::bounds::detail;

/// The factor by which a passage in the language of the question is better than one of equal fit.
const LANGUAGE_PREFERENCE: f64 = 1.5;

/// The share of a question's weight that a passage must hold to be an answer, where it holds one of
/// the question's terms, and where it holds several. A term weighs as much as it is rare among the
/// passages of one language; a term that occurs nowhere weighs most.
///
/// Source: the questions of the tests below. "Send a mail to my boss" holds 0.24 of its weight in
/// one word; long questions that are answered hold 0.15 and more in two. Wrong are still short
/// questions whose one known word means something else: "what time is it in Tokyo" holds 0.38.
const FLOOR_FOR_ONE: f64 = 1.0 / 3.0;
const FLOOR_FOR_SEVERAL: f64 = 0.12;

/// The most passages that are ranked before the floor and the language are looked at.
const MAX_CANDIDATES: i64 = 200;

/// The most terms of a question that are searched; longer ones are no questions.
const MAX_TERMS: usize = 64;

const TABLE: &str = "CREATE VIRTUAL TABLE passages USING fts5 (
    headings, body, content = '', tokenize = 'ascii')";

/// A heading says more about what a passage answers than a word in it: it weighs three times. In
/// SQLite a better rank is a smaller number.
const SEARCH: &str = "SELECT rowid, -bm25(passages, 3.0, 1.0) AS score FROM passages
    WHERE passages MATCH $1 ORDER BY score DESC LIMIT $2";

/// An index of documents in memory.
#[derive(Debug)]
pub struct Bm25Index {
    pool: SqlitePool,
    passages: Vec<Indexed>,
    statistics: HashMap<Language, Statistics>,
}

#[derive(Debug)]
struct Indexed {
    passage: Passage,
    terms: HashSet<String>,
}

/// The number of passages of one language that hold each term.
#[derive(Debug, Default)]
struct Statistics {
    passages: usize,
    holding: HashMap<String, usize>,
}

impl Bm25Index {
    /// Cuts the documents into passages and indexes them.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if there is no memory for it.
    pub async fn open(documents: Vec<Document>) -> Result<Self> {
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(SqliteConnectOptions::new().in_memory(true));
        sqlx::raw_sql(TABLE).execute(&pool).await.map_err(|error| fault(&error))?;
        let mut index = Self { pool, passages: Vec::new(), statistics: HashMap::new() };
        for passage in documents.iter().flat_map(passages::cut) {
            index.add(passage).await?;
        }
        Ok(index)
    }

    /// Returns the number of passages.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Returns whether there is nothing to be found.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    async fn add(&mut self, passage: Passage) -> Result<()> {
        let headings = terms::of_text(&passage.headings.join("\n"));
        let body = terms::of_text(&passage.text);
        sqlx::query("INSERT INTO passages (rowid, headings, body) VALUES ($1, $2, $3)")
            .bind(i64::try_from(self.passages.len()).unwrap_or(i64::MAX))
            .bind(headings.join(" "))
            .bind(body.join(" "))
            .execute(&self.pool)
            .await
            .map_err(|error| fault(&error))?;
        let terms: HashSet<String> = headings.into_iter().chain(body).collect();
        let statistics = self.statistics.entry(passage.language).or_default();
        statistics.passages += 1;
        for term in &terms {
            *statistics.holding.entry(term.clone()).or_default() += 1;
        }
        self.passages.push(Indexed { passage, terms });
        Ok(())
    }

    /// Returns whether a passage holds enough of the question's rare terms.
    fn fits(&self, found: &Indexed, terms: &[String]) -> bool {
        let Some(statistics) = self.statistics.get(&found.passage.language) else { return false };
        let held: Vec<&String> = terms.iter().filter(|term| found.terms.contains(*term)).collect();
        let floor = if held.len() > 1 { FLOOR_FOR_SEVERAL } else { FLOOR_FOR_ONE };
        let weight: f64 = held.iter().map(|term| statistics.weight(term)).sum();
        let whole: f64 = terms.iter().map(|term| statistics.weight(term)).sum();
        !held.is_empty() && weight >= floor * whole
    }
}

impl Statistics {
    /// The inverse document frequency of BM25, which is never negative in this form.
    fn weight(&self, term: &str) -> f64 {
        let holding = self.holding.get(term).copied().unwrap_or_default() as f64;
        (1.0 + (self.passages as f64 - holding + 0.5) / (holding + 0.5)).ln()
    }
}

#[async_trait]
impl Retriever for Bm25Index {
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>> {
        let mut terms = terms::of_question(question);
        terms.truncate(MAX_TERMS);
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let ranked: Vec<(i64, f64)> = sqlx::query_as(SEARCH)
            .bind(either(&terms))
            .bind(MAX_CANDIDATES)
            .fetch_all(&self.pool)
            .await
            .map_err(|error| fault(&error))?;
        let mut found: Vec<Passage> = ranked
            .into_iter()
            .filter_map(|(row, score)| {
                Some((self.passages.get(usize::try_from(row).ok()?)?, score))
            })
            .filter(|(indexed, _)| self.fits(indexed, &terms))
            .map(|(indexed, score)| scored(&indexed.passage, score, language))
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(limit);
        Ok(found)
    }
}

fn scored(passage: &Passage, score: f64, asked: Language) -> Passage {
    let preference = if passage.language == asked { LANGUAGE_PREFERENCE } else { 1.0 };
    Passage { score: score * preference, ..passage.clone() }
}

/// A query for passages with any of the terms; in quotation marks they are words and nothing else.
fn either(terms: &[String]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    quoted.join(" OR ")
}

fn fault(error: &sqlx::Error) -> Error {
    Error::unavailable("the documents cannot be searched").with_detail(detail(&error.to_string()))
}

#[cfg(test)]
mod tests;
