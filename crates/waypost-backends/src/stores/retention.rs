//! Decides how much is kept and for how long; older records are deleted at opening and while
//! writing.
//!
//! All instants are those of the machine's clock, which may be wrong. So age is not counted from
//! the clock's time, but from the newest record that is a day old by it: a clock that jumps ahead
//! deletes nothing before it has gone on for a day and records bear that out.

use std::time::Duration;

use sqlx::SqlitePool;

use super::{now_us, runs};

/// The number of old rows that are deleted at once, so that no writer waits for long.
pub(super) const DELETED_AT_ONCE: i64 = 5000;

/// The time that a clock must have gone on before it counts. A wrong clock is put right within
/// hours, by the network or by a person who notices.
const BORNE_OUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The limits on what a store keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The number of the latest events that are kept, counted by sequence number, so that those of
    /// forgotten sessions count too.
    pub max_events: u64,
    /// The number of labels that are kept, the latest. They are counted and not taken by sequence
    /// number as events are: a statement that is made again takes a new number, and repeating one may
    /// push out no other.
    pub max_labels: u64,
    /// The number of conversations that are remembered; the one that was saved longest ago goes first.
    pub max_sessions: u64,
    /// The most bytes of the memory of one conversation; what is needed least is left out beyond that.
    pub session_bytes: usize,
    /// The most bytes of one event; a larger one is cut.
    pub event_bytes: usize,
    /// The age up to which events, labels and untouched sessions are kept, by the clock of this
    /// machine when they were written, before the newest event or label that is a day old; forever
    /// without it.
    pub age: Option<Duration>,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            max_events: 1_000_000,
            max_labels: 1_000_000,
            max_sessions: 1_000_000,
            // Four times the longest text.
            session_bytes: 256 * 1024,
            event_bytes: 256 * 1024,
            age: None,
        }
    }
}

impl Retention {
    /// Returns the instant before which nothing is kept; `None` where everything is.
    pub(super) async fn since_us(self, pool: &SqlitePool) -> sqlx::Result<Option<i64>> {
        let Some(age) = self.age else { return Ok(None) };
        let newest: Option<i64> = sqlx::query_scalar(
            "SELECT max(written_us) FROM (
                 SELECT max(written_us) AS written_us FROM events WHERE written_us <= $1
                 UNION ALL SELECT max(written_us) FROM labels WHERE written_us <= $1)",
        )
        .bind(now_us().saturating_sub(micros(BORNE_OUT)))
        .fetch_one(pool)
        .await?;
        Ok(newest.map(|newest| newest.saturating_sub(micros(age))))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Deletes everything that is too old, in parts.
pub(super) async fn expire_all(pool: &SqlitePool, retention: Retention) -> sqlx::Result<()> {
    let Some(since_us) = retention.since_us(pool).await? else { return Ok(()) };
    let mut gone = 0;
    for table in ["events", "labels", "writes", "runs", "sessions"] {
        loop {
            let deleted = expire(pool, table, since_us).await?;
            gone += deleted;
            if deleted < DELETED_AT_ONCE.unsigned_abs() {
                break;
            }
        }
    }
    if gone > 0 {
        runs::without_run(pool).await?;
        // As when a session is forgotten: old pages leave the log as soon as nobody reads it.
        let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(pool).await;
    }
    Ok(())
}

/// Deletes the conversations that were saved longest ago until as many are left as are kept, and those
/// of the oldest that are too old. A save gives a conversation a new number, so that the clock does not
/// matter.
pub(super) async fn trim_sessions(pool: &SqlitePool, retention: Retention) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM sessions WHERE rowid IN (
             SELECT rowid FROM sessions ORDER BY rowid
             LIMIT max(0, (SELECT count(*) FROM sessions) - $1))",
    )
    .bind(i64::try_from(retention.max_sessions).unwrap_or(i64::MAX))
    .execute(pool)
    .await?;
    let Some(since_us) = retention.since_us(pool).await? else { return Ok(()) };
    sqlx::query(
        "DELETE FROM sessions WHERE updated_us < $1 AND rowid IN
             (SELECT rowid FROM sessions ORDER BY rowid LIMIT $2)",
    )
    .bind(since_us)
    .bind(DELETED_AT_ONCE)
    .execute(pool)
    .await?;
    Ok(())
}

/// Deletes some of the rows of a table that are too old, and returns how many.
pub(super) async fn expire(pool: &SqlitePool, table: &str, since_us: i64) -> sqlx::Result<u64> {
    let statement = match table {
        "events" => {
            "DELETE FROM events WHERE seq IN
                 (SELECT seq FROM events WHERE written_us < $1 ORDER BY written_us LIMIT $2)"
        }
        "labels" => {
            "DELETE FROM labels WHERE seq IN
                 (SELECT seq FROM labels WHERE written_us < $1 ORDER BY written_us LIMIT $2)"
        }
        "writes" => {
            "DELETE FROM writes WHERE seq IN
                 (SELECT seq FROM writes WHERE written_us < $1 ORDER BY written_us LIMIT $2)"
        }
        "runs" => {
            "DELETE FROM runs WHERE seq IN
                 (SELECT seq FROM runs WHERE written_us < $1 ORDER BY written_us LIMIT $2)"
        }
        _ => {
            "DELETE FROM sessions WHERE id IN
                 (SELECT id FROM sessions WHERE updated_us < $1 LIMIT $2)"
        }
    };
    let done = sqlx::query(statement).bind(since_us).bind(DELETED_AT_ONCE).execute(pool).await?;
    Ok(done.rows_affected())
}
