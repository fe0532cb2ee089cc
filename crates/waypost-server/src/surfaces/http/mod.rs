//! HTTP: decisions and answers over `POST`, as JSON or as events, and what watches over a service.
//!
//! No caller is trusted here, and without keys nobody outside this machine is one. A request that
//! cannot be served is a problem of RFC 9457; what fails upstream is an answer of mode `error`.

mod connection;
mod endpoints;
mod feedback;
mod guard;
mod intake;
mod metered;
mod metrics;
mod problem;
mod sse;
mod students;
#[cfg(test)]
mod tests;
mod turn;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router as App;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use waypost::ports::store::Store;
use waypost::router::Router;
use waypost_backends::students::Registry;

pub(crate) use metered::Metered;
pub(crate) use metrics::Metrics;

use connection::Connections;
use students::Versions;

/// Every path with its method.
const PATHS: &[(&str, &str)] = &[
    ("/v1/route", "POST"),
    ("/v1/answer", "POST"),
    ("/v1/feedback", "POST"),
    ("/v1/students", "GET"),
    ("/healthz", "GET"),
    ("/readyz", "GET"),
    ("/metrics", "GET"),
];

/// The time that running work may go on after the server was stopped.
const GRACE: Duration = Duration::from_secs(10);
/// The time that cancelled turns may then take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The limits of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Turns under way.
    pub(crate) turns: usize,
    /// The time that a client may take for the head of a request, and keep a connection that is
    /// idle.
    pub(crate) head: Duration,
    /// The time that a client may go without taking any of what is sent to it.
    pub(crate) write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 64, head: Duration::from_secs(30), write: Duration::from_secs(30) }
    }
}

/// The parts of a server, and how far it is.
#[derive(Debug)]
pub(crate) struct Served {
    router: Arc<Router>,
    store: Arc<dyn Store>,
    /// The versions of the student, where they are kept.
    versions: Option<Versions>,
    metrics: Arc<Metrics>,
    limits: Limits,
    turns: Arc<Semaphore>,
    /// Fires when no more requests are taken.
    stop: CancellationToken,
    /// Fires when turns under way are cancelled.
    work: CancellationToken,
}

impl Served {
    /// A router whose events go through `metrics` to `store`.
    pub(crate) fn new(
        router: Router,
        store: Arc<dyn Store>,
        metrics: Arc<Metrics>,
        limits: Limits,
    ) -> Self {
        Self {
            router: Arc::new(router),
            store,
            versions: None,
            metrics,
            limits,
            turns: Arc::new(Semaphore::new(limits.turns)),
            stop: CancellationToken::new(),
            work: CancellationToken::new(),
        }
    }

    /// Adds the versions of its student.
    #[must_use]
    pub(crate) fn with_versions(self, versions: Option<Registry>) -> Self {
        Self { versions: versions.map(Versions::new), ..self }
    }

    /// The router.
    pub(crate) fn router(&self) -> Arc<Router> {
        Arc::clone(&self.router)
    }

    /// Returns what stops it: the first token lets what runs finish, the second does not.
    pub(crate) fn brakes(&self) -> (CancellationToken, CancellationToken) {
        (self.stop.clone(), self.work.clone())
    }
}

/// Serves until it is stopped, then finishes what runs and writes what waits.
pub(crate) async fn serve(listener: TcpListener, served: Arc<Served>) {
    let stop = served.stop.clone();
    let connections = Connections::new(served.limits);
    connections.accept(listener, app(&served), &stop).await;
    tokio::select! {
        () = ended(&served, &connections) => {}
        () = tokio::time::sleep(GRACE) => {}
        () = served.work.cancelled() => {}
    }
    served.work.cancel();
    let _ = tokio::time::timeout(LAST_WORDS, ended(&served, &connections)).await;
    served.router.close().await;
}

/// Waits until nothing runs: a turn whose client has gone outlives its connection for a moment.
async fn ended(served: &Served, connections: &Connections) {
    connections.ended().await;
    let turns = u32::try_from(served.limits.turns).unwrap_or(u32::MAX);
    let _ = served.turns.acquire_many(turns).await;
}

fn app(served: &Arc<Served>) -> App {
    App::new()
        .route("/v1/route", post(endpoints::route))
        .route("/v1/answer", post(endpoints::answer))
        .route("/v1/feedback", post(feedback::feedback))
        .route("/v1/students", get(students::students))
        .route("/healthz", get(endpoints::healthz))
        .route("/readyz", get(endpoints::readyz))
        .route("/metrics", get(endpoints::metrics))
        .fallback(endpoints::not_found)
        .method_not_allowed_fallback(endpoints::wrong_method)
        .layer(from_fn(guard::check))
        .layer(from_fn_with_state(Arc::clone(served), counted))
        .with_state(Arc::clone(served))
}

/// Counts a request by its path and status.
async fn counted(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let path = PATHS.iter().find(|(known, _)| *known == path).map_or("other", |(known, _)| *known);
    let started = Instant::now();
    let response = next.run(request).await;
    let status = response.status();
    served.metrics.add(metrics::REQUESTS, &[("path", path), ("status", status.as_str())]);
    served.metrics.took(metrics::REQUEST_SECONDS, started.elapsed());
    response
}
