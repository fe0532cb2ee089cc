//! HTTP: decisions and answers over `POST`, as JSON or as events, and what watches over a service.
//!
//! No caller is trusted here, and without keys nobody outside this machine is one. A request that
//! cannot be served is a problem of RFC 9457; what fails upstream is an answer of mode `error`.

mod bodies;
mod callers;
mod catalog;
mod client;
mod connection;
mod dialects;
mod endpoints;
mod feedback;
#[cfg_attr(not(feature = "grpc"), path = "grpc/without.rs")]
mod grpc;
mod guard;
mod http2;
mod idempotency;
mod ignored;
mod intake;
mod limits;
mod live;
mod metered;
mod metrics;
mod openapi;
mod places;
mod problem;
mod query;
mod reload;
mod requests;
mod sse;
mod starting;
mod stream;
mod students;
#[cfg(test)]
pub(super) mod tests;
mod tls;

use std::io;
use std::net::TcpListener as Listener;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router as App;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::FutureExt;
use tokio::net::TcpListener;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::ports::store::Store;
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request as Asked;
use waypost::router::{AnswerOptions, Router};

pub(crate) use dialects::answered_chat;
pub(crate) use limits::Limits;
pub(crate) use live::{Live, Watched};
pub(crate) use metered::Metered;
pub(crate) use metrics::Metrics;
pub(crate) use reload::{Reload, Reloaded};
pub(crate) use starting::starting;
pub(crate) use students::Versions;
pub(crate) use tls::Tls;

use super::caller::Caller;
use super::front::apart;
use super::hosted::{Hosted, PackSlot};
use super::last_words;
use super::mcp::{HttpParts, SealingKey, http_service};
use super::salt::Salts;
use super::shares::{Share, Shares};
use super::turns::{Running, Turns};
use crate::config::Config;
use crate::keys::{Keys, Quotas, Tokens};
use bodies::Bodies;
use client::Client;
use connection::Connections;
use dialects::{Threads, Upstreams};
use idempotency::Answered;
use metrics::REJECTED;
use problem::Problem;

/// Every path of Waypost's own with its method.
const PATHS: &[(&str, &str)] = &[
    ("/v1/route", "POST"),
    ("/v1/answer", "POST"),
    ("/v1/feedback", "POST"),
    ("/v1/students", "GET"),
    ("/v1/catalog", "GET"),
    ("/v1/events", "GET"),
    ("/mcp", "POST"),
    ("/v1/reload", "POST"),
    ("/openapi.json", "GET"),
    ("/", "GET"),
    ("/healthz", "GET"),
    ("/readyz", "GET"),
    ("/metrics", "GET"),
];

/// Every path that there is, with its method.
fn paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    PATHS.iter().chain(dialects::PATHS).chain(grpc::PATHS).copied()
}

/// The paths that a full server still answers.
const WATCHED: &[&str] = &["/healthz", "/readyz", "/metrics", grpc::HEALTH];

/// The parts of a server, and how far it is.
#[derive(Debug)]
pub(crate) struct Served {
    hosted: Arc<Hosted>,
    store: Arc<dyn Store>,
    keys: Keys,
    /// The tokens that let callers in beside keys.
    tokens: Option<Arc<Tokens>>,
    /// The tokens of configured models that callers spend.
    quotas: Arc<Quotas>,
    /// The names by which this machine is asked, beside those of itself.
    hosts: Vec<String>,
    metrics: Arc<Metrics>,
    limits: Limits,
    turns: Arc<Turns>,
    /// The requests of callers with keys, until their answers have been handed over.
    requests: Shares,
    bodies: Bodies,
    salts: Salts,
    /// The models that requests are passed on to.
    upstreams: Upstreams,
    /// True if tools that a request to them does not need are counted and not left out.
    dry_run: bool,
    /// The conversations of protocols that name none.
    threads: Arc<Threads>,
    /// The answers to requests that clients may send again.
    answered: Answered,
    /// The events as they happen.
    live: Arc<Live>,
    /// Seals what clients of MCP carry, where it is served.
    seal: Option<Hidden>,
    /// Makes connections secure, where it is given certificates.
    tls: Option<Tls>,
    /// Reads packs and configuration again, where that can be done.
    reload: Option<Arc<dyn Reload>>,
    /// The seconds since 1970 when it was started.
    started: i64,
    /// Fires when no more requests are taken.
    stop: CancellationToken,
    /// Fires when turns under way are cancelled.
    work: CancellationToken,
}

/// A key that is printed nowhere.
#[derive(Clone, Copy)]
struct Hidden(SealingKey);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden")
    }
}

/// A turn of a client.
#[derive(Debug)]
struct Begun<T> {
    running: Running<T>,
    client: Arc<Client>,
}

