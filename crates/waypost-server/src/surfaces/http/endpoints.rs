//! The endpoints: each reads a request, asks the router, and writes the answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Request as HttpRequest, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use serde_json::json;
use tokio::sync::mpsc::{self, Receiver};
use waypost::pack::did_you_mean;
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::router::Router;
use waypost::{Code, Error};

use super::client::Client;
use super::ignored::Ignored;
use super::intake::Received;
use super::metrics::Gauge;
use super::problem::Problem;
use super::{Begun, Served, idempotency, intake, paths, sse};
use crate::keys::Scope;
use crate::surfaces::Hosted;
use crate::surfaces::caller::Caller;

/// The most pieces of an answer that may wait for a client that reads slowly.
const PIECES: usize = 64;
/// The time after which a stream that has nothing to say says so, lest someone between takes it for
/// dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

type Shared = State<Arc<Served>>;
/// The client that asks; its connection says so.
pub(super) type Asking = Extension<Arc<Client>>;

/// `POST /v1/route`: decides only.
pub(super) async fn route(
    State(served): Shared,
    Extension(client): Asking,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
) -> Result<(Ignored, Json<Decision>), Problem> {
    let Received { record, ignored } = read(&served, &client, &caller, request).await?;
    let (request, router) = served.for_caller(record, &caller).await?;
    let request = Arc::new(request);
    let asked = Arc::clone(&request);
    let owner = caller.key_id();
    let turn = served.begin(client, owner, Arc::clone(&router), |router, cancel| async move {
        // Here, as a turn that still waits for a thread decides nothing.
        let started = Instant::now();
        Ok((router.route(&asked, &cancel).await?, started.elapsed()))
    })?;
    let decided = turn.end().await;
    let (decision, took) =
        decided.map_err(|error| intake::refused(&error, &request, router.pack()))?;
    served.metrics.decided(decision.layer, decision.decision, decision.llm_calls);
    served.metrics.decided_within(took);
    Ok((ignored, Json(decision)))
}

/// `POST /v1/answer`: decides, runs and says, as one envelope or as it comes.
pub(super) async fn answer(
    State(served): Shared,
    Extension(client): Asking,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
) -> Result<Response, Problem> {
    let streams = wants_events(request.headers());
    let name = idempotency::name(request.headers())?.map(str::to_owned);
    let Received { record, ignored } = read(&served, &client, &caller, request).await?;
    let place = match name.as_deref().filter(|_| !streams) {
        Some(name) => {
            let of = caller.key_id().unwrap_or_default();
            // As the client sent it: the server has put no instant into it yet.
            Some(served.answered.place(of, name, json!(record).to_string().as_bytes())?)
        }
        None => None,
    };
    let (mut request, router) = served.for_caller(record, &caller).await?;
    request.once = name.map(|name| idempotency::spent_by(&caller, &name));
    // It is kept, and whoever knows its id may speak of it.
    request.salt = Some(served.salts.next());
    if let Some(place) = place {
        let of = (Arc::clone(&served.store), request.session.clone());
        let work = async move { whole(&served, client, router, request).await };
        let answer = place.answer(of, work).await?;
        return Ok((ignored, answer).into_response());
    }
    if !streams {
        let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let answer = whole(&served, client, router, request).await?;
        return Ok((ignored, json, answer).into_response());
    }
    let request = Arc::new(request);
    let (turn, pieces) = begin(&served, client, &router, &request)?;
    let problem = move |error: &Error| intake::refused(error, &request, router.pack());
    Ok((ignored, streamed(sse::events(turn, pieces, sse::Own::new(problem)))).into_response())
}

/// Begins the turn of a request, whose answer comes in pieces, too.
pub(super) fn begin(
    served: &Served,
    client: Arc<Client>,
    router: &Arc<Router>,
    request: &Arc<Request>,
) -> Result<(Begun<Answer>, Receiver<Part>), Problem> {
    let (out, pieces) = mpsc::channel(PIECES);
    Ok((served.answer(client, router, request, out)?, pieces))
}

