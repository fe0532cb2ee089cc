//! MCP: five tools over any pair of streams. Two answer or route what a user wrote; three are a catalog
//! for other people's agents, which find, describe and call the pack's tools.
//!
//! Whoever starts this program over its streams is trusted. What fails upstream is an answer of
//! mode `error`; only a request that cannot be read is a result with `isError`. The types of rmcp
//! follow revisions of the protocol and stay in this folder.

mod catalog;
mod lines;
mod offered;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ImageContent,
    Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ServerCapabilities, ServerConfig,
};
use rmcp::service::{Peer, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::spec::Access;
use waypost::ports::tools::{Image, Progress};
use waypost::records::answer::{Answer, Part};
use waypost::records::request::{DeclaredCall, Request, shorten};
use waypost::router::{AnswerOptions, Router};
use waypost::{Code, Error, Result};

use super::front::apart;
use super::last_words;
use super::salt::Salts;
use super::turns::Turns;
use lines::{Ending, Lines};
use offered::Offered;

/// The most calls that are worked on at the same time; more of them wait.
const CONCURRENT_CALLS: usize = 16;
/// The most pieces of an answer that may wait; only the tools' progress is read of them.
const PIECES: usize = 64;

/// Serves a router until `input` ends, lets what runs finish for a time, then lets it write what
/// waits. Messages are read on threads of their own: turns run on the runtime that calls. They may go
/// on for `grace` after the end; all has ended `all_last_words` later.
///
/// # Errors
///
/// If the first message is no handshake, or the streams break; the text says which.
pub(crate) async fn serve<I, O>(
    router: Arc<Router>,
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
    let turns = Arc::new(Turns::here(CONCURRENT_CALLS, work));
    let (last_words, for_store) = last_words(all_last_words);
    let ending =
        Ending { turns: Arc::clone(&turns), grace, last_words, over: over.clone(), until: None };
    let salts = Arc::new(Salts::default());
    let own = format!("mcp-{:016x}", salts.next());
    let surface = Surface { router, turns, salts, own: own.into(), over };
    apart(surface.over_streams(input, output, ending, for_store))
        .await
        .map_err(|error| error.to_string())?
}

#[derive(Clone)]
struct Surface {
    router: Arc<Router>,
    turns: Arc<Turns>,
    salts: Arc<Salts>,
    /// The conversation of declared calls that name none: an approval has to be remembered somewhere.
    own: Arc<str>,
    /// Fires when nobody waits for the turns any more.
    over: CancellationToken,
}

impl Surface {
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
        let (router, turns) = (Arc::clone(&self.router), Arc::clone(&self.turns));
        let served = match self.serve(Lines::new(input, output, ending)).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
            // The client left before it said anything, which is its right.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        // All threads of the turns may be taken for good: nothing waits for them longer than this.
        let closing = turns.beside(async move { router.close().await });
        let _ = tokio::time::timeout(for_store, closing).await;
        served
    }
}

/// The arguments of the tools that read what a user wrote.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    query: String,
    debug: bool,
    tz: Option<String>,
    query_time: Option<String>,
    session: Option<String>,
    language: Option<String>,
    /// An argument of [`Offered::Route`] alone.
    route: Option<String>,
}

/// The arguments of the tool that makes one call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Called {
    name: String,
    arguments: Map<String, Json>,
    session: Option<String>,
    approved: bool,
    language: Option<String>,
    debug: bool,
}

