//! The tables, version by version. A version, once released, is never changed: the next one is
//! added below it.

use sqlx::{Connection, SqliteConnection};

/// The statements that lead from version N to N + 1, N being the position in this list.
pub(super) const VERSIONS: &[&str] = &[
    "
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
",
    // The age of an event follows the program's clock: `at` comes from the request. Events from
    // before this version are taken to have been written when `at` says, or else now.
    "
    ALTER TABLE events ADD COLUMN written_us INTEGER NOT NULL DEFAULT 0;
    UPDATE events SET written_us = 1000000 *
        min(coalesce(unixepoch(at), unixepoch('now')), unixepoch('now'));
    CREATE INDEX events_of_age ON events (written_us);
    CREATE TABLE labels (
        seq         INTEGER PRIMARY KEY AUTOINCREMENT,
        decision_id TEXT NOT NULL,
        kind        TEXT NOT NULL,
        session_id  TEXT,
        pack        TEXT NOT NULL,
        written_us  INTEGER NOT NULL,
        body        TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX labels_once ON labels (decision_id, kind, coalesce(session_id, ''));
    CREATE INDEX labels_of_session ON labels (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX labels_of_pack ON labels (pack, seq);
    CREATE INDEX labels_of_age ON labels (written_us);
",
    // Who has and who wants the turn of a session, in the order of asking; and the calls that change
    // something, each from before it begins.
    "
    CREATE TABLE turns (
        ticket     INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL,
        holder     TEXT NOT NULL,
        renewed_us INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX turns_of_session ON turns (session_id, ticket);
    CREATE TABLE writes (
        seq         INTEGER PRIMARY KEY AUTOINCREMENT,
        token       TEXT NOT NULL UNIQUE,
        session_id  TEXT,
        decision_id TEXT NOT NULL,
        pack        TEXT NOT NULL,
        at          TEXT NOT NULL,
        tool        TEXT NOT NULL,
        arguments   TEXT NOT NULL,
        holder      TEXT NOT NULL,
        written_us  INTEGER NOT NULL,
        end         TEXT,
        told        INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX writes_untold ON writes (session_id) WHERE told = 0;
    CREATE INDEX writes_of_session ON writes (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX writes_of_age ON writes (written_us);
",
    // The work on plans, and each step of it that ended.
    "
    CREATE TABLE runs (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        id         TEXT NOT NULL UNIQUE,
        session_id TEXT,
        pack       TEXT NOT NULL,
        holder     TEXT NOT NULL,
        written_us INTEGER NOT NULL,
        end        TEXT,
        told       INTEGER NOT NULL DEFAULT 0,
        body       TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_of_session ON runs (session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX runs_of_age ON runs (written_us);
    CREATE TABLE run_steps (
        seq    INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        body   TEXT NOT NULL
    ) STRICT;
    CREATE INDEX run_steps_of_run ON run_steps (run_id);
",
    // The conversations that were forgotten, by hashes of their names. Their numbers are never used
    // again, and so the highest ever is the era of whatever begins now.
    "
    CREATE TABLE tombstones (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        name       TEXT NOT NULL,
        written_us INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX tombstones_of_name ON tombstones (name, seq);
",
];

/// The outcome of a migration.
pub(super) enum Migrated {
    /// The tables are those of this program.
    Current,
    /// The tables are those of a newer program.
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
