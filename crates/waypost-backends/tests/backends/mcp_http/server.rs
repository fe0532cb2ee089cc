//! An MCP server over streamable HTTP, written by hand so that it can go wrong in every way, on a runtime of
//! its own that ends with it, and all its connections with it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// How the server behaves.
#[derive(Debug, Clone, Default)]
pub(super) struct Play {
    /// True if it knows the revision of 2026.
    pub(super) modern: bool,
    /// The value of `Authorization` that it lets in; anyone without it.
    pub(super) wants: Option<&'static str>,
    /// The status of every answer, if it is no good one.
    pub(super) status: Option<u16>,
    /// True if it never answers a handshake.
    pub(super) hangs: bool,
    /// The answer to a request in a session that has ended.
    pub(super) ending: Option<Ending>,
}

/// The way in which a server says that a session has ended: the status and the body of its answer.
pub(super) type Ending = (u16, &'static str);

#[derive(Debug)]
struct Shared {
    play: Play,
    /// The sessions that were begun, and those of them that have ended.
    begun: AtomicUsize,
    ended: AtomicUsize,
    requests: Mutex<Vec<(String, HeaderMap)>>,
    words: broadcast::Sender<Value>,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct HttpMcp {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl HttpMcp {
    pub(super) fn start(play: Play) -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), play)
    }

    /// A server at an address where another one was.
    pub(super) fn start_at(address: SocketAddr, play: Play) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (words, _) = broadcast::channel(16);
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let shared = Arc::new(Shared { play, begun, ended, requests: Mutex::default(), words });
        let app = Router::new()
            .route("/mcp", post(answer).get(listen).delete(|| async { StatusCode::NO_CONTENT }))
            .with_state(Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, app).await.unwrap();
        });
        Self { address, shared, runtime: Some(runtime) }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The methods that were asked for, in order.
    pub(super) fn methods(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().iter().map(|(method, _)| method.clone()).collect()
    }

    /// The values of a header, one a request; nothing where it was missing.
    pub(super) fn header(&self, name: &str) -> Vec<Option<String>> {
        let requests = self.shared.requests.lock().unwrap();
        let value = |headers: &HeaderMap| Some(headers.get(name)?.to_str().ok()?.to_owned());
        requests.iter().map(|(_, headers)| value(headers)).collect()
    }

    /// Ends all sessions that were begun.
    pub(super) fn end_sessions(&self) {
        self.shared.ended.store(self.shared.begun.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// The number of requests with a method.
    pub(super) fn count(&self, method: &str) -> usize {
        self.methods().iter().filter(|asked| *asked == method).count()
    }

    /// Tells whoever listens that the list of tools has changed; waits until somebody does.
    pub(super) async fn change(&self) {
        wait_until(|| self.shared.words.receiver_count() > 0).await;
        let word = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        self.shared.words.send(word).unwrap();
    }
}

impl Drop for HttpMcp {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // In a thread of its own, since a task must not wait for the end of a runtime.
            let ended = std::thread::spawn(|| runtime.shutdown_timeout(Duration::from_secs(5)));
            ended.join().unwrap();
        }
    }
}

/// Waits for something that another thread brings about.
pub(super) async fn wait_until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it never comes");
        tokio::task::yield_now().await;
    }
}

async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    shared.requests.lock().unwrap().push((method.clone(), headers.clone()));
    let given = headers.get("authorization").and_then(|value| value.to_str().ok());
    if shared.play.wants.is_some_and(|wants| given != Some(wants)) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if let Some(status) = shared.play.status {
        return StatusCode::from_u16(status).unwrap().into_response();
    }
    let (id, params) = (&message["id"], &message["params"]);
    let session = headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
    let number = session.and_then(|session| session.strip_prefix('s')?.parse::<usize>().ok());
    let has_ended = number.is_some_and(|number| number <= shared.ended.load(Ordering::SeqCst));
    if let Some((status, body)) = shared.play.ending.filter(|_| has_ended && !id.is_null()) {
        let body = body.replace("$ID", &id.to_string());
        let status = StatusCode::from_u16(status).unwrap();
        return (status, [("content-type", "application/json")], body).into_response();
    }
    match method.as_str() {
        "server/discover" | "initialize" if shared.play.hangs => std::future::pending().await,
        "server/discover" if shared.play.modern => result(id, discovery()),
        "server/discover" => (StatusCode::BAD_REQUEST, "no session").into_response(),
        "initialize" => {
            let mut response = result(id, greeting());
            let number = shared.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let session = format!("s{number}").parse().unwrap();
            response.headers_mut().insert("mcp-session-id", session);
            response
        }
        "tools/list" => result(id, page(params["cursor"].as_str())),
        "tools/call" => called(id, params).await,
        "ping" => result(id, json!({})),
        "subscriptions/listen" => {
            let words = shared.words.subscribe();
            subscription(id, words).into_response()
        }
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

fn discovery() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
        "cacheScope": "private", "capabilities": { "tools": { "listChanged": true } },
    })
}

fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "by-hand", "version": "1" },
    })
}

fn page(cursor: Option<&str>) -> Value {
    let tool = |name: &str| {
        json!({ "name": name, "inputSchema": { "type": "object" },
                "annotations": { "readOnlyHint": true } })
    };
    let mut page = match cursor {
        None => json!({ "tools": [tool("echo")], "nextCursor": "2" }),
        Some(_) => {
            let promise = json!({ "type": "object", "required": ["kept"] });
            let mut broken = tool("promise");
            broken["outputSchema"] = promise;
            json!({ "tools": [broken] })
        }
    };
    page["resultType"] = json!("complete");
    page["ttlMs"] = json!(0);
    page["cacheScope"] = json!("private");
    page
}

async fn called(id: &Value, params: &Value) -> Response {
    let given = json!({ "resultType": "complete", "content": [],
                        "structuredContent": params["arguments"] });
    match params["name"].as_str().unwrap_or_default() {
        "echo" | "promise" => result(id, given),
        "fail" => {
            let words = json!([{ "type": "text", "text": "NOT_FOUND: no tide" }]);
            result(id, json!({ "resultType": "complete", "isError": true, "content": words }))
        }
        "steps" => {
            let token = params["_meta"]["progressToken"].clone();
            let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": 1, "total": 2, "message": "half" } });
            let done = json!({ "jsonrpc": "2.0", "id": id, "result": given });
            Sse::new(stream::iter([event(&report), event(&done)])).into_response()
        }
        "large" => streamed("application/json"),
        "large_event" => streamed("text/event-stream"),
        "html" => ([("content-type", "text/html")], "<p>Welcome!").into_response(),
        "odd" => {
            let body =
                params["arguments"]["body"].as_str().unwrap().replace("$ID", &id.to_string());
            if params["arguments"]["events"] == true {
                // The stream stays open: nothing but the event ends the wait.
                let told = stream::iter([Ok::<_, Infallible>(Event::default().data(body))]);
                return Sse::new(told.chain(stream::pending())).into_response();
            }
            ([("content-type", "application/json")], body).into_response()
        }
        "half" => ([("content-type", "application/json")], "{\"jsonrpc\"").into_response(),
        "cut_off" => {
            Sse::new(stream::iter([Ok::<_, Infallible>(Event::default().comment("ping"))]))
                .into_response()
        }
        "limited" => StatusCode::TOO_MANY_REQUESTS.into_response(),
        "moved" => {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "http://127.0.0.1:9/")]).into_response()
        }
        "hang" => std::future::pending().await,
        other => failure(id, -32602, &format!("no tool `{other}`")),
    }
}

/// Fifty megabytes.
fn streamed(kind: &'static str) -> Response {
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    let begin = stream::iter([Bytes::from("data: \"")]);
    let body = begin.chain(stream::iter((0..50).map(move |_| piece.clone())));
    ([("content-type", kind)], Body::from_stream(body.map(Ok::<_, Infallible>))).into_response()
}

fn result(id: &Value, result: impl Into<Value>) -> Response {
    let result: Value = result.into();
    axum::Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

fn failure(id: &Value, code: i32, message: &str) -> Response {
    let error = json!({ "code": code, "message": message });
    axum::Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response()
}

fn event(message: &Value) -> Result<Event, Infallible> {
    Ok(Event::default().data(message.to_string()))
}

/// The stream of what a server says unasked, of the revision of 2025.
async fn listen(State(shared): State<Arc<Shared>>) -> Response {
    Sse::new(said(shared.words.subscribe(), Value::Null)).into_response()
}

/// The same, of the revision of 2026: each word names the subscription.
fn subscription(
    id: &Value,
    words: broadcast::Receiver<Value>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
    let taken = json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": { "_meta": meta, "notifications": { "toolsListChanged": true } } });
    Sse::new(stream::iter([event(&taken)]).chain(said(words, meta)))
}

fn said(
    words: broadcast::Receiver<Value>,
    meta: Value,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    stream::unfold((words, meta), |(mut words, meta)| async move {
        let mut word = words.recv().await.ok()?;
        if !meta.is_null() {
            word["params"] = json!({ "_meta": meta });
        }
        Some((event(&word), (words, meta)))
    })
}
