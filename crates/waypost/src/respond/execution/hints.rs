//! Checks before a call what its tool does to the world, by the hints of its server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result, Severity};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::tools::{Hints, ToolServer};
use waypost_core::records::access::Access;

use super::{ExecutionDependencies, Servers};
use crate::pack::{Pack, Tool, fingerprint};
use crate::understand::Turn;

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

    /// Asks the servers of tools of which the pack says nothing what they do, and returns
    /// whether one does more than reading. Where a server has no list nobody says it, so the tool may
    /// destroy. A server that does not answer, or lists others only, is told of when its tool is called.
    pub(crate) async fn learn(
        &self,
        tools: &[&Tool],
        servers: &Servers,
        clock: &dyn Clock,
        cancel: &CancellationToken,
    ) -> bool {
        let mut stronger = false;
        for tool in tools.iter().filter(|tool| tool.spec.access.is_none()) {
            let Some(server) = servers.get(&tool.spec.server) else { continue };
            if self.lock().contains_key(&tool.spec.name) {
                continue;
            }
            let access = match listed(tool, server.as_ref(), List::Now, clock, cancel).await {
                Ok(Now::Listed(now)) => now.hints.access(),
                Ok(Now::Unheard) => Access::Destructive,
                Ok(Now::Unlisted) | Err(_) => continue,
            };
            stronger |= self.first(&tool.spec.name, access) > Access::Read;
        }
        stronger
    }
}

/// What a server says of its tool now.
#[derive(Debug)]
pub(super) enum Now {
    Listed(Listed),
    /// It lists others, and not this one.
    Unlisted,
    /// It has no list.
    Unheard,
}

/// What matters of a tool in its server's list.
#[derive(Debug)]
pub(super) struct Listed {
    hints: Hints,
    /// True if its server says something else of it than what was accepted.
    is_changed: bool,
}

impl Now {
    /// Returns whether the server says that the call may be made twice. That it only reads is not enough: the pack may say
    /// otherwise.
    pub(super) fn is_repeatable(&self) -> bool {
        matches!(self, Self::Listed(now) if now.hints.idempotent == Some(true))
    }

    /// Returns whether the server offers the tool no more. What was decided on is not there.
    pub(super) fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted)
    }

    /// Returns whether the tool is in quarantine: its words or its schema are not those that were accepted, or cannot be
    /// compared with them.
    pub(super) fn is_changed(&self, tool: &Tool) -> bool {
        match self {
            Self::Listed(now) => now.is_changed,
            Self::Unlisted | Self::Unheard => tool.accepted().is_some(),
        }
    }

    /// The access that is hinted at now, if it is more than what the turn was decided on: what the
    /// pack says expressly, or else what was hinted at first.
    pub(super) fn stronger(&self, turn: &Turn<'_>, tool: &Tool, known: &Known) -> Option<Access> {
        let now = match (self, tool.spec.access) {
            (Self::Listed(now), _) => now.hints.access(),
            (Self::Unheard, None) => Access::Destructive,
            (Self::Unheard, Some(_)) | (Self::Unlisted, _) => return None,
        };
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

/// The list in which a tool is looked up.
#[derive(Debug, Clone, Copy)]
enum List {
    /// The list as it is now.
    Now,
    /// The list of a short while ago.
    Lately,
}

impl List {
    /// The list for a call. A tool that the pack says to read changes nothing, so a server that was asked for its list a moment
    /// ago, and has not said that it changed, is not asked again before each call. Anything else is looked up now.
    fn before(turn: &Turn<'_>, tool: &Tool) -> Self {
        let reads =
            tool.spec.access == Some(Access::Read) && turn.access(&tool.spec.name) == Access::Read;
        if reads { Self::Lately } else { Self::Now }
    }
}

/// Asks a tool's server what the tool does now.
///
/// # Errors
///
/// Those of a server that cannot be asked. One that cannot be listed may still be called where the
/// pack itself says what the tool does.
pub(super) async fn ask(
    turn: &Turn<'_>,
    tool: &Tool,
    server: &dyn ToolServer,
    dependencies: ExecutionDependencies<'_>,
) -> Result<Now> {
    let list = List::before(turn, tool);
    match listed(tool, server, list, dependencies.clock, dependencies.cancel).await {
        // What was accepted has to be compared with what is there.
        Err(error)
            if error.severity() == Severity::Retriable
                && tool.spec.access.is_some()
                && tool.accepted().is_none() =>
        {
            Ok(Now::Unheard)
        }
        now => now,
    }
}

/// Looks a tool up in its server's list.
async fn listed(
    tool: &Tool,
    server: &dyn ToolServer,
    list: List,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Result<Now> {
    let cancel = cancel.child_token();
    let limit = clock.sleep(Duration::from_millis(tool.spec.timeout_ms));
    let tools = async {
        match list {
            List::Now => server.list(&cancel).await.map(Arc::new),
            List::Lately => server.list_lately(&cancel).await,
        }
    };
    match select(std::pin::pin!(tools), limit).await {
        Either::Left((tools, _)) => {
            let tools = match tools {
                Err(error) if error.code() == Code::Unimplemented => return Ok(Now::Unheard),
                tools => tools?,
            };
            let name = tool.spec.remote_name();
            let Some(listed) = tools.iter().find(|listed| listed.name == name) else {
                if server.lists_whole() {
                    return Ok(Now::Unlisted);
                }
                return Err(Error::unavailable("the tool's server did not list all of its tools"));
            };
            let is_changed = tool.accepted().is_some_and(|own| own != fingerprint(listed));
            Ok(Now::Listed(Listed { hints: listed.hints, is_changed }))
        }
        Either::Right(_) => {
            cancel.cancel();
            Err(Error::new(Code::DeadlineExceeded, "the tool's server did not list it in time"))
        }
    }
}
