//! Tool servers over the Model Context Protocol, as child processes that speak on their standard
//! input and output.
//!
//! A server starts when it is first needed, is kept for later calls, and is started again by the
//! call after it died. One call makes at most one attempt to start; calls that wait for an attempt
//! share its outcome. No type of the protocol's library leaves this module.

mod connection;
mod cut;
mod failure;
pub mod keeper;
mod leash;
mod listing;
mod request;
mod result;
mod stderr;
mod wire;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;
use waypost_core::ports::tools::{Progress, ProgressSink, ToolDescription, ToolResult, ToolServer};
use waypost_core::{Code, Error, Result};

use crate::bounds::{cancelled, within};
use connection::Connection;
pub use connection::PASSED_ON;

/// The number of starts that may fail in a row before calls fail without one.
const MAX_FAILED_STARTS: u32 = 3;
/// The time for which calls then fail without a start.
const PAUSE: Duration = Duration::from_secs(5);

/// The receiver of the lines that a server writes on its standard error.
pub type LogSink = Arc<dyn Fn(&str) + Send + Sync>;

/// A tool server that is a program on this machine.
#[derive(Clone)]
pub struct StdioConfig {
    /// Its name, for people.
    pub name: String,
    /// The program, a path or a name on the `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its environment, on top of the few variables that every program needs. Nothing else of our
    /// own environment is passed on: it may hold keys.
    pub env: BTreeMap<String, String>,
    /// The longest wait for a result, or for the next sign of progress: each begins it anew.
    pub call_timeout: Duration,
    /// The longest wait until it is ready.
    pub start_timeout: Duration,
    /// The receiver of its standard error, besides the log.
    pub log: Option<LogSink>,
    /// A program that begins with [`keeper::invoked`], such as this one: it stands between us and the
    /// server, and ends the server with all that it started when we are gone, however that happened.
    /// Without it, and on other systems than Linux, the server's process group is killed when it is left.
    pub keeper: Option<OsString>,
}

impl StdioConfig {
    /// A program without arguments; 30 s for a call, 10 s for a start.
    pub fn new(name: impl Into<String>, program: impl Into<OsString>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            call_timeout: Duration::from_secs(30),
            start_timeout: Duration::from_secs(10),
            log: None,
            keeper: None,
        }
    }
}

impl fmt::Debug for StdioConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values of the environment may be secrets, and so may arguments.
        f.debug_struct("StdioConfig")
            .field("name", &self.name)
            .field("program", &self.program)
            .field("env", &self.env.keys())
            .finish_non_exhaustive()
    }
}

/// A tool server in a child process, started when it is needed.
#[derive(Debug)]
pub struct StdioServer {
    config: StdioConfig,
    state: Mutex<State>,
    /// The number of starts that ever failed, so that a call can tell what happened while it
    /// waited.
    failed_starts: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    live: Option<Arc<Connection>>,
    /// Failed starts in a row, and the latest of them.
    failures: u32,
    latest: Option<(Instant, Error)>,
}

impl StdioServer {
    /// A server that has not been started yet.
    pub fn new(config: StdioConfig) -> Self {
        Self { config, state: Mutex::default(), failed_starts: AtomicU64::new(0) }
    }

    /// The name from its configuration.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The revision of the protocol that the server speaks with us.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if it cannot be started or does not speak the protocol; `CANCELLED`.
    pub async fn protocol(&self, cancel: &CancellationToken) -> Result<String> {
        Ok(self.ready(cancel).await?.protocol())
    }

    /// Ends the child, if there is one; the next call starts another.
    pub async fn stop(&self) {
        self.state.lock().await.live = None;
    }

    async fn connection(&self) -> Result<Arc<Connection>> {
        let failed_before = self.failed_starts.load(Ordering::Relaxed);
        let mut state = self.state.lock().await;
        if let Some(live) = state.live.as_ref().filter(|live| live.is_alive()) {
            return Ok(Arc::clone(live));
        }
        state.live = None;
        if let Some((when, error)) = &state.latest {
            let failed_while_waiting = self.failed_starts.load(Ordering::Relaxed) > failed_before;
            let pausing = state.failures >= MAX_FAILED_STARTS && when.elapsed() < PAUSE;
            if failed_while_waiting || pausing {
                return Err(error.clone());
            }
        }
        match Connection::start(&self.config).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                *state = State { live: Some(Arc::clone(&connection)), ..State::default() };
                Ok(connection)
            }
            Err(error) => {
                self.failed_starts.fetch_add(1, Ordering::Relaxed);
                state.failures += 1;
                state.latest = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn ready(&self, cancel: &CancellationToken) -> Result<Arc<Connection>> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(cancelled()),
            connection = self.connection() => connection,
        }
    }

    /// Leaves a broken or stuck child, so that the next call starts another one.
    async fn settle(&self, connection: &Arc<Connection>) {
        if !connection.is_spent() {
            return;
        }
        // A caller that holds the lock is starting another child already.
        if let Ok(mut state) = self.state.try_lock() {
            state.live.take_if(|live| Arc::ptr_eq(live, connection));
        }
    }
}

#[async_trait]
impl ToolServer for StdioServer {
    async fn list(&self, cancel: &CancellationToken) -> Result<Vec<ToolDescription>> {
        let connection = self.ready(cancel).await?;
        let seen = connection.garbage();
        let late = || connection.late("its list of tools", seen);
        let outcome = within(self.config.call_timeout, cancel, late, connection.list()).await;
        self.settle(&connection).await;
        outcome
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
        let late = || connection.late(tool, seen);
        let alive = Alive { sink, reported: Notify::new() };
        let work = connection.call(tool, arguments, &alive);
        let outcome = alive.within(self.config.call_timeout, cancel, late, work).await;
        self.settle(&connection).await;
        outcome
    }
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

/// A text in one line of at most `longest` characters, without what could steer a terminal.
fn line(text: &str, longest: usize) -> String {
    text.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A server that cannot be used; `what` completes "the tool server `x` …".
fn broken(server: &str, what: &str) -> Error {
    Error::new(Code::Unavailable, format!("the tool server `{server}` {what}"))
}