impl ServerHandler for Surface {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("waypost", env!("CARGO_PKG_VERSION")))
            .with_instructions(format!(
                "{} {}",
                self.router.pack().spec.summary,
                Offered::Answer.description()
            ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(offered::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let tool = Offered::of(&request.name)
            .map_err(|message| ErrorData::invalid_params(message, None))?;
        let reports = Reports::of(&context);
        let result = tokio::select! {
            // Nobody waits for an answer to what was cancelled.
            () = context.ct.cancelled() => Err(stopped()),
            () = self.over.cancelled() => Err(stopped()),
            result = self.in_turn(tool, arguments, reports) => result,
        };
        match result {
            Err(error) if error.code() == Code::Internal => Err(inside(&error)),
            result => Ok(result.unwrap_or_else(|error| failed(&error)).into()),
        }
    }
}

impl Surface {
    /// Runs a call in a place for turns, on their threads; what panics there is a fault inside.
    async fn in_turn(
        &self,
        tool: Offered,
        given: Map<String, Json>,
        reports: Option<Reports>,
    ) -> Result<CallToolResult> {
        tool.check(&given)?;
        let place = self.turns.place().await?;
        let surface = self.clone();
        let turn = self.turns.begin(place, |cancel| async move {
            let router = &surface.router;
            let told = |(text, record): (String, Json)| result(text, &record);
            match tool {
                Offered::Answer => surface.answer(given, reports, &cancel).await,
                Offered::Route => surface.route(given, &cancel).await,
                Offered::Search => catalog::search(router, given).and_then(told),
                Offered::Describe => catalog::describe(router, given).and_then(told),
                Offered::Call => surface.call(given, reports, &cancel).await,
            }
        });
        turn.end().await
    }
}

/// Passes the progress of tools on to a client that asked for it.
struct Reports {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    /// The tool whose progress is passed on as it is, until another one reports.
    tool: Option<String>,
    /// True once two tools reported: their numbers do not go together, so reports are counted.
    several: bool,
    sent: f64,
}

impl Reports {
    fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        let peer = context.peer.clone();
        Some(Self { peer, token, tool: None, several: false, sent: 0.0 })
    }

    /// The protocol wants each report to be further than the one before.
    async fn pass_on(&mut self, tool: String, progress: Progress) {
        self.several |= self.tool.as_ref().is_some_and(|first| *first != tool);
        let done = if self.several { self.sent + 1.0 } else { progress.done };
        if done <= self.sent {
            return;
        }
        self.sent = done;
        let message = match progress.message.as_str() {
            "" => tool.clone(),
            message => format!("{tool}: {message}"),
        };
        let total = progress.total.filter(|_| !self.several);
        self.tool.get_or_insert(tool);
        self.notify(message, total).await;
    }

    /// Passes on which phase the work is in; the numbers of tools count no further then.
    async fn phase(&mut self, content: String) {
        self.several = true;
        self.sent += 1.0;
        self.notify(content, None).await;
    }

    async fn notify(&self, message: String, total: Option<f64>) {
        let mut report = ProgressNotificationParam::new(self.token.clone(), self.sent);
        report.total = total;
        report.message = Some(message);
        // A client that has gone gets no answer either.
        let _ = self.peer.notify_progress(report).await;
    }
}

impl Surface {
    async fn answer(
        &self,
        given: Map<String, Json>,
        reports: Option<Reports>,
        cancel: &CancellationToken,
    ) -> Result<CallToolResult> {
        let arguments: Arguments = read(given)?;
        let request = self.request(&arguments)?;
        self.turn(request, arguments.debug, reports, cancel).await
    }

    /// Makes the call that the client declares, as a turn like any other.
    async fn call(
        &self,
        given: Map<String, Json>,
        reports: Option<Reports>,
        cancel: &CancellationToken,
    ) -> Result<CallToolResult> {
        let Called { name, arguments, session, approved, language, debug } = read(given)?;
        // What only reads needs no approval, and so no memory of one.
        let tool = self.router.pack().tool(&name);
        let reads = tool.is_none_or(|tool| self.router.access(tool) == Some(Access::Read));
        let session = session.or_else(|| (!reads).then(|| self.own.to_string()));
        let request = Request {
            session,
            now: Some(jiff::Timestamp::now().to_string()),
            language,
            call: Some(DeclaredCall { tool: name, arguments, approved }),
            trusted: true,
            ..Request::default()
        };
        self.turn(request, debug, reports, cancel).await
    }

