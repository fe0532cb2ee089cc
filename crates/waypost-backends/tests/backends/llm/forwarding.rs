//! Requests that are passed on: what comes back where the server refuses them.

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;
use waypost_backends::llm::{Forwarded, Forwarder, ModelConfig, Secret};
use waypost_core::{Code, Result};

use crate::raw::{self, Play, RawServer};

const KEY: &str = "sk-far/secret";

/// The answer of a server that says this.
async fn answer(bytes: impl Into<Vec<u8>>) -> Result<Forwarded> {
    let server = RawServer::start(vec![Play::bytes(bytes)]);
    let mut config = ModelConfig::new(server.url(), "far");
    config.key = Some(Secret::new(format!("{KEY}\n")));
    let forwarder = Forwarder::open(&config)?;
    forwarder.send("/chat/completions", b"{}".to_vec(), &CancellationToken::new()).await
}

async fn body(forwarded: Forwarded) -> String {
    let pieces: Vec<_> = forwarded.body.map(|piece| piece.unwrap()).collect().await;
    String::from_utf8(pieces.concat()).unwrap()
}

#[tokio::test]
async fn a_refusal_that_repeats_what_was_sent_repeats_no_key() {
    let said = r#"{"error":{"headers":"Authorization: Bearer sk-far/secret","x":"sk-far\/secret","y":"sk-far%2Fsecret"}}"#;
    let left = r#"{"error":{"headers":"Authorization: Bearer [key]","x":"[key]","y":"[key]"}}"#;
    for status in [302, 400, 401, 500] {
        let refused = answer(raw::whole(status, "application/json", said)).await.unwrap();
        assert_eq!(refused.status, status);
        assert_eq!(refused.content_type.as_ref().unwrap(), "application/json");
        assert_eq!(body(refused).await, left, "{status}");
    }
}

#[tokio::test]
async fn a_refusal_that_comes_as_a_stream_in_small_pieces_repeats_no_key() {
    let kind = "text/event-stream; key=sk-far/secret";
    let head = raw::head(401, &[("content-type", kind), ("transfer-encoding", "chunked")]);
    let pieces = raw::chunked(b"data: {\"error\":\"http://me:pass@far/ sk-far/secret\"}\n\n");
    let refused = answer([head.into_bytes(), pieces].concat()).await.unwrap();
    assert_eq!(refused.content_type, None, "it holds the key");
    assert_eq!(body(refused).await, "data: {\"error\":\"http://[key]@far/ [key]\"}\n\n");
}

#[tokio::test]
async fn a_refusal_without_end_is_told_and_an_answer_is_passed_back_as_it_is() {
    let long = raw::whole(400, "text/plain", &"x".repeat(300 * 1024));
    assert_eq!(answer(long).await.unwrap_err().code(), Code::Unavailable);
    let long = "x".repeat(300 * 1024);
    let passed = answer(raw::whole(200, "text/plain", &long)).await.unwrap();
    assert_eq!((passed.status, body(passed).await == long), (200, true));
}
