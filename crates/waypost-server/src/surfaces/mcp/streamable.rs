//! MCP over streamable HTTP. Clients until 2025-11-25 have a session; later ones say all with each
//! request.
//!
//! The layers around it have found the caller, and refused pages of other places, before a request
//! comes here; a caller that none of them has put into the request is nobody.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get_service};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use waypost::records::request::MAX_TEXT_BYTES;

use super::calls::{SESSION_ID, whose};
use super::seal::SealingKey;
use super::sessions::Sessions;
use super::{Surface, Way};
use crate::surfaces::Hosted;
use crate::surfaces::caller::Caller;
use crate::surfaces::turns::Turns;

/// The largest body, in bytes: that of the other surfaces over HTTP.
const MAX_BODY_BYTES: usize = 8 * MAX_TEXT_BYTES;

/// The parts of the process that MCP over HTTP is served with.
pub(in crate::surfaces) struct HttpParts {
    pub(in crate::surfaces) hosted: Arc<Hosted>,
    pub(in crate::surfaces) turns: Arc<Turns>,
    pub(in crate::surfaces) key: SealingKey,
    /// Fires when no more requests are taken; streams on which no answer is owed end then.
    pub(in crate::surfaces) stop: CancellationToken,
    /// Fires when turns under way are cancelled.
    pub(in crate::surfaces) work: CancellationToken,
}

/// Serves a path; `pack` is asked where a call names none, and without it the first that the caller
/// may ask. Sessions belong to the path at which they began.
pub(in crate::surfaces) fn http_service<S>(
    parts: &HttpParts,
    pack: Option<&str>,
) -> MethodRouter<S, Infallible>
where
    S: Clone + Send + Sync + 'static,
{
    let surface = Surface::new(
        Arc::clone(&parts.hosted),
        pack,
        Arc::clone(&parts.turns),
        Way::Http,
        parts.key,
        parts.work.clone(),
    );
    let sessions = Arc::new(Sessions::default());
    let until = |end: &CancellationToken| {
        let surface = surface.clone();
        let another = move || Ok::<_, io::Error>(surface.for_another_client());
        StreamableHttpService::new(another, Arc::clone(&sessions), config(end.clone()))
    };
    // A client that only listens may be cut off at any time; one that has asked is answered first.
    let (listening, asking) = (until(&parts.stop), until(&parts.work));
    let all = get_service(listening).post_service(asking.clone()).delete_service(asking);
    let begun = Arc::clone(&sessions);
    all.layer(from_fn(move |request: Request, next: Next| {
        of_owner(Arc::clone(&begun), request, next)
    }))
}

/// Passes on what is of no session, or of one of its caller's own; to anybody else there is no such session.
async fn of_owner(sessions: Arc<Sessions>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>();
    let owner = caller.map_or_else(|| "nobody".to_owned(), |caller| whose(caller, Way::Http));
    let named = |headers: &HeaderMap| {
        Some(headers.get(SESSION_ID)?.to_str().unwrap_or_default().to_owned())
    };
    let asked = named(request.headers());
    if asked.is_some_and(|id| sessions.is_of_another(&id, &owner)) {
        return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
    }
    let response = next.run(request).await;
    if let Some(id) = named(response.headers()) {
        sessions.give(&id, &owner);
    }
    response
}

