//! A store that is opened again while it cannot be used: at the start, or later where its file was moved
//! away. It takes over without a restart.
//!
//! Meanwhile conversations are remembered in memory, and nothing is said to be durable: saves answer
//! `UNAVAILABLE`, and events are dropped and counted. What a conversation said in memory goes on in the
//! store, unless the store knows that conversation already.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::time::timeout;
use waypost_core::ports::runs::RunLog;
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost_core::ports::turns::{TurnPermit, Turns};
use waypost_core::records::era::Era;
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;
use waypost_core::records::session::Session;
use waypost_core::records::write::{Untold, Write, WriteEnd};
use waypost_core::{Code, Error, Result, Severity};

use super::{MemoryStore, Retention};

/// The time between two looks at a store.
const EVERY: Duration = Duration::from_secs(2);
/// The longest that one look takes: whoever asks whether a store is ready asks again soon.
const LIMIT: Duration = Duration::from_secs(2);
/// The time after which a write that failed says nothing more. A look writes little, which may still
/// work where a disk is nearly full.
const HELD_AGAINST: Duration = Duration::from_secs(5);

/// The opening of a store.
pub type Opening = Pin<Box<dyn Future<Output = Result<Arc<dyn Store>>> + Send>>;

/// A store that may not be there yet.
#[derive(Debug, Clone)]
pub struct Recovering(Arc<Inner>);

struct Inner {
    open: Box<dyn Fn() -> Opening + Send + Sync>,
    every: Duration,
    state: Mutex<State>,
    /// Held by the one who looks.
    looking: tokio::sync::Mutex<()>,
    /// True while the store is being opened.
    opening: AtomicBool,
    /// The turns of conversations within this process, with or without the store.
    turns: Turns,
    /// The conversations of a time without the store.
    unsaved: MemoryStore,
    lost: AtomicU64,
}

#[derive(Default)]
struct State {
    store: Option<Arc<dyn Store>>,
    /// The outcome of the last look, and when it ended.
    looked: Option<(Instant, Result<()>)>,
    /// The last durable write, where it failed.
    failed: Option<(Instant, Error)>,
    /// True if some conversation was remembered in memory.
    has_unsaved: bool,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("store", &self.state().store).finish_non_exhaustive()
    }
}

impl Recovering {
    /// Opens a store, or begins without it; the error says why it is not there yet.
    pub async fn open(open: impl Fn() -> Opening + Send + Sync + 'static) -> (Self, Option<Error>) {
        Self::looking_every(EVERY, open).await
    }

    async fn looking_every(
        every: Duration,
        open: impl Fn() -> Opening + Send + Sync + 'static,
    ) -> (Self, Option<Error>) {
        let first = open().await;
        let fault = first.as_ref().err().cloned();
        let looked = Some((Instant::now(), first.as_ref().map(|_| ()).map_err(Error::clone)));
        let state = State { store: first.ok(), looked, ..State::default() };
        let inner = Inner {
            open: Box::new(open),
            every,
            state: Mutex::new(state),
            looking: tokio::sync::Mutex::default(),
            opening: AtomicBool::new(false),
            turns: Turns::default(),
            unsaved: MemoryStore::new(),
            lost: AtomicU64::new(0),
        };
        (Self(Arc::new(inner)), fault)
    }

    /// The store, or why it is not there; somebody then looks in the background whether it is now.
    fn store(&self) -> Result<Arc<dyn Store>> {
        let fault = {
            let state = self.0.state();
            match (&state.store, &state.looked) {
                (Some(store), _) => return Ok(Arc::clone(store)),
                (None, Some((_, Err(error)))) => error.clone(),
                (None, _) => Error::unavailable("the store is not open"),
            }
        };
        self.look_soon();
        Err(fault)
    }

    /// Notes the outcome of a durable write.
    fn wrote<T>(&self, outcome: Result<T>) -> Result<T> {
        let mut state = self.0.state();
        match &outcome {
            Err(error) if error.code() == Code::Unavailable => {
                state.failed = Some((Instant::now(), error.clone()));
                drop(state);
                self.look_soon();
            }
            Ok(_) => state.failed = None,
            Err(_) => {}
        }
        outcome
    }