impl Served {
    /// Packs whose events go through `metrics` to `store`; turns run on the runtime that calls.
    pub(crate) fn new(
        hosted: Arc<Hosted>,
        store: Arc<dyn Store>,
        keys: Keys,
        metrics: Arc<Metrics>,
        limits: Limits,
    ) -> Self {
        let work = CancellationToken::new();
        Self {
            hosted,
            store,
            keys,
            tokens: None,
            quotas: Arc::default(),
            hosts: Vec::new(),
            metrics,
            limits,
            turns: Arc::new(Turns::here(limits.turns, work.clone())),
            requests: Shares::new(limits.connections),
            bodies: Bodies::new(limits),
            salts: Salts::default(),
            upstreams: Upstreams::default(),
            dry_run: false,
            threads: Arc::default(),
            answered: Answered::default(),
            live: Live::new(false),
            seal: None,
            tls: None,
            reload: None,
            started: jiff::Timestamp::now().as_second(),
            stop: CancellationToken::new(),
            work,
        }
    }

    /// Adds the names by which this machine is asked from others.
    #[must_use]
    pub(crate) fn with_hosts(self, hosts: Vec<String>) -> Self {
        Self { hosts, ..self }
    }

    /// Lets callers in by tokens, too.
    #[must_use]
    pub(crate) fn with_tokens(self, tokens: Option<Arc<Tokens>>) -> Self {
        Self { tokens, ..self }
    }

    /// Makes connections secure.
    #[must_use]
    pub(crate) fn with_tls(self, tls: Option<Tls>) -> Self {
        Self { tls, ..self }
    }

    /// Serves MCP, too; the key seals what its clients carry.
    #[must_use]
    pub(crate) fn with_mcp(self, key: SealingKey) -> Self {
        Self { seal: Some(Hidden(key)), ..self }
    }

    /// Lets packs and configuration be read again.
    #[must_use]
    pub(crate) fn with_reload(self, reload: Arc<dyn Reload>) -> Self {
        Self { reload: Some(reload), ..self }
    }

    /// Shows the events that are held here.
    #[must_use]
    pub(crate) fn with_live(self, live: Arc<Live>) -> Self {
        Self { live, ..self }
    }

    /// Passes requests for the models of a configuration on.
    ///
    /// # Errors
    ///
    /// If the address or the key of one cannot be used.
    pub(crate) fn with_models(self, config: &Config) -> waypost::Result<Self> {
        Ok(Self { upstreams: Upstreams::of(config)?, ..self })
    }

    /// Passes these requests on with all their tools, and only counts those that are not needed.
    #[must_use]
    pub(crate) fn with_dry_run(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }

    /// Returns what stops it: the first token lets what runs finish, the second does not.
    pub(crate) fn brakes(&self) -> (CancellationToken, CancellationToken) {
        (self.stop.clone(), self.work.clone())
    }
}

/// Serves until it is stopped, then finishes what runs and writes what waits. Sockets are served on
/// threads of their own, `signals` with them.
///
/// # Errors
///
/// If the system gives no threads, or the listener, which must not block, cannot be used.
pub(crate) async fn serve(
    listener: Listener,
    served: Arc<Served>,
    signals: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    apart(async move {
        tokio::spawn(signals);
        on_sockets(listener, served).await
    })
    .await?
}

async fn on_sockets(listener: Listener, served: Arc<Served>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let stop = served.stop.clone();
    let connections = Connections::new(served.limits, served.tls.clone());
    connections.accept(listener, app(&served), &stop).await;
    let ended = async {
        connections.ended().await;
        served.turns.ended().await;
    };
    let mut ended = std::pin::pin!(ended);
    let all_ended = tokio::select! {
        () = &mut ended => true,
        () = tokio::time::sleep(served.limits.grace) => false,
        () = served.turns.cancelled() => false,
    };
    served.turns.cancel();
    let (for_turns, for_store) = last_words(served.limits.last_words);
    if !all_ended {
        let _ = tokio::time::timeout(for_turns, ended).await;
    }
    // All threads of the turns may be taken for good: nothing waits for them longer than this.
    let store = Arc::clone(&served.store);
    let closing = served.turns.beside(async move { store.flush().await });
    let _ = tokio::time::timeout(for_store, closing).await;
    Ok(())
}

impl Served {
    /// Begins the answer to a request of a client: it waits for the turns of its conversation, and for no place, since a
    /// client that is told can go elsewhere.
    fn answer(
        &self,
        client: Arc<Client>,
        router: &Arc<Router>,
        request: &Arc<Asked>,
        out: Sender<Part>,
    ) -> Result<Begun<Answer>, Problem> {
        let admitted = self.turns.admit(request).map_err(|error| self.rejected(&error))?;
        let (router, request) = (Arc::clone(router), Arc::clone(request));
        let running = self.turns.answer(admitted, router, request, AnswerOptions::default(), out);
        Ok(Begun { running, client })
    }

