//! Runs approved calls: tries, waits, relaxations and bounds. What failed for good is a value, not
//! a panic and not a guess.

mod recovery;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result, Severity};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::tools::{ToolResult, ToolServer};
use waypost_core::records::decision::Call;
use waypost_core::records::event::{Event, Status};

use crate::decide::gates::Approved;
use crate::pack::spec::Access;
use crate::pack::{Pack, Tool};
use crate::turn::Turn;

/// The tool servers of a pack by name.
pub type Servers = BTreeMap<String, Arc<dyn ToolServer>>;

/// The most calls that run at the same time.
const CONCURRENT_CALLS: usize = 4;

/// The outcome of one call.
#[derive(Debug)]
pub struct Done {
    /// The call as it was approved.
    pub call: Call,
    /// The tool's result, or the reason why there is none.
    pub result: Result<ToolResult>,
    /// The event that tells how it went.
    pub event: Event,
}

/// The parts that execution needs beside the calls.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionDependencies<'a> {
    /// The servers that run the tools.
    pub servers: &'a Servers,
    /// Waits between tries.
    pub clock: &'a dyn Clock,
    /// Stops the work.
    pub cancel: &'a CancellationToken,
}

/// Runs the approved calls, a few at a time, and returns what they gave in their order.
pub async fn run(
    turn: &Turn<'_>,
    approved: &Approved,
    dependencies: ExecutionDependencies<'_>,
) -> Vec<Done> {
    // Boxed one by one: a closure over borrowed calls is not general enough for the compiler.
    let calls: Vec<_> =
        approved.calls().iter().map(|call| run_call(turn, call, dependencies).boxed()).collect();
    stream::iter(calls).buffered(CONCURRENT_CALLS).collect().await
}

async fn run_call(turn: &Turn<'_>, call: &Call, dependencies: ExecutionDependencies<'_>) -> Done {
    let started = dependencies.clock.elapsed();
    let mut attempt = Attempt::new(call);
    let result = match server(turn.pack, &call.tool, dependencies.servers) {
        Ok((tool, server)) => attempt.until_done(turn, tool, server, dependencies).await,
        Err(error) => Err(error),
    };
    if let Err(error) = &result {
        attempt.errors.push(error.code());
    }
    let event = Event::ToolEvent {
        tool: call.tool.clone(),
        arguments: attempt.arguments,
        status: if result.is_ok() { Status::Success } else { Status::Error },
        tool_latency_ms: milliseconds(dependencies.clock.elapsed().saturating_sub(started)),
        tries: attempt.tries,
        relaxed: attempt.relaxed,
        errors: attempt.errors,
    };
    Done { call: call.clone(), result, event }
}

/// A duration in milliseconds, to a microsecond.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

fn server<'a>(
    pack: &'a Pack,
    tool: &str,
    servers: &'a Servers,
) -> Result<(&'a Tool, &'a dyn ToolServer)> {
    let tool = pack.tool(tool).ok_or_else(|| Error::internal(format!("no tool {tool}")))?;
    let server = servers.get(&tool.spec.server).ok_or_else(|| {
        Error::unavailable("the tool's server is not connected")
            .with_detail(format!("no server {}", tool.spec.server))
    })?;
    Ok((tool, server.as_ref()))
}

/// A call on its way: how often it was tried and what was changed for it.
struct Attempt {
    arguments: Map<String, Json>,
    tries: u32,
    relaxed: Vec<String>,
    errors: Vec<Code>,
    /// The number of times that each relaxation was used.
    used: Vec<u32>,
}

impl Attempt {
    fn new(call: &Call) -> Self {
        Self {
            arguments: call.arguments.clone(),
            tries: 0,
            relaxed: Vec::new(),
            errors: Vec::new(),
            used: Vec::new(),
        }
    }

    /// Tries until the tool answers or nothing is left to try. Bounded: `max_tries` for every set
    /// of arguments, and each relaxation changes them at most `max` times.
    async fn until_done(
        &mut self,
        turn: &Turn<'_>,
        tool: &Tool,
        server: &dyn ToolServer,
        dependencies: ExecutionDependencies<'_>,
    ) -> Result<ToolResult> {
        self.used = vec![0; tool.spec.relax.len()];
        loop {
            let error = match self.with_retries(turn, tool, server, dependencies).await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            if tool.spec.access != Access::Read {
                return Err(error);
            }
            let relaxed =
                recovery::relax(turn, tool, error.code(), &mut self.used, &self.arguments);
            let Some((note, arguments)) = relaxed else { return Err(error) };
            self.errors.push(error.code());
            self.relaxed.push(note);
            self.arguments = arguments;
        }
    }

    async fn with_retries(
        &mut self,
        turn: &Turn<'_>,
        tool: &Tool,
        server: &dyn ToolServer,
        dependencies: ExecutionDependencies<'_>,
    ) -> Result<ToolResult> {
        let policy = &turn.pack.spec.policy;
        let mut wait = Duration::from_millis(policy.backoff_ms);
        for round in 1.. {
            self.tries += 1;
            let error = match once(tool, server, &self.arguments, dependencies).await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            // A write that was not answered may have been done all the same.
            let repeatable = tool.spec.access == Access::Read;
            let retriable = repeatable && error.severity() == Severity::Retriable;
            if !retriable || round >= policy.max_tries {
                return Err(error);
            }
            self.errors.push(error.code());
            pause(recovery::jittered(wait, turn, round), dependencies).await?;
            wait = wait.mul_f64(policy.backoff_factor.max(1.0));
        }
        Err(Error::internal("the retry loop ended"))
    }
}

/// One try, bounded in time; arguments are checked before it and the result after it.
async fn once(
    tool: &Tool,
    server: &dyn ToolServer,
    arguments: &Map<String, Json>,
    dependencies: ExecutionDependencies<'_>,
) -> Result<ToolResult> {
    if let Some(fault) = tool.faults(&Json::Object(arguments.clone())).first() {
        return Err(
            Error::invalid("an argument does not fit the tool").with_detail(fault.detail.clone())
        );
    }
    // Its own token, so that a try that is too slow is stopped and not merely forgotten.
    let cancel = dependencies.cancel.child_token();
    let call = server.call(&tool.spec.name, arguments, &cancel);
    let limit = dependencies.clock.sleep(Duration::from_millis(tool.spec.timeout_ms));
    let result = match select(call, limit).await {
        // Only the caller stops a turn; a tool that says so has merely failed.
        Either::Left((Err(error), _))
            if error.code() == Code::Cancelled && !dependencies.cancel.is_cancelled() =>
        {
            return Err(Error::unavailable("the tool stopped before it was done")
                .with_severity(Severity::Critical));
        }
        Either::Left((result, _)) => result?,
        Either::Right(_) => {
            cancel.cancel();
            return Err(Error::new(Code::DeadlineExceeded, "the tool did not answer in time"));
        }
    };
    if !result.value.is_object() {
        let detail = format!("{} returned no object", tool.spec.name);
        return Err(Error::unavailable("the tool's result is not usable").with_detail(detail));
    }
    Ok(result)
}

async fn pause(wait: Duration, dependencies: ExecutionDependencies<'_>) -> Result<()> {
    let cancelled = std::pin::pin!(dependencies.cancel.cancelled());
    match select(dependencies.clock.sleep(wait), cancelled).await {
        Either::Left(_) => Ok(()),
        Either::Right(_) => Err(Error::new(Code::Cancelled, "the request was stopped")),
    }
}