    fn look_soon(&self) {
        if self.0.is_due() && self.0.looking.try_lock().is_ok() {
            let inner = Arc::clone(&self.0);
            tokio::spawn(async move { inner.look().await });
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_due(&self) -> bool {
        self.state().looked.as_ref().is_none_or(|(at, _)| at.elapsed() >= self.every)
    }

    /// Finds out whether the store can be written, and opens it where it is not there. One looks, and
    /// those who come meanwhile are told the same.
    async fn look(self: &Arc<Self>) -> Result<()> {
        let _looking = self.looking.lock().await;
        if let Some((at, outcome)) = &self.state().looked
            && at.elapsed() < self.every
        {
            return outcome.clone();
        }
        let outcome = timeout(LIMIT, self.examine()).await.unwrap_or_else(|_| Err(silent()));
        let mut state = self.state();
        let before = state.looked.replace((Instant::now(), outcome.clone()));
        match (before.map(|(_, before)| before), &outcome) {
            (Some(Ok(())), Err(error)) => tracing::warn!("{}", error.message()),
            (Some(Err(_)), Ok(())) => tracing::warn!("the store can be written again"),
            _ => {}
        }
        outcome
    }

    async fn examine(self: &Arc<Self>) -> Result<()> {
        let store = self.state().store.clone();
        let Some(store) = store else { return self.take_over().await };
        match store.ready().await {
            // A file that is somewhere else now is not waited for: another takes its place.
            Err(error) if error.severity() != Severity::Retriable => {
                self.lost.fetch_add(store.lost(), Ordering::Relaxed);
                self.state().store = None;
                self.take_over().await
            }
            outcome => outcome,
        }
    }

    /// Opens the store and goes on with it. An opening takes the time that it takes, also after nobody
    /// waits for it: old records may have to be deleted first.
    async fn take_over(self: &Arc<Self>) -> Result<()> {
        if self.opening.swap(true, Ordering::Relaxed) {
            return Err(silent());
        }
        let inner = Arc::clone(self);
        let opened = tokio::spawn(async move {
            let outcome = inner.open_now().await;
            inner.opening.store(false, Ordering::Relaxed);
            outcome
        });
        opened.await.unwrap_or_else(|error| Err(Error::internal(error.to_string())))
    }

    async fn open_now(&self) -> Result<()> {
        let store = (self.open)().await?;
        match self.lost.load(Ordering::Relaxed) {
            0 => {}
            lost => tracing::warn!("{lost} events were lost without the store"),
        }
        let mut state = self.state();
        state.store = Some(store);
        state.failed = None;
        Ok(())
    }
}

fn silent() -> Error {
    Error::unavailable("the store does not answer").with_hint("ask again in a few seconds")
}

#[async_trait]
impl Store for Recovering {
    /// Looks at the store, unless somebody just did.
    async fn ready(&self) -> Result<()> {
        self.0.look().await?;
        match &self.0.state().failed {
            Some((at, error)) if at.elapsed() < HELD_AGAINST => Err(error.clone()),
            _ => Ok(()),
        }
    }

    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        // The order within this process stays when the store comes.
        let own = self.0.turns.take(session).await?;
        match self.store() {
            Ok(store) => Ok(TurnPermit::holding((store.turn(session).await?, own))),
            Err(_) => Ok(own),
        }
    }

    async fn session(&self, id: &str) -> Result<Session> {
        let has_unsaved = self.0.state().has_unsaved;
        let unsaved =
            if has_unsaved { self.0.unsaved.session(id).await? } else { Session::default() };
        let Ok(store) = self.store() else { return Ok(unsaved) };
        let session = store.session(id).await?;
        let era = session.era;
        let session = if session == Session::default() { unsaved } else { session };
        Ok(Session { era, ..session })
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        let saved = match self.store() {
            Ok(store) => self.wrote(store.save_session(id, session).await),
            Err(error) => Err(error),
        };
        match &saved {
            Ok(()) if self.0.state().has_unsaved => self.0.unsaved.remove(id),
            Ok(()) => {}
            // The conversation goes on, for as long as this process does.
            Err(_) => {
                let kept = session.clone().within(Retention::default().session_bytes);
                self.0.unsaved.save_session(id, &kept).await?;
                self.0.state().has_unsaved = true;
            }
        }
        saved
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        self.wrote(self.store()?.begin_write(write).await)
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        self.wrote(self.store()?.end_write(token, end).await)
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        // Without the store no write began.
        let Ok(store) = self.store() else { return Ok(Vec::new()) };
        store.untold(session).await
    }

    async fn abandoned(&self, limit: usize) -> Result<Vec<Untold>> {
        self.store()?.abandoned(limit).await
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.wrote(self.store()?.told(tokens).await)
    }

    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        self.store().ok()?.runs()
    }

    fn append(&self, events: Vec<Record>) {
        match self.store() {
            Ok(store) => store.append(events),
            Err(_) => {
                self.0.lost.fetch_add(events.len() as u64, Ordering::Relaxed);
            }
        }
    }

    fn lost(&self) -> u64 {
        let now = self.0.state().store.as_ref().map_or(0, |store| store.lost());
        self.0.lost.load(Ordering::Relaxed) + now
    }

    async fn flush(&self) -> Result<()> {
        self.store()?.flush().await
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.store()?.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.store()?.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        self.wrote(self.store()?.save_labels(labels).await)
    }

    async fn take_back(&self, label: &Label) -> Result<bool> {
        self.wrote(self.store()?.take_back(label).await)
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        self.store()?.labels(pack, from, limit).await
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        // Only the store counts eras, which outlive this process.
        self.0.unsaved.remove(id);
        self.wrote(self.store()?.forget(id).await)
    }

    async fn era(&self) -> Result<Era> {
        self.store()?.era().await
    }

    async fn was_forgotten(&self, session: &str, era: Era) -> Result<bool> {
        self.store()?.was_forgotten(session, era).await
    }
}

#[cfg(test)]
mod tests;