    /// Begins other work of a client in a place of its owner (the id of a key).
    fn begin<T, F>(
        &self,
        client: Arc<Client>,
        owner: Option<&str>,
        router: Arc<Router>,
        work: impl FnOnce(Arc<Router>, CancellationToken) -> F,
    ) -> Result<Begun<T>, Problem>
    where
        T: Send + 'static,
        F: Future<Output = waypost::Result<T>> + Send + 'static,
    {
        let running = self.turns.begin(self.place(owner)?, |cancel| work(router, cancel));
        Ok(Begun { running, client })
    }

    /// Begins work in a place for turns that is no turn of a router.
    fn begin_apart<T, F>(
        &self,
        owner: Option<&str>,
        work: impl FnOnce() -> F,
    ) -> Result<Running<T>, Problem>
    where
        T: Send + 'static,
        F: Future<Output = waypost::Result<T>> + Send + 'static,
    {
        Ok(self.turns.begin(self.place(owner)?, |_| work()))
    }

    fn place(&self, owner: Option<&str>) -> Result<Share, Problem> {
        self.turns.place(owner).map_err(|error| self.rejected(&error))
    }

    fn rejected(&self, error: &Error) -> Problem {
        self.metrics.add(REJECTED, &[]);
        Problem::from(error)
    }
}

impl<T> Begun<T> {
    /// Waits until it ends, and returns its result.
    async fn end(self) -> waypost::Result<T> {
        self.running.end().await
    }
}

fn app(served: &Arc<Served>) -> App {
    with_mcp(served, grpc::routes(dialects::routes(App::new())))
        .route("/v1/route", post(endpoints::route))
        .route("/v1/answer", post(endpoints::answer))
        .route("/v1/feedback", post(feedback::feedback))
        .route("/v1/students", get(students::students))
        .route("/v1/catalog", get(catalog::catalog))
        .route("/v1/events", get(live::events))
        .route("/v1/reload", post(reload::reload))
        .route("/openapi.json", get(openapi::description))
        .route("/", get(openapi::page))
        .route("/healthz", get(endpoints::healthz))
        .route("/readyz", get(endpoints::readyz))
        .route("/metrics", get(endpoints::metrics))
        .fallback(endpoints::not_found)
        .method_not_allowed_fallback(endpoints::wrong_method)
        .layer(from_fn_with_state(Arc::clone(served), callers::authenticate))
        .layer(from_fn_with_state(Arc::clone(served), guard::check))
        .layer(from_fn(dialects::shaped))
        .layer(from_fn(requests::named))
        .layer(from_fn_with_state(Arc::clone(served), counted))
        .layer(from_fn(grpc::shaped))
        .with_state(Arc::clone(served))
}

/// Adds MCP, of the first pack and of each by its name.
fn with_mcp(served: &Arc<Served>, app: App<Arc<Served>>) -> App<Arc<Served>> {
    let Some(Hidden(key)) = served.seal else { return app };
    let parts = HttpParts {
        hosted: Arc::clone(&served.hosted),
        turns: Arc::clone(&served.turns),
        key,
        stop: served.stop.clone(),
        work: served.work.clone(),
    };
    let read_first = || from_fn_with_state(Arc::clone(served), intake::read_first);
    let app = app.route("/mcp", http_service(&parts, None).layer(read_first()));
    let mut names: Vec<&str> = served.hosted.slots().iter().map(PackSlot::name).collect();
    names.sort_unstable();
    names.dedup();
    // A pack that has faults may have a name that it cannot serve by.
    names.retain(|name| is_plain(name));
    names.into_iter().fold(app, |app, pack| {
        let service = http_service(&parts, Some(pack)).layer(read_first());
        let name: Arc<str> = pack.into();
        let theirs =
            from_fn(move |request, next| for_its_callers(Arc::clone(&name), request, next));
        app.route(&format!("/mcp/{pack}"), service.layer(theirs))
    })
}

/// Returns whether a name stands for itself in the path of a route.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Passes a request on to a pack that its caller may ask; of another it is told as little as of none.
async fn for_its_callers(pack: Arc<str>, request: Request, next: Next) -> Response {
    match request.extensions().get::<Caller>() {
        Some(caller) if !caller.may_ask(&pack) => {
            endpoints::not_found(request.uri().clone()).await.into_response()
        }
        _ => next.run(request).await,
    }
}

/// Counts a request by its path and status.
async fn counted(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let path = paths().find(|(known, _)| *known == path).map_or("other", |(known, _)| known);
    let started = Instant::now();
    // A panic is no fault of the connection, which others may share.
    let response = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = response.unwrap_or_else(|_| {
        Problem::from(&Error::internal("serving a request panicked")).into_response()
    });
    let status = response.status();
    served.metrics.add(metrics::REQUESTS, &[("path", path), ("status", status.as_str())]);
    served.metrics.took(metrics::REQUEST_SECONDS, started.elapsed());
    response
}
