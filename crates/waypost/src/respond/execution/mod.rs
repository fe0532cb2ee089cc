//! Runs approved calls: tries, waits, relaxations and bounds. What failed for good is a value, not
//! a panic and not a guess.

mod hints;
mod injected;
mod offered;
mod progress;
mod provided;
mod recovery;
mod writes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Map, Value as Json};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result, Severity};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::tools::{ToolResult, ToolServer};
use waypost_core::records::answer::Part;
use waypost_core::records::decision::Call;
use waypost_core::records::event::{Event, Status};

use crate::decide::gates::Approved;
use crate::pack::spec::Access;
use crate::pack::{Pack, Tool, localized};
use crate::understand::Turn;
pub use hints::Known;
use hints::Now;
pub use offered::Offered;
pub use progress::Pulse;
use progress::Reports;
pub use provided::Provided;
pub use writes::{WriteState, Writes};

/// The tool servers of a pack by name.
pub type Servers = BTreeMap<String, Arc<dyn ToolServer>>;

/// The most calls that run at the same time.
pub(super) const CONCURRENT_CALLS: usize = 4;

/// The outcome of one call.
#[derive(Debug)]
pub struct Done {
    /// The call as it was approved.
    pub call: Call,
    /// The tool's result, or the reason why there is none.
    pub result: Result<ToolResult>,
    /// The event that tells how it went.
    pub event: Event,
    /// The access that its server hints at now, where that stopped the call.
    pub became: Option<Access>,
    /// Its way where it changes something and came to be begun, or was refused then.
    pub write: Option<WriteState>,
}

/// The parts that execution needs beside the calls.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionDependencies<'a> {
    /// The servers that run the tools.
    pub servers: &'a Servers,
    /// Waits between tries.
    pub clock: &'a dyn Clock,
    /// The access that servers hinted at when they were listed first.
    pub known: &'a Known,
    /// The channel for what tools report; a receiver that has gone stops nothing.
    pub out: &'a Sender<Part>,
    /// Beats with every report.
    pub pulse: &'a Pulse,
    /// Records the calls that change something.
    pub writes: &'a Writes<'a>,
    /// The results of other tools in this turn.
    pub provided: &'a Provided,
    /// The most tries of a call; the pack's policy, where nobody else tries it again.
    pub max_tries: u32,
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
    if let Some(token) = attempt.begun.take() {
        let end = writes::end_of(&result);
        dependencies.writes.end(&token, end).await;
        attempt.write = Some(WriteState::Ended(end));
    }
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
    let (became, write) = (attempt.became, attempt.write);
    Done { call: call.clone(), result, event, became, write }
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
struct Attempt<'a> {
    call: &'a Call,
    arguments: Map<String, Json>,
    tries: u32,
    relaxed: Vec<String>,
    errors: Vec<Code>,
    /// The number of times that each relaxation was used.
    used: Vec<u32>,
    /// The tool's hints, once its server was asked.
    now: Option<Now>,
    /// The access that stopped the call.
    became: Option<Access>,
    /// The approval that a write has spent, once it has begun.
    begun: Option<String>,
    write: Option<WriteState>,
}

