//! The record of runs: what is kept of a plan while it runs, so that it survives its process.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::error::Result;
use crate::ports::tombstones::Tombstones;
use crate::records::run::{Run, RunEnd, RunStep};
use crate::records::session::is_called;

/// A filter of runs; a field that is `None` lets every run through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// The run of this id.
    pub id: Option<String>,
    /// Those of the conversation that is kept by this name.
    pub session: Option<String>,
    /// Those of the conversations that their users call by this name, of whatever key.
    pub called: Option<String>,
    /// Those of this pack.
    pub pack: Option<String>,
    /// True for those alone that somebody may go on with.
    pub open: bool,
}

impl RunFilter {
    /// Returns whether the filter takes a run.
    pub fn takes(&self, run: &Run) -> bool {
        let session = run.session();
        self.id.as_ref().is_none_or(|id| *id == run.id)
            && self.session.as_deref().is_none_or(|wanted| Some(wanted) == session)
            && self.called.as_ref().is_none_or(|name| is_called(session.unwrap_or_default(), name))
            && self.pack.as_ref().is_none_or(|pack| *pack == run.pack)
            && (!self.open || run.is_open())
    }
}

/// A run, and whether a process that is still there is at work on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The run.
    pub run: Run,
    /// True while its process is there and it has no end.
    pub at_work: bool,
}

/// Records runs.
///
/// An implementer may be called from many tasks at once. What it recorded is there after the process was killed; it need not
/// survive a power failure, which costs reading again what was read, and no write is made twice for it: writes have a record of
/// their own.
#[async_trait]
pub trait RunLog: Send + Sync + std::fmt::Debug {
    /// Records a run that begins, or that this process goes on with; nothing of one whose conversation was forgotten since its
    /// turn began.
    async fn begin(&self, run: &Run) -> Result<()>;

    /// Records steps that ended, of a run that is on record.
    async fn steps(&self, run: &str, steps: &[RunStep]) -> Result<()>;

    /// Records the end of a run. One that has a final end keeps it.
    async fn end(&self, run: &str, end: RunEnd) -> Result<()>;

    /// The latest `limit` runs that `filter` takes, newest first.
    async fn list(&self, filter: &RunFilter, limit: usize) -> Result<Vec<Kept>>;

    /// The runs of a conversation that were cut short and that no answer told of, oldest first. Whoever asks has the turn of the
    /// conversation, so that nobody is at work on them. From now on they are told.
    async fn untold(&self, session: &str) -> Result<Vec<Run>>;
}

/// The most runs that are kept in memory; the oldest go first.
const MAX_RUNS: usize = 1_000;

/// Runs in memory, for stores that last as long as their process.
#[derive(Debug, Default)]
pub struct MemoryRuns(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    entries: VecDeque<Entry>,
    tombstones: Tombstones,
}

#[derive(Debug)]
struct Entry {
    run: Run,
    told: bool,
}

impl MemoryRuns {
    /// Forgets the runs of a conversation, which begins a new era as in the store that calls this once each time.
    pub fn forget(&self, session: &str) {
        let mut own = self.lock();
        own.tombstones.add(session);
        own.entries.retain(|entry| entry.run.session() != Some(session));
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        let entries = &mut self.lock().entries;
        if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.run.id == id) {
            change(entry);
        }
    }
}

#[async_trait]
impl RunLog for MemoryRuns {
    async fn begin(&self, run: &Run) -> Result<()> {
        let Entries { entries, tombstones } = &mut *self.lock();
        if tombstones.cover(run.session(), run.era) {
            return Ok(());
        }
        entries.retain(|entry| entry.run.id != run.id);
        if entries.len() >= MAX_RUNS {
            entries.pop_front();
        }
        entries.push_back(Entry { run: Run { end: None, ..run.clone() }, told: false });
        Ok(())
    }

    async fn steps(&self, run: &str, steps: &[RunStep]) -> Result<()> {
        self.change(run, |entry| entry.run.steps.extend_from_slice(steps));
        Ok(())
    }

    async fn end(&self, run: &str, end: RunEnd) -> Result<()> {
        self.change(run, |entry| {
            if entry.run.is_open() {
                entry.run.end = Some(end);
            }
        });
        Ok(())
    }

    async fn list(&self, filter: &RunFilter, limit: usize) -> Result<Vec<Kept>> {
        let entries = &self.lock().entries;
        let taken = entries.iter().rev().filter(|entry| filter.takes(&entry.run)).take(limit);
        let kept =
            |entry: &Entry| Kept { run: entry.run.clone(), at_work: entry.run.end.is_none() };
        Ok(taken.map(kept).collect())
    }

    async fn untold(&self, session: &str) -> Result<Vec<Run>> {
        let entries = &mut self.lock().entries;
        let cut = entries.iter_mut().filter(|entry| {
            let cut = matches!(entry.run.end, None | Some(RunEnd::Cancelled));
            cut && !entry.told && entry.run.session() == Some(session)
        });
        let told = cut.map(|entry| {
            entry.told = true;
            entry.run.clone()
        });
        Ok(told.collect())
    }
}
