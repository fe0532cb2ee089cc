//! The HTTP requests of the protocol: what is sent, what of an answer is read, and what its status means.
//!
//! The client that the protocol's library brings reads answers of any size, and its errors name addresses.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcError, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;
use waypost_core::{Code, Error, Result};

use super::super::connection::Lost;
use super::super::greeting;
use super::super::reply::{self, Asked};
use super::super::wire::MAX_MESSAGE_BYTES;
use super::super::{broken, failure};
use super::HttpConfig;
use super::events::{events, repaired};
use super::fault::Fault;
use crate::bounds::detail;
use crate::http::{body, chain, client};

/// The most bytes of an answer that says that something went wrong.
const MAX_REFUSAL: usize = 256 * 1024;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

type Headers = HashMap<HeaderName, HeaderValue>;
type Outcome<T> = std::result::Result<T, StreamableHttpError<Fault>>;

/// A client for one tool server.
#[derive(Clone)]
pub(super) struct HttpClient(Arc<Inner>);

struct Inner {
    server: String,
    client: Client,
    variables: Vec<String>,
    /// What went wrong last: a handshake that fails does not always say why.
    latest: Mutex<Option<Error>>,
    oversized: Arc<AtomicBool>,
}

impl HttpClient {
    /// A client that has connected to nothing yet.
    pub(super) fn open(config: &HttpConfig) -> Result<Self> {
        let name = format!("the tool server `{}`", config.name);
        Ok(Self(Arc::new(Inner {
            server: config.name.clone(),
            client: client(&name, &config.address()?, config.header_map()?)?,
            variables: config.variables(),
            latest: Mutex::default(),
            oversized: Arc::default(),
        })))
    }

    /// Returns what went wrong last.
    pub(super) fn latest_fault(&self) -> Option<Error> {
        self.0.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns once for each time that an event was too large to read.
    pub(super) fn was_oversized(&self) -> bool {
        self.0.oversized.swap(false, Ordering::Relaxed)
    }

    fn told(&self, error: Error, lost: Option<Lost>) -> StreamableHttpError<Fault> {
        *self.0.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
        StreamableHttpError::Client(Fault::Told { error, lost })
    }

    /// The fault of a request that got no answer, or not all of it.
    fn unreachable(&self, error: &reqwest::Error) -> StreamableHttpError<Fault> {
        let fault = broken(&self.0.server, "cannot be reached")
            .with_hint("check that it runs and that its configured address is right");
        self.told(fault.with_detail(chain(error)), Some(Lost::Broken))
    }

    /// The fault of an answer that is nothing of the protocol.
    fn strange(&self, words: &str) -> StreamableHttpError<Fault> {
        let fault = broken(&self.0.server, "does not speak MCP")
            .with_hint("check that its address is the one at which it speaks MCP");
        self.told(fault.with_detail(detail(words)), None)
    }

    /// The fault of an answer that says by its status that something went wrong.
    fn refused(&self, status: StatusCode) -> StreamableHttpError<Fault> {
        let server = &self.0.server;
        let words = format!("HTTP {status}");
        let fault = match status.as_u16() {
            401 | 403 => {
                let what = format!("the tool server `{server}` does not let us in");
                Error::new(Code::PermissionDenied, what).with_hint(self.credentials())
            }
            429 => {
                let what = format!("the tool server `{server}` has reached a limit");
                Error::new(Code::ResourceExhausted, what).with_hint("ask again later")
            }
            500..=599 => broken(server, "cannot answer now").with_hint("look at its own log"),
            300..=399 => broken(server, "is at another address")
                .with_hint("configure the address that it redirects to"),
            _ => return self.strange(&words),
        };
        let lost = match status.as_u16() {
            // The session of whoever was let in before may have ended.
            401 => Some(Lost::Ended),
            403 | 502..=504 => Some(Lost::Broken),
            _ => None,
        };
        self.told(fault.with_detail(words), lost)
    }

    /// The fault of a request that was refused because its session has ended.
    fn ended(&self, status: StatusCode, said: Option<&JsonRpcError>) -> StreamableHttpError<Fault> {
        let words = said.map(|said| said.error.message.as_ref()).filter(|words| !words.is_empty());
        let status = format!("HTTP {status}");
        let error = failure::session_ended(&self.0.server, words.unwrap_or(&status));
        self.told(error, Some(Lost::Ended))
    }

    /// What to do about a server that does not let us in.
    fn credentials(&self) -> String {
        match self.0.variables.as_slice() {
            [] => "configure `token_env` or `headers` of the server".to_owned(),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("check the value of the environment variable {}", names.join(" or "))
            }
        }
    }

