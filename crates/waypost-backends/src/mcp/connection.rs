//! One conversation with a tool server, over any way to it: what is asked, and what its end means.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListToolsRequest, PaginatedRequestParams,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::{DynamicTransportError, IntoTransport};
use serde_json::{Map, Value};
use waypost_core::ports::tools::{ProgressSink, ToolDescription, ToolResult};
use waypost_core::{Code, Error, Result};

use super::changes::{Changes, Listening};
use super::listing::Listing;
use super::promises::Promises;
use super::request::Client;
use super::{broken, failure, listing, result};
use crate::bounds::detail;

/// After so many late results in a row without a good one the server is taken to be stuck.
const MAX_LATE: u32 = 3;

/// The wait for the schemas of results; without them results go unchecked.
const SCHEMAS: Duration = Duration::from_secs(2);

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
    /// `fault`; and whether it has gone.
    async fn gone(&self, what: &str, fault: Option<&DynamicTransportError>) -> (Error, bool);
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

    /// The error of a call to `what` that took too long and began after `seen` times of garbage.
    /// It is counted: a server that does nothing but be late is stuck.
    pub(super) fn late(&self, what: &str, seen: usize) -> Error {
        self.late.fetch_add(1, Ordering::Relaxed);
        if self.garbage() > seen {
            return broken(&self.server, "answers with something that is no MCP");
        }
        Error::new(Code::DeadlineExceeded, format!("`{what}` did not answer in time"))
            .with_detail(detail(&self.far.words()))
    }

    /// Returns whether it should be left for another.
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
        answer
    }

    async fn output_schemas(&self) -> BTreeMap<String, Value> {
        let listed = tokio::time::timeout(SCHEMAS, self.list()).await;
        let tools = listed.ok().and_then(Result::ok).unwrap_or_default();
        tools.into_iter().filter_map(|tool| Some((tool.name, tool.output_schema?))).collect()
    }

    async fn failed(&self, what: &str, error: ServiceError) -> Error {
        let fault = match error {
            ServiceError::McpError(error) => {
                return failure::protocol(what, error.code.0, &error.message, error.data.as_ref());
            }
            ServiceError::TransportSend(fault) => Some(fault),
            ServiceError::TransportClosed => None,
            other => {
                return broken(&self.server, "answers with something that is no MCP")
                    .with_detail(detail(&other.to_string()));
            }
        };
        let (error, has_gone) = self.far.gone(what, fault.as_ref()).await;
        if has_gone {
            self.lost.store(true, Ordering::Relaxed);
        }
        error
    }
}
