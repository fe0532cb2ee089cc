//! The log of requests: at `info` one line for each turn and each request that is passed on to a model, at `warn` one for each
//! upstream that failed or was tried again. No line has what people wrote.

use std::time::Duration;

use tracing::{info, warn};
use waypost::records::answer::Answer;
use waypost::records::event::{Event, Record, Status};
use waypost::records::request::Request;
use waypost::records::session;
use waypost::{Code, Result};
use waypost_backends::stores::Inlet;

use super::caller::Caller;

/// The first status of HTTP that says that the server failed.
const SERVER_FAILED: u16 = 500;
/// The status of a server that is asked too often.
const TOO_MANY: u16 = 429;

/// Writes the line of a turn of a pack, which took this long.
pub(super) fn turn(request: &Request, pack: &str, done: &Result<Answer>, took: Duration) {
    let session = request.session.as_deref().map(|kept| session::parts(kept).1);
    let (key, took_ms) = (request.owner_name.as_deref(), milliseconds(took));
    match done {
        Ok(answer) => {
            let (plan, mode) = (&answer.raw.plan, answer.mode.as_str());
            let calls = plan["calls"].as_array().into_iter().flatten();
            let tools: Vec<&str> = calls.filter_map(|call| call["tool"].as_str()).collect();
            let tool = (!tools.is_empty()).then(|| tools.join(","));
            let code = answer.error.as_ref().map(|error| error.code.name());
            let (decision, route) = (answer.id.as_str(), plan["route"].as_str());
            info!(session, key, pack, decision, route, mode, tool, code, took_ms, "turn");
        }
        Err(error) => {
            let code = error.code().name();
            info!(session, key, pack, code, took_ms, "turn");
        }
    }
}

/// Writes the line of a request that was passed on to a model, whose answer began with this status after this long.
pub(super) fn passed_on(caller: &Caller, model: &str, status: u16, took: Duration) {
    let (key, took_ms) = (caller.key().map(|key| key.name.as_str()), milliseconds(took));
    info!(key, model, status, took_ms, "passed on");
    if status >= SERVER_FAILED || status == TOO_MANY {
        warn!(key, model, status, took_ms, "a model failed");
    }
}

/// Warns of upstreams that failed or were tried again, as the events of turns tell.
#[derive(Debug)]
pub(crate) struct Upstreams;

impl Inlet for Upstreams {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        events.iter().for_each(warn_of);
        events
    }
}

fn warn_of(record: &Record) {
    let (pack, decision) = (record.pack.as_str(), record.decision_id.as_str());
    match &record.event {
        Event::ToolEvent { tool, status, tool_latency_ms: took_ms, tries, errors, .. } => {
            let codes: Vec<&str> =
                errors.iter().filter(|code| is_upstreams(**code)).map(|code| code.name()).collect();
            let (codes, failed) = (codes.join(","), *status != Status::Success);
            match (codes.is_empty(), failed) {
                (true, _) => {}
                (_, true) => warn!(pack, decision, tool, tries, codes, took_ms, "a tool failed"),
                _ => warn!(pack, decision, tool, tries, codes, took_ms, "a tool was tried again"),
            }
        }
        Event::ModelEvent(call) => {
            if let Some(code) = call.code {
                let (model, purpose) = (call.model.as_str(), call.purpose.name());
                let (code, took_ms) = (code.name(), call.model_latency_ms);
                warn!(pack, decision, model, purpose, code, took_ms, "a model failed");
            }
        }
        // Its detail may quote what was sent.
        Event::Degraded { what, code, .. } if is_upstreams(*code) => {
            warn!(pack, decision, what, "something did not work as configured");
        }
        _ => {}
    }
}

/// Returns whether a failure is one of the server that was asked, and not of what it was asked for.
fn is_upstreams(code: Code) -> bool {
    use Code::{DeadlineExceeded, Internal, ResourceExhausted, Unavailable};
    matches!(code, Unavailable | DeadlineExceeded | ResourceExhausted | Internal)
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}
