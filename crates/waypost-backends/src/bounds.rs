//! Bounds on what an upstream can make us keep, print or wait for.

use std::future::Future;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waypost_core::{Code, Error, Result, printable};

/// The largest answer of an upstream, in bytes.
pub(crate) const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// The most characters of an upstream's text that go into an error's detail.
const MAX_DETAIL: usize = 500;

/// Returns the beginning of `text`, fit for one line of a log.
pub(crate) fn detail(text: &str) -> String {
    let begin: String = text.chars().take(MAX_DETAIL).collect();
    printable::line(&begin).into_owned()
}

/// Runs `work` until it is done, `cancel` fires or `timeout` has passed; `late` is then the error.
pub(crate) async fn within<T>(
    timeout: Duration,
    cancel: &CancellationToken,
    late: impl FnOnce() -> Error,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(cancelled()),
        outcome = tokio::time::timeout(timeout, work) => outcome.unwrap_or_else(|_| Err(late())),
    }
}

/// The error of work that its caller stopped.
pub(crate) fn cancelled() -> Error {
    Error::new(Code::Cancelled, "the work was stopped")
}
