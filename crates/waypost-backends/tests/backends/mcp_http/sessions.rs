//! Sessions that a server ends: it is met again, once.

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost_core::ports::tools::ToolServer;
use waypost_core::{Code, Severity};

use super::server::{Ending, HttpMcp, Play};
use super::{OLD, call, client, fault};

/// Ways in which servers say that a session has ended.
const ENDINGS: [Ending; 8] = [
    (
        400,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#,
    ),
    (
        400,
        r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}"#,
    ),
    (404, r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"Session not found"}}"#),
    (404, ""),
    (410, r#"{"error":"gone"}"#),
    (401, ""),
    (400, "no such session"),
    // In a good answer: the server answers nothing at all in that session.
    (
        200,
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"Server not initialized"}}"#,
    ),
];

#[tokio::test]
async fn a_session_that_ended_is_begun_anew_however_its_end_is_told() {
    for ending in ENDINGS {
        let far = HttpMcp::start(Play { ending: Some(ending), ..OLD });
        let server = client(&far);
        assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}), "{ending:?}");
        far.end_sessions();
        // A list may be asked for again; so nothing is lost.
        let listed = server.list(&CancellationToken::new()).await.unwrap();
        assert_eq!((listed.len(), far.count("initialize")), (2, 2), "{ending:?}");
        far.end_sessions();
        // Whether a call may be made again is for the router to say.
        let error = fault(&server, "echo").await;
        assert_eq!(error.severity(), Severity::Retriable, "{ending:?}: {error:?}");
        let calls = far.count("tools/call");
        assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}), "{ending:?}");
        assert_eq!(
            (far.count("initialize"), far.count("tools/call")),
            (3, calls + 1),
            "{ending:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_refuses_every_session_is_met_again_once() {
    let words =
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"Session not found"}}"#;
    let far = HttpMcp::start(Play { ending: Some((400, words)), ..OLD });
    let server = client(&far);
    call(&server, "echo", json!({})).await.unwrap();
    let mut severities = Vec::new();
    for _ in 0..2 {
        // The handshake of a session is answered, and nothing after it.
        server.protocol(&CancellationToken::new()).await.unwrap();
        far.end_sessions();
        let error = fault(&server, "echo").await;
        assert_eq!(error.words(), Some("Session not found"), "{error:?}");
        severities.push(error.severity());
    }
    assert_eq!(severities, [Severity::Retriable, Severity::Critical]);
}

#[tokio::test]
async fn an_error_about_a_request_ends_no_session() {
    let invalid = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"no berth 9"}}"#;
    let far = HttpMcp::start(Play { ending: Some((400, invalid)), ..OLD });
    let server = client(&far);
    call(&server, "echo", json!({})).await.unwrap();
    far.end_sessions();
    let error = fault(&server, "echo").await;
    assert_eq!((error.code(), error.words()), (Code::InvalidArgument, Some("no berth 9")));
    assert_eq!(far.count("initialize"), 1);
    // A code that the server chose, in a session that goes on.
    let far = HttpMcp::start(OLD);
    let server = client(&far);
    let own = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"no session of the choir is open"}}"#;
    let error = call(&server, "odd", json!({ "body": own })).await.unwrap_err();
    assert_eq!(error.words(), Some("no session of the choir is open"));
    assert_eq!((far.count("initialize"), far.count("ping")), (1, 1));
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
    assert_eq!(far.count("initialize"), 1);
}
