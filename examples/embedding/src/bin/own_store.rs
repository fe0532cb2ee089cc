//! A store of one's own: what conversations remember and what happened go where the program keeps its
//! data; here into two lists, of which the end is printed.
//!
//! `cargo run -p waypost-examples --bin own_store`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use waypost::Result;
use waypost::ports::store::{Filter, Forgotten, Page, Store};
use waypost::ports::turns::{TurnPermit, Turns};
use waypost::records::event::Record;
use waypost::records::label::Label;
use waypost::records::session::Session;
use waypost::router::{Parts, Router};
use waypost_examples::{ask, parts};

/// Sessions as the JSON that a database column would hold, events as they come.
///
/// A real one bounds both, and writes `append` behind the back of the turn.
#[derive(Debug, Default)]
struct Ledger {
    sessions: Mutex<BTreeMap<String, String>>,
    turns: Turns,
    records: Mutex<Vec<Record>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Store for Ledger {
    // One turn at a time in a session, so that none overwrites what another remembers.
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.turns.take(session).await
    }

    async fn session(&self, id: &str) -> Result<Session> {
        let sessions = lock(&self.sessions);
        // An unknown session is a new one, not an error.
        let kept = sessions.get(id).and_then(|json| serde_json::from_str(json).ok());
        Ok(kept.unwrap_or_default())
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        let json = serde_json::to_string(session).unwrap_or_default();
        lock(&self.sessions).insert(id.to_owned(), json);
        Ok(())
    }

    fn append(&self, events: Vec<Record>) {
        lock(&self.records).extend(events);
    }

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        let records = lock(&self.records);
        let taken: Vec<Record> = records.iter().filter(|it| filter.takes(it)).cloned().collect();
        Ok(taken[taken.len().saturating_sub(limit)..].to_vec())
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        let records = lock(&self.records);
        let numbered = records.iter().zip(1..).filter(|(it, at)| *at > from && filter.takes(it));
        let rows: Vec<(&Record, u64)> = numbered.take(limit).collect();
        let next = rows.last().filter(|_| rows.len() == limit).map(|(_, at)| *at);
        let records = rows.into_iter().map(|(record, _)| record.clone()).collect();
        Ok(Page { records, next, unreadable: 0 })
    }

    // A store without `begin_write` and `end_write` keeps no record of writes: nothing that changes
    // something is run then. Without this and `labels` it keeps no labels, and the router tells so as
    // an event.
    async fn save_labels(&self, _: &[Label]) -> Result<()> {
        Ok(())
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        let memory = lock(&self.sessions).remove(id).is_some();
        let mut records = lock(&self.records);
        let before = records.len();
        records.retain(|record| record.session_id.as_deref() != Some(id));
        Ok(Forgotten { memory, events: (before - records.len()) as u64, labels: 0 })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let ledger = Arc::new(Ledger::default());
    let router = Router::new(Parts { store: Arc::<Ledger>::clone(&ledger), ..parts().await? });
    for text in ["when is the library open tomorrow?", "the harbor one"] {
        println!("> {text}\n{}", ask(&router, "ada", text).await?.text);
    }
    let session = ledger.session("ada").await?;
    for call in &session.last_calls {
        println!("remembered: {} {}", call.tool, serde_json::json!(call.arguments));
    }
    for record in ledger.events(&Filter::default(), 100).await? {
        println!("told: {}", record.event.name());
    }
    let gone = ledger.forget("ada").await?;
    println!("forgotten: memory {}, {} events", gone.memory, gone.events);
    Ok(())
}
