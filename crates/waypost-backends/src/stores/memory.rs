//! A store that forgets everything when the process ends; for tests and for running without a
//! folder to write to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use waypost_core::Result;
use waypost_core::ports::runs::{MemoryRuns, RunLog};
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost_core::ports::tombstones::Tombstones;
use waypost_core::ports::turns::{TurnPermit, Turns};
use waypost_core::ports::writes::WriteLog;
use waypost_core::records::era::Era;
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;
use waypost_core::records::session::Session;
use waypost_core::records::write::{Untold, Write, WriteEnd};

/// The most sessions that are kept; the one that was saved longest ago goes first.
const MAX_SESSIONS: usize = 10_000;
/// The most events that are kept; the oldest go first.
const MAX_EVENTS: usize = 10_000;
/// The most labels that are kept; the oldest go first.
const MAX_LABELS: usize = 10_000;

/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    turns: Turns,
    writes: WriteLog,
    runs: Arc<MemoryRuns>,
}

#[derive(Debug, Default)]
struct State {
    sessions: BTreeMap<String, Saved>,
    saves: u64,
    /// The events, each with its place in the order, from 1.
    events: VecDeque<(u64, Record)>,
    appended: u64,
    /// The labels, each with its place in the order, from 1.
    labels: VecDeque<(u64, Label)>,
    labeled: u64,
    tombstones: Tombstones,
}

#[derive(Debug)]
struct Saved {
    session: Session,
    /// The number of the save, counted over all sessions.
    save: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes the memory of a session and nothing else.
    pub(super) fn remove(&self, id: &str) {
        self.state().sessions.remove(id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn save(&mut self, id: &str, session: Session) {
        self.saves += 1;
        self.sessions.insert(id.to_owned(), Saved { session, save: self.saves });
        if self.sessions.len() > MAX_SESSIONS {
            let oldest = self.sessions.iter().min_by_key(|(_, saved)| saved.save);
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                self.sessions.remove(&id);
            }
        }
    }

    fn label(&mut self, label: Label) {
        self.labels.retain(|(_, known)| !known.replaced_by(&label));
        self.labeled += 1;
        self.labels.push_back((self.labeled, label));
        let surplus = self.labels.len().saturating_sub(MAX_LABELS);
        self.labels.drain(..surplus);
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.turns.take(session).await
    }

    async fn session(&self, id: &str) -> Result<Session> {
        let state = self.state();
        let session = state.sessions.get(id).map(|saved| saved.session.clone());
        Ok(Session { era: state.tombstones.era(), ..session.unwrap_or_default() })
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        let mut state = self.state();
        if !state.tombstones.cover(Some(id), session.era) {
            state.save(id, session.clone());
        }
        Ok(())
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        let state = self.state();
        if state.tombstones.cover(write.session.as_deref(), write.era) {
            return Err(super::sqlite::forgotten());
        }
        Ok(self.writes.begin(write))
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        self.writes.end(token, end);
        Ok(())
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        Ok(self.writes.untold(session))
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.writes.told(tokens);
        Ok(())
    }

    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        Some(Arc::<MemoryRuns>::clone(&self.runs))
    }

    fn append(&self, events: Vec<Record>) {
        let mut state = self.state();
        for event in events {
            if state.tombstones.cover(event.session_id.as_deref(), event.era) {
                continue;
            }
            state.appended += 1;
            let seq = state.appended;
            state.events.push_back((seq, event));
        }
        let surplus = state.events.len().saturating_sub(MAX_EVENTS);
        state.events.drain(..surplus);
    }

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        let state = self.state();
        let taken = state.events.iter().rev().filter(|(_, record)| filter.takes(record));
        let mut records: Vec<Record> =
            taken.take(limit).map(|(_, record)| record.clone()).collect();
        records.reverse();
        Ok(records)
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        let state = self.state();
        let taken = state.events.iter().filter(|(seq, record)| *seq > from && filter.takes(record));
        let rows: Vec<&(u64, Record)> = taken.take(limit).collect();
        let next = rows.last().filter(|_| rows.len() == limit).map(|(seq, _)| *seq);
        let records = rows.into_iter().map(|(_, record)| record.clone()).collect();
        Ok(Page { records, next, unreadable: 0 })
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        let mut state = self.state();
        for label in labels {
            if !state.tombstones.cover(label.session_id.as_deref(), label.era) {
                state.label(label.clone());
            }
        }
        Ok(())
    }

    async fn take_back(&self, label: &Label) -> Result<bool> {
        let mut state = self.state();
        let before = state.labels.len();
        state.labels.retain(|(_, known)| known != label);
        Ok(state.labels.len() < before)
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        let state = self.state();
        let taken = state.labels.iter().filter(|(seq, label)| *seq > from && label.pack == pack);
        let rows: Vec<&(u64, Label)> = taken.take(limit).collect();
        let next = rows.last().filter(|_| rows.len() == limit).map(|(seq, _)| *seq);
        let labels = rows.into_iter().map(|(_, label)| label.clone()).collect();
        Ok(LabelPage { labels, next, unreadable: 0 })
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        let mut state = self.state();
        state.tombstones.add(id);
        self.writes.forget(id);
        self.runs.forget(id);
        let memory = state.sessions.remove(id).is_some();
        let before = state.events.len();
        state.events.retain(|(_, event)| event.session_id.as_deref() != Some(id));
        let events = (before - state.events.len()) as u64;
        let before = state.labels.len();
        state.labels.retain(|(_, label)| label.session_id.as_deref() != Some(id));
        Ok(Forgotten { memory, events, labels: (before - state.labels.len()) as u64 })
    }

    async fn era(&self) -> Result<Era> {
        Ok(self.state().tombstones.era())
    }

    async fn was_forgotten(&self, session: &str, era: Era) -> Result<bool> {
        Ok(self.state().tombstones.cover(Some(session), era))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_does_not_grow_without_end() {
        let store = MemoryStore::new();
        for n in 0..=MAX_SESSIONS {
            store.save_session(&format!("s{n}"), &Session::default()).await.unwrap();
        }
        let state = store.state();
        assert_eq!(state.sessions.len(), MAX_SESSIONS);
        assert!(!state.sessions.contains_key("s0"));
    }
}
