//! MCP: five tools over any pair of streams, and over HTTP. Two answer or route what a user wrote;
//! three are a catalog for other people's agents, which find, describe and call the tools of a pack.
//!
//! Whoever starts this program over its streams is trusted; over HTTP, the layers before this one have
//! found the caller. What fails upstream is an answer of mode `error`; only a request that cannot be
//! read is a result with `isError`. A question with choices is put by a form where the client can show
//! one. The types of rmcp follow revisions of the protocol and stay in this folder.

mod arguments;
mod calls;
mod catalog;
mod clarify;
mod decision_text;
mod lines;
mod offered;
mod params;
#[cfg_attr(not(feature = "png"), path = "pictures/without.rs")]
pub(crate) mod pictures;
mod progress;
mod results;
mod seal;
mod sessions;
mod streamable;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use waypost::{Code, Error, Result};

use super::caller::Caller;
use super::front::apart;
use super::last_words;
use super::salt::Salts;
use super::shares::Shares;
use super::turns::Turns;
use super::{Hosted, HostedPack};
use lines::{Ending, Lines};
use offered::Offered;
use pictures::Painter;
use results::{inside, stopped};
use seal::Seal;

pub(crate) use seal::{SealingKey, random_key};
pub(super) use streamable::{HttpParts, http_service};

/// The most calls that are worked on at the same time over streams; more of them wait.
const CONCURRENT_CALLS: usize = 16;
/// The most calls that wait for users with forms; more users are asked in words.
const MAX_FORMS: usize = 256;

/// Serves packs until `input` ends, lets what runs finish for a time, then lets it write what waits.
/// Messages are read on threads of their own: turns run on the runtime that calls. They may go on for
/// `grace` after the end; all has ended `all_last_words` later.
///
/// # Errors
///
/// If the first message is no handshake, or the streams break; the text says which.
pub(crate) async fn serve<I, O>(
    hosted: Arc<Hosted>,
    key: SealingKey,
    input: I,
    output: O,
    grace: Duration,
    all_last_words: Duration,
) -> std::result::Result<(), String>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    let (work, over) = (CancellationToken::new(), CancellationToken::new());
    let turns = Arc::new(Turns::here(CONCURRENT_CALLS, work).patient());
    let (last_words, for_store) = last_words(all_last_words);
    let ending =
        Ending { turns: Arc::clone(&turns), grace, last_words, over: over.clone(), until: None };
    let surface = Surface::new(hosted, None, turns, Way::Streams, key, over);
    apart(surface.over_streams(input, output, ending, for_store))
        .await
        .map_err(|error| error.to_string())?
}

/// The way by which calls come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The streams of whoever started this program.
    Streams,
    /// HTTP, where each request has its own caller.
    Http,
}

/// What a client talks to.
#[derive(Clone)]
struct Surface {
    hosted: Arc<Hosted>,
    /// The pack that is asked where a call names none; without it the first that the caller may ask.
    pack: Option<Arc<str>>,
    turns: Arc<Turns>,
    way: Way,
    seal: Arc<Seal>,
    /// The places for calls that wait for users with forms.
    forms: Shares,
    salts: Arc<Salts>,
    painter: Arc<Painter>,
    /// The conversation of declared calls that name none: an approval has to be remembered somewhere.
    own: Arc<str>,
    /// Fires when nobody waits for the turns any more.
    over: CancellationToken,
}

impl Surface {
    fn new(
        hosted: Arc<Hosted>,
        pack: Option<&str>,
        turns: Arc<Turns>,
        way: Way,
        key: SealingKey,
        over: CancellationToken,
    ) -> Self {
        let salts = Arc::new(Salts::default());
        let own = unguessable(&salts).into();
        let (seal, forms) = (Arc::new(Seal::new(key)), Shares::new(MAX_FORMS));
        let (pack, painter) = (pack.map(Arc::from), Arc::default());
        Self { hosted, pack, turns, way, seal, forms, salts, painter, own, over }
    }