/// A response of events as they come.
pub(super) fn streamed(
    events: impl Stream<Item = Result<Event, std::convert::Infallible>> + Send + 'static,
) -> Response {
    let events = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // A proxy that collects the whole answer first would defeat the stream.
    let unbuffered =
        [(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"))];
    (unbuffered, events).into_response()
}

/// The answer to a request, as it is sent.
async fn whole(
    served: &Arc<Served>,
    client: Arc<Client>,
    router: Arc<Router>,
    request: Request,
) -> Result<Bytes, Problem> {
    let request = Arc::new(request);
    let (turn, pieces) = begin(served, client, &router, &request)?;
    // A receiver that has gone stops nothing.
    drop(pieces);
    let answer = turn.end().await;
    let answer = answer.map_err(|error| intake::refused(&error, &request, router.pack()))?;
    let written = serde_json::to_vec(&answer);
    written.map(Bytes::from).map_err(|error| Problem::from(&Error::internal(error.to_string())))
}

/// Reads a request of a caller.
async fn read(
    served: &Served,
    client: &Client,
    caller: &Caller,
    request: HttpRequest,
) -> Result<Received<Request>, Problem> {
    caller.needs(Scope::Ask).map_err(|error| Problem::from(&error))?;
    let (head, body) = request.into_parts();
    intake::json(served, client, caller, &head.headers, body, &intake::REQUEST).await
}

impl Served {
    /// A request as it counts from a caller, and the router of its pack.
    pub(super) async fn for_caller(
        &self,
        request: Request,
        caller: &Caller,
    ) -> Result<(Request, Arc<Router>), Problem> {
        let mut request = intake::admitted(request, caller)?;
        let pack = self.hosted.choose(request.pack.as_deref(), caller);
        let pack = pack.map_err(|error| Problem::from(&error).at(Some("/pack".to_owned())))?;
        let session = request.session.take();
        request.session = session.map(|name| Hosted::session(caller, &name));
        Ok((request, pack.router_for_turn().await))
    }
}

/// Returns whether a client asks for server-sent events.
fn wants_events(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    let mut kinds = values.flat_map(|value| value.split(','));
    kinds.any(|kind| {
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("text/event-stream")
    })
}

/// `GET /healthz`: the process works.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: it takes requests, and can keep what it acknowledges. Packs with faults are told, since the others serve
/// without them.
pub(super) async fn readyz(State(served): Shared) -> Result<String, Problem> {
    if served.stop.is_cancelled() {
        return Err(Problem::from(&Error::unavailable("the server is stopping")));
    }
    served.store.ready().await.map_err(|error| {
        // The sentences of a store name no file; what others say may.
        let says = match error.code() {
            Code::Unavailable => error.message(),
            _ => "the store cannot be used",
        };
        let hint = "`waypost doctor` says more, where the server runs";
        Problem::from(&Error::unavailable(says).with_hint(hint))
    })?;
    Ok(format!("ready{}\n", without(&served)))
}

/// The packs that do not serve because they have faults, as they are told to anybody: by name only where no key is needed.
fn without(served: &Served) -> String {
    let faulty: Vec<(&str, Error)> = served.hosted.faulty_seen_by(&Caller::local()).collect();
    let has_keys = served.keys.are_needed() || served.tokens.is_some();
    match faulty.as_slice() {
        [] => String::new(),
        one_or_more if has_keys => {
            format!(", but packs have faults and are not in service: {}", one_or_more.len())
        }
        one_or_more => {
            let names: Vec<&str> = one_or_more.iter().map(|(name, _)| *name).collect();
            format!(", but these packs have faults and are not in service: {}", names.join(", "))
        }
    }
}

/// `GET /metrics`: figures for Prometheus.
pub(super) async fn metrics(
    State(served): Shared,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    if caller.key_id().is_some() {
        caller.needs(Scope::Admin).map_err(|error| Problem::from(&error))?;
    }
    let students: Vec<[String; 2]> = served
        .hosted
        .all()
        .map(|pack| {
            let router = pack.router();
            [router.pack().id.clone(), router.bundle().id().to_owned()]
        })
        .collect();
    let gauge = |name, help, labels, value| Gauge { name, help, kind: "gauge", labels, value };
    let build = [("version", env!("CARGO_PKG_VERSION"))];
    let students: Vec<[(&str, &str); 2]> = students
        .iter()
        .map(|[pack, bundle]| [("pack", pack.as_str()), ("bundle", bundle.as_str())])
        .collect();
    let (limit, in_flight) = (served.turns.limit(), served.turns.under_way());
    let waiting = served.turns.waiting() as f64;
    let lost = Gauge {
        kind: "counter",
        ..gauge(
            "waypost_events_lost_total",
            "Events that could not be written.",
            &[],
            served.store.lost() as f64,
        )
    };
    let mut gauges = vec![
        lost,
        gauge("waypost_turns_in_flight", "Turns under way.", &[], in_flight as f64),
        gauge("waypost_turns_waiting", "Requests that wait for a turn before them.", &[], waiting),
        gauge("waypost_turns_limit", "How many turns may be under way.", &[], limit as f64),
        gauge("waypost_build_info", "The version of the program.", &build, 1.0),
    ];
    let in_service = "The student in service, for each pack.";
    gauges.extend(
        students.iter().map(|student| gauge("waypost_bundle_info", in_service, student, 1.0)),
    );
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(CONTENT_TYPE, kind)], served.metrics.text(&gauges)).into_response())
}

/// Answers for a path that does not exist.
pub(super) async fn not_found(uri: Uri) -> Problem {
    let path = waypost::records::request::shorten(uri.path(), 80);
    let error = Error::new(Code::NotFound, format!("there is no `{path}`"));
    let known = paths().map(|(path, _)| path);
    Problem::from(&error.with_hint(did_you_mean(&path, known)))
}

/// Answers for a path that exists but was asked with another method.
pub(super) async fn wrong_method(uri: Uri) -> Problem {
    let path = uri.path();
    let methods = methods(path);
    let shown = waypost::records::request::shorten(path, 80);
    let takes = methods.replace(", ", " and ");
    let error = Error::new(Code::Unimplemented, format!("`{shown}` takes {takes} alone"))
        .with_hint(format!("ask with {}", methods.replace(", ", " or ")));
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, &error).allowing(methods)
}

/// The methods of a path that exists. If a path is read with `GET`, `HEAD` asks for the head of the answer alone.
fn methods(path: &str) -> &'static str {
    // MCP listens with `GET` and ends a session with `DELETE`.
    if path == "/mcp" || path.starts_with("/mcp/") {
        return "GET, POST, DELETE";
    }
    match paths().find(|(known, _)| *known == path) {
        Some((_, "POST")) => "POST",
        // The other paths are those of single things, such as a model.
        _ => "GET, HEAD",
    }
}
