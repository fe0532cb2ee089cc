//! The parts around a router that a test is not about: a clock, a retriever and a store that do as
//! little as their traits allow.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use waypost_core::Result;
use waypost_core::ports::clock::Clock;
use waypost_core::ports::retrieval::{Passage, Retriever};
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost_core::ports::turns::{TurnPermit, Turns};
use waypost_core::ports::writes::WriteLog;
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;
use waypost_core::records::session::Session;
use waypost_core::records::write::{Untold, Write, WriteEnd};
use waypost_text::language::Language;

/// A clock that stands still: nothing times out, and a sleep never ends.
#[derive(Debug)]
pub struct StillClock;

#[async_trait]
impl Clock for StillClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _: Duration) {
        std::future::pending::<()>().await;
    }
}

/// A retriever that finds nothing.
#[derive(Debug)]
pub struct EmptyShelf;

#[async_trait]
impl Retriever for EmptyShelf {
    async fn search(&self, _: &str, _: Language, _: usize) -> Result<Vec<Passage>> {
        Ok(Vec::new())
    }
}

/// A store that remembers the session and the labels that were saved last, all writes, and no events.
#[derive(Debug, Default)]
pub struct OneSession(Mutex<(String, Session)>, Mutex<Vec<Label>>, Turns, WriteLog);

impl OneSession {
    /// The labels that were saved last, unless they were taken since.
    pub fn take_labels(&self) -> Vec<Label> {
        std::mem::take(&mut self.1.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn saved(&self) -> MutexGuard<'_, (String, Session)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for OneSession {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.2.take(session).await
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        Ok(self.3.begin(write))
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        self.3.end(token, end);
        Ok(())
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        Ok(self.3.untold(session))
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.3.told(tokens);
        Ok(())
    }

    async fn session(&self, id: &str) -> Result<Session> {
        let saved = self.saved();
        Ok(if saved.0 == id { saved.1.clone() } else { Session::default() })
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        *self.saved() = (id.to_owned(), session.clone());
        Ok(())
    }

    fn append(&self, _: Vec<Record>) {}

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(&self, _: &Filter, _: usize) -> Result<Vec<Record>> {
        Ok(Vec::new())
    }

    async fn page(&self, _: &Filter, _: u64, _: usize) -> Result<Page> {
        Ok(Page { records: Vec::new(), next: None, unreadable: 0 })
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        *self.1.lock().unwrap_or_else(PoisonError::into_inner) = labels.to_vec();
        Ok(())
    }

    async fn labels(&self, _: &str, _: u64, _: usize) -> Result<LabelPage> {
        Ok(LabelPage { labels: Vec::new(), next: None, unreadable: 0 })
    }

    async fn forget(&self, _: &str) -> Result<Forgotten> {
        Ok(Forgotten::default())
    }
}
