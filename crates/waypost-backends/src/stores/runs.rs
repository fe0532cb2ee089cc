//! The record of runs in the store: a row for each, and one for each step that ended.
//!
//! It goes through the connection that does not wait for the disk: what a killed process wrote is there, and after a power failure
//! the last steps are read again.

use std::sync::Arc;

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqlitePool};
use waypost_core::ports::runs::{Kept, RunFilter, RunLog};
use waypost_core::records::run::{Run, RunEnd, RunStep};
use waypost_core::{Error, Result};

use super::queue::Turns;
use super::{CALLED, holder, now_us, sqlite, tombstones};

/// The most runs that are kept; the oldest go first.
const MAX_RUNS: i64 = 10_000;
/// The number of runs after which they are counted.
const COUNTED_EVERY: i64 = 100;
/// The most bytes of the result of a step; a larger one is read again.
const OUTPUT_BYTES: usize = 1024 * 1024;
/// The most steps of a run that are read; a plan has far fewer.
const MAX_STEPS: i64 = 2_000;
/// The most runs that one answer tells of.
const TOLD_AT_ONCE: i64 = 5;

/// The record of runs in an SQLite file.
#[derive(Debug, Clone)]
pub(super) struct SqliteRuns {
    pub(super) pool: SqlitePool,
    /// The lock by which the writers of this process take turns.
    pub(super) turns: Turns,
    pub(super) place: Arc<str>,
}

#[async_trait]
impl RunLog for SqliteRuns {
    async fn begin(&self, run: &Run) -> Result<()> {
        let _turn = self.turns.lock().await;
        begin(&self.pool, run).await.map_err(|error| self.fault(&error))
    }

    async fn steps(&self, run: &str, steps: &[RunStep]) -> Result<()> {
        let _turn = self.turns.lock().await;
        for step in steps {
            note(&self.pool, run, step).await.map_err(|error| self.fault(&error))?;
        }
        Ok(())
    }

    async fn end(&self, run: &str, end: RunEnd) -> Result<()> {
        let _turn = self.turns.lock().await;
        let ended = sqlx::query(
            "UPDATE runs SET end = $2 WHERE id = $1
             AND (end IS NULL OR end NOT IN ('done', 'abandoned'))",
        );
        let ended = ended.bind(run).bind(end.name()).execute(&self.pool).await;
        ended.map(drop).map_err(|error| self.fault(&error))
    }

    async fn list(&self, filter: &RunFilter, limit: usize) -> Result<Vec<Kept>> {
        list(&self.pool, filter, limit).await.map_err(|error| self.fault(&error))
    }

    async fn untold(&self, session: &str) -> Result<Vec<Run>> {
        let untold = untold(&self.pool, session).await.map_err(|error| self.fault(&error))?;
        if untold.is_empty() {
            return Ok(untold);
        }
        let _turn = self.turns.lock().await;
        told(&self.pool, &untold).await.map_err(|error| self.fault(&error))?;
        Ok(untold)
    }
}

impl SqliteRuns {
    fn fault(&self, error: &sqlx::Error) -> Error {
        sqlite::fault(&self.place, error)
    }
}

/// Returns whether somebody is at work on the run of a row: it has no end, and its process is there.
fn is_at_work(row: &SqliteRow) -> sqlx::Result<bool> {
    let (end, holder): (Option<String>, String) = (row.try_get("end")?, row.try_get("holder")?);
    Ok(end.is_none() && !holder::is_gone(&holder))
}

async fn begin(pool: &SqlitePool, run: &Run) -> sqlx::Result<()> {
    let bare = Run { steps: Vec::new(), end: None, ..run.clone() };
    let body = serde_json::to_string(&bare).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let begun = sqlx::query(
        "INSERT INTO runs (id, session_id, pack, holder, written_us, body)
         SELECT $1, $2, $3, $4, $5, $6
         WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE name = $7 AND seq > $8)
         ON CONFLICT (id) DO UPDATE
             SET holder = $4, written_us = $5, body = $6, end = NULL, told = 0",
    )
    .bind(&run.id)
    .bind(run.session())
    .bind(&run.pack)
    .bind(holder::SELF.as_str())
    .bind(now_us())
    .bind(body)
    .bind(run.session().map(tombstones::name))
    .bind(tombstones::number(run.era))
    .execute(pool)
    .await?;
    if run.steps.is_empty() {
        // The same request once more at the same instant begins anew.
        let before = sqlx::query("DELETE FROM run_steps WHERE run_id = $1");
        before.bind(&run.id).execute(pool).await?;
    }
    if begun.last_insert_rowid() % COUNTED_EVERY == 0 {
        trim(pool, begun.last_insert_rowid()).await?;
    }
    Ok(())
}

