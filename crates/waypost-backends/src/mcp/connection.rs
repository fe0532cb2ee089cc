//! One child process from its start to its end, and the conversation with it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListToolsRequest, PaginatedRequestParams,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value};
use tokio::process::Command;
use tokio::sync::{Mutex, OnceCell};
use waypost_core::ports::tools::{ProgressSink, ToolDescription, ToolResult};
use waypost_core::schema::{Check, Schema};
use waypost_core::{Code, Error, Result, Severity};

use super::leash::Leash;
use super::listing::Listing;
use super::request::Client;
use super::stderr::Stderr;
use super::wire::{Guard, MAX_MESSAGE_BYTES, Wire};
use super::{StdioConfig, broken, failure, keeper, listing, result};
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

/// After so many late results in a row without a good one the child is taken to be stuck.
const MAX_LATE: u32 = 3;

/// The wait for the schemas of results, once; without them results go unchecked.
const SCHEMAS: Duration = Duration::from_secs(2);

/// The wait for a broken child's last words and exit status.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A child that is ready for calls. Dropping it ends the child.
#[derive(Debug)]
pub(super) struct Connection {
    server: String,
    service: RunningService<RoleClient, Client>,
    leash: Leash,
    wire: Wire,
    stderr: Stderr,
    late: AtomicU32,
    /// The schemas that results must match, by tool; asked for after the first result.
    outputs: OnceCell<BTreeMap<String, Value>>,
    /// Those that were compiled; nothing where that cannot be.
    compiled: Mutex<BTreeMap<String, Option<Arc<Schema>>>>,
}

impl Connection {
    /// Starts the program and shakes hands with it.
    ///
    /// A program that does not start is not tried again in this call: it is broken, not busy, and
    /// people would wait for the same answer three times.
    pub(super) async fn start(config: &StdioConfig) -> Result<Self> {
        Self::started(config).await.map_err(|error| error.with_severity(Severity::Critical))
    }

    async fn started(config: &StdioConfig) -> Result<Self> {
        let mut child =
            command(config).spawn().map_err(|error| missing(config, error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Error::internal("a child process without pipes"));
        };
        let (leash, stdin) = Leash::hold(child, stdin, is_kept(config));
        let wire = Wire::default();
        let stderr = Stderr::follow(stderr, config.name.clone(), config.log.clone());
        let transport = AsyncRwTransport::new_client(Guard::new(stdout, wire.clone()), stdin)
            .with_max_line_length(MAX_MESSAGE_BYTES);
        let us = Implementation::new("waypost", env!("CARGO_PKG_VERSION"));
        let us = Client::new(ClientConfig::new(ClientCapabilities::default(), us));
        let handshake = us.serve(transport);
        match tokio::time::timeout(config.start_timeout, handshake).await {
            Ok(Ok(service)) => Ok(Self {
                server: config.name.clone(),
                service,
                leash,
                wire,
                stderr,
                late: AtomicU32::new(0),
                outputs: OnceCell::new(),
                compiled: Mutex::default(),
            }),
            Ok(Err(error)) => {
                let status = leash.ended(LAST_WORDS).await;
                let words = last_words(status, &stderr, &error.to_string()).await;
                if is_kept(config) && status.is_some_and(keeper::is_not_started) {
                    return Err(missing(config, words));
                }
                Err(broken(&config.name, "does not speak MCP")
                    .with_hint("run its command by hand to see what it prints")
                    .with_detail(words))
            }
            Err(_) if wire.garbage() > 0 => Err(broken(&config.name, "does not speak MCP")
                .with_hint("its standard output must carry nothing else")),
            Err(_) => Err(Error::new(
                Code::DeadlineExceeded,
                format!("the tool server `{}` did not get ready in time", config.name),
            )
            .with_detail(detail(&stderr.tail()))),
        }
    }

