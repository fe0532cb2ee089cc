//! A tool server over MCP: begins a conversation when it is first needed, keeps it for later calls, and begins
//! another with the call after it broke.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use waypost_core::ports::tools::{Progress, ProgressSink, ToolDescription, ToolResult, ToolServer};
use waypost_core::{Code, Error, Result};

use super::breaker::{Breaker, Health};
use super::changes::Changes;
use super::connection::Connection;
use super::{HttpConfig, StdioConfig, child, http};
use crate::bounds::cancelled;

/// The wait for a start without a word about it.
const SILENCE: Duration = Duration::from_secs(2);

/// The way to a tool server.
#[derive(Debug, Clone)]
pub enum Reach {
    /// A child process.
    Stdio(StdioConfig),
    /// An address.
    Http(HttpConfig),
}

impl From<StdioConfig> for Reach {
    fn from(config: StdioConfig) -> Self {
        Reach::Stdio(config)
    }
}

impl From<HttpConfig> for Reach {
    fn from(config: HttpConfig) -> Self {
        Reach::Http(config)
    }
}

impl Reach {
    fn name(&self) -> &str {
        match self {
            Reach::Stdio(config) => &config.name,
            Reach::Http(config) => &config.name,
        }
    }

    fn call_timeout(&self) -> Duration {
        match self {
            Reach::Stdio(config) => config.call_timeout,
            Reach::Http(config) => config.call_timeout,
        }
    }

    fn start_timeout(&self) -> Duration {
        match self {
            Reach::Stdio(config) => config.start_timeout,
            Reach::Http(config) => config.start_timeout,
        }
    }

    /// The same way, on which a server has `limit` to be ready.
    #[must_use]
    pub fn starting_within(mut self, limit: Duration) -> Self {
        match &mut self {
            Reach::Stdio(config) => config.start_timeout = limit,
            Reach::Http(config) => config.start_timeout = limit,
        }
        self
    }

    /// The same way, on which no result is given up before `least` has passed.
    #[must_use]
    pub fn waiting(mut self, least: Duration) -> Self {
        let timeout = match &mut self {
            Reach::Stdio(config) => &mut config.call_timeout,
            Reach::Http(config) => &mut config.call_timeout,
        };
        *timeout = least.max(*timeout);
        self
    }

    async fn start(&self, changes: &Changes) -> Result<Connection> {
        match self {
            Reach::Stdio(config) => child::start(config, changes).await,
            Reach::Http(config) => http::start(config, changes).await,
        }
    }
}

/// A tool server over MCP, started or connected to when it is needed.
#[derive(Debug)]
pub struct McpServer {
    reach: Reach,
    state: Mutex<State>,
    breaker: std::sync::Mutex<Breaker>,
    changes: Changes,
    /// The number of starts that ever failed, so that a call can tell what happened while it
    /// waited.
    failed_starts: AtomicU64,
    /// True if the latest list broke off.
    is_broken_off: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    live: Option<Arc<Connection>>,
    /// The latest start that failed, if none succeeded since.
    latest: Option<Error>,
    /// True once a start succeeded.
    has_started: bool,
    /// True if the server has ended the session before the next start.
    has_ended: bool,
    /// The start that is under way. It goes on if its caller leaves, because the next one would only wait for another.
    starting: JoinSet<(Range<Instant>, Result<Connection>)>,
}

impl McpServer {
    /// A server that has not been started yet.
    pub fn new(reach: impl Into<Reach>) -> Self {
        Self {
            reach: reach.into(),
            state: Mutex::default(),
            breaker: std::sync::Mutex::default(),
            changes: Changes::default(),
            failed_starts: AtomicU64::new(0),
            is_broken_off: AtomicBool::new(false),
        }
    }

    /// The name from its configuration.
    pub fn name(&self) -> &str {
        self.reach.name()
    }

    /// Returns how it is: whether it started when it was last tried, and when it is tried again.
    pub fn health(&self) -> Health {
        self.with_breaker(|breaker| breaker.health(Instant::now()))
    }

    /// The revision of the protocol that the server speaks with us.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if it cannot be started or reached or does not speak the protocol, `PERMISSION_DENIED`
    /// if it refuses us; `CANCELLED`.
    pub async fn protocol(&self, cancel: &CancellationToken) -> Result<String> {
        Ok(self.ready(cancel).await?.protocol())
    }

    /// Ends the conversation, and the child if there is one; the next call begins another.
    pub async fn stop(&self) {
        let mut state = self.state.lock().await;
        (state.live, state.starting) = (None, JoinSet::new());
    }

