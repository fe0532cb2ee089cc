//! A store in one SQLite file that several processes may use at once.
//!
//! Sessions, labels and records of writes are written through to the disk before a save returns; events go through a queue and
//! may be lost in the last moments before a power failure, but not when the process is killed
//! after a flush.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqlitePool};
use tokio::sync::Semaphore;
use waypost_core::ports::runs::RunLog;
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost_core::ports::turns;
use waypost_core::records::era::Era;
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;
use waypost_core::records::session::Session;
use waypost_core::records::write::{Untold, Write, WriteEnd};
use waypost_core::{Code, Error, Result, Severity};

use super::queue::{Queue, Turns};
use super::retention::{self, Retention};
use super::runs::SqliteRuns;
use super::schema::{self, Migrated};
use super::told::Told;
use super::{lease, now_us, tombstones, writes};
use crate::bounds::detail;

/// The most bytes of one label: four times the longest text.
const MAX_LABEL_BYTES: usize = 256 * 1024;
/// The number of new numbers after which labels and conversations are counted, which takes
/// milliseconds where there are a million: that many more may be there for a while.
const COUNTED_EVERY: i64 = 1_000;
/// The size to which the file of what SQLite writes ahead is cut back, in bytes, once all of it stands
/// in the database: a burst does not keep its space for ever.
const WRITTEN_AHEAD: &str = "16777216";

/// The longest time that another process may hold the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait for the events of a decision that another process may have made: ten times what a process takes to write
/// them where it can.
const WRITTEN_ELSEWHERE: Duration = Duration::from_secs(2);
/// The most who wait so at once.
const WAITING: usize = 4;
/// The first and the longest time between two looks for them.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_millis(200);
/// The time between two tries at a file that another process is just creating.
const RETRY: Duration = Duration::from_millis(20);

/// SQLite's primary result codes as people see them: the sentence and the hint.
const FAULTS: &[(i32, &str, &str)] = &[
    (5, "is in use by another program", "end the other program that uses it"),
    (6, "is in use by another program", "end the other program that uses it"),
    (8, "cannot be written", "check the permissions of the file and its folder"),
    (10, "cannot be read or written", "check the disk"),
    (11, "is damaged", "move the file away; a new one is made"),
    (13, "is full", "make room on its disk"),
    (14, "cannot be opened", "check the permissions of the file and its folder"),
    (26, "is no database of waypost", "name another file, or move this one away"),
];

/// A store in an SQLite file, or in memory.
#[derive(Debug)]
pub struct SqliteStore {
    /// The connection with synchronous `FULL`: its writes survive a power failure.
    durable: SqlitePool,
    /// The connection with synchronous `NORMAL`: events, and everything that only reads.
    quick: SqlitePool,
    queue: Queue,
    /// The lock by which the writers of this process take turns. SQLite lets in whoever looks at
    /// the right moment, so that events would wait behind a stream of labels without end.
    turns: Turns,
    /// The turns of sessions among the requests of this process.
    sessions: turns::Turns,
    told: Told,
    place: String,
    /// The file, where there is one.
    file: Option<checking::Place>,
    retention: Retention,
    corrupt: AtomicU64,
    /// The places of those who wait for what another process writes.
    waiting: Semaphore,
}

impl SqliteStore {
    /// Opens the file at `path` and creates it, its folder and its tables where they are missing;
    /// without a path the store is in memory.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the file cannot be read and written or is no database;
    /// `FAILED_PRECONDITION` if a newer program made it.
    pub async fn open(path: Option<&Path>) -> Result<Self> {
        Self::open_with(path, Retention::default()).await
    }

    /// Does the same with the limits of `retention`; the rest is deleted now, and while more is
    /// written.
    ///
    /// # Errors
    ///
    /// As [`SqliteStore::open`].
    pub async fn open_with(path: Option<&Path>, retention: Retention) -> Result<Self> {
        Self::open_tuned(path, retention, &[]).await
    }

