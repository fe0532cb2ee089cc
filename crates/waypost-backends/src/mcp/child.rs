//! A tool server that is a child process, from its start to its end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};
use rmcp::transport::DynamicTransportError;
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};
use waypost_core::{Code, Error, Result, Severity};

use super::changes::Changes;
use super::connection::{Connection, FarEnd, Lost, Service, shake_hands};
use super::leash::Leash;
use super::lines::Lines;
use super::stderr::Stderr;
use super::wire::{Guard, Wire};
use super::{CALL_TIMEOUT, START_TIMEOUT, broken, failure, keeper};
use crate::bounds::detail;

/// The variables of our environment that a tool server gets: those that programs need to run, and
/// none that may be secret.
pub const PASSED_ON: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "SystemRoot",
    "SYSTEMDRIVE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "TEMP",
    "PATHEXT",
];

/// The wait for a broken child's last words and exit status.
const LAST_WORDS: Duration = Duration::from_millis(200);

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
            call_timeout: CALL_TIMEOUT,
            start_timeout: START_TIMEOUT,
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

/// Starts the program and shakes hands with it: in the revision that servers answer without delay, and
/// in the next one with those that refuse it. The other way round, a server that does not answer what it does
/// not know would be waited for.
///
/// A program that does not start is not tried again in this call: it is broken, not busy, and
/// people would wait for the same answer three times.
pub(super) async fn start(config: &StdioConfig, changes: &Changes) -> Result<Connection> {
    let deadline = Instant::now() + config.start_timeout;
    let outcome = match attempt(config, changes, ClientLifecycleMode::Initialize, deadline).await {
        Err(Refusal { error, by_protocol: true }) => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let discover = ClientLifecycleMode::Discover { preferred_versions };
            attempt(config, changes, discover, deadline).await.map_err(|_| error)
        }
        outcome => outcome.map_err(|refusal| refusal.error),
    };
    outcome.map_err(|error| error.with_severity(Severity::Critical))
}

/// A start that failed.
struct Refusal {
    error: Error,
    /// True if the program speaks the protocol, and refused this revision of it.
    by_protocol: bool,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, by_protocol: false }
    }
}

async fn attempt(
    config: &StdioConfig,
    changes: &Changes,
    lifecycle: ClientLifecycleMode,
    deadline: Instant,
) -> std::result::Result<Connection, Refusal> {
    let mut child = command(config).spawn().map_err(|error| missing(config, error.to_string()))?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Error::internal("a child process without pipes").into());
    };
    let (leash, stdin) = Leash::hold(child, stdin, is_kept(config));
    let wire = Wire::default();
    let stderr = Stderr::follow(stderr, config.name.clone(), config.log.clone());
    let transport = Lines::new(Guard::new(stdout, wire.clone()), stdin);
    let child = Child { server: config.name.clone(), leash, wire, stderr };
    let handshake = timeout_at(deadline, shake_hands(transport, lifecycle, changes)).await;
    match handshake {
        Ok(Ok(service)) => Ok(ready(config, service, child, changes)),
        Ok(Err(error)) => Err(child.refused(config, &error).await),
        Err(_) => Err(child.never_ready().into()),
    }
}

fn ready(config: &StdioConfig, service: Service, child: Child, changes: &Changes) -> Connection {
    Connection::new(&config.name, service, child, changes)
}

/// A child that is spoken with. Dropping it ends the child.
#[derive(Debug)]
struct Child {
    server: String,
    leash: Leash,
    wire: Wire,
    stderr: Stderr,
}

impl Child {
    /// The refusal of a child that answered the handshake with something else.
    async fn refused(&self, config: &StdioConfig, error: &ClientInitializeError) -> Refusal {
        let by_protocol = matches!(error, ClientInitializeError::JsonRpcError(_));
        let status = self.leash.ended(LAST_WORDS).await;
        let words = last_words(status, &self.stderr, &error.to_string()).await;
        if is_kept(config) && status.is_some_and(keeper::is_not_started) {
            return missing(config, words).into();
        }
        let error = broken(&config.name, "does not speak MCP")
            .with_hint("run its command by hand to see what it prints")
            .with_detail(words);
        Refusal { error, by_protocol }
    }

    /// The error of a child that did not end the handshake in time.
    fn never_ready(&self) -> Error {
        if self.garbage() > 0 {
            return broken(&self.server, "does not speak MCP")
                .with_hint("its standard output must carry nothing else");
        }
        let server = &self.server;
        let what = format!("the tool server `{server}` did not get ready in time");
        Error::new(Code::DeadlineExceeded, what).with_detail(detail(&self.words()))
    }
}

#[async_trait]
impl FarEnd for Child {
    fn garbage(&self) -> usize {
        self.wire.garbage()
    }

    fn words(&self) -> String {
        self.stderr.tail()
    }

    async fn gone(&self, what: &str, _: Option<&DynamicTransportError>) -> (Error, Option<Lost>) {
        if self.wire.is_oversized() {
            return (failure::too_large(what), Some(Lost::Broken));
        }
        let status = self.leash.ended(LAST_WORDS).await;
        let words = last_words(status, &self.stderr, "the connection ended").await;
        let what = if self.wire.is_noise() {
            "answers with something that is no MCP"
        } else {
            "stopped in the middle of its work"
        };
        (broken(&self.server, what).with_detail(words), Some(Lost::Broken))
    }
}

/// The error of a program that cannot be run.
fn missing(config: &StdioConfig, why: String) -> Error {
    broken(&config.name, "cannot be started")
        .with_hint(format!("check that `{}` is installed and can be run", config.program.display()))
        .with_detail(why)
}

/// Returns whether a keeper stands between us and the server.
fn is_kept(config: &StdioConfig) -> bool {
    cfg!(target_os = "linux") && config.keeper.is_some()
}

fn command(config: &StdioConfig) -> Command {
    let mut command = match config.keeper.as_ref().filter(|_| is_kept(config)) {
        Some(program) => {
            let mut command = Command::new(program);
            command.arg(keeper::KEEP).arg(&config.program);
            command
        }
        None => Command::new(&config.program),
    };
    command
        .args(&config.args)
        .env_clear()
        .envs(PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))))
        .envs(config.env.iter().map(|(name, value)| (name, OsString::from(value))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A keeper that is killed keeps nobody.
        .kill_on_drop(!is_kept(config));
    // A group of its own, so that Ctrl-C at a prompt stops our turn and not the server.
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Tells how a child ended and what it said last, for the log.
async fn last_words(status: Option<ExitStatus>, stderr: &Stderr, what: &str) -> String {
    let status = status.map_or_else(|| "still running".to_owned(), |status| status.to_string());
    stderr.ended(LAST_WORDS).await;
    detail(&format!("{what} ({status}): {}", stderr.tail()))
}
