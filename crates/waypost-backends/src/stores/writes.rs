//! The record of writes in the store: the approval is spent and the call is noted in one statement,
//! before the call begins.

use serde_json::Map;
use sqlx::Row;
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteRow;
use waypost_core::records::era::Era;
use waypost_core::records::write::{Untold, Write, WriteEnd};

use super::{holder, now_us, tombstones};

/// The most writes that are kept; the oldest go first.
const MAX_WRITES: i64 = 1_000_000;
/// The number of writes after which they are counted.
const COUNTED_EVERY: i64 = 1_000;
/// The most untold writes that one turn tells.
const TOLD_AT_ONCE: i64 = 20;

/// Records a write; false if its approval was spent before, or its conversation forgotten since its turn
/// began.
pub(super) async fn begin(pool: &SqlitePool, write: &Write) -> sqlx::Result<bool> {
    let arguments = serde_json::to_string(&write.arguments)
        .map_err(|error| sqlx::Error::Encode(error.into()))?;
    let begun = sqlx::query(
        "INSERT INTO writes
             (token, session_id, decision_id, pack, at, tool, arguments, holder, written_us)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
         WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE name = $10 AND seq > $11)
         ON CONFLICT (token) DO NOTHING",
    )
    .bind(&write.token)
    .bind(&write.session)
    .bind(&write.decision_id)
    .bind(&write.pack)
    .bind(&write.at)
    .bind(&write.tool)
    .bind(arguments)
    .bind(holder::SELF.as_str())
    .bind(now_us())
    .bind(write.session.as_deref().map(tombstones::name))
    .bind(tombstones::number(write.era))
    .execute(pool)
    .await?;
    if begun.rows_affected() == 0 {
        return Ok(false);
    }
    if begun.last_insert_rowid() % COUNTED_EVERY == 0 {
        trim(pool, begun.last_insert_rowid()).await?;
    }
    Ok(true)
}

async fn trim(pool: &SqlitePool, newest: i64) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM writes WHERE seq <= $1")
        .bind(newest.saturating_sub(MAX_WRITES))
        .execute(pool)
        .await?;
    Ok(())
}

/// Records the end of a write.
pub(super) async fn end(pool: &SqlitePool, token: &str, end: WriteEnd) -> sqlx::Result<()> {
    let ended = sqlx::query("UPDATE writes SET end = $2 WHERE token = $1");
    ended.bind(token).bind(end.name()).execute(pool).await?;
    Ok(())
}

/// The writes of a session that were not told, oldest first.
pub(super) async fn untold(pool: &SqlitePool, session: &str) -> sqlx::Result<Vec<Untold>> {
    let rows = sqlx::query(
        "SELECT * FROM writes WHERE session_id = $1 AND told = 0 ORDER BY seq LIMIT $2",
    );
    let rows = rows.bind(session).bind(TOLD_AT_ONCE).fetch_all(pool).await?;
    rows.iter().map(read).collect()
}

/// The writes of no session without an end that were not told, of processes that have ended, oldest
/// first.
pub(super) async fn abandoned(pool: &SqlitePool, limit: i64) -> sqlx::Result<Vec<Untold>> {
    let rows = sqlx::query(
        "SELECT * FROM writes WHERE session_id IS NULL AND told = 0 AND (end IS NULL OR end = 'unknown')
         ORDER BY seq LIMIT $1",
    );
    let rows = rows.bind(limit).fetch_all(pool).await?;
    let gone = |row: &&SqliteRow| {
        row.try_get("holder").is_ok_and(|holder: String| holder::is_gone(&holder))
    };
    rows.iter().filter(gone).map(read).collect()
}

/// Notes that these were told.
pub(super) async fn told(pool: &SqlitePool, tokens: &[String]) -> sqlx::Result<()> {
    let tokens =
        serde_json::to_string(tokens).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let told = "UPDATE writes SET told = 1 WHERE token IN (SELECT value FROM json_each($1))";
    sqlx::query(told).bind(tokens).execute(pool).await?;
    Ok(())
}

fn read(row: &SqliteRow) -> sqlx::Result<Untold> {
    let arguments: String = row.try_get("arguments")?;
    let end: Option<String> = row.try_get("end")?;
    let write = Write {
        token: row.try_get("token")?,
        session: row.try_get("session_id")?,
        owner: None,
        owner_name: None,
        decision_id: row.try_get("decision_id")?,
        pack: row.try_get("pack")?,
        at: row.try_get("at")?,
        tool: row.try_get("tool")?,
        arguments: serde_json::from_str(&arguments).unwrap_or_else(|_| Map::new()),
        era: Era::default(),
    };
    let end = end.as_deref().map_or(WriteEnd::Unknown, WriteEnd::from_name);
    Ok(Untold { write, end })
}
