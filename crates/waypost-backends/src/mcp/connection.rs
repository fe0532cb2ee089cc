//! One conversation with a tool server, over any way to it: what is asked, and what its end means.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ErrorData, Implementation, ListToolsRequest, PaginatedRequestParams, PingRequest,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::{DynamicTransportError, IntoTransport};
use serde_json::{Map, Value};
use tokio::time::Instant;
use waypost_core::ports::tools::{ProgressSink, ToolDescription, ToolResult};
use waypost_core::{Error, Result, Severity};

use super::changes::{Changes, Listening};
use super::listing::{ListCache, Listing};
use super::promises::Promises;
use super::request::Client;
use super::{broken, failure, reply, result, too_slow};
use crate::bounds::detail;

/// After so many late results in a row without a good one the server is taken to be stuck.
const MAX_LATE: u32 = 3;

/// The wait for the schemas of results; without them results go unchecked.
const SCHEMAS: Duration = Duration::from_secs(2);

/// The wait for the answer to whether a session goes on.
const STILL_THERE: Duration = Duration::from_secs(2);

/// The reason why a conversation cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The server or the way to it failed.
    Broken,
    /// The server has ended the session.
    Ended,
}

/// What stands at the other end of a conversation. Dropping it ends what was started for it.
#[async_trait]
pub(super) trait FarEnd: fmt::Debug + Send + Sync {
    /// Returns how many times it said something that is no message.
    fn garbage(&self) -> usize {
        0
    }

    /// Returns what it said last beside the conversation, for logs.
    fn words(&self) -> String {
        String::new()
    }

    /// The error of a request about `what` that it did not answer because it has gone, or because of
    /// `fault`; and why it has gone, if it has.
    async fn gone(
        &self,
        what: &str,
        fault: Option<&DynamicTransportError>,
    ) -> (Error, Option<Lost>);
}

/// The running half of a conversation that was begun.
pub(super) type Service = RunningService<RoleClient, Client>;

/// Shakes hands over a transport, as `lifecycle` says.
pub(super) async fn shake_hands<T, E, A>(
    transport: T,
    lifecycle: ClientLifecycleMode,
    changes: &Changes,
) -> std::result::Result<Service, ClientInitializeError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let us = Implementation::new("waypost", env!("CARGO_PKG_VERSION"));
    let us = ClientConfig::new(ClientCapabilities::default(), us);
    Client::new(us, changes.clone()).serve_with_lifecycle(transport, lifecycle).await
}

/// A conversation that is ready for calls. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Connection {
    server: String,
    service: Service,
    far: Box<dyn FarEnd>,
    changes: Changes,
    /// Dropped with the conversation that it is about.
    _listening: Option<Listening>,
    late: AtomicU32,
    lost: AtomicBool,
    /// True if the server has ended the session.
    ended: AtomicBool,
    /// True if it replaces a session that its server had ended, and nothing has been answered since.
    renewed: AtomicBool,
    listed: ListCache,
    promises: Promises,
}

impl Connection {
    /// The conversation with `server` that was begun with `far`.
    pub(super) fn new(
        server: &str,
        service: Service,
        far: impl FarEnd + 'static,
        changes: &Changes,
    ) -> Self {
        Self {
            server: server.to_owned(),
            _listening: Listening::begin(service.peer(), changes),
            service,
            far: Box::new(far),
            changes: changes.clone(),
            late: AtomicU32::new(0),
            lost: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            renewed: AtomicBool::new(false),
            listed: ListCache::default(),
            promises: Promises::default(),
        }
    }

    /// Returns whether calls can be made.
    pub(super) fn is_alive(&self) -> bool {
        !self.lost.load(Ordering::Relaxed)
            && !self.service.is_closed()
            && !self.service.peer().is_transport_closed()
    }