    async fn send(&self, request: RequestBuilder, headers: Headers) -> Outcome<Response> {
        let request =
            headers.into_iter().fold(request, |all, (name, value)| all.header(name, value));
        request.send().await.map_err(|error| self.unreachable(&error))
    }

    /// Reads what an answer to `message` that says that something went wrong says beside its status. What was asked in no
    /// session (`has_session` is false) tells the end of none.
    async fn refusal(
        &self,
        message: &ClientJsonRpcMessage,
        has_session: bool,
        response: Response,
    ) -> Outcome<StreamableHttpPostResponse> {
        let (status, session) = (response.status(), session_of(&response));
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(self.refused(status));
        }
        let body = body(response, MAX_REFUSAL).await.ok().flatten().unwrap_or_default();
        let said = reply::messages(&body, &asked_by(message)).into_iter().find_map(error_of);
        // A server of an older revision may refuse the first question of the newer one in any way; told as
        // an error of the protocol, the older handshake follows. Its identity may be missing, too.
        if let ClientJsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && status.is_client_error()
        {
            let error = said.map(|said| said.error).unwrap_or_else(|| {
                ErrorData::invalid_request(format!("refused with HTTP {status}"), None)
            });
            let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        let said = said.filter(|said| said.error.code.0 != reply::UNREADABLE);
        if has_session && is_in_session(message) && ends_session(status, said.as_ref()) {
            return Err(self.ended(status, said.as_ref()));
        }
        match said {
            Some(said) => {
                let id = request_id(message).cloned().or(said.id);
                let error = ServerJsonRpcMessage::error(said.error, id);
                Ok(StreamableHttpPostResponse::Json(error, session))
            }
            None => Err(self.refused(status)),
        }
    }

    /// Reads an answer that is one message.
    async fn whole(
        &self,
        message: &ClientJsonRpcMessage,
        response: Response,
    ) -> Outcome<StreamableHttpPostResponse> {
        let session = session_of(&response);
        let read = body(response, MAX_MESSAGE_BYTES).await;
        let read = read.map_err(|error| self.unreachable(&error))?;
        let body = read.ok_or(StreamableHttpError::Client(Fault::TooLarge))?;
        let Some(id) = request_id(message) else {
            // What asks for nothing is answered by nothing, whatever stands there.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        match answer(reply::messages(&body, &asked_by(message)), id) {
            Some(answer) => {
                let answer = greeting::read(answer, greeting::asked_by(message));
                Ok(StreamableHttpPostResponse::Json(answer, session))
            }
            None => Err(self.strange("the answer is no message")),
        }
    }
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// The request that the body of a response answers.
fn asked_by(message: &ClientJsonRpcMessage) -> Asked {
    request_id(message).map_or(Asked::Unknown, |id| Asked::Certain(id.clone()))
}

/// The message of a body that answers a request. An error is one whatever its id is, because a server that cannot read a
/// request, or a proxy before it, does not know the id.
fn answer(read: Vec<ServerJsonRpcMessage>, asked: &RequestId) -> Option<ServerJsonRpcMessage> {
    let answers = |message: &ServerJsonRpcMessage| match message {
        ServerJsonRpcMessage::Response(response) => response.id == *asked,
        _ => false,
    };
    if let Some(at) = read.iter().position(answers) {
        return read.into_iter().nth(at);
    }
    let error = read.into_iter().find_map(error_of)?.error;
    Some(ServerJsonRpcMessage::error(error, Some(asked.clone())))
}

fn error_of(message: ServerJsonRpcMessage) -> Option<JsonRpcError> {
    match message {
        ServerJsonRpcMessage::Error(error) => Some(error),
        _ => None,
    }
}

/// Returns whether a message is a request in a session, and does not begin one.
fn is_in_session(message: &ClientJsonRpcMessage) -> bool {
    use ClientRequest::{DiscoverRequest, InitializeRequest};
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    !matches!(request.request, InitializeRequest(_) | DiscoverRequest(_))
}

/// Returns whether a refusal means that the session has ended. Servers say that by several statuses, and by errors of several
/// codes; what remains are errors about the request itself, whose codes JSON-RPC defines.
fn ends_session(status: StatusCode, said: Option<&JsonRpcError>) -> bool {
    let is_about_request =
        said.is_some_and(|said| matches!(said.error.code.0, -32700 | -32603..=-32601));
    matches!(status.as_u16(), 400 | 404 | 410) && !is_about_request
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client's headers may hold secrets.
        f.debug_struct("HttpClient").field("server", &self.0.server).finish_non_exhaustive()
    }
}

