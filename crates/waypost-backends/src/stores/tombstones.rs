//! The conversations that were forgotten, as the store remembers them for a while: each by the hash of
//! its name, in the order of forgetting.
//!
//! A row is there before anything of the conversation is deleted, and whoever writes looks for it in the
//! statement that writes. So what another process still has of the conversation is refused, however long
//! it waited in a queue.

use std::time::Duration;

use sha2::{Digest, Sha256};
use sqlx::SqlitePool;
use waypost_core::ports::store::Forgotten;
use waypost_core::records::era::Era;

use super::{now_us, runs};

/// The time for which a tombstone is kept, longer than any turn lives: it waits for a minute, and then
/// works at most four times (its calls and an explanation, and both once more where a tool refuses), each
/// for as long as a pack may allow, which is a day.
const KEPT: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// The most tombstones that are kept; the oldest go first.
const MAX_TOMBSTONES: i64 = 100_000;
/// The most tombstones that are looked at, and deleted, at once.
const DELETED_AT_ONCE: i64 = 100;

/// The name by which a tombstone knows a conversation, so that what was forgotten is not kept by its
/// own: the first half of a hash.
pub(super) fn name(session: &str) -> String {
    Sha256::digest(session).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// An era as the store counts them.
pub(super) fn number(era: Era) -> i64 {
    i64::try_from(era.forgotten()).unwrap_or(i64::MAX)
}

/// The era of a number in the store.
pub(super) fn era(number: i64) -> Era {
    Era::after(number.unsigned_abs())
}

/// A record as it goes into a statement: with the name of its conversation, its era and the present instant, as JSON.
pub(super) fn dated(session: Option<&str>, era: Era, record: &str) -> String {
    let name =
        session.map_or_else(|| "null".to_owned(), |session| format!("\"{}\"", name(session)));
    let (era, made) = (number(era), now_us());
    format!("{{\"name\":{name},\"era\":{era},\"made_us\":{made},\"record\":{record}}}")
}

/// Returns the era of a turn that begins now.
pub(super) async fn now(pool: &SqlitePool) -> sqlx::Result<Era> {
    let number: i64 = sqlx::query_scalar(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tombstones'), 0)",
    )
    .fetch_one(pool)
    .await?;
    Ok(era(number))
}

/// Returns whether a conversation was forgotten after `era`, or may have been: tombstones of since then
/// are gone, or the era is one of another file.
pub(super) async fn covers(pool: &SqlitePool, session: &str, era: Era) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "WITH newest(seq) AS (
             SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tombstones'), 0))
         SELECT EXISTS (SELECT 1 FROM tombstones WHERE name = $1 AND seq > $2)
             OR $2 > newest.seq
             OR coalesce((SELECT min(seq) FROM tombstones), newest.seq + 1) > $2 + 1
         FROM newest",
    )
    .bind(name(session))
    .bind(number(era))
    .fetch_one(pool)
    .await
}

/// Deletes tombstones that are too old or too many, some at a time.
pub(super) async fn expire(pool: &SqlitePool) -> sqlx::Result<()> {
    let kept = i64::try_from(KEPT.as_micros()).unwrap_or(i64::MAX);
    sqlx::query(
        "DELETE FROM tombstones WHERE seq IN (SELECT seq FROM tombstones ORDER BY seq LIMIT $1)
             AND (written_us < $2 OR seq <= (SELECT max(seq) FROM tombstones) - $3)",
    )
    .bind(DELETED_AT_ONCE)
    .bind(now_us().saturating_sub(kept))
    .bind(MAX_TOMBSTONES)
    .execute(pool)
    .await?;
    Ok(())
}

/// Deletes all that is kept of a conversation, once its tombstone is there. The session goes last: where
/// something fails, asking again deletes the rest.
pub(super) async fn forget(pool: &SqlitePool, id: &str) -> sqlx::Result<Forgotten> {
    sqlx::query("INSERT INTO tombstones (name, written_us) VALUES ($1, $2)")
        .bind(name(id))
        .bind(now_us())
        .execute(pool)
        .await?;
    let labels =
        sqlx::query("DELETE FROM labels WHERE session_id = $1").bind(id).execute(pool).await?;
    let events =
        sqlx::query("DELETE FROM events WHERE session_id = $1").bind(id).execute(pool).await?;
    sqlx::query("DELETE FROM writes WHERE session_id = $1").bind(id).execute(pool).await?;
    sqlx::query("DELETE FROM runs WHERE session_id = $1").bind(id).execute(pool).await?;
    runs::without_run(pool).await?;
    let memory = sqlx::query("DELETE FROM sessions WHERE id = $1").bind(id).execute(pool).await?;
    expire(pool).await?;
    // The log that SQLite writes ahead holds old pages until it is emptied. While another program
    // reads, this does nothing; the next one that can will do it.
    let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(pool).await;
    Ok(Forgotten {
        memory: memory.rows_affected() > 0,
        events: events.rows_affected(),
        labels: labels.rows_affected(),
    })
}
