//! The hold on a child: its standard input, which the conversation writes to and which ends with the
//! hold, whatever the conversation is doing; and its group, which is killed where nobody keeps it.

use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::process::{Child, ChildStdin};

type Shared = Arc<Mutex<Option<ChildStdin>>>;

/// The hold on a child. Dropping it ends the child: a keeper sees the end of the input, and any other
/// child is killed with its group.
#[derive(Debug)]
pub(super) struct Leash {
    child: tokio::sync::Mutex<Child>,
    input: Shared,
    /// The group to kill, unless a keeper does more than that.
    group: Option<u32>,
}

impl Leash {
    /// Takes hold of a child; what is written to the second part is the child's input.
    pub(super) fn hold(child: Child, input: ChildStdin, is_kept: bool) -> (Self, Input) {
        let input = Arc::new(Mutex::new(Some(input)));
        let group = child.id().filter(|_| !is_kept);
        let leash = Self { child: child.into(), input: Arc::clone(&input), group };
        (leash, Input(input))
    }

    /// Waits for the end of the child, at most for `patience`.
    pub(super) async fn ended(&self, patience: Duration) -> Option<ExitStatus> {
        let mut child = self.child.lock().await;
        tokio::time::timeout(patience, child.wait()).await.ok()?.ok()
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        drop(held(&self.input).take());
        if let Some(group) = self.group {
            kill_group(group);
        }
    }
}

/// Kills those that a child started and that stayed in its group.
#[cfg(unix)]
fn kill_group(group: u32) {
    let group = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // There may be nobody left in it.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

fn held(input: &Shared) -> MutexGuard<'_, Option<ChildStdin>> {
    input.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The input of a child, until its hold is gone.
#[derive(Debug)]
pub(super) struct Input(Shared);

impl Input {
    fn with<T>(
        &self,
        act: impl FnOnce(Pin<&mut ChildStdin>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match held(&self.0).as_mut() {
            Some(input) => act(Pin::new(input)),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }
}

impl AsyncWrite for Input {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with(|input| input.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|input| input.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        drop(held(&self.0).take());
        Poll::Ready(Ok(()))
    }
}
