//! The turn of a session among all processes that share a store: tickets in the order of asking, and
//! the lowest one has the turn.
//!
//! A ticket is renewed while it lives. It counts no more when its process has ended, or, where nobody
//! can tell, when it was not renewed for a while.

use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;
use tokio::task::JoinHandle;
use waypost_core::ports::turns::TurnPermit;

use super::queue::Turns as Writers;
use super::{holder, now_us};

/// The time after which a ticket that was not renewed counts no more: far longer than a machine that is
/// busy forgets a task, and short for somebody who waits.
const LAPSE: Duration = Duration::from_secs(30);
/// The time between two renewals.
const RENEWAL: Duration = Duration::from_secs(5);
/// The first and the longest time between two looks at those before: most turns take milliseconds.
const LOOKS: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// A ticket in the store; it is given back when dropped.
#[derive(Debug)]
struct Ticket {
    pool: SqlitePool,
    writers: Writers,
    ticket: i64,
    renewing: JoinHandle<()>,
    /// The turn among the requests of this process, which goes on to the next of them only when the
    /// ticket is back.
    own: Option<TurnPermit>,
}

/// Waits for the turn of a session among the processes; `own` is the one among this process's requests.
pub(super) async fn take(
    pool: &SqlitePool,
    writers: &Writers,
    session: &str,
    own: TurnPermit,
) -> sqlx::Result<TurnPermit> {
    let draw = Ticket::draw(pool.clone(), Arc::clone(writers), session.to_owned(), own);
    // A task of its own: whoever stops waiting while it is written still gives it back.
    let ticket = tokio::spawn(draw).await.map_err(|_| sqlx::Error::WorkerCrashed)??;
    let mut pause = LOOKS.0;
    while !is_first(pool, writers, session, ticket.ticket).await? {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LOOKS.1);
    }
    Ok(TurnPermit::holding(ticket))
}

impl Ticket {
    async fn draw(
        pool: SqlitePool,
        writers: Writers,
        session: String,
        own: TurnPermit,
    ) -> sqlx::Result<Self> {
        let writing = writers.lock().await;
        let drawn =
            sqlx::query("INSERT INTO turns (session_id, holder, renewed_us) VALUES ($1, $2, $3)")
                .bind(session)
                .bind(holder::SELF.as_str())
                .bind(now_us())
                .execute(&pool)
                .await?;
        drop(writing);
        let ticket = drawn.last_insert_rowid();
        let renewing = tokio::spawn(renew(pool.clone(), Arc::clone(&writers), ticket));
        Ok(Self { pool, writers, ticket, renewing, own: Some(own) })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.renewing.abort();
        // Without a runtime the process is about to end, and its tickets with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (pool, writers, ticket) = (self.pool.clone(), Arc::clone(&self.writers), self.ticket);
        let own = self.own.take();
        runtime.spawn(async move {
            let _writing = writers.lock().await;
            // One that cannot be given back lapses.
            let _ = give_back(&pool, ticket).await;
            drop(own);
        });
    }
}

async fn renew(pool: SqlitePool, writers: Writers, ticket: i64) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        let _writing = writers.lock().await;
        let renewed = sqlx::query("UPDATE turns SET renewed_us = $2 WHERE ticket = $1");
        // A renewal that fails is made up for by the next.
        let _ = renewed.bind(ticket).bind(now_us()).execute(&pool).await;
    }
}

/// Returns whether nobody is before a ticket. Tickets that count no more are taken away.
async fn is_first(
    pool: &SqlitePool,
    writers: &Writers,
    session: &str,
    ticket: i64,
) -> sqlx::Result<bool> {
    loop {
        let before: Option<(i64, String, i64)> = sqlx::query_as(
            "SELECT ticket, holder, renewed_us FROM turns
             WHERE session_id = $1 AND ticket < $2 ORDER BY ticket LIMIT 1",
        )
        .bind(session)
        .bind(ticket)
        .fetch_optional(pool)
        .await?;
        let Some((first, holder, renewed)) = before else { return Ok(true) };
        let silent = now_us().saturating_sub(renewed);
        let lapsed = silent > i64::try_from(LAPSE.as_micros()).unwrap_or(i64::MAX);
        if !lapsed && !holder::is_gone(&holder) {
            return Ok(false);
        }
        let _writing = writers.lock().await;
        give_back(pool, first).await?;
    }
}

async fn give_back(pool: &SqlitePool, ticket: i64) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM turns WHERE ticket = $1").bind(ticket).execute(pool).await?;
    Ok(())
}