    fn with_breaker<T>(&self, act: impl FnOnce(&mut Breaker) -> T) -> T {
        act(&mut self.breaker.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn connection(&self) -> Result<Arc<Connection>> {
        let failed_before = self.failed_starts.load(Ordering::Relaxed);
        let begun = Instant::now();
        let mut state = self.state.lock().await;
        if let Some(live) = state.live.as_ref().filter(|live| live.is_alive()) {
            return Ok(Arc::clone(live));
        }
        let left = state.live.take();
        state.has_ended |= left.is_some_and(|left| left.has_ended());
        if let Some(error) = &state.latest
            && self.failed_starts.load(Ordering::Relaxed) > failed_before
        {
            return Err(error.clone());
        }
        loop {
            if let Some(error) = &state.latest
                && let health @ Health::Down { .. } = self.health()
            {
                return Err(down(error, health));
            }
            if state.starting.is_empty() {
                let (reach, changes) = (self.reach.clone(), self.changes.clone());
                state.starting.spawn(async move {
                    let from = Instant::now();
                    let outcome = reach.start(&changes).await;
                    (from..Instant::now(), outcome)
                });
            }
            let ended = self.waited_for("the tool server", state.starting.join_next()).await;
            let Some(Ok((took, outcome))) = ended else {
                return Err(Error::internal("the start of a tool server broke off"));
            };
            match outcome {
                Ok(connection) => {
                    let connection = Arc::new(connection);
                    self.with_breaker(Breaker::succeeded);
                    if state.has_ended {
                        connection.renew();
                    }
                    if state.has_started {
                        // Another start may be of another version of it.
                        self.changes.note();
                    }
                    let live = Some(Arc::clone(&connection));
                    *state = State { live, has_started: true, ..State::default() };
                    return Ok(connection);
                }
                Err(error) => {
                    self.failed_starts.fetch_add(1, Ordering::Relaxed);
                    // A server that says other things than MCP is late, too, whatever its error is.
                    let is_late = took.end - took.start >= self.reach.start_timeout();
                    self.with_breaker(|breaker| breaker.failed(took.end, is_late));
                    state.latest = Some(error.clone());
                    // What an earlier caller left may have failed long ago.
                    if took.end >= begun {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Runs work that the server is started for, and says that it is waited for if it takes long.
    async fn waited_for<T>(&self, what: &str, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        if let Ok(done) = tokio::time::timeout(SILENCE, &mut work).await {
            return done;
        }
        let limit = self.reach.start_timeout().as_secs();
        tracing::warn!(target: "waypost::mcp", "waiting for {what} `{}`, {limit} s at most", self.name());
        work.await
    }

    async fn ready(&self, cancel: &CancellationToken) -> Result<Arc<Connection>> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(cancelled()),
            connection = self.connection() => connection,
        }
    }

    /// Leaves a broken or stuck conversation, so that the next call begins another one.
    async fn settle(&self, connection: &Arc<Connection>) {
        if !connection.is_spent() {
            return;
        }
        // A caller that holds the lock is beginning another already.
        if let Ok(mut state) = self.state.try_lock()
            && state.live.take_if(|live| Arc::ptr_eq(live, connection)).is_some()
        {
            state.has_ended |= connection.has_ended();
        }
    }

    /// Lists the tools, in a new session where the server has ended the one before.
    async fn listed(
        &self,
        cancel: &CancellationToken,
        is_now: bool,
    ) -> Result<Arc<Vec<ToolDescription>>> {
        let mut is_first = true;
        loop {
            let connection = self.ready(cancel).await?;
            let work = async {
                match is_now {
                    true => {
                        let list = connection.list(self.reach.start_timeout());
                        self.waited_for("the tools of", list).await
                    }
                    false => connection.list_lately(self.reach.start_timeout()).await,
                }
            };
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                outcome = work => outcome,
            };
            self.settle(&connection).await;
            if connection.has_ended() && std::mem::take(&mut is_first) {
                continue;
            }
            if outcome.is_ok() {
                self.is_broken_off.store(!connection.lists_whole(), Ordering::Relaxed);
            }
            return outcome;
        }
    }
}

#[async_trait]
impl ToolServer for McpServer {
    async fn list(&self, cancel: &CancellationToken) -> Result<Vec<ToolDescription>> {
        self.listed(cancel, true).await.map(|tools| tools.as_ref().clone())
    }

    async fn list_lately(&self, cancel: &CancellationToken) -> Result<Arc<Vec<ToolDescription>>> {
        self.listed(cancel, false).await
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult> {
        self.call_reporting(tool, arguments, &Unheard, cancel).await
    }

    async fn call_reporting(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        sink: &dyn ProgressSink,
        cancel: &CancellationToken,
    ) -> Result<ToolResult> {
        let connection = self.ready(cancel).await?;
        let seen = connection.garbage();
        let late = || {
            let message = format!("`{tool}` did not answer in time");
            connection.late(Error::new(Code::DeadlineExceeded, message), seen)
        };
        let alive = Alive { sink, reported: Notify::new() };
        let work = connection.call(tool, arguments, &alive);
        let outcome = alive.within(self.reach.call_timeout(), cancel, late, work).await;
        self.settle(&connection).await;
        outcome
    }

    fn lists_whole(&self) -> bool {
        !self.is_broken_off.load(Ordering::Relaxed)
    }

    fn changes(&self) -> u64 {
        self.changes.count()
    }
}

/// The error of a server that is down: what it failed with at last, and when it is tried again.
fn down(latest: &Error, health: Health) -> Error {
    let error = Error::new(Code::Unavailable, latest.message()).with_severity(latest.severity());
    let error = match latest.hint() {
        Some(hint) => error.with_hint(hint),
        None => error,
    };
    error.with_detail(format!("{health}: {}", latest.detail().unwrap_or_default()))
}

/// A sink for callers that do not ask how far a call is.
#[derive(Debug)]
struct Unheard;

impl ProgressSink for Unheard {
    fn report(&self, _: Progress) {}
}

/// Passes reports on, and knows that the tool still works.
#[derive(Debug)]
struct Alive<'a> {
    sink: &'a dyn ProgressSink,
    reported: Notify,
}

impl ProgressSink for Alive<'_> {
    fn report(&self, progress: Progress) {
        self.reported.notify_one();
        self.sink.report(progress);
    }
}

impl Alive<'_> {
    /// Runs `work` until it is done, `cancel` fires, or nothing was heard of it for `silence`;
    /// `late` is then the error.
    async fn within<T>(
        &self,
        silence: Duration,
        cancel: &CancellationToken,
        late: impl FnOnce() -> Error,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let silent = async {
            while tokio::time::timeout(silence, self.reported.notified()).await.is_ok() {}
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(cancelled()),
            outcome = work => outcome,
            () = silent => Err(late()),
        }
    }
}