fn session_of(response: &Response) -> Option<String> {
    response.headers().get(SESSION)?.to_str().ok().map(str::to_owned)
}

fn is_of(response: &Response, kind: &str) -> bool {
    let found = response.headers().get(CONTENT_TYPE);
    found.is_some_and(|found| found.as_bytes().to_ascii_lowercase().starts_with(kind.as_bytes()))
}

// The token is among the client's own headers, so what the library would pass on as `token` is empty.
impl StreamableHttpClient for HttpClient {
    type Error = Fault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _token: Option<String>,
        headers: Headers,
    ) -> Outcome<StreamableHttpPostResponse> {
        let mut request = self.0.client.post(uri.as_ref()).json(&message);
        request = request.header(ACCEPT, format!("{JSON}, {EVENTS}"));
        if let Some(session) = &session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = self.send(request, headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        // A session that has ended is not begun anew here, as the library would do: it would also send a call again that
        // changes something.
        if !status.is_success() {
            return self.refusal(&message, session_id.is_some(), response).await;
        }
        if is_of(&response, EVENTS) {
            let session = session_of(&response);
            let events = events(response, MAX_MESSAGE_BYTES, Arc::clone(&self.0.oversized));
            let greeting = greeting::asked_by(&message).cloned();
            let events = repaired(events, asked_by(&message), greeting);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if is_of(&response, JSON) {
            return self.whole(&message, response).await;
        }
        if !matches!(message, ClientJsonRpcMessage::Request(_)) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        Err(self.strange("the answer is neither JSON nor a stream of events"))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _token: Option<String>,
        headers: Headers,
    ) -> Outcome<()> {
        let request = self.0.client.delete(uri.as_ref()).header(SESSION, session_id.as_ref());
        // Servers may keep their sessions, and one that has gone has none.
        self.send(request, headers).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _token: Option<String>,
        headers: Headers,
    ) -> Outcome<BoxStream<'static, std::result::Result<Sse, SseError>>> {
        let mut request = self.0.client.get(uri.as_ref()).header(ACCEPT, EVENTS);
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(event) = last_event_id {
            request = request.header(LAST_EVENT, event);
        }
        let response = self.send(request, headers).await?;
        let status = response.status();
        if status == StatusCode::METHOD_NOT_ALLOWED || !is_of(&response, EVENTS) {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if !status.is_success() {
            return Err(self.refused(status));
        }
        let events = events(response, MAX_MESSAGE_BYTES, Arc::clone(&self.0.oversized));
        Ok(repaired(events, Asked::Unknown, None))
    }
}