    /// Answers a request, and passes on what its tools report meanwhile.
    async fn turn(
        &self,
        request: Request,
        trace: bool,
        reports: Option<Reports>,
        cancel: &CancellationToken,
    ) -> Result<CallToolResult> {
        // It is kept, and whoever knows its id may speak of it: over HTTP, of the same store, too.
        let request = Request { salt: Some(self.salts.next()), ..request };
        let (out, mut pieces) = mpsc::channel(PIECES);
        let drain = tokio::spawn(async move {
            let mut reports = reports;
            while let Some(part) = pieces.recv().await {
                match (&mut reports, part) {
                    (Some(reports), Part::ToolProgress { tool, progress }) => {
                        reports.pass_on(tool, progress).await;
                    }
                    (Some(reports), Part::Phase(phase)) => reports.phase(phase.content).await,
                    _ => {}
                }
            }
        });
        let options = AnswerOptions { trace };
        let answer = self.router.answer(&request, options, &out, cancel).await;
        drop(out);
        let _ = drain.await;
        let mut answer = answer?;
        // MCP has a place of its own for pictures; their bytes are not for a model to read.
        let images = std::mem::take(&mut answer.images);
        let mut result = result(text(&answer), &answer)?;
        result.content.extend(images.into_iter().map(image));
        Ok(result)
    }

    async fn route(
        &self,
        given: Map<String, Json>,
        cancel: &CancellationToken,
    ) -> Result<CallToolResult> {
        let arguments: Arguments = read(given)?;
        let request = self.request(&arguments)?;
        let decision = self.router.route(&request, cancel).await?;
        result(decision.rationale.clone(), &decision)
    }

    fn request(&self, arguments: &Arguments) -> Result<Request> {
        let now = match &arguments.query_time {
            Some(instant) => self.instant(instant)?,
            None => jiff::Timestamp::now().to_string(),
        };
        Ok(Request {
            session: arguments.session.clone(),
            now: Some(now),
            tz: arguments.tz.clone(),
            language: arguments.language.clone(),
            route: arguments.route.clone(),
            trusted: true,
            ..Request::new(arguments.query.clone())
        })
    }

    /// The instant as it was given, if it is one; the fault names this surface's word for it.
    fn instant(&self, given: &str) -> Result<String> {
        let request = Request { now: Some(given.to_owned()), ..Request::new("") };
        match request.instant(&self.router.pack().spec.tz) {
            Ok(_) => Ok(given.to_owned()),
            Err(_) => Err(Error::invalid(format!(
                "`query_time` is `{}`, which is no instant",
                shorten(given, 40)
            ))
            .with_hint("write RFC 3339, such as `2025-11-06T09:00:00+08:00`")),
        }
    }
}

/// Reads arguments that were checked.
fn read<T: for<'de> Deserialize<'de>>(given: Map<String, Json>) -> Result<T> {
    serde_json::from_value(Json::Object(given)).map_err(|error| Error::internal(error.to_string()))
}

/// The words of an answer, with the choices that a client without forms can show.
fn text(answer: &Answer) -> String {
    let mut lines = vec![answer.text.clone()];
    let choices = answer.choices.iter().enumerate();
    lines.extend(choices.map(|(index, choice)| format!("{}. {}", index + 1, choice.label)));
    lines.join("\n")
}

fn image(image: Image) -> ContentBlock {
    let mut meta = MetaObject::new();
    meta.0.insert("title".to_owned(), Json::String(image.title));
    ContentBlock::Image(ImageContent::new(image.data, image.mime).with_meta(meta))
}

fn result(text: String, record: &impl Serialize) -> Result<CallToolResult> {
    let record =
        serde_json::to_value(record).map_err(|error| Error::internal(error.to_string()))?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(record);
    Ok(result)
}

/// The error of a call for which nobody waits.
fn stopped() -> Error {
    Error::new(Code::Cancelled, "the request was stopped")
}

/// A fault of this program: its cause goes to the log, and a client sees none of it.
fn inside(error: &Error) -> ErrorData {
    tracing::error!("a request failed inside: {}", error.detail().unwrap_or(error.message()));
    ErrorData::internal_error(error.message().to_owned(), None)
}

/// A request that cannot be served: structured for programs, one line for people.
fn failed(error: &Error) -> CallToolResult {
    let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
    let text = format!("{}: {}{hint}", error.code(), error.message());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content =
        Some(json!({ "code": error.code(), "message": error.message(), "hint": error.hint() }));
    result
}
