//! The tables, version by version. A version, once released, is never changed: the next one is
//! added below it.

use sqlx::{Connection, SqliteConnection};

/// The statements that lead from version N to N + 1, N being the position in this list.
const VERSIONS: &[&str] = &["
    CREATE TABLE sessions (
        id         TEXT PRIMARY KEY NOT NULL,
        memory     TEXT NOT NULL,
        updated_us INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE events (
        seq         INTEGER PRIMARY KEY AUTOINCREMENT,
        decision_id TEXT NOT NULL,
        session_id  TEXT,
        at          TEXT NOT NULL,
        type        TEXT NOT NULL,
        body        TEXT NOT NULL
    ) STRICT;
    CREATE INDEX events_of_session ON events (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX events_of_decision ON events (decision_id);
"];

/// What became of a database's tables.
pub(super) enum Migrated {
    /// They are those of this program.
    Current,
    /// They are those of a newer program.
    Newer(i64),
}

/// Brings the tables up to date, in one transaction: whole or not at all.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> sqlx::Result<Migrated> {
    // The write lock comes first, so that two programs that start together do this in turn, and a
    // file that cannot be written is found out now.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let version: i64 =
        sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *transaction).await?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    if done > VERSIONS.len() {
        return Ok(Migrated::Newer(version));
    }
    for statements in &VERSIONS[done..] {
        sqlx::raw_sql(*statements).execute(&mut *transaction).await?;
    }
    let version = format!("PRAGMA user_version = {}", VERSIONS.len());
    sqlx::raw_sql(sqlx::AssertSqlSafe(version)).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(Migrated::Current)
}