    async fn open_tuned(
        path: Option<&Path>,
        retention: Retention,
        pragmas: &[(&'static str, &'static str)],
    ) -> Result<Self> {
        let place = path.map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
        let mut options = SqliteConnectOptions::new()
            .filename(&place)
            .busy_timeout(BUSY_TIMEOUT)
            // Deleted rows are overwritten, so that nobody can read them back from the file.
            .pragma("secure_delete", "ON")
            .pragma("journal_size_limit", WRITTEN_AHEAD)
            .disable_statement_logging();
        if let Some(path) = path {
            create(path).map_err(|error| {
                unavailable(&place, "cannot be opened", FAULTS[6].2).with_detail(error.to_string())
            })?;
            options = options.filename(path).journal_mode(SqliteJournalMode::Wal);
        } else {
            options = options.in_memory(true);
        }
        for (pragma, value) in pragmas {
            options = options.pragma(*pragma, *value);
        }
        let durable = pool(options.clone().synchronous(SqliteSynchronous::Full));
        migrate(&durable, &place).await?;
        // A database in memory belongs to its one connection.
        let quick = match path {
            Some(_) => pool(options.synchronous(SqliteSynchronous::Normal)),
            None => durable.clone(),
        };
        let expired = retention::expire_all(&durable, retention).await;
        expired.map_err(|error| fault(&place, &error))?;
        let expired = tombstones::expire(&durable).await;
        expired.map_err(|error| fault(&place, &error))?;
        let turns = Turns::default();
        let queue = Queue::start(quick.clone(), Arc::clone(&turns), retention);
        let (sessions, corrupt) = (turns::Turns::default(), AtomicU64::new(0));
        let (told, file) = (Told::default(), path.map(checking::Place::of));
        let waiting = Semaphore::new(WAITING);
        Ok(Self {
            durable,
            quick,
            queue,
            turns,
            sessions,
            told,
            place,
            file,
            retention,
            corrupt,
            waiting,
        })
    }

    /// The version of its tables.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the file cannot be read.
    pub async fn schema_version(&self) -> Result<i64> {
        let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(&self.quick).await;
        version.map_err(|error| self.fault(&error))
    }

    /// Returns what [`Store::forget`] would remove now of each session that its users call `name`, by the name that it is kept
    /// by. Users of several keys may call theirs the same.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the file cannot be read.
    pub async fn kept_of(&self, name: &str) -> Result<Vec<(String, Forgotten)>> {
        // A failure is ignored, as where events are read: those that were written are still there.
        let _ = self.queue.flush().await;
        let kept = reading::kept_of(&self.quick, name).await;
        kept.map_err(|error| self.fault(&error))
    }

    /// Returns how many events were lost: too many waited, or they could not be written.
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Returns how many sessions, events and labels were found that could not be read.
    pub fn corrupt(&self) -> u64 {
        self.corrupt.load(Ordering::Relaxed)
    }

    /// The latest events that a filter takes. A decision that was just made by another process is found once that process has
    /// written it, so one that is named and not there is looked for again for a while.
    async fn latest(&self, filter: &Filter, limit: usize) -> sqlx::Result<Vec<(i64, String)>> {
        let is_shared = self.file.is_some();
        let (mut waited, mut pause) = (Duration::ZERO, FIRST_LOOK);
        let mut place = None;
        loop {
            let rows = reading::latest(&self.quick, filter, limit).await?;
            let waits = filter.decision.is_some() && is_shared && waited < WRITTEN_ELSEWHERE;
            if !rows.is_empty() || !waits {
                return Ok(rows);
            }
            // Ids that nobody has are not waited for by everybody at once.
            place = place.or_else(|| self.waiting.try_acquire().ok());
            if place.is_none() {
                return Ok(rows);
            }
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(LONGEST_LOOK);
        }
    }

    fn fault(&self, error: &sqlx::Error) -> Error {
        fault(&self.place, error)
    }

