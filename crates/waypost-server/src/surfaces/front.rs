//! The threads that serve sockets and streams: apart from those on which turns run, so that no work
//! of a turn, however long it takes, keeps a client from being heard or a signal from being obeyed.

use std::io;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};

/// The most threads that serve sockets; each reads and writes for tens of thousands of requests a
/// second.
const MAX_THREADS: usize = 8;

/// A runtime that is left behind when it is dropped, whatever still runs on it.
struct Front(Option<Runtime>);

impl Drop for Front {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs `work` on threads of its own, and returns its result. What it has spawned ends with it.
///
/// # Errors
///
/// If the system gives no threads, or `work` panicked.
pub(super) async fn apart<T>(work: impl Future<Output = T> + Send + 'static) -> io::Result<T>
where
    T: Send + 'static,
{
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(threads()).thread_name("sockets").enable_all();
    let front = Front(Some(runtime.build()?));
    let done = front.0.as_ref().map(|runtime| runtime.spawn(work));
    match done {
        Some(done) => done.await.map_err(io::Error::other),
        None => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Half of the cores: the other work of a request is deciding, which takes longer.
fn threads() -> usize {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    (cores / 2).clamp(1, MAX_THREADS)
}
