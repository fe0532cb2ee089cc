//! Finds passages in an index of Elasticsearch or OpenSearch, over their REST interface.
//!
//! Words are searched with `multi_match`, which ranks by BM25; where the index holds vectors, the
//! nearest are searched with `knn` in a second request beside it, and the two lists are fused here:
//! one of the servers needs a license for its own fusion, and the other fuses differently.

mod fault;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::HeaderValue;
use reqwest::{Client, Url};
use serde_json::Value as Json;
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::retrieval::{Found, Passage, Retriever};
use waypost_core::{Error, Result};
use waypost_text::language::Language;

use super::fusion::fuse;
use super::search_server::{ElasticConfig, Fields, Flavor};
use crate::bounds::MAX_ANSWER_BYTES;
use crate::llm::{Secret, install_crypto};

/// The longest time that one search may take.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of passages in each list, times those that are wanted.
const DEPTH: usize = 3;
/// The longest question that is sent, in characters; longer ones are no questions.
const MAX_QUESTION: usize = 2000;

/// An index on a search server.
#[derive(Debug)]
pub struct Elastic {
    client: Client,
    endpoint: Url,
    flavor: Flavor,
    fields: Fields,
    encoder: Option<Arc<dyn Encoder>>,
}

impl Elastic {
    /// Prepares a client; nothing is sent yet. Vectors are searched where the index has a field for
    /// them and there is an encoder for the question.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if the address is no `http` or `https` URL or holds a password, the name
    /// of the index cannot be one, or the key cannot be a header; `UNAVAILABLE` if this machine has
    /// no certificates for `https`.
    pub fn open(config: &ElasticConfig, encoder: Option<Arc<dyn Encoder>>) -> Result<Self> {
        install_crypto();
        let endpoint = endpoint(&config.url, &config.index)?;
        let key = config.key.as_ref().map(authorization).transpose()?;
        Ok(Self {
            client: fault::SERVER.client(&endpoint, key)?,
            endpoint,
            flavor: config.flavor,
            fields: config.fields.clone(),
            encoder: encoder.filter(|_| config.fields.vector.is_some()),
        })
    }

    async fn by_words(&self, question: &str, size: usize) -> Result<Vec<Passage>> {
        self.ask(&wire::by_words(&self.fields, question, size)).await
    }

    /// Returns the passages with the nearest vectors; `None` where vectors are not searched.
    async fn by_meaning(&self, question: &str, size: usize) -> Option<Result<Vec<Passage>>> {
        let (encoder, field) = self.encoder.as_ref().zip(self.fields.vector.as_ref())?;
        let vector = match encoder.encode(question).await {
            Ok(vector) => vector,
            Err(error) => return Some(Err(error)),
        };
        let body = wire::by_vector(self.flavor, &self.fields, field, &vector, size);
        Some(self.ask(&body).await)
    }

    async fn ask(&self, body: &Json) -> Result<Vec<Passage>> {
        let work = async {
            let request = self.client.post(self.endpoint.clone()).json(body);
            let response = fault::SERVER.send(request).await?;
            let status = response.status().as_u16();
            let body = fault::SERVER.body(response, MAX_ANSWER_BYTES).await?;
            if status != 200 {
                return Err(fault::status(status, &String::from_utf8_lossy(&body)));
            }
            wire::passages(&self.fields, &body)
        };
        tokio::time::timeout(SEARCH_TIMEOUT, work)
            .await
            .unwrap_or_else(|_| Err(fault::SERVER.late()))
    }
}

#[async_trait]
impl Retriever for Elastic {
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>> {
        Ok(self.find(question, language, limit).await?.passages)
    }

    async fn find(&self, question: &str, language: Language, limit: usize) -> Result<Found> {
        if limit == 0 || question.trim().is_empty() {
            return Ok(Found::default());
        }
        let question: String = question.chars().take(MAX_QUESTION).collect();
        let size = limit.saturating_mul(DEPTH);
        let both = futures_util::future::join(
            self.by_words(&question, size),
            self.by_meaning(&question, size),
        );
        let (words, meaning) = both.await;
        let (lists, failed) = match (words, meaning) {
            (Err(error), None | Some(Err(_))) => return Err(error),
            (Err(error), Some(Ok(meaning))) => (vec![meaning], vec![("words", error)]),
            (Ok(words), Some(Err(error))) => (vec![words], vec![("vectors", error)]),
            (Ok(words), Some(Ok(meaning))) => (vec![words, meaning], Vec::new()),
            (Ok(words), None) => (vec![words], Vec::new()),
        };
        let mut passages = fuse(lists, size);
        // The sort is stable: passages of one language stay in their order.
        passages.sort_by_key(|passage| passage.language != language);
        passages.truncate(limit);
        let failed = failed.into_iter().map(|(name, error)| (name.to_owned(), error)).collect();
        Ok(Found { passages, failed })
    }
}

/// The address of the search of an index.
fn endpoint(url: &str, index: &str) -> Result<Url> {
    let wrong = |message: String| {
        Error::invalid(message).with_hint("give an address such as `http://localhost:9200`")
    };
    let mut parsed = Url::parse(url)
        .map_err(|error| wrong(format!("`{url}` is no address of a search server: {error}")))?;
    if !["http", "https"].contains(&parsed.scheme()) {
        return Err(wrong(format!("`{url}` is neither `http` nor `https`")));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        let message = "the address of the search server holds a user or a password";
        return Err(Error::invalid(message).with_hint("put the key into a variable: `key_env`"));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if index.is_empty() || index.starts_with(['-', '_', '.']) || !index.chars().all(is_plain) {
        let message = format!("`{index}` cannot be the name of an index");
        return Err(Error::invalid(message).with_hint("use letters, digits, `-` and `_`"));
    }
    parsed
        .path_segments_mut()
        .map_err(|()| wrong(format!("`{url}` has no path")))?
        .pop_if_empty()
        .extend([index, "_search"]);
    Ok(parsed)
}

fn authorization(key: &Secret) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(key.expose())
        .map_err(|_| Error::invalid("the key of the search server cannot be sent in a header"))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_before_anything_is_sent() {
        let at = |url: &str, index: &str| {
            endpoint(url, index).map(|url| url.to_string()).map_err(|e| e.message().to_owned())
        };
        assert_eq!(
            at("http://localhost:9200", "docs").unwrap(),
            "http://localhost:9200/docs/_search"
        );
        assert_eq!(at("https://h/base/", "a-b").unwrap(), "https://h/base/a-b/_search");
        assert!(at("localhost:9200", "docs").unwrap_err().contains("neither `http` nor `https`"));
        assert!(at("nowhere", "docs").unwrap_err().contains("is no address"));
        assert!(at("http://me:hush@h", "docs").is_err_and(|message| !message.contains("hush")));
        for index in ["", "_all", "a/b", "*", "a,b", "../x"] {
            assert!(at("http://h", index).unwrap_err().contains("cannot be the name"), "{index}");
        }
    }
}