impl<'a> Attempt<'a> {
    fn new(call: &'a Call) -> Self {
        Self {
            call,
            arguments: call.arguments.clone(),
            tries: 0,
            relaxed: Vec::new(),
            errors: Vec::new(),
            used: Vec::new(),
            now: None,
            became: None,
            begun: None,
            write: None,
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
            if turn.access(&tool.spec.name) != Access::Read {
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
            let error = match self.checked_once(turn, tool, server, dependencies).await {
                Ok(result) => return usable(turn, tool, result),
                Err(error) => error,
            };
            // A write that was not answered may have been done all the same.
            let repeatable = turn.access(&tool.spec.name) == Access::Read
                || tool.idempotency_key().is_some()
                || self.now.as_ref().is_some_and(Now::is_repeatable);
            let retriable = repeatable && error.severity() == Severity::Retriable;
            let reads = turn.access(&tool.spec.name) == Access::Read;
            let most = if reads { dependencies.max_tries } else { policy.max_tries };
            // Who has waited for an answer in vain is not made to wait again for the same.
            let is_late = reads && error.code() == Code::DeadlineExceeded;
            if !retriable || is_late || round >= most {
                return Err(error);
            }
            self.errors.push(error.code());
            pause_jittered(turn, wait, round, dependencies.clock, dependencies.cancel).await?;
            wait = wait.mul_f64(policy.backoff_factor.max(1.0));
        }
        Err(Error::internal("the retry loop ended"))
    }

    /// One try, after its server was asked what the tool does now. A tool that does more than it was
    /// decided on does not run.
    async fn checked_once(
        &mut self,
        turn: &Turn<'_>,
        tool: &Tool,
        server: &dyn ToolServer,
        dependencies: ExecutionDependencies<'_>,
    ) -> Result<ToolResult> {
        if self.now.is_none() {
            let now = hints::ask(turn, tool, server, dependencies).await?;
            self.became = now.stronger(turn, tool, dependencies.known);
            self.now = Some(now);
        }
        if self.now.as_ref().is_some_and(|now| now.is_changed(tool)) {
            return Err(quarantined(tool));
        }
        if self.now.as_ref().is_some_and(Now::is_unlisted) {
            return Err(unlisted(tool));
        }
        if self.became.is_some() {
            let message = format!("`{}` does more than it was approved for", tool.spec.name);
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        if turn.access(&tool.spec.name) != Access::Read {
            self.begin(dependencies).await?;
        }
        let key = tool.idempotency_key().zip(self.begun.as_deref());
        let arguments = injected::into(turn, tool, &self.arguments, dependencies.provided);
        once(tool, server, (&self.arguments, &arguments), key, dependencies).await
    }

    /// Spends the approval of a write before its first try; further tries are of the same call.
    async fn begin(&mut self, dependencies: ExecutionDependencies<'_>) -> Result<()> {
        if self.begun.is_some() {
            return Ok(());
        }
        match dependencies.writes.begin(self.call).await {
            Ok(token) => self.begun = Some(token),
            Err(error) => {
                self.write = writes::refused(&error);
                return Err(error.with_severity(Severity::Critical));
            }
        }
        Ok(())
    }
}

/// The result, if something can be made of it: a reading that is not what the tool promises is worth
/// nothing to a template, but what was changed was changed.
fn usable(turn: &Turn<'_>, tool: &Tool, result: ToolResult) -> Result<ToolResult> {
    let Some(fault) = &result.fault else { return Ok(result) };
    let templated = localized(&tool.spec.answer, turn.said.language).is_some();
    if turn.access(&tool.spec.name) != Access::Read || !templated {
        return Ok(result);
    }
    let name = &tool.spec.name;
    Err(Error::unavailable(format!("`{name}` answered with something else than it promises"))
        .with_severity(Severity::Critical)
        .with_detail(fault.clone()))
}

/// One try, bounded in silence: each report of the tool begins the wait anew. Arguments are checked
/// before it, without those that Waypost fills (`sent` has them, too), and the result after it; `key` is the argument, with its value, by which the server knows
/// a call that is made again.
async fn once(
    tool: &Tool,
    server: &dyn ToolServer,
    (arguments, sent): (&Map<String, Json>, &Map<String, Json>),
    key: Option<(&str, &str)>,
    dependencies: ExecutionDependencies<'_>,
) -> Result<ToolResult> {
    if let Some(fault) = tool.faults(&Json::Object(arguments.clone())).first() {
        return Err(
            Error::invalid("an argument does not fit the tool").with_detail(fault.detail.clone())
        );
    }
    let mut arguments = Cow::Borrowed(sent);
    if let Some((name, key)) = key {
        arguments.to_mut().insert(name.to_owned(), Json::from(key));
    }
    // Its own token, so that a try that is too slow is stopped and not merely forgotten.
    let cancel = dependencies.cancel.child_token();
    let (reports, mut heard) = Reports::new();
    let mut call = server.call_reporting(tool.spec.remote_name(), &arguments, &reports, &cancel);
    loop {
        let silence = dependencies.clock.sleep(Duration::from_millis(tool.spec.timeout_ms));
        let told = std::pin::pin!(heard.recv());
        match select(select(call, told), silence).await {
            // Only the caller stops a turn; a tool that says so has merely failed.
            Either::Left((Either::Left((Err(error), _)), _))
                if error.code() == Code::Cancelled && !dependencies.cancel.is_cancelled() =>
            {
                return Err(Error::unavailable("the tool stopped before it was done")
                    .with_severity(Severity::Critical));
            }
            Either::Left((Either::Left((result, _)), _)) => return result.and_then(whole(tool)),
            Either::Left((Either::Right((progress, waiting)), _)) => {
                call = waiting;
                if let Some(progress) = progress {
                    dependencies.pulse.beat();
                    let part = Part::ToolProgress { tool: tool.spec.name.clone(), progress };
                    // Whoever does not keep up misses a report, not the answer.
                    let _ = dependencies.out.try_send(part);
                }
            }
            Either::Right(_) => {
                cancel.cancel();
                return Err(Error::new(Code::DeadlineExceeded, "the tool did not answer in time"));
            }
        }
    }
}

/// A result whose value is an object, as the port promises.
fn whole(tool: &Tool) -> impl FnOnce(ToolResult) -> Result<ToolResult> {
    |result| {
        if result.value.is_object() {
            return Ok(result);
        }
        let detail = format!("{} returned no object", tool.spec.name);
        Err(Error::unavailable("the tool's result is not usable").with_detail(detail))
    }
}

/// The error of a tool whose server says something else of it than what was accepted.
fn quarantined(tool: &Tool) -> Error {
    let name = &tool.spec.name;
    Error::new(Code::FailedPrecondition, format!("`{name}` is not what was accepted any more"))
        .with_severity(Severity::Critical)
        .with_hint(format!("look at what it says now, then `waypost tools accept {name}`"))
}

fn unlisted(tool: &Tool) -> Error {
    let name = &tool.spec.name;
    let server = &tool.spec.server;
    Error::unavailable(format!("the server `{server}` does not list `{name}`"))
        .with_severity(Severity::Critical)
        .with_hint("see what it lists: `waypost doctor`")
}

/// Waits before a try, for a time that differs between turns.
///
/// # Errors
///
/// `CANCELLED`.
pub(crate) async fn pause_jittered(
    turn: &Turn<'_>,
    wait: Duration,
    round: u32,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Result<()> {
    pause(recovery::jittered(wait, turn, round), clock, cancel).await
}

async fn pause(wait: Duration, clock: &dyn Clock, cancel: &CancellationToken) -> Result<()> {
    let cancelled = std::pin::pin!(cancel.cancelled());
    match select(clock.sleep(wait), cancelled).await {
        Either::Left(_) => Ok(()),
        Either::Right(_) => Err(Error::new(Code::Cancelled, "the request was stopped")),
    }
}
