//! The places for connections: who is idle longest gives way to who comes, and a few places are kept
//! for questions about the server itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The connections beyond all others, each of which may ask once, and only about the server itself.
const SPARE: usize = 32;
/// The time that a connection which has to give way may take for it.
const WAY: Duration = Duration::from_millis(100);

/// The places of a server.
#[derive(Debug)]
pub(super) struct Places {
    ordinary: Pool,
    spare: Pool,
}

/// A place for a connection; it is free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    waiting: Arc<Waiting>,
    /// True if it may ask about the server itself alone.
    pub(super) spare: bool,
}

/// Places of one kind.
#[derive(Debug)]
struct Pool {
    permits: Arc<Semaphore>,
    limit: u32,
    waiting: Arc<Waiting>,
}

/// The connections that are idle.
#[derive(Debug, Default)]
struct Waiting(Mutex<Idle>);

#[derive(Debug, Default)]
struct Idle {
    /// The number that the next idle one gets: who has waited longer has a smaller one.
    next: u64,
    longest_first: BTreeMap<u64, CancellationToken>,
}

impl Places {
    /// As many places, and the spare ones.
    pub(super) fn new(ordinary: usize) -> Self {
        Self { ordinary: Pool::new(ordinary), spare: Pool::new(SPARE) }
    }

    /// Takes a place: an ordinary one if one is free or an idle connection can be closed for it, else
    /// a spare one; waits where there is neither.
    pub(super) async fn take(&self) -> Place {
        loop {
            if let Some(permit) = self.ordinary.take().await {
                return self.ordinary.place(permit, false);
            }
            if let Some(permit) = self.spare.take().await {
                return self.spare.place(permit, true);
            }
            tokio::time::sleep(WAY).await;
        }
    }

    /// Waits until none is taken.
    pub(super) async fn ended(&self) {
        for pool in [&self.ordinary, &self.spare] {
            let _ = pool.permits.acquire_many(pool.limit).await;
        }
    }
}

impl Pool {
    fn new(limit: usize) -> Self {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let permits = Arc::new(Semaphore::new(limit as usize));
        Self { permits, limit, waiting: Arc::default() }
    }

    async fn take(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(permit);
        }
        if !self.waiting.close_longest() {
            return None;
        }
        let going = Arc::clone(&self.permits).acquire_owned();
        tokio::time::timeout(WAY, going).await.ok()?.ok()
    }

    fn place(&self, permit: OwnedSemaphorePermit, spare: bool) -> Place {
        Place { _permit: permit, waiting: Arc::clone(&self.waiting), spare }
    }
}

impl Place {
    /// Notes that its connection is idle: `close` fires when it has to give way. Returns the number
    /// under which it waits.
    pub(super) fn idle(&self, close: CancellationToken) -> u64 {
        let mut idle = self.waiting.lock();
        idle.next += 1;
        let number = idle.next;
        idle.longest_first.insert(number, close);
        number
    }

    /// Notes that the connection that waits under `number` is idle no more.
    pub(super) fn busy(&self, number: u64) {
        self.waiting.lock().longest_first.remove(&number);
    }
}

impl Waiting {
    /// Has the one that is idle longest give way, if there is one.
    fn close_longest(&self) -> bool {
        let longest = self.lock().longest_first.pop_first();
        longest.map(|(_, close)| close.cancel()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
