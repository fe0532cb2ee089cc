//! Checks before a call what its tool does to the world, by the hints of its server.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result, Severity};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::tools::{Hints, ToolServer};
use waypost_core::records::access::Access;

use super::{ExecutionDependencies, Servers};
use crate::decide::gates::Approved;
use crate::pack::{Pack, Tool, fingerprint};
use crate::turn::Turn;

/// The access of tools as their servers hinted at when they were listed first, for as long as the
/// program runs.
#[derive(Debug, Default)]
pub struct Known(Mutex<BTreeMap<String, Access>>);

impl Known {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Access>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The access that was hinted at first; `access`, if this is the first time.
    fn first(&self, tool: &str, access: Access) -> Access {
        *self.lock().entry(tool.to_owned()).or_insert(access)
    }

    /// The access of the tools of which the pack says nothing.
    pub(crate) fn unsaid(&self, pack: &Pack) -> BTreeMap<String, Access> {
        let unsaid = |tool: &str| pack.tool(tool).is_some_and(|tool| tool.spec.access.is_none());
        let known = self.lock();
        let known = known.iter().filter(|(tool, _)| unsaid(tool));
        known.map(|(tool, access)| (tool.clone(), *access)).collect()
    }

    /// Asks the servers of approved tools of which the pack says nothing what they do, and returns
    /// whether one does more than reading. A server that does not answer is told of when its tool
    /// is called.
    pub(crate) async fn learn(
        &self,
        pack: &Pack,
        approved: &Approved,
        servers: &Servers,
        clock: &dyn Clock,
        cancel: &CancellationToken,
    ) -> bool {
        let mut stronger = false;
        for call in approved.calls() {
            let Some(tool) = pack.tool(&call.tool).filter(|tool| tool.spec.access.is_none()) else {
                continue;
            };
            let Some(server) = servers.get(&tool.spec.server) else { continue };
            if self.lock().contains_key(&call.tool) {
                continue;
            }
            if let Ok(Some(now)) = listed(tool, server.as_ref(), clock, cancel).await {
                stronger |= self.first(&call.tool, now.hints.access()) > Access::Read;
            }
        }
        stronger
    }
}

/// The tool as its server lists it now; nothing where it does not.
#[derive(Debug)]
pub(super) struct Now(Option<ListedNow>);

/// What matters of a tool in its server's list.
#[derive(Debug)]
struct ListedNow {
    hints: Hints,
    /// True if its server says something else of it than what was accepted.
    is_changed: bool,
}

impl Now {
    /// Returns whether the server says that the call may be made twice.
    pub(super) fn is_repeatable(&self) -> bool {
        self.0.as_ref().is_some_and(|now| now.hints.is_repeatable())
    }

    /// Returns whether the tool is in quarantine: its words or its schema are not those that were accepted.
    pub(super) fn is_changed(&self) -> bool {
        self.0.as_ref().is_some_and(|now| now.is_changed)
    }

    /// The access that is hinted at now, if it is more than what the turn was decided on: what the
    /// pack says expressly, or else what was hinted at first.
    pub(super) fn stronger(&self, turn: &Turn<'_>, tool: &Tool, known: &Known) -> Option<Access> {
        let now = self.0.as_ref()?.hints.access();
        let first = known.first(&tool.spec.name, now);
        let allowed = match tool.spec.access {
            Some(said) => said.max(first),
            None => turn.access(&tool.spec.name),
        };
        if now <= allowed {
            return None;
        }
        if tool.spec.access.is_none() {
            // Asked for again, the call is decided on what its server says now.
            known.lock().insert(tool.spec.name.clone(), now);
        }
        Some(now)
    }
}

/// Asks a tool's server what the tool does now.
///
/// # Errors
///
/// Those of a server that cannot be asked. One that cannot be listed may still be called where the
/// pack itself says what the tool does.
pub(super) async fn ask(
    tool: &Tool,
    server: &dyn ToolServer,
    dependencies: ExecutionDependencies<'_>,
) -> Result<Now> {
    match listed(tool, server, dependencies.clock, dependencies.cancel).await {
        Ok(now) => Ok(Now(now)),
        Err(error) if error.code() == Code::Unimplemented => Ok(Now(None)),
        // What was accepted has to be compared with what is there.
        Err(error)
            if error.severity() == Severity::Retriable
                && tool.spec.access.is_some()
                && tool.accepted().is_none() =>
        {
            Ok(Now(None))
        }
        Err(error) => Err(error),
    }
}

/// A tool in its server's list.
async fn listed(
    tool: &Tool,
    server: &dyn ToolServer,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Result<Option<ListedNow>> {
    let cancel = cancel.child_token();
    let limit = clock.sleep(Duration::from_millis(tool.spec.timeout_ms));
    match select(server.list(&cancel), limit).await {
        Either::Left((tools, _)) => {
            let tools = tools?;
            let name = tool.spec.remote_name();
            Ok(tools.iter().find(|listed| listed.name == name).map(|listed| ListedNow {
                hints: listed.hints,
                is_changed: tool.accepted().is_some_and(|own| own != fingerprint(listed)),
            }))
        }
        Either::Right(_) => {
            cancel.cancel();
            Err(Error::new(Code::DeadlineExceeded, "the tool's server did not list it in time"))
        }
    }
}
