//! Replies over HTTP that are almost JSON-RPC: read, or refused at once.

use std::time::{Duration, Instant};

use serde_json::json;
use waypost_core::Code;

use super::server::HttpMcp;
use super::{NEW, OLD, call, client};

/// Far below the limit of a call.
const AT_ONCE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn what_is_almost_a_reply_is_read_in_a_body_and_in_an_event() {
    let result = r#"{"structuredContent":{"x":1},"content":[]}"#;
    for play in [OLD, NEW] {
        let far = HttpMcp::start(play);
        let server = client(&far);
        for body in [
            format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result},"error":null}}"#),
            format!(r#"{{"id":"$ID","result":{result}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":null,"result":{result}}}"#),
            format!(r#"[{{"jsonrpc":"2.0","id":$ID,"result":{result}}}]"#),
        ] {
            for events in [false, true] {
                let given = call(&server, "odd", json!({ "body": body, "events": events })).await;
                assert_eq!(given.unwrap(), json!({ "x": 1 }), "{body} {events}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_in_any_form_is_told_at_once() {
    let far = HttpMcp::start(OLD);
    let server = client(&far);
    for (error, words) in [
        (r#"{"message":"boom: no boats today"}"#, Some("boom: no boats today")),
        (r#""boom""#, Some("boom")),
        (r#"{"code":"-32602","message":"boom"}"#, Some("boom")),
        ("{}", None),
    ] {
        for events in [false, true] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
            let begin = Instant::now();
            let told = call(&server, "odd", json!({ "body": body, "events": events })).await;
            let told = told.unwrap_err();
            assert_eq!(told.words(), words, "{body} {told:?}");
            assert!(begin.elapsed() < AT_ONCE, "{body}");
        }
    }
    for body in [r#"{"jsonrpc":"2.0","id":$ID}"#, r#"{"jsonrpc":"2.0","id":$ID,"result":"#] {
        for events in [false, true] {
            let told = call(&server, "odd", json!({ "body": body, "events": events })).await;
            let told = told.unwrap_err();
            assert_eq!(told.code(), Code::Unavailable, "{body} {told:?}");
        }
    }
}