    /// The same for another client.
    fn for_another_client(&self) -> Self {
        Self { own: unguessable(&self.salts).into(), ..self.clone() }
    }

    async fn over_streams<I, O>(
        self,
        input: I,
        output: O,
        ending: Ending,
        for_store: Duration,
    ) -> std::result::Result<(), String>
    where
        I: AsyncRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let (hosted, turns) = (Arc::clone(&self.hosted), Arc::clone(&self.turns));
        let served = match self.serve(Lines::new(input, output, ending)).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
            // The client left before it said anything, which is its right.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        // All threads of the turns may be taken for good: nothing waits for them longer than this.
        let closing = turns.beside(async move {
            for pack in hosted.all() {
                pack.router().close().await;
            }
        });
        let _ = tokio::time::timeout(for_store, closing).await;
        served
    }
}

/// The name of a conversation that nobody can guess.
fn unguessable(salts: &Salts) -> String {
    format!("mcp-{:016x}{:016x}", salts.next(), salts.next())
}

impl ServerHandler for Surface {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("waypost", env!("CARGO_PKG_VERSION")))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<InitializeResult, ErrorData> {
        let caller = self.caller(&context).map_err(|error| inside(&error))?;
        context.peer.set_peer_info(request.clone());
        let info = self.negotiate_initialize(&request)?;
        Ok(info.with_instructions(self.instructions(&caller)))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<DiscoverResult, ErrorData> {
        let caller = self.caller(&context).map_err(|error| inside(&error))?;
        let versions = ServerHandler::supported_protocol_versions(self).into_owned();
        let info = ServerHandler::get_info(self).with_instructions(self.instructions(&caller));
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        let caller = self.caller(&context).map_err(|error| inside(&error))?;
        let packs: Vec<&str> = self.packs(&caller).into_iter().map(HostedPack::name).collect();
        Ok(ListToolsResult::with_all_items(offered::list(&packs)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let tool = Offered::of(&request.name)
            .map_err(|message| ErrorData::invalid_params(message, None))?;
        let response = tokio::select! {
            // An answer that is there is given, whatever has ended meanwhile.
            biased;
            response = self.respond(tool, request, &context) => response,
            // Nobody waits for an answer to what was cancelled.
            () = context.ct.cancelled() => Err(stopped()),
            () = self.over.cancelled() => Err(stopped()),
        };
        match response {
            Err(error) if error.code() == Code::Internal => Err(inside(&error)),
            response => Ok(response.unwrap_or_else(|error| results::failed(tool, &error).into())),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<CustomResult, ErrorData> {
        Err(params::unfit(&request)
            .unwrap_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)))
    }
}

impl Surface {
    /// Who calls. Over HTTP whoever has not been found is nobody, and not whoever started the program.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller> {
        if self.way == Way::Streams {
            return Ok(Caller::own());
        }
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>()).cloned();
        caller.ok_or_else(|| Error::internal("a request of MCP over HTTP has no caller"))
    }

    /// The packs that a caller may ask here.
    fn packs(&self, caller: &Caller) -> Vec<&HostedPack> {
        match self.pack.as_deref() {
            Some(name) => self.hosted.choose(Some(name), caller).into_iter().collect(),
            None => self.hosted.seen_by(caller).collect(),
        }
    }

    /// What a model should know before it calls anything.
    fn instructions(&self, caller: &Caller) -> String {
        let summary = |pack: &HostedPack| pack.router().pack().spec.summary.clone();
        let summaries = match self.packs(caller).as_slice() {
            [] => "This key may ask none of the packs here.".to_owned(),
            [only] => summary(only),
            several => {
                let each = several.iter().map(|pack| {
                    let summary = summary(pack);
                    format!("`{}`: {summary}", pack.name())
                });
                let each = each.collect::<Vec<_>>().join(" ");
                format!("There are several packs, and `pack` says which one is asked. {each}")
            }
        };
        format!("{summaries} {}", Offered::Answer.description())
    }
}