fn config(end: CancellationToken) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_json_response(true)
        // Sessions know which clients take the event without data by which a stream begins.
        .with_sse_retry(None)
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(end)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Method;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;
    use serde_json::{Value as Json, json};
    use waypost::router::Router;
    use waypost_backends::stores::MemoryStore;

    use super::*;
    use crate::keys::Scope;
    use crate::surfaces::HostedPack;
    use crate::surfaces::caller::tests::of_key;
    use crate::surfaces::http::tests::parts::{Behavior, parts};

    /// The service of a path over a pack of two routes.
    fn service() -> MethodRouter {
        let (parts, _) = parts(Behavior::Talks, Arc::new(MemoryStore::new()));
        let pack = HostedPack::new(Arc::new(Router::new(parts)), None);
        let work = CancellationToken::new();
        let parts = HttpParts {
            hosted: Arc::new(Hosted::new(vec![pack]).unwrap()),
            turns: Arc::new(Turns::here(4, work.clone())),
            key: [7; 32],
            stop: CancellationToken::new(),
            work,
        };
        http_service(&parts, None)
    }

    async fn post(
        service: &MethodRouter,
        caller: Option<Caller>,
        headers: &[(&str, &str)],
        body: &Json,
    ) -> Response {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body.to_string())).unwrap();
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        TowerToHyperService::new(service.clone()).call(request).await.unwrap()
    }

    fn call(arguments: &Json) -> Json {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "router_route", "arguments": arguments, "_meta": meta });
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
    }

    const LATER: &[(&str, &str)] = &[
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "router_route"),
    ];

    async fn json_of(response: Response) -> Json {
        let bytes = to_bytes(response.into_body(), 1024 * 1024).await.unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_later_client_is_answered_in_one_piece_without_a_session() {
        let service = service();
        let asked = call(&json!({ "text": "help me with addVar" }));
        let response = post(&service, Some(Caller::local()), LATER, &asked).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "application/json");
        let reply = json_of(response).await;
        assert_eq!(reply["result"]["structuredContent"]["route"], "help", "{reply}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_request_that_nobody_vouches_for_is_nobodys() {
        let service = service();
        let asked = call(&json!({ "text": "help me with addVar" }));
        let reply = json_of(post(&service, None, LATER, &asked).await).await;
        assert_eq!(reply["error"]["code"], -32603, "{reply}");
    }

    /// Begins a session of a caller, and returns its id.
    async fn begun(service: &MethodRouter, caller: &Caller) -> String {
        begun_with(service, caller, "2025-11-25").await.0
    }

    /// Begins a session with a version of the protocol; returns its id and the events of the answer.
    async fn begun_with(
        service: &MethodRouter,
        caller: &Caller,
        version: &str,
    ) -> (String, String) {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        }});
        let response = post(service, Some(caller.clone()), &[], &hello).await;
        assert_eq!(response.status(), StatusCode::OK);
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        (id, events_of(response).await)
    }

    async fn events_of(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), 1024 * 1024).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// Returns whether an event has no data, which clients of earlier versions read as a broken message.
    fn has_empty(events: &str) -> bool {
        let data = events.lines().filter_map(|line| line.strip_prefix("data:"));
        data.map(str::trim).any(str::is_empty)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_event_without_data_is_sent_to_clients_alone_that_know_it() {
        let service = service();
        for (version, known) in [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)]
        {
            let (session, hello) = begun_with(&service, &Caller::local(), version).await;
            assert!(!has_empty(&hello), "{version}: {hello}");
            assert!(hello.contains(version), "{hello}");
            let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", version)];
            let reply = post(&service, Some(Caller::local()), &headers, &in_session()).await;
            let events = events_of(reply).await;
            assert_eq!(has_empty(&events), known, "{version}: {events}");
            assert!(events.contains("\"route\":\"help\""), "{events}");
        }
    }

    fn in_session() -> Json {
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "router_route", "arguments": { "text": "help me with addVar" },
        }})
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_session_answers_reads_and_ends_for_its_own_caller_alone() {
        let service = service();
        let (ana, bo) =
            (of_key("a", &[Scope::Ask], &[], &[]), of_key("b", &[Scope::Ask], &[], &[]));
        let session = begun(&service, &ana).await;
        let headers = [("mcp-session-id", session.as_str())];
        let accept = json!({ "jsonrpc": "2.0", "id": 0, "result": { "action": "accept",
            "content": { "choice": "Yes" } } });
        for other in [Some(bo), Some(Caller::local()), None] {
            for body in [&in_session(), &accept] {
                let response = post(&service, other.clone(), &headers, body).await;
                assert_eq!(response.status(), StatusCode::NOT_FOUND, "{other:?} {body}");
            }
            for method in [Method::GET, Method::DELETE] {
                let request = Request::builder()
                    .method(method.clone())
                    .uri("/mcp")
                    .header("host", "localhost")
                    .header("accept", "application/json, text/event-stream")
                    .header("last-event-id", "0/0")
                    .header("mcp-session-id", &session);
                let mut request = request.body(Body::empty()).unwrap();
                request.extensions_mut().extend(
                    other
                        .clone()
                        .map(|caller| {
                            let mut own = axum::http::Extensions::new();
                            own.insert(caller);
                            own
                        })
                        .unwrap_or_default(),
                );
                let service = TowerToHyperService::new(service.clone());
                let response = service.call(request).await.unwrap();
                assert_eq!(response.status(), StatusCode::NOT_FOUND, "{other:?} {method}");
            }
        }
        let response = post(&service, Some(ana), &headers, &in_session()).await;
        assert_eq!(response.status(), StatusCode::OK, "it is still there for its own");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_earlier_client_gets_a_session() {
        let service = service();
        let session = begun(&service, &Caller::local()).await;
        let asked = in_session();
        let headers = [("mcp-session-id", session.as_str())];
        let response = post(&service, Some(Caller::local()), &headers, &asked).await;
        assert_eq!(response.status(), StatusCode::OK);
        let events = events_of(response).await;
        assert!(events.contains("\"route\":\"help\""), "{events}");
    }
}