    /// Returns whether calls can be made.
    pub(super) fn is_alive(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// The revision of the protocol that was agreed on.
    pub(super) fn protocol(&self) -> String {
        let info = self.service.peer().peer_info();
        info.map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    /// Returns how many lines that are no messages have come so far.
    pub(super) fn garbage(&self) -> usize {
        self.wire.garbage()
    }

    /// The error of a call to `what` that took too long and began after `seen` lines of garbage.
    /// It is counted: a child that does nothing but be late is stuck.
    pub(super) fn late(&self, what: &str, seen: usize) -> Error {
        self.late.fetch_add(1, Ordering::Relaxed);
        if self.garbage() > seen {
            return broken(&self.server, "answers with something that is no MCP");
        }
        Error::new(Code::DeadlineExceeded, format!("`{what}` did not answer in time"))
            .with_detail(detail(&self.stderr.tail()))
    }

    /// Returns whether it should be left for another child.
    pub(super) fn is_spent(&self) -> bool {
        !self.is_alive() || self.late.load(Ordering::Relaxed) >= MAX_LATE
    }

    /// The tools that the server offers.
    pub(super) async fn list(&self) -> Result<Vec<ToolDescription>> {
        let mut listing = Listing::default();
        let mut cursor = None;
        for _ in 0..listing::MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ListToolsRequest { params: Some(params), ..ListToolsRequest::default() };
            let answer = self.ask(ClientRequest::ListToolsRequest(request), None).await;
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return Err(self.failed("its list of tools", error).await),
            };
            cursor = listing.take(&answer);
            if cursor.is_none() {
                break;
            }
        }
        Ok(listing.tools())
    }

    /// Calls a tool, and tells `sink` what it reports on the way; dropping the future tells the
    /// server that nobody waits any more.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        sink: &dyn ProgressSink,
    ) -> Result<ToolResult> {
        let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
        let answer = match self.ask(request, Some(sink)).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.failed(tool, error).await),
        };
        if answer.get("resultType").is_some_and(|kind| kind == "input_required") {
            return Err(failure::asks_back(tool));
        }
        Ok(self.checked(tool, result::read(tool, answer)?).await)
    }

    async fn ask(
        &self,
        request: ClientRequest,
        sink: Option<&dyn ProgressSink>,
    ) -> std::result::Result<Value, ServiceError> {
        let answer = self.service.service().ask(self.service.peer(), request, sink).await;
        self.late.store(0, Ordering::Relaxed);
        answer
    }

    /// Notes in a result whether it is what its tool promises; one that was cut cannot be.
    async fn checked(&self, tool: &str, result: ToolResult) -> ToolResult {
        if result.left_out > 0 {
            return result;
        }
        let Some(schema) = self.output_schema(tool).await else { return result };
        match schema.check(&result.value) {
            Check::Fits => result,
            Check::Misfits(misfits) => {
                let fault = misfits.first().map(|misfit| detail(&misfit.detail));
                ToolResult { fault, ..result }
            }
            Check::Unchecked => {
                tracing::warn!(
                    server = self.server,
                    tool,
                    "a result is too large for its schema, and stays unchecked"
                );
                result
            }
        }
    }

    /// The schema that a tool's results must match. One that breaks a bound promises nothing.
    async fn output_schema(&self, tool: &str) -> Option<Arc<Schema>> {
        let outputs = self.outputs.get_or_init(|| self.output_schemas()).await;
        let promised = outputs.get(tool)?;
        let mut compiled = self.compiled.lock().await;
        let schema = compiled.entry(tool.to_owned()).or_insert_with(|| {
            let schema = Schema::compile(promised).inspect_err(|error| {
                let error = detail(error);
                tracing::warn!(server = self.server, tool, error, "results stay unchecked");
            });
            schema.ok().map(Arc::new)
        });
        schema.clone()
    }

    async fn output_schemas(&self) -> BTreeMap<String, Value> {
        let listed = tokio::time::timeout(SCHEMAS, self.list()).await;
        let tools = listed.ok().and_then(Result::ok).unwrap_or_default();
        tools.into_iter().filter_map(|tool| Some((tool.name, tool.output_schema?))).collect()
    }

    async fn failed(&self, what: &str, error: ServiceError) -> Error {
        match error {
            ServiceError::McpError(error) => {
                failure::protocol(what, error.code.0, &error.message, error.data.as_ref())
            }
            ServiceError::TransportSend(_) | ServiceError::TransportClosed => self.gone(what).await,
            other => broken(&self.server, "answers with something that is no MCP")
                .with_detail(detail(&other.to_string())),
        }
    }

    /// The error of a call whose server has gone.
    async fn gone(&self, what: &str) -> Error {
        if self.wire.is_oversized() {
            return failure::too_large(what);
        }
        let status = self.leash.ended(LAST_WORDS).await;
        let words = last_words(status, &self.stderr, "the connection ended").await;
        let what = if self.wire.is_noise() {
            "answers with something that is no MCP"
        } else {
            "stopped in the middle of its work"
        };
        broken(&self.server, what).with_detail(words)
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