    /// The memory of a conversation as JSON, in as many bytes as are kept.
    fn bounded(&self, session: &Session) -> Result<String> {
        let json = |session: &Session| {
            serde_json::to_string(session).map_err(|error| Error::internal(error.to_string()))
        };
        let (whole, most) = (json(session)?, self.retention.session_bytes);
        if whole.len() <= most { Ok(whole) } else { json(&session.clone().within(most)) }
    }

    fn note_corrupt(&self, what: &str, error: &serde_json::Error) {
        self.corrupt.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(%error, store = self.place, "{what} cannot be read");
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn ready(&self) -> Result<()> {
        self.probe().await
    }

    async fn turn(&self, session: &str) -> Result<turns::TurnPermit> {
        let own = self.sessions.take(session).await?;
        let turn = lease::take(&self.quick, &self.turns, session, own).await;
        turn.map_err(|error| self.fault(&error))
    }

    async fn session(&self, id: &str) -> Result<Session> {
        // The era first: a memory that is forgotten between the two is refused when it is written back.
        let era = self.era().await?;
        let memory: Option<String> =
            sqlx::query_scalar("SELECT memory FROM sessions WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.durable)
                .await
                .map_err(|error| self.fault(&error))?;
        let Some(memory) = memory else { return Ok(Session { era, ..Session::default() }) };
        let session = serde_json::from_str(&memory).unwrap_or_else(|error| {
            self.note_corrupt("a session", &error);
            Session::default()
        });
        Ok(Session { era, ..session })
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        let memory = self.bounded(session)?;
        self.in_place()?;
        let _turn = self.turns.lock().await;
        let saved = save_session(&self.durable, id, &memory, session.era, self.retention).await;
        saved.map_err(|error| self.fault(&error))
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        self.in_place()?;
        let _turn = self.turns.lock().await;
        let begun = writes::begin(&self.durable, write).await;
        if begun.map_err(|error| self.fault(&error))? {
            return Ok(true);
        }
        match &write.session {
            Some(session) if self.was_forgotten(session, write.era).await? => Err(forgotten()),
            _ => Ok(false),
        }
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        let _turn = self.turns.lock().await;
        writes::end(&self.durable, token, end).await.map_err(|error| self.fault(&error))
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        let untold = writes::untold(&self.quick, session).await;
        untold.map(|untold| self.told.not_among(untold)).map_err(|error| self.fault(&error))
    }

    async fn abandoned(&self, limit: usize) -> Result<Vec<Untold>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        writes::abandoned(&self.quick, limit).await.map_err(|error| self.fault(&error))
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.told.take(tokens, &self.quick, &self.turns);
        Ok(())
    }

    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        let (pool, turns) = (self.quick.clone(), Arc::clone(&self.turns));
        Some(Arc::new(SqliteRuns { pool, turns, place: self.place.as_str().into() }))
    }

    fn append(&self, events: Vec<Record>) {
        self.queue.push(events);
    }

    fn lost(&self) -> u64 {
        self.dropped()
    }

    async fn flush(&self) -> Result<()> {
        let noted = self.told.note(&self.quick, &self.turns).await;
        self.queue.flush().await.and(noted).map_err(|error| self.fault(&error))
    }

