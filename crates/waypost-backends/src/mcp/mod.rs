//! Tool servers over the Model Context Protocol: child processes that speak on their standard input and
//! output, and addresses that are spoken with over streamable HTTP.
//!
//! A server starts when it is first needed, is kept for later calls, and is started again by the
//! call after it died. One call makes at most one attempt to start; calls that wait for an attempt
//! share its outcome, and after several failures the server is down for a while. No type of the protocol's
//! library leaves this module.

mod breaker;
mod changes;
mod child;
mod connection;
mod cut;
mod failure;
mod greeting;
mod http;
mod json;
pub mod keeper;
mod leash;
mod lines;
mod listing;
mod promises;
mod reply;
mod request;
mod result;
mod said;
mod server;
mod stderr;
mod waiting;
mod wire;

pub use breaker::Health;
pub use child::{LogSink, PASSED_ON, StdioConfig};
pub use http::{HeaderText, HttpConfig};
pub use server::{McpServer, Reach};
use waypost_core::{Code, Error};

/// The longest wait for a result, where nothing else is configured.
const CALL_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);
/// The longest wait until a server is ready, where nothing else is configured: a runner may have to fetch it first.
const START_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(15);

/// A text in one line of at most `longest` characters, without what could steer a terminal.
fn line(text: &str, longest: usize) -> String {
    text.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The error of a server that was not ready for calls within `limit`; `what` completes "the tool server `x` …".
fn too_slow(server: &str, what: &str, limit: std::time::Duration) -> Error {
    let what = format!("the tool server `{server}` {what} within {} s", limit.as_secs_f64());
    Error::new(Code::DeadlineExceeded, what)
        .with_hint("give it more time: `tool_server_seconds` under `[limits]`")
}

/// A server that cannot be used; `what` completes "the tool server `x` …".
fn broken(server: &str, what: &str) -> Error {
    Error::new(Code::Unavailable, format!("the tool server `{server}` {what}"))
}
