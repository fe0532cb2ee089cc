//! The record of writes in memory, for stores that last as long as their process.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::records::write::{Untold, Write, WriteEnd};

/// The most writes that are kept; the oldest go first.
const MAX_WRITES: usize = 10_000;

/// Writes with their ends, oldest first.
#[derive(Debug, Default)]
pub struct WriteLog(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    write: Write,
    end: Option<WriteEnd>,
    told: bool,
}

impl WriteLog {
    /// Records a write that is about to begin; false if its approval was spent before.
    pub fn begin(&self, write: &Write) -> bool {
        let mut entries = self.lock();
        if entries.iter().any(|entry| entry.write.token == write.token) {
            return false;
        }
        if entries.len() >= MAX_WRITES {
            entries.pop_front();
        }
        entries.push_back(Entry { write: write.clone(), end: None, told: false });
        true
    }

    /// Records the end of a write.
    pub fn end(&self, token: &str, end: WriteEnd) {
        let mut entries = self.lock();
        if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.write.token == token) {
            entry.end = Some(end);
        }
    }

    /// The writes of a conversation whose end was not told; one without an end has an unknown one.
    pub fn untold(&self, session: &str) -> Vec<Untold> {
        let entries = self.lock();
        let own = entries
            .iter()
            .filter(|entry| !entry.told && entry.write.session.as_deref() == Some(session));
        let untold = own.map(|entry| Untold {
            write: entry.write.clone(),
            end: entry.end.unwrap_or(WriteEnd::Unknown),
        });
        untold.collect()
    }

    /// Notes that these were told.
    pub fn told(&self, tokens: &[String]) {
        let mut entries = self.lock();
        entries
            .iter_mut()
            .filter(|entry| tokens.contains(&entry.write.token))
            .for_each(|entry| entry.told = true);
    }

    /// Forgets the writes of a conversation.
    pub fn forget(&self, session: &str) {
        self.lock().retain(|entry| entry.write.session.as_deref() != Some(session));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