    /// Includes the events that were waiting when it was called.
    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        // Events that cannot be written are lost already; those that were are still there.
        let _ = self.queue.flush().await;
        let rows = self.latest(filter, limit).await.map_err(|error| self.fault(&error))?;
        let read = |(_, body): &(i64, String)| {
            serde_json::from_str(body)
                .inspect_err(|error| self.note_corrupt("an event", error))
                .ok()
        };
        Ok(rows.iter().filter_map(read).collect())
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        let _ = self.queue.flush().await;
        let page = reading::page(&self.quick, filter, from, limit).await;
        let page = page.map_err(|error| self.fault(&error))?;
        self.corrupt.fetch_add(page.unreadable, Ordering::Relaxed);
        Ok(page)
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        if labels.is_empty() {
            return Ok(());
        }
        labels.iter().try_for_each(is_bounded)?;
        self.in_place()?;
        let _turn = self.turns.lock().await;
        let saved = save_labels(&self.durable, labels, self.retention).await;
        saved.map_err(|error| self.fault(&error))
    }

    async fn take_back(&self, label: &Label) -> Result<bool> {
        let _turn = self.turns.lock().await;
        take_back(&self.durable, label).await.map_err(|error| self.fault(&error))
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        let page = reading::labels(&self.quick, pack, from, limit).await;
        let page = page.map_err(|error| self.fault(&error))?;
        self.corrupt.fetch_add(page.unreadable, Ordering::Relaxed);
        Ok(page)
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        // Events that still wait must not be written after the rest has gone.
        let _ = self.queue.flush().await;
        let _turn = self.turns.lock().await;
        tombstones::forget(&self.durable, id).await.map_err(|error| self.fault(&error))
    }

    async fn era(&self) -> Result<Era> {
        tombstones::now(&self.quick).await.map_err(|error| self.fault(&error))
    }

    async fn was_forgotten(&self, session: &str, era: Era) -> Result<bool> {
        let covers = tombstones::covers(&self.quick, session, era).await;
        covers.map_err(|error| self.fault(&error))
    }
}

/// Writes the memory of a conversation, which is then the one that was saved last: its number is the
/// highest.
async fn save_session(
    pool: &SqlitePool,
    id: &str,
    memory: &str,
    era: Era,
    retention: Retention,
) -> sqlx::Result<()> {
    // All rows are fetched, though there is one: a statement that is left before its end tells nobody
    // that it could not be committed.
    let numbers: Vec<i64> = sqlx::query_scalar(
        "INSERT INTO sessions (id, memory, updated_us) SELECT $1, $2, $3
         WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE name = $4 AND seq > $5)
         ON CONFLICT (id) DO UPDATE SET memory = $2, updated_us = $3,
             rowid = (SELECT max(rowid) + 1 FROM sessions)
         RETURNING rowid",
    )
    .bind(id)
    .bind(memory)
    .bind(now_us())
    .bind(tombstones::name(id))
    .bind(tombstones::number(era))
    .fetch_all(pool)
    .await?;
    if numbers.iter().any(|number| number % COUNTED_EVERY == 0) {
        retention::trim_sessions(pool, retention).await?;
    }
    Ok(())
}

/// The refusal of a write whose conversation was forgotten while its turn was at work.
pub(super) fn forgotten() -> Error {
    Error::new(Code::FailedPrecondition, "the conversation was forgotten meanwhile")
        .with_hint("ask again; it is a new conversation")
}

/// Refuses a label that is too large to be kept: its words are a user's, who wrote no such text.
fn is_bounded(label: &Label) -> Result<()> {
    let size = serde_json::to_string(label).map_or(usize::MAX, |json| json.len());
    if size <= MAX_LABEL_BYTES {
        return Ok(());
    }
    let message = format!("the label takes {size} bytes, at most {MAX_LABEL_BYTES} are kept");
    Err(Error::invalid(message).with_hint("label a shorter text"))
}

/// Writes labels in one statement, whole or not at all; see the queue of events for why it is not
/// a transaction. An old label that a new one replaces goes, so that the new one is the newest.
async fn save_labels(
    pool: &SqlitePool,
    labels: &[Label],
    retention: Retention,
) -> sqlx::Result<()> {
    let dated = |label: &Label| {
        let body = serde_json::to_string(label).map_err(|error| sqlx::Error::Encode(error.into()));
        Ok(tombstones::dated(label.session_id.as_deref(), label.era, &body?))
    };
    let dated: Vec<String> = labels.iter().map(dated).collect::<sqlx::Result<_>>()?;
    let saved = sqlx::query(
        "INSERT OR REPLACE INTO labels (decision_id, kind, session_id, pack, body, written_us)
         SELECT value->>'$.record.decision_id', value->>'$.record.kind',
                value->>'$.record.session_id', value->>'$.record.pack', value->'record',
                value->>'made_us'
         FROM json_each($1) WHERE NOT EXISTS (
             SELECT 1 FROM tombstones WHERE name = value->>'name' AND seq > value->>'era')
         ORDER BY key",
    )
    .bind(format!("[{}]", dated.join(",")))
    .execute(pool)
    .await?;
    let newest = saved.last_insert_rowid();
    let before = newest.saturating_sub_unsigned(labels.len() as u64);
    if before / COUNTED_EVERY != newest / COUNTED_EVERY {
        trim_labels(pool, retention.max_labels).await?;
    }
    if let Some(since) = retention.since_us(pool).await? {
        retention::expire(pool, "labels", since).await?;
    }
    Ok(())
}

