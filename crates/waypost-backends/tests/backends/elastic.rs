//! A search server and its faults. The answers under `elastic/` are written by hand in the shape
//! that the manuals of Elasticsearch 8 and OpenSearch 2 document for `_search`; no server was at
//! hand to record them from.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use waypost_backends::llm::Secret;
use waypost_backends::retrieval::{Elastic, ElasticConfig, Fields, Flavor};
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::retrieval::{Found, Retriever};
use waypost_core::{Code, Result};
use waypost_testing::{Fault, Script, Scripted};
use waypost_text::language::Language;

const WORDS: &str = include_str!("elastic/words.json");
const NO_INDEX: &str = include_str!("elastic/no_index.json");

/// A sentence is its length and one.
#[derive(Debug)]
struct Length;

#[async_trait]
impl Encoder for Length {
    fn id(&self) -> &str {
        "length"
    }

    fn dimensions(&self) -> usize {
        2
    }

    async fn encode(&self, text: &str) -> Result<Vec<f32>> {
        Ok(vec![text.len() as f32, 1.0])
    }

    fn encode_all(&self, _: &[&str]) -> Result<Vec<Vec<f32>>> {
        Ok(Vec::new())
    }
}

fn replies(bodies: &[(u16, &str)]) -> Scripted {
    let step = |script: Script, (status, body): &(u16, &str)| {
        script.fault(Fault::StatusWith(*status, (*body).to_owned()))
    };
    bodies.iter().fold(Script::new(), step).start()
}

fn config(server: &Scripted, vector: Option<&str>, flavor: Flavor) -> ElasticConfig {
    let fields = Fields { vector: vector.map(str::to_owned), ..Fields::default() };
    let key = Some(Secret::new("Bearer hush"));
    ElasticConfig { url: server.url(), index: "docs".to_owned(), key, flavor, fields }
}

async fn find(config: &ElasticConfig, limit: usize) -> Result<Found> {
    let elastic = Elastic::open(config, Some(Arc::new(Length)))?;
    elastic.find("loop", Language::En, limit).await
}

fn documents(found: &Found) -> Vec<&str> {
    found.passages.iter().map(|passage| passage.document.as_str()).collect()
}

#[tokio::test]
async fn s4_33_words_are_searched_and_hits_are_passages_of_the_language_first() {
    let server = replies(&[(200, WORDS)]);
    let found = find(&config(&server, None, Flavor::Elasticsearch), 2).await.unwrap();
    assert_eq!(documents(&found), ["docs/loops.en.md", "docs/loops.es.md"]);
    let first = &found.passages[0];
    assert_eq!((first.headings[0].as_str(), first.language), ("Repeating", Language::En));
    assert_eq!(server.keys(), [Some("hush".to_owned())]);
    assert_eq!(
        server.requests(),
        [json!({
            "size": 6,
            "_source": ["text", "title", "document", "language"],
            "query": { "multi_match": { "query": "loop", "fields": ["title^3", "text"] } },
        })]
    );
    server.finish();
}

/// Returns the request that asks for vectors, whichever came first.
fn knn(server: &Scripted) -> Json {
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "{requests:?}");
    let has = |request: &&Json| request.to_string().contains("knn");
    requests.iter().find(has).unwrap().clone()
}

#[tokio::test]
async fn s4_33_where_the_index_has_vectors_both_lists_are_fused() {
    let server = replies(&[(200, WORDS), (200, WORDS)]);
    let found = find(&config(&server, Some("embedding"), Flavor::Elasticsearch), 2).await.unwrap();
    assert!(found.failed.is_empty());
    // The passage is second in both lists.
    assert!((found.passages[0].score - 2.0 / 62.0).abs() < 1e-12, "{found:?}");
    let wanted =
        json!({ "field": "embedding", "query_vector": [4.0, 1.0], "k": 6, "num_candidates": 60 });
    assert_eq!(knn(&server)["knn"], wanted);
    server.finish();
}

#[tokio::test]
async fn opensearch_is_asked_for_vectors_in_its_own_way() {
    let server = replies(&[(200, WORDS), (200, WORDS)]);
    find(&config(&server, Some("embedding"), Flavor::OpenSearch), 2).await.unwrap();
    let wanted = json!({ "knn": { "embedding": { "vector": [4.0, 1.0], "k": 6 } } });
    assert_eq!(knn(&server)["query"], wanted);
    server.finish();
}

#[tokio::test]
async fn one_of_two_searches_that_fails_is_named_and_the_other_answers() {
    let server = replies(&[(200, WORDS), (503, "")]);
    let found = find(&config(&server, Some("embedding"), Flavor::Elasticsearch), 2).await.unwrap();
    assert_eq!(found.passages.len(), 2);
    let failed: Vec<Code> = found.failed.iter().map(|(_, error)| error.code()).collect();
    assert_eq!(failed, [Code::Unavailable]);
    server.finish();
}

/// The error of a search whose answer is this.
async fn fault(status: u16, body: &str) -> waypost_core::Error {
    let server = replies(&[(status, body)]);
    let error = find(&config(&server, None, Flavor::Elasticsearch), 2).await.unwrap_err();
    for word in ["docs", "exception", "127.0.0.1", "hush"] {
        assert!(!error.message().contains(word), "{error:?}");
    }
    server.finish();
    error
}

#[tokio::test]
async fn every_fault_of_a_search_server_has_its_code_and_none_of_its_words() {
    for (status, body, code) in [
        (404, NO_INDEX, Code::FailedPrecondition),
        (401, "{\"error\":\"missing authentication\"}", Code::PermissionDenied),
        (403, "", Code::PermissionDenied),
        (429, "{}", Code::ResourceExhausted),
        (400, "{\"error\":\"parsing_exception\"}", Code::Unavailable),
        (500, "panic", Code::Unavailable),
        (503, "", Code::Unavailable),
        (302, "", Code::Unavailable),
        (504, "", Code::DeadlineExceeded),
        (200, "<html>", Code::Unavailable),
        (200, "{\"hits\": 3}", Code::Unavailable),
        (200, "{\"timed_out\": true, \"hits\": {\"hits\": []}}", Code::DeadlineExceeded),
    ] {
        assert_eq!(fault(status, body).await.code(), code, "{status} {body}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let long = format!("{{\"hits\": \"{}\"}}", "x".repeat(5 * 1024 * 1024));
    assert_eq!(
        fault(200, &long).await.message(),
        "the search server sent more than an answer can be"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_or_an_empty_question() {
    let server = Script::new().fault(Fault::Refuse).start();
    let config = config(&server, None, Flavor::Elasticsearch);
    assert_eq!(find(&config, 2).await.unwrap_err().code(), Code::Unavailable);
    let elastic = Elastic::open(&config, None).unwrap();
    assert!(elastic.search("  ", Language::En, 2).await.unwrap().is_empty());
    assert!(elastic.search("loop", Language::En, 0).await.unwrap().is_empty());
}
