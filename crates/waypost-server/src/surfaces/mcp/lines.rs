//! Messages as lines: each bounded, and one that is no message is told and forgotten.
//!
//! rmcp's own transport passes over what is no JSON, so that a client which waits for an answer waits
//! for good, and ends the session with the input, whatever is still worked on. This one answers with
//! the codes of JSON-RPC, refuses what is more than can be worked on, and when the input ends lets
//! the turns under way finish first.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, NumberOrString, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::params;
use crate::surfaces::json::{MAX_VALUES, values};
use crate::surfaces::turns::Turns;

/// The longest line, in bytes: twice what a body of HTTP may have, since a line carries a text and
/// its escapes too.
pub(super) const MAX_LINE_BYTES: usize = 1024 * 1024;
/// The most requests that may wait for their answer.
pub(super) const MAX_OPEN: usize = 256;
/// The bytes that the lines of all of these may have together.
const MAX_OPEN_BYTES: usize = 16 * 1024 * 1024;

/// JSON-RPC: what came is no JSON.
const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: what came is JSON, and no message.
const INVALID_REQUEST: i32 = -32600;
/// The range that JSON-RPC leaves to servers: too much is worked on.
const BUSY: i32 = -32000;

/// A session over a pair of streams.
pub(super) struct Lines<I, O> {
    input: BufReader<I>,
    output: Arc<Mutex<O>>,
    line: Vec<u8>,
    /// True within a line that was found too long, until it ends.
    skips: bool,
    /// The requests that wait for their answer, with the bytes of their lines.
    open: HashMap<RequestId, usize>,
    ending: Ending,
}

/// The end of a session.
pub(super) struct Ending {
    pub(super) turns: Arc<Turns>,
    /// The time that turns under way may go on after the input has ended.
    pub(super) grace: Duration,
    /// The time that cancelled turns may then take to end.
    pub(super) last_words: Duration,
    /// Fires when nobody waits for the turns any more.
    pub(super) over: CancellationToken,
    /// The end of the grace, once the input has ended.
    pub(super) until: Option<Instant>,
}

/// A line of the input.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<I, O> Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: I, output: O, ending: Ending) -> Self {
        let (input, output) = (BufReader::new(input), Arc::new(Mutex::new(output)));
        Self { input, output, line: Vec::new(), skips: false, open: HashMap::new(), ending }
    }

    /// Reads a line into [`Self::line`]. Whoever waits for it may be dropped and wait again: what was
    /// read of it stays.
    async fn read_line(&mut self) -> Line {
        loop {
            let Ok(bytes) = self.input.fill_buf().await else { return Line::End };
            if bytes.is_empty() {
                return Line::End;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |at| at + 1);
            let (skipped, fits) = (self.skips, self.line.len() + taken <= MAX_LINE_BYTES);
            if !skipped && fits {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            self.skips = end.is_none() && (skipped || !fits);
            if skipped {
                continue;
            }
            if !fits {
                // Told at once: the end of the line may never come.
                self.line = Vec::new();
                return Line::TooLong;
            }
            if end.is_some() {
                return Line::Whole;
            }
        }
    }

    /// The message of the line that was read; otherwise what is to be said of it, if anything is.
    fn message(&mut self) -> Result<RxJsonRpcMessage<RoleServer>, Option<Json>> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            return Err(None);
        }
        if values(text) > MAX_VALUES {
            let message = format!("the line has more than {MAX_VALUES} values, the limit");
            return Err(Some(error(Json::Null, INVALID_REQUEST, &message)));
        }
        let message = serde_json::from_slice(text).map_err(|_| misread(text))?;
        self.admit(message, text.len())
    }

    /// Lets a message through, unless it asks for more than can be worked on.
    fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
        bytes: usize,
    ) -> Result<ClientJsonRpcMessage, Option<Json>> {
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                // Also before the handshake, which a client may then send again.
                if let ClientRequest::CustomRequest(other) = &request.request
                    && let Some(fault) = params::unfit(other)
                {
                    return Err(Some(error(id(&request.id), fault.code.0, &fault.message)));
                }
                // Two answers to one id could not be told apart, and what is asked might run twice.
                if self.open.contains_key(&request.id) {
                    let message = "the id is that of a request which has no answer yet";
                    return Err(Some(error(Json::Null, INVALID_REQUEST, message)));
                }
                let held: usize = self.open.values().sum();
                if self.open.len() >= MAX_OPEN || held + bytes > MAX_OPEN_BYTES {
                    let message = format!("{MAX_OPEN} requests wait, the limit: ask again later");
                    return Err(Some(error(id(&request.id), BUSY, &message)));
                }
                self.open.insert(request.id.clone(), bytes);
            }
            ClientJsonRpcMessage::Notification(told) => {
                // A request that was cancelled gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
            }
            _ => {}
        }
        Ok(message)
    }

    /// Waits until the turns under way have ended, at most as long as is left to them.
    async fn end(&mut self) {
        let Ending { turns, grace, last_words, over, until } = &mut self.ending;
        let until = *until.get_or_insert_with(|| Instant::now() + *grace);
        if tokio::time::timeout_at(until, turns.ended()).await.is_err() {
            turns.cancel();
            let _ = tokio::time::timeout_at(until + *last_words, turns.ended()).await;
        }
        over.cancel();
    }
}

impl<I, O> Transport<RoleServer> for Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => Some(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.open.remove(id);
        }
        let output = Arc::clone(&self.output);
        async move { write(&output, serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let said = match self.read_line().await {
                Line::Whole => match self.message() {
                    Ok(message) => return Some(message),
                    Err(said) => said,
                },
                Line::TooLong => {
                    let message =
                        format!("the line has more than {MAX_LINE_BYTES} bytes, the limit");
                    Some(error(Json::Null, PARSE_ERROR, &message))
                }
                Line::End => {
                    self.end().await;
                    return None;
                }
            };
            if let Some(said) = said {
                // A client that has gone hears nothing; its input ends too.
                let _ = write(&self.output, said.to_string().into_bytes()).await;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The answer to a text that is no message: none to a notification, which has no answer.
fn misread(text: &[u8]) -> Option<Json> {
    let Ok(value) = serde_json::from_slice::<Json>(text) else {
        return Some(error(Json::Null, PARSE_ERROR, "the line is not JSON"));
    };
    let id = value.get("id");
    if id.is_none() && value.get("method").is_some_and(Json::is_string) {
        return None;
    }
    let id = id.filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
    Some(error(id, INVALID_REQUEST, "the line is no message of MCP"))
}

fn id(id: &RequestId) -> Json {
    match id {
        NumberOrString::Number(number) => json!(number),
        NumberOrString::String(text) => json!(text),
    }
}

/// An error as it is sent; the id is null where it cannot be known (JSON-RPC 2.0, 5.1).
fn error(id: Json, code: i32, message: &str) -> Json {
    let mut error = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    error["id"] = id;
    error
}

/// Writes a line whole: two never mix.
async fn write(output: &Mutex<impl AsyncWrite + Unpin>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
