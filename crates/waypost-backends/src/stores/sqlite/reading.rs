//! Reads events and labels back: the latest, or all of them page by page.
//!
//! Events come in the order in which they were made. That of the rows is another one where several processes use a
//! store, because each writes its events in batches.

use serde::de::DeserializeOwned;
use sqlx::sqlite::Sqlite;
use sqlx::{QueryBuilder, SqlitePool};
use waypost_core::ports::store::{Filter, Forgotten, LabelPage, Page};
use waypost_core::records::event::Record;
use waypost_core::records::label::Label;

use crate::stores::CALLED;

/// A row of the table: its place in the order and the record as JSON.
type Row = (i64, String);

/// Takes the events after the one whose row is the last of a page. If that row was deleted since, so were those before it,
/// unless a conversation was forgotten: the row before it counts then.
const AFTER: &str = " AND (written_us, seq) > (
    SELECT coalesce((SELECT written_us FROM events WHERE events.seq = last.seq),
                    (SELECT max(written_us) FROM events WHERE events.seq < last.seq), -1), last.seq
    FROM (SELECT ";

/// The latest rows that `filter` takes, oldest first.
pub(super) async fn latest(
    pool: &SqlitePool,
    filter: &Filter,
    limit: usize,
) -> sqlx::Result<Vec<Row>> {
    let mut query = select(filter);
    query.push(" ORDER BY written_us DESC, seq DESC LIMIT ").push_bind(number(limit as u64));
    let mut rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    rows.reverse();
    Ok(rows)
}

/// The rows that `filter` takes behind `from`, as a page.
pub(super) async fn page(
    pool: &SqlitePool,
    filter: &Filter,
    from: u64,
    limit: usize,
) -> sqlx::Result<Page> {
    let mut query = select(filter);
    query.push(AFTER).push_bind(number(from)).push(" AS seq) AS last)");
    query.push(" ORDER BY written_us, seq LIMIT ").push_bind(number(limit as u64));
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    let (records, next): (Vec<Record>, _) = read(&rows, limit);
    let unreadable = (rows.len() - records.len()) as u64;
    Ok(Page { records, next, unreadable })
}

/// The labels of a pack behind `from`, as a page.
pub(super) async fn labels(
    pool: &SqlitePool,
    pack: &str,
    from: u64,
    limit: usize,
) -> sqlx::Result<LabelPage> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT seq, body FROM labels WHERE pack = $1 AND seq > $2 ORDER BY seq LIMIT $3",
    )
    .bind(pack)
    .bind(number(from))
    .bind(number(limit as u64))
    .fetch_all(pool)
    .await?;
    let (labels, next): (Vec<Label>, _) = read(&rows, limit);
    let unreadable = (rows.len() - labels.len()) as u64;
    Ok(LabelPage { labels, next, unreadable })
}

/// Counts what is kept of each session that its users call `name`, by the name that it is kept by. A turn that is under way
/// keeps something of one.
pub(super) async fn kept_of(
    pool: &SqlitePool,
    name: &str,
) -> sqlx::Result<Vec<(String, Forgotten)>> {
    let query = format!(
        "SELECT session_id, EXISTS (SELECT 1 FROM sessions WHERE id = kept.session_id),
                (SELECT count(*) FROM events WHERE events.session_id = kept.session_id),
                (SELECT count(*) FROM labels WHERE labels.session_id = kept.session_id)
         FROM (SELECT id AS session_id FROM sessions UNION SELECT session_id FROM events
               UNION SELECT session_id FROM labels UNION SELECT session_id FROM writes
               UNION SELECT session_id FROM runs UNION SELECT session_id FROM turns) AS kept
         WHERE {CALLED} ORDER BY session_id"
    );
    let rows: Vec<(String, bool, i64, i64)> =
        sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(name).fetch_all(pool).await?;
    let counted = |(kept, memory, events, labels): (String, bool, i64, i64)| {
        let (events, labels) = (events.unsigned_abs(), labels.unsigned_abs());
        (kept, Forgotten { memory, events, labels })
    };
    Ok(rows.into_iter().map(counted).collect())
}

/// Reads the rows that can be read, and where the next ones begin, if there may be more.
fn read<T: DeserializeOwned>(rows: &[Row], limit: usize) -> (Vec<T>, Option<u64>) {
    let last = rows.last().and_then(|(seq, _)| u64::try_from(*seq).ok());
    let read = rows.iter().filter_map(|(_, body)| serde_json::from_str(body).ok());
    (read.collect(), last.filter(|_| rows.len() == limit))
}

fn select(filter: &Filter) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new("SELECT seq, body FROM events WHERE 1");
    if let Some(name) = &filter.called {
        let mut parts = CALLED.split("$1");
        query.push(" AND ").push(parts.next().unwrap_or_default());
        parts.for_each(|part| {
            query.push_bind(name.clone()).push(part);
        });
    }
    let conditions = [
        (" AND session_id = ", &filter.session),
        (" AND decision_id = ", &filter.decision),
        (" AND type = ", &filter.kind),
        (" AND body->>'pack' = ", &filter.pack),
        (" AND at >= ", &filter.since),
    ];
    for (condition, value) in conditions {
        if let Some(value) = value {
            query.push(condition).push_bind(value.clone());
        }
    }
    query
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
