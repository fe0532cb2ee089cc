//! A turn as this surface runs it: at most so many at once, each in a task of its own, stopped when
//! its client leaves.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use waypost::router::Router;
use waypost::{Code, Error, Result};

use super::Served;
use super::metrics::REJECTED;
use super::problem::Problem;

/// A turn under way; dropping it stops it.
#[derive(Debug)]
pub(super) struct Running<T> {
    done: JoinHandle<Result<T>>,
    _client: DropGuard,
}

/// Begins the work of a turn.
///
/// It has a task of its own, so that a turn whose client leaves ends as one that was cancelled does:
/// tools are told, and nothing is left half done.
pub(super) fn begin<T, F>(
    served: &Served,
    work: impl FnOnce(Arc<Router>, CancellationToken) -> F,
) -> std::result::Result<Running<T>, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let place = place(served)?;
    let cancel = served.work.child_token();
    let client = cancel.clone().drop_guard();
    let work = work(Arc::clone(&served.router), cancel);
    let done = tokio::spawn(async move {
        let result = work.await;
        drop(place);
        result
    });
    Ok(Running { done, _client: client })
}

/// Takes one of the places for turns; nobody waits for one, since a client that is told can go
/// elsewhere.
fn place(served: &Served) -> std::result::Result<OwnedSemaphorePermit, Problem> {
    Arc::clone(&served.turns).try_acquire_owned().map_err(|_| {
        served.metrics.add(REJECTED, &[]);
        Problem::busy(served.limits.turns)
    })
}

impl<T> Running<T> {
    /// Waits until the turn ends, and returns its result.
    pub(super) async fn end(self) -> Result<T> {
        match self.done.await {
            // The client would have gone with this; the server is stopping.
            Ok(Err(error)) if error.code() == Code::Cancelled => {
                Err(Error::unavailable("the server is stopping").with_hint("ask again in a second"))
            }
            Ok(result) => result,
            Err(error) => Err(Error::internal(error.to_string())),
        }
    }
}