/// Deletes a label that stands as it was written: it goes through JSON on the way out as it did on the
/// way in, so that the bodies are the same.
async fn take_back(pool: &SqlitePool, label: &Label) -> sqlx::Result<bool> {
    let body =
        serde_json::to_string(&[label]).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let gone = sqlx::query(
        "DELETE FROM labels WHERE decision_id = $1 AND kind = $2
         AND body = (SELECT value FROM json_each($3))",
    )
    .bind(&label.decision_id)
    .bind(label.kind.name())
    .bind(body)
    .execute(pool)
    .await?;
    Ok(gone.rows_affected() > 0)
}

/// Deletes the oldest labels until there are `most`.
async fn trim_labels(pool: &SqlitePool, most: u64) -> sqlx::Result<()> {
    // A negative limit would be no limit.
    sqlx::query(
        "DELETE FROM labels WHERE seq IN (
             SELECT seq FROM labels ORDER BY seq
             LIMIT max(0, (SELECT count(*) FROM labels) - $1))",
    )
    .bind(i64::try_from(most).unwrap_or(i64::MAX))
    .execute(pool)
    .await?;
    Ok(())
}

/// One connection that is never given up: SQLite has one writer anyway.
fn pool(options: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(BUSY_TIMEOUT * 2)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_lazy_with(options)
}

async fn migrate(pool: &SqlitePool, place: &str) -> Result<()> {
    let begin = Instant::now();
    loop {
        let outcome = match pool.acquire().await {
            Ok(mut connection) => schema::migrate(&mut connection).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(Migrated::Current) => return Ok(()),
            Ok(Migrated::Newer(version)) => {
                return Err(Error::new(
                    Code::FailedPrecondition,
                    format!("the store `{place}` was made by a newer waypost"),
                )
                .with_hint("use the newer program, or name another file")
                .with_detail(format!("its version is {version}")));
            }
            // SQLite does not wait by itself while another process switches a file to WAL.
            Err(error)
                if matches!(primary_code(&error), Some(5 | 6))
                    && begin.elapsed() < BUSY_TIMEOUT =>
            {
                tokio::time::sleep(RETRY).await;
            }
            Err(error) => return Err(fault(place, &error)),
        }
    }
}

/// Makes the file and its folder for this user alone; SQLite gives its other files the same mode.
fn create(path: &Path) -> io::Result<()> {
    let mut folder = std::fs::DirBuilder::new();
    let mut file = std::fs::OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folder.mode(0o700);
        file.mode(0o600);
    }
    if let Some(parent) = path.parent().filter(|parent| *parent != PathBuf::new()) {
        folder.recursive(true).create(parent)?;
    }
    // An existing file that may only be read is found out by the first transaction.
    match file.append(true).create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn fault(place: &str, error: &sqlx::Error) -> Error {
    let known = primary_code(error).and_then(|code| FAULTS.iter().find(|row| row.0 == code));
    let error = detail(&error.to_string());
    match known {
        Some((_, sentence, hint)) => unavailable(place, sentence, hint).with_detail(error),
        None => unavailable(place, "cannot be used", "check the file").with_detail(error),
    }
}

fn unavailable(place: &str, sentence: &str, hint: &str) -> Error {
    Error::unavailable(format!("the store {sentence}"))
        .with_hint(format!("{hint}: `{place}`"))
        .with_severity(Severity::Retriable)
}

fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

mod checking;
mod reading;

#[cfg(test)]
mod tests;
