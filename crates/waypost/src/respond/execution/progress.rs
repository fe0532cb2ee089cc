//! How far calls are: reports on their way, and the pulse that keeps a turn alive.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use waypost_core::ports::tools::{Progress, ProgressSink};

/// The most reports of a call that wait; more are dropped, since the next one says more.
const REPORTS: usize = 16;

/// Counts the reports of a turn's tools: while it beats, somebody works.
#[derive(Debug, Default)]
pub struct Pulse(AtomicU64);

impl Pulse {
    /// Counts a report.
    pub(super) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of reports so far.
    pub(crate) fn beats(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Takes the reports of one call.
#[derive(Debug)]
pub(super) struct Reports(Sender<Progress>);

impl Reports {
    /// A sink and the place where its reports come out.
    pub(super) fn new() -> (Self, Receiver<Progress>) {
        let (sender, receiver) = channel(REPORTS);
        (Self(sender), receiver)
    }
}

impl ProgressSink for Reports {
    fn report(&self, progress: Progress) {
        let _ = self.0.try_send(progress);
    }
}
