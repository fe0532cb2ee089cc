//! Turns as a surface runs them: at most so many at once, each in a task of its own on the threads
//! that decide, stopped when its client leaves or the program ends.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use waypost::{Code, Error, Result};

/// The places for turns, and the threads on which they run.
#[derive(Debug)]
pub(super) struct Turns {
    threads: Handle,
    places: Arc<Semaphore>,
    limit: usize,
    /// Fires when turns under way are cancelled.
    work: CancellationToken,
}

/// A place for one turn; it is free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

/// A turn under way; dropping it stops it.
#[derive(Debug)]
pub(super) struct Running<T> {
    done: JoinHandle<Result<T>>,
    _client: DropGuard,
}

impl Turns {
    /// Places for `limit` turns on the threads of the runtime that calls; `work` cancels them all.
    pub(super) fn here(limit: usize, work: CancellationToken) -> Self {
        let places = Arc::new(Semaphore::new(limit));
        Self { threads: Handle::current(), places, limit, work }
    }

    /// The most turns at once.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The number of turns under way.
    pub(super) fn under_way(&self) -> usize {
        self.limit.saturating_sub(self.places.available_permits())
    }

    /// Takes a place, if one is free.
    pub(super) fn place_now(&self) -> Option<Place> {
        let permit = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Place { _permit: permit })
    }

    /// Waits for a place.
    pub(super) async fn place(&self) -> Result<Place> {
        let permit = Arc::clone(&self.places).acquire_owned().await;
        let permit = permit.map_err(|error| Error::internal(error.to_string()))?;
        Ok(Place { _permit: permit })
    }

    /// Begins the work of a turn.
    ///
    /// It has a task of its own, so that a turn whose client leaves ends as one that was cancelled
    /// does: tools are told, and nothing is left half done.
    pub(super) fn begin<T, F>(
        &self,
        place: Place,
        work: impl FnOnce(CancellationToken) -> F,
    ) -> Running<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let cancel = self.work.child_token();
        let (client, left) = (cancel.clone().drop_guard(), cancel.clone());
        let work = work(cancel);
        let done = self.threads.spawn(async move {
            // Where threads are scarce, nothing is decided for who has left meanwhile.
            let result = match left.is_cancelled() {
                true => Err(Error::new(Code::Cancelled, "the request was stopped")),
                false => work.await,
            };
            drop(place);
            result
        });
        Running { done, _client: client }
    }

    /// Runs other work on the threads of the turns, such as reading a large body.
    pub(super) fn beside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.threads.spawn(work)
    }

    /// Cancels what runs.
    pub(super) fn cancel(&self) {
        self.work.cancel();
    }

    /// Waits until all are to be cancelled.
    pub(super) async fn cancelled(&self) {
        self.work.cancelled().await;
    }

    /// Waits until nothing runs: a turn whose client has gone outlives its connection for a moment.
    pub(super) async fn ended(&self) {
        let all = u32::try_from(self.limit).unwrap_or(u32::MAX);
        let _ = self.places.acquire_many(all).await;
    }
}

impl<T> Running<T> {
    /// Waits until the turn ends, and returns its result.
    pub(super) async fn end(self) -> Result<T> {
        match self.done.await {
            // The client would have gone with this; the program is ending.
            Ok(Err(error)) if error.code() == Code::Cancelled => {
                Err(Error::unavailable("the server is stopping").with_hint("ask again in a second"))
            }
            Ok(result) => result,
            // A panic: its words are for the log.
            Err(error) => Err(Error::internal(error.to_string())),
        }
    }
}
