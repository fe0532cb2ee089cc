//! A store behind an inlet: events, labels and records of writes pass the inlet on their way in,
//! everything else goes to the store as it is.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use waypost_core::Result;
use waypost_core::ports::runs::RunLog;
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost_core::ports::turns::TurnPermit;
use waypost_core::records::era::Era;
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;
use waypost_core::records::session::Session;
use waypost_core::records::write::{Untold, Write, WriteEnd};

/// A change of events, labels and records of writes before a store takes them.
///
/// An implementer is called from within [`Store::append`], and must return at once as that must.
pub trait Inlet: Debug + Send + Sync {
    /// Returns the events that the store takes in place of these.
    fn events(&self, events: Vec<Record>) -> Vec<Record>;

    /// Returns the labels that the store takes in place of these: the same, unless an inlet says
    /// otherwise.
    fn labels<'a>(&self, labels: &'a [Label]) -> Cow<'a, [Label]> {
        Cow::Borrowed(labels)
    }

    /// Returns the record of a write that the store takes in place of this one: the same, unless an
    /// inlet says otherwise.
    fn write<'a>(&self, write: &'a Write) -> Cow<'a, Write> {
        Cow::Borrowed(write)
    }

    /// Hears that a write is recorded as begun, or as ended where it has an end.
    fn heard(&self, _token: &str, _write: Option<&Write>, _end: Option<WriteEnd>) {}
}

/// A store and the inlet before it.
#[derive(Debug)]
pub struct Behind<I> {
    inlet: I,
    store: Arc<dyn Store>,
}

impl<I: Inlet> Behind<I> {
    /// Makes a store that keeps in `store` what comes through `inlet`.
    pub fn new(inlet: I, store: Arc<dyn Store>) -> Self {
        Self { inlet, store }
    }
}

#[async_trait]
impl<I: Inlet> Store for Behind<I> {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.store.turn(session).await
    }

    async fn session(&self, id: &str) -> Result<Session> {
        self.store.session(id).await
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        self.store.save_session(id, session).await
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        let begun = self.store.begin_write(&self.inlet.write(write)).await?;
        if begun {
            self.inlet.heard(&write.token, Some(write), None);
        }
        Ok(begun)
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        self.inlet.heard(token, None, Some(end));
        self.store.end_write(token, end).await
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        self.store.untold(session).await
    }

    async fn abandoned(&self, limit: usize) -> Result<Vec<Untold>> {
        self.store.abandoned(limit).await
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.store.told(tokens).await
    }

    /// Runs pass as sessions do: both are memory to go on from, and changed words would go on otherwise.
    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        self.store.runs()
    }

    fn append(&self, events: Vec<Record>) {
        self.store.append(self.inlet.events(events));
    }

    async fn ready(&self) -> Result<()> {
        self.store.ready().await
    }

    fn lost(&self) -> u64 {
        self.store.lost()
    }

    async fn flush(&self) -> Result<()> {
        self.store.flush().await
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.store.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.store.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        self.store.save_labels(&self.inlet.labels(labels)).await
    }

    async fn take_back(&self, label: &Label) -> Result<bool> {
        // The label that was saved is the one that the inlet made of it.
        match self.inlet.labels(std::slice::from_ref(label)).first() {
            Some(saved) => self.store.take_back(saved).await,
            None => Ok(false),
        }
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        self.store.labels(pack, from, limit).await
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        self.store.forget(id).await
    }

    async fn era(&self) -> Result<Era> {
        self.store.era().await
    }

    async fn was_forgotten(&self, session: &str, era: Era) -> Result<bool> {
        self.store.was_forgotten(session, era).await
    }
}
