//! Events on their way to the database: taken at once, written in batches by one task.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::SqlitePool;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;
use waypost_core::records::event::Record;

use super::retention::{self, DELETED_AT_ONCE, Retention};
use super::{sizes, tombstones};

/// The most events that may wait; the newest are dropped beyond that.
const MAX_WAITING: usize = 4096;
/// The most bytes that may wait: the 4096 events of a burst are a tenth of it.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// The number of events that are written at once.
const BATCH: usize = 512;
/// The time that the first event of a batch waits for others. Writing must begin within 200 ms.
const GATHER: Duration = Duration::from_millis(100);
enum Work {
    /// An event as JSON, with its conversation and its era.
    Event(String),
    /// Asks for everything before this to be written, and for the outcome.
    Flush(oneshot::Sender<sqlx::Result<()>>),
}

/// The lock whose holder may write; it is fair.
pub(super) type Turns = Arc<Mutex<()>>;

/// The writing end of the queue.
#[derive(Debug)]
pub(super) struct Queue {
    sender: mpsc::Sender<Work>,
    dropped: Arc<AtomicU64>,
    /// The bytes that wait.
    waiting: Arc<AtomicUsize>,
    /// The most bytes of an event.
    most: usize,
}

impl Queue {
    /// Starts the task that writes to `pool` and keeps as much as `retention` says.
    pub(super) fn start(pool: SqlitePool, turns: Turns, retention: Retention) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (lost, taken, most) =
            (Arc::clone(&dropped), Arc::clone(&waiting), retention.event_bytes);
        let writer =
            Writer { pool, turns, retention, dropped: lost, waiting: taken, failing: false };
        tokio::spawn(writer.run(receiver));
        Self { sender, dropped, waiting, most }
    }

    /// Takes events, or drops and counts them.
    pub(super) fn push(&self, events: Vec<Record>) {
        for event in events {
            if !self.take(event) {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Takes an event, cut if it is too large; false if there is no room.
    fn take(&self, event: Record) -> bool {
        let (session, era) = (event.session_id.clone(), event.era);
        let Some(event) = sizes::event(event, self.most) else { return false };
        let event = tombstones::dated(session.as_deref(), era, &event);
        let bytes = event.len();
        let before = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        let fits = before + bytes <= MAX_WAITING_BYTES;
        if fits && self.sender.try_send(Work::Event(event)).is_ok() {
            return true;
        }
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        false
    }

    /// Waits until everything that was taken is written.
    pub(super) async fn flush(&self) -> sqlx::Result<()> {
        let (done, outcome) = oneshot::channel();
        if self.sender.send(Work::Flush(done)).await.is_err() {
            return Err(sqlx::Error::WorkerCrashed);
        }
        outcome.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
    }

    /// Returns how many events were lost, because too many waited or they could not be written.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

struct Writer {
    pool: SqlitePool,
    turns: Turns,
    retention: Retention,
    dropped: Arc<AtomicU64>,
    waiting: Arc<AtomicUsize>,
    /// True if the last batch was lost; a loss is told once, not every 100 ms.
    failing: bool,
}

impl Writer {
    async fn run(mut self, mut receiver: mpsc::Receiver<Work>) {
        while let Some(work) = receiver.recv().await {
            let mut batch = Vec::new();
            let flush = gather(work, &mut receiver, &mut batch).await;
            self.waiting.fetch_sub(batch.iter().map(String::len).sum(), Ordering::Relaxed);
            let outcome = self.write(&batch).await;
            if let Some(flush) = flush {
                // The caller that waited for it may have gone.
                let _ = flush.send(outcome);
            }
        }
    }

    async fn write(&mut self, batch: &[String]) -> sqlx::Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let _turn = self.turns.lock().await;
        let outcome = insert(&self.pool, batch, self.retention).await;
        match &outcome {
            Err(error) => {
                self.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
                if !self.failing {
                    tracing::warn!(%error, "events cannot be written and are dropped");
                }
            }
            Ok(()) if self.failing => {
                let lost = self.dropped.load(Ordering::Relaxed);
                tracing::warn!("events can be written again; {lost} were lost so far");
            }
            Ok(()) => {}
        }
        self.failing = outcome.is_err();
        outcome
    }
}

/// Collects events until there are enough, enough time has passed, or someone wants them written.
async fn gather(
    first: Work,
    receiver: &mut mpsc::Receiver<Work>,
    batch: &mut Vec<String>,
) -> Option<oneshot::Sender<sqlx::Result<()>>> {
    let until = Instant::now() + GATHER;
    let mut next = Some(first);
    while let Some(work) = next {
        match work {
            Work::Event(event) => batch.push(event),
            Work::Flush(done) => return Some(done),
        }
        if batch.len() == BATCH {
            return None;
        }
        next = tokio::time::timeout_at(until, receiver.recv()).await.ok().flatten();
    }
    None
}

/// Writes a batch in one statement, whole or not at all, without the events of conversations that were
/// forgotten since their turns began. An event is as old as when it was taken, not as when its batch is
/// written: another process may have written later turns by then.
///
/// It is not a transaction of sqlx: where a disk is full SQLite ends a transaction by itself, sqlx
/// then fails to end it, and its connection never begins another.
async fn insert(pool: &SqlitePool, batch: &[String], retention: Retention) -> sqlx::Result<()> {
    let batch = format!("[{}]", batch.join(","));
    sqlx::query(
        "INSERT INTO events (decision_id, session_id, at, type, body, written_us)
         SELECT value->>'$.record.decision_id', value->>'$.record.session_id',
                value->>'$.record.at', value->>'$.record.type', value->'record', value->>'made_us'
         FROM json_each($1) WHERE NOT EXISTS (
             SELECT 1 FROM tombstones WHERE name = value->>'name' AND seq > value->>'era')
         ORDER BY key",
    )
    .bind(batch)
    .execute(pool)
    .await?;
    sqlx::query(
        "DELETE FROM events WHERE seq IN (
             SELECT seq FROM events WHERE seq <= (SELECT max(seq) FROM events) - $1
             ORDER BY seq LIMIT $2)",
    )
    .bind(i64::try_from(retention.max_events).unwrap_or(i64::MAX))
    .bind(DELETED_AT_ONCE)
    .execute(pool)
    .await?;
    if let Some(since) = retention.since_us(pool).await? {
        retention::expire(pool, "events", since).await?;
    }
    tombstones::expire(pool).await
}
