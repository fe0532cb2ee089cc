//! The tools of a pack that their servers do not offer now: capabilities come and go while the program runs.
//!
//! Nobody is asked before a server says that its list has changed. What is gone is looked for again from time to time, since not
//! every server says when it is back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio_util::sync::CancellationToken;
use waypost_core::ports::clock::Clock;
use waypost_core::ports::tools::ToolServer;

use super::Servers;
use crate::pack::Pack;

/// The time after which a tool that is gone is looked for again.
const AGAIN: Duration = Duration::from_secs(10);
/// The longest that a question waits for a list; without it the list of before stands.
const LIMIT: Duration = Duration::from_secs(1);

/// The last look at a pack's servers.
#[derive(Debug, Default)]
pub struct Offered(Mutex<BTreeMap<String, Seen>>);

#[derive(Debug, Default, Clone)]
struct Seen {
    /// The server's count of changes then.
    changes: u64,
    at: Duration,
    /// The tools of the pack that it did not list.
    gone: BTreeSet<String>,
}

impl Offered {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools of a pack that are gone, once those servers were listed again of which the list may have changed.
    pub(crate) async fn gone(
        &self,
        pack: &Pack,
        servers: &Servers,
        clock: &dyn Clock,
        cancel: &CancellationToken,
    ) -> BTreeSet<String> {
        for (name, server) in servers {
            let seen = self.lock().get(name).cloned().unwrap_or_default();
            let changes = server.changes();
            let is_due = !seen.gone.is_empty() && clock.elapsed().saturating_sub(seen.at) >= AGAIN;
            if changes == seen.changes && !is_due {
                continue;
            }
            let gone = gone_of(pack, name, server.as_ref(), clock, cancel).await;
            let gone = gone.unwrap_or(seen.gone);
            let at = clock.elapsed();
            self.lock().insert(name.clone(), Seen { changes, at, gone });
        }
        self.lock().values().flat_map(|seen| seen.gone.iter().cloned()).collect()
    }
}

/// The tools of a pack that a server does not list; `None` where it cannot be listed in time, or not to the end.
async fn gone_of(
    pack: &Pack,
    name: &str,
    server: &dyn ToolServer,
    clock: &dyn Clock,
    cancel: &CancellationToken,
) -> Option<BTreeSet<String>> {
    let cancel = cancel.child_token();
    let listed = match select(server.list(&cancel), clock.sleep(LIMIT)).await {
        Either::Left((listed, _)) => listed.ok()?,
        Either::Right(_) => {
            cancel.cancel();
            return None;
        }
    };
    if !server.lists_whole() {
        return None;
    }
    let own = pack.tools.iter().filter(|tool| tool.spec.server == name);
    let gone = own.filter(|tool| {
        let remote = tool.spec.remote_name();
        listed.iter().all(|listed| listed.name != remote)
    });
    Some(gone.map(|tool| tool.spec.name.clone()).collect())
}