    /// The revision of the protocol that was agreed on.
    pub(super) fn protocol(&self) -> String {
        let info = self.service.peer().peer_info();
        info.map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    /// Returns how many times something came that is no message.
    pub(super) fn garbage(&self) -> usize {
        self.far.garbage()
    }

    /// The error of a request that took too long and began after `seen` times of garbage, where `error` is that of a server which
    /// said nothing. It is counted: a server that does nothing but be late is stuck.
    pub(super) fn late(&self, error: Error, seen: usize) -> Error {
        self.late.fetch_add(1, Ordering::Relaxed);
        if self.garbage() > seen {
            return broken(&self.server, "answers with something that is no MCP");
        }
        error.with_detail(detail(&self.far.words()))
    }

    /// Returns whether it should be left for another.
    pub(super) fn is_spent(&self) -> bool {
        !self.is_alive() || self.late.load(Ordering::Relaxed) >= MAX_LATE
    }

    /// Notes that it replaces a session that its server had ended.
    pub(super) fn renew(&self) {
        self.renewed.store(true, Ordering::Relaxed);
    }

    /// Returns whether the server has ended the session.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// The tools that the server offers, asked for now. The list has to be whole within `limit`; pages that fail or are late
    /// cost themselves and no page before them.
    pub(super) async fn list(&self, limit: Duration) -> Result<Arc<Vec<ToolDescription>>> {
        let (deadline, changes) = (Instant::now() + limit, self.changes.count());
        let seen = self.garbage();
        let mut listing = Listing::default();
        let mut cursor = None;
        loop {
            let late = || self.late(too_slow(&self.server, "did not list its tools", limit), seen);
            let answer = tokio::time::timeout_at(deadline, self.page(cursor)).await;
            match answer.unwrap_or_else(|_| Err(late())) {
                Ok(answer) => cursor = listing.take(&answer),
                Err(error) if listing.is_empty() => return Err(error),
                Err(error) => {
                    listing.broke_off(error.message());
                    break;
                }
            }
            if cursor.is_none() {
                break;
            }
        }
        Ok(self.listed.keep(&self.server, listing.end(), changes))
    }

    /// Returns whether the latest list came whole.
    pub(super) fn lists_whole(&self) -> bool {
        self.listed.is_whole()
    }

    /// The tools that the server offered a short while ago, or else those that it offers now.
    pub(super) async fn list_lately(&self, limit: Duration) -> Result<Arc<Vec<ToolDescription>>> {
        match self.listed.lately(self.changes.count()) {
            Some(tools) => Ok(tools),
            None => self.list(limit).await,
        }
    }

    async fn page(&self, cursor: Option<String>) -> Result<Value> {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ListToolsRequest { params: Some(params), ..ListToolsRequest::default() };
        match self.ask(ClientRequest::ListToolsRequest(request), None).await {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.failed(&self.server, error).await),
        }
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
        let result = result::read(tool, answer)?;
        let (named, changes) = ((self.server.as_str(), tool), self.changes.count());
        Ok(self.promises.checked(named, result, changes, self.output_schemas()).await)
    }

    async fn ask(
        &self,
        request: ClientRequest,
        sink: Option<&dyn ProgressSink>,
    ) -> std::result::Result<Value, ServiceError> {
        let answer = self.service.service().ask(self.service.peer(), request, sink).await;
        self.late.store(0, Ordering::Relaxed);
        if answer.is_ok() {
            self.renewed.store(false, Ordering::Relaxed);
        }
        answer
    }

    async fn output_schemas(&self) -> BTreeMap<String, Value> {
        let tools = self.list_lately(SCHEMAS).await.unwrap_or_default();
        let promised =
            |tool: &ToolDescription| Some((tool.name.clone(), tool.output_schema.clone()?));
        tools.iter().filter_map(promised).collect()
    }

    async fn failed(&self, what: &str, error: ServiceError) -> Error {
        let (error, lost) = match error {
            ServiceError::McpError(error) if error.code.0 == reply::UNREADABLE => {
                (broken(&self.server, "answers with something that is no MCP"), None)
            }
            ServiceError::McpError(error) if self.ends_session(&error).await => {
                (failure::session_ended(&self.server, &error.message), Some(Lost::Ended))
            }
            ServiceError::McpError(error) => {
                let data = error.data.as_ref();
                (failure::protocol(what, error.code.0, &error.message, data), None)
            }
            ServiceError::TransportSend(fault) => self.far.gone(what, Some(&fault)).await,
            ServiceError::TransportClosed => self.far.gone(what, None).await,
            other => {
                let error = broken(&self.server, "answers with something that is no MCP");
                (error.with_detail(detail(&other.to_string())), None)
            }
        };
        if lost.is_some() {
            self.lost.store(true, Ordering::Relaxed);
        }
        match lost {
            Some(Lost::Ended) => self.ended_by(error),
            Some(Lost::Broken) | None => error,
        }
    }

    /// The error of a request that was refused because its session has ended: in a new one it may succeed. A server that ends each
    /// session at its first call is not met again and again.
    fn ended_by(&self, error: Error) -> Error {
        self.ended.store(true, Ordering::Relaxed);
        let is_first = !self.renewed.load(Ordering::Relaxed);
        error.with_severity(if is_first { Severity::Retriable } else { Severity::Critical })
    }

    /// Returns whether an error of the protocol means that the session has ended. Its code may be one that the server chose for
    /// anything; then the session has ended if the server does not answer in it at all.
    async fn ends_session(&self, error: &ErrorData) -> bool {
        if !matches!(error.code.0, -32099..=-32000 | -32600) {
            return false;
        }
        let ping = ClientRequest::PingRequest(PingRequest::default());
        match tokio::time::timeout(STILL_THERE, self.ask(ping, None)).await {
            Ok(Err(ServiceError::McpError(again))) => again.code == error.code,
            _ => false,
        }
    }
}
