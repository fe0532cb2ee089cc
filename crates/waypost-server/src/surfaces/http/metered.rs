//! A store that counts the events on their way.

use std::sync::Arc;

use async_trait::async_trait;
use waypost::Result;
use waypost::event::Record;
use waypost::label::Label;
use waypost::session::Session;
use waypost::store::{Filter, Forgotten, LabelPage, Page, Store};

use super::metrics::Metrics;

/// Hands everything on to another store.
#[derive(Debug)]
pub(crate) struct Metered {
    inner: Arc<dyn Store>,
    metrics: Arc<Metrics>,
}

impl Metered {
    /// Counts into `metrics` what goes to `inner`.
    pub(crate) fn new(inner: Arc<dyn Store>, metrics: Arc<Metrics>) -> Self {
        Self { inner, metrics }
    }
}

#[async_trait]
impl Store for Metered {
    async fn session(&self, id: &str) -> Result<Session> {
        self.inner.session(id).await
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        self.inner.save_session(id, session).await
    }

    fn append(&self, events: Vec<Record>) {
        events.iter().for_each(|record| self.metrics.count(record));
        self.inner.append(events);
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }

    async fn flush(&self) -> Result<()> {
        self.inner.flush().await
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.inner.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.inner.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        self.inner.save_labels(labels).await
    }

    async fn take_back(&self, label: &Label) -> Result<bool> {
        self.inner.take_back(label).await
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        self.inner.labels(pack, from, limit).await
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        self.inner.forget(id).await
    }
}
