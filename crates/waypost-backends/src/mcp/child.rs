//! A tool server that is a child process, from its start to its end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::percent_decode_str;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};
use rmcp::transport::DynamicTransportError;
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};
use waypost_core::{Error, Result, Severity};

use super::changes::Changes;
use super::connection::{Connection, FarEnd, Lost, Service, shake_hands};
use super::leash::Leash;
use super::lines::Lines;
use super::stderr::Stderr;
use super::wire::{Guard, Wire};
use super::{CALL_TIMEOUT, START_TIMEOUT, broken, failure, keeper, too_slow};
use crate::bounds::detail;
use crate::llm::{Hidden, is_secret};

/// The variables of our environment that a tool server gets: those that programs need to run, and those by which they
/// find the proxy and the certificates of a network. None is secret, but the address of a proxy may hold a password.
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
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "UV_NATIVE_TLS",
];

/// The shortest value that is taken out of a server's words: `1` and `true` are in many, and no secret is so short.
const SHORTEST_SECRET: usize = 6;

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
    /// The longest wait until it is ready, and for its list of tools.
    pub start_timeout: Duration,
    /// The receiver of its standard error, besides the log.
    pub log: Option<LogSink>,
    /// A program that begins with [`keeper::invoked`], such as this one: it stands between us and the
    /// server, and ends the server with all that it started when we are gone, however that happened.
    /// Without it, and on other systems than Linux, the server's process group is killed when it is left.
    pub keeper: Option<OsString>,
}

impl StdioConfig {
    /// A program without arguments; 30 s for a call, 15 s for a start.
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
    let stderr = Stderr::follow(stderr, config.name.clone(), config.log.clone(), hidden(config));
    let transport = Lines::new(Guard::new(stdout, wire.clone()), stdin);
    let child = Child { server: config.name.clone(), leash, wire, stderr };
    let handshake = timeout_at(deadline, shake_hands(transport, lifecycle, changes)).await;
    match handshake {
        Ok(Ok(service)) => Ok(ready(config, service, child, changes)),
        Ok(Err(error)) => Err(child.refused(config, &error).await),
        Err(_) => Err(child.never_ready(config).into()),
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
        let words = last_words(status, &self.stderr).await;
        if is_kept(config) && status.is_some_and(keeper::is_not_started) {
            return missing(config, words).into();
        }
        tracing::debug!(target: "waypost::mcp", server = config.name, "the handshake failed: {error}");
        let words = match error {
            ClientInitializeError::JsonRpcError(said) => {
                detail(&format!("{} | {words}", said.message))
            }
            _ => words,
        };
        let what =
            if status.is_some() { "ended before it was ready" } else { "does not speak MCP" };
        let error = broken(&config.name, what)
            .with_hint("run its command by hand to see all that it prints")
            .with_detail(words);
        Refusal { error, by_protocol }
    }

    /// The error of a child that did not end the handshake in time.
    fn never_ready(&self, config: &StdioConfig) -> Error {
        if self.garbage() > 0 {
            return broken(&self.server, "does not speak MCP")
                .with_hint("its standard output must carry nothing else");
        }
        too_slow(&self.server, "was not ready", config.start_timeout)
            .with_hint(
                "run its command by hand, which may have to fetch it, or give it more time: \
                 `tool_server_seconds` under `[limits]`",
            )
            .with_detail(detail(&self.words()))
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
        let words = last_words(status, &self.stderr).await;
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

/// Tells how a child ended and what it said last, for people who run this.
async fn last_words(status: Option<ExitStatus>, stderr: &Stderr) -> String {
    let status = status.map_or_else(|| "still running".to_owned(), |status| status.to_string());
    stderr.ended(LAST_WORDS).await;
    detail(format!("{} ({status})", stderr.tail()).trim_start())
}

/// The secrets that a server may repeat: its environment, arguments that are named like a secret, what follows `Bearer` or
/// `Basic`, and who it is for a proxy.
fn hidden(config: &StdioConfig) -> Hidden {
    let words: Vec<_> = config.args.iter().map(|word| word.to_string_lossy()).collect();
    let inner = words.iter().flat_map(|word| word.split(['?', '&']));
    let inner = inner.flat_map(|part| [part.split_once('='), part.split_once(':')]).flatten();
    let next = words.windows(2).filter(|pair| pair[0].starts_with('-'));
    let named = inner.chain(next.map(|pair| (&*pair[0], &*pair[1])));
    let named = named.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.trim());
    let values = || config.env.values().map(String::as_str);
    let credentials = words.iter().map(|word| &**word).chain(values()).flat_map(credentials);
    let all = named.chain(values()).chain(credentials).map(str::to_owned);
    let all: Vec<String> = all.chain(proxies(config).iter().flat_map(|it| logins(it))).collect();
    Hidden::new(all.into_iter().filter(|value| value.len() >= SHORTEST_SECRET))
}

/// The words after the names of HTTP's ways to say who asks.
fn credentials(text: &str) -> impl Iterator<Item = &str> {
    let mut words = text.split(|c: char| c.is_whitespace() || "\"',".contains(c));
    std::iter::from_fn(move || {
        words.find(|word| ["bearer", "basic"].contains(&word.to_lowercase().as_str()))?;
        words.next()
    })
}

/// The addresses of proxies that the server gets.
fn proxies(config: &StdioConfig) -> Vec<String> {
    let value = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
    let passed_on = PASSED_ON.iter().filter_map(value);
    let all = passed_on.chain(config.env.clone());
    all.filter(|(name, _)| name.to_lowercase().ends_with("_proxy")).map(|(_, it)| it).collect()
}

/// The user and the password of an address, and both as a header has them.
fn logins(address: &str) -> Vec<String> {
    let after = address.split_once("://").map_or(address, |(_, after)| after);
    let Some((login, _)) = after.rsplit_once('@') else { return Vec::new() };
    let decoded = percent_decode_str(login).decode_utf8_lossy().into_owned();
    let (user, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    vec![BASE64.encode(&decoded), user.to_owned(), password.to_owned()]
}