async fn trim(pool: &SqlitePool, newest: i64) -> sqlx::Result<()> {
    let oldest = newest.saturating_sub(MAX_RUNS);
    sqlx::query("DELETE FROM runs WHERE seq <= $1").bind(oldest).execute(pool).await?;
    without_run(pool).await
}

/// Deletes the steps of runs that are gone.
pub(super) async fn without_run(pool: &SqlitePool) -> sqlx::Result<()> {
    let orphans = "DELETE FROM run_steps WHERE run_id NOT IN (SELECT id FROM runs)";
    sqlx::query(orphans).execute(pool).await?;
    Ok(())
}

async fn note(pool: &SqlitePool, run: &str, step: &RunStep) -> sqlx::Result<()> {
    let json = |step: &RunStep| {
        serde_json::to_string(step).map_err(|error| sqlx::Error::Encode(error.into()))
    };
    let mut body = json(step)?;
    if body.len() > OUTPUT_BYTES {
        body = json(&RunStep { output: None, ..step.clone() })?;
    }
    // A run whose conversation was forgotten is not there any more.
    sqlx::query(
        "INSERT INTO run_steps (run_id, body)
         SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM runs WHERE id = $1)",
    )
    .bind(run)
    .bind(body)
    .execute(pool)
    .await?;
    Ok(())
}

async fn list(pool: &SqlitePool, filter: &RunFilter, limit: usize) -> sqlx::Result<Vec<Kept>> {
    let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
        "SELECT * FROM runs WHERE ($1 IS NULL OR {CALLED}) AND ($2 IS NULL OR session_id = $2)
             AND ($3 = 0 OR end IS NULL OR end NOT IN ('done', 'abandoned'))
             AND ($4 IS NULL OR pack = $4) AND ($6 IS NULL OR id = $6)
         ORDER BY seq DESC LIMIT $5"
    )))
    .bind(&filter.called)
    .bind(&filter.session)
    .bind(filter.open)
    .bind(&filter.pack)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(&filter.id)
    .fetch_all(pool)
    .await?;
    let mut kept = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(run) = whole(pool, row).await? {
            kept.push(Kept { run, at_work: is_at_work(row)? });
        }
    }
    Ok(kept)
}

async fn untold(pool: &SqlitePool, session: &str) -> sqlx::Result<Vec<Run>> {
    let rows = sqlx::query(
        "SELECT * FROM runs WHERE session_id = $1 AND told = 0 AND (end IS NULL OR end = 'cancelled')
         ORDER BY seq LIMIT $2",
    );
    let rows = rows.bind(session).bind(TOLD_AT_ONCE).fetch_all(pool).await?;
    let mut runs = Vec::new();
    for row in &rows {
        runs.extend(whole(pool, row).await?);
    }
    Ok(runs)
}

async fn told(pool: &SqlitePool, runs: &[Run]) -> sqlx::Result<()> {
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    let ids = serde_json::to_string(&ids).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let told = "UPDATE runs SET told = 1 WHERE id IN (SELECT value FROM json_each($1))";
    sqlx::query(told).bind(ids).execute(pool).await?;
    Ok(())
}

/// The run of a row with its steps; `None` for one that cannot be read, such as one of a newer program.
async fn whole(pool: &SqlitePool, row: &SqliteRow) -> sqlx::Result<Option<Run>> {
    let (id, body): (String, String) = (row.try_get("id")?, row.try_get("body")?);
    let end: Option<String> = row.try_get("end")?;
    let Ok(run) = serde_json::from_str::<Run>(&body) else { return Ok(None) };
    let steps: Vec<String> =
        sqlx::query_scalar("SELECT body FROM run_steps WHERE run_id = $1 ORDER BY seq LIMIT $2")
            .bind(&id)
            .bind(MAX_STEPS)
            .fetch_all(pool)
            .await?;
    let steps = steps.iter().filter_map(|body| serde_json::from_str(body).ok()).collect();
    Ok(Some(Run { steps, end: end.as_deref().map(RunEnd::from_name), ..run }))
}
