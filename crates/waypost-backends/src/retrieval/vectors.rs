//! Finds passages by their meaning: the nearest vectors, by an exact scan over all of them.
//!
//! A pack has some hundred passages and a scan of them takes microseconds; an approximate index
//! would be one more thing to tune and to be wrong. Vectors are made at the first search, so that a
//! program that searches nothing encodes nothing.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::OnceCell;
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::retrieval::{Document, Passage, Retriever};
use waypost_core::{Error, Result};
use waypost_text::language::Language;

use super::passages;

/// The most passages that are kept; more belong into a search server.
const MAX_PASSAGES: usize = 20_000;

/// The number of passages that are encoded before others may use the thread pool.
const BATCH: usize = 64;

/// The factor by which a passage in the language of the question is better than one of equal fit,
/// applied to the cosine; as for words.
const LANGUAGE_PREFERENCE: f32 = 1.1;

/// An index of passages by their vectors.
#[derive(Debug)]
pub struct VectorIndex {
    encoder: Arc<dyn Encoder>,
    passages: Vec<Passage>,
    /// Below this cosine a passage is about something else.
    floor: f32,
    /// One vector a passage, one after the other.
    vectors: OnceCell<Vec<f32>>,
}

impl VectorIndex {
    /// Cuts the documents into passages. A passage is encoded with its headings.
    pub fn new(documents: &[Document], encoder: Arc<dyn Encoder>, floor: f32) -> Self {
        let mut passages: Vec<Passage> = documents.iter().flat_map(passages::cut).collect();
        passages.truncate(MAX_PASSAGES);
        Self { encoder, passages, floor, vectors: OnceCell::new() }
    }

    /// Returns the number of passages.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Returns whether there is nothing to be found.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// The vectors of all passages, made once, off the threads that serve.
    async fn vectors(&self) -> Result<&[f32]> {
        let made = self.vectors.get_or_try_init(|| async {
            let encoder = Arc::clone(&self.encoder);
            let texts: Vec<String> = self.passages.iter().map(whole).collect();
            let made = tokio::task::spawn_blocking(move || encode(encoder.as_ref(), &texts));
            made.await.map_err(|error| Error::internal(error.to_string()))?
        });
        Ok(made.await?.as_slice())
    }
}

/// Returns a passage as it is encoded: headings say what it is about.
fn whole(passage: &Passage) -> String {
    format!("{}\n{}", passage.headings.join(". "), passage.text)
}

fn encode(encoder: &dyn Encoder, texts: &[String]) -> Result<Vec<f32>> {
    let width = encoder.dimensions();
    let mut flat = Vec::with_capacity(texts.len() * width);
    for batch in texts.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        for vector in encoder.encode_all(&batch)? {
            check(&vector, width)?;
            flat.extend_from_slice(&vector);
        }
    }
    Ok(flat)
}

/// Checks a vector's length: an encoder that changes it would shift every passage behind it.
fn check(vector: &[f32], width: usize) -> Result<()> {
    if vector.len() == width {
        return Ok(());
    }
    let message = format!("the encoder gave {} entries instead of {width}", vector.len());
    Err(Error::internal(message))
}

#[async_trait]
impl Retriever for VectorIndex {
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>> {
        if self.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let asked = self.encoder.encode(question).await?;
        check(&asked, self.encoder.dimensions())?;
        let vectors = self.vectors().await?;
        let rows = vectors.chunks_exact(asked.len().max(1));
        let mut near: Vec<(f32, &Passage)> = rows
            .zip(&self.passages)
            .map(|(row, passage)| (dot(row, &asked), passage))
            .filter(|(cosine, _)| *cosine >= self.floor)
            .map(|(cosine, passage)| (preferred(cosine, passage, language), passage))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.truncate(limit);
        let passages = near
            .into_iter()
            .map(|(cosine, passage)| Passage { score: f64::from(cosine), ..passage.clone() });
        Ok(passages.collect())
    }
}

fn preferred(cosine: f32, passage: &Passage, language: Language) -> f32 {
    if passage.language == language { cosine * LANGUAGE_PREFERENCE } else { cosine }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use waypost_core::Code;

    use super::*;

    /// An encoder that knows three meanings, each with a few words.
    #[derive(Debug)]
    struct Meanings {
        width: usize,
        fails: bool,
    }

    const MEANINGS: [&[&str]; 3] =
        [&["loop", "repeat", "bucle"], &["date", "calendar", "fecha"], &["list", "array", "lista"]];

    #[async_trait]
    impl Encoder for Meanings {
        fn id(&self) -> &str {
            "meanings"
        }

        fn dimensions(&self) -> usize {
            self.width
        }

        async fn encode(&self, text: &str) -> Result<Vec<f32>> {
            if self.fails {
                return Err(Error::unavailable("it is gone"));
            }
            let text = text.to_lowercase();
            let holds = |words: &&[&str]| words.iter().any(|word| text.contains(word));
            let mut vector: Vec<f32> =
                MEANINGS.iter().map(|words| if holds(words) { 1.0 } else { 0.0 }).collect();
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
            vector.iter_mut().for_each(|x| *x /= length);
            Ok(vector)
        }

        fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            texts
                .iter()
                .map(|text| {
                    futures_util::FutureExt::now_or_never(self.encode(text))
                        .unwrap_or_else(|| Ok(Vec::new()))
                })
                .collect()
        }
    }

    fn index(width: usize, fails: bool) -> VectorIndex {
        let document = |name: &str, language, text: &str| Document {
            name: name.to_owned(),
            language,
            text: text.to_owned(),
        };
        let documents = [
            document("a.en.md", Language::En, "# Loops\nstartLoop\n# Dates\ngetDateTime: the date"),
            document("a.es.md", Language::Es, "# Bucles\nstartLoop"),
        ];
        VectorIndex::new(&documents, Arc::new(Meanings { width, fails }), 0.5)
    }

    async fn headings(question: &str, language: Language) -> Vec<String> {
        let found = index(3, false).search(question, language, 9).await.unwrap();
        found.into_iter().map(|passage| passage.headings.join("/")).collect()
    }

    #[tokio::test]
    async fn what_means_the_same_is_found_without_a_shared_word() {
        assert_eq!(headings("how do I repeat something", Language::En).await, ["Loops", "Bucles"]);
        assert_eq!(headings("repeat", Language::Es).await, ["Bucles", "Loops"]);
        assert_eq!(headings("a calendar", Language::En).await, ["Dates"]);
    }

    #[tokio::test]
    async fn what_is_near_nothing_finds_nothing() {
        assert_eq!(headings("the weather", Language::En).await, Vec::<String>::new());
        assert_eq!(headings("an array", Language::En).await, Vec::<String>::new());
        assert!(index(3, false).search("repeat", Language::En, 0).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn an_encoder_that_fails_or_lies_is_an_error_and_no_panic() {
        let failed = index(3, true).search("repeat", Language::En, 3).await.unwrap_err();
        assert_eq!(failed.code(), Code::Unavailable);
        let lied = index(4, false).search("repeat", Language::En, 3).await.unwrap_err();
        assert_eq!(lied.code(), Code::Internal);
    }
}
