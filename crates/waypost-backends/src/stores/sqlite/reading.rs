//! Reads events back: the latest, or all of them page by page.

use sqlx::sqlite::Sqlite;
use sqlx::{QueryBuilder, SqlitePool};
use waypost::event::Record;
use waypost::store::{Filter, Page};

/// A row of the table: its place in the order and the record as JSON.
type Row = (i64, String);

/// The latest rows that `filter` takes, oldest first.
pub(super) async fn latest(
    pool: &SqlitePool,
    filter: &Filter,
    limit: usize,
) -> sqlx::Result<Vec<Row>> {
    let mut query = select(filter);
    query.push(" ORDER BY seq DESC LIMIT ").push_bind(number(limit as u64));
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
    query.push(" AND seq > ").push_bind(number(from));
    query.push(" ORDER BY seq LIMIT ").push_bind(number(limit as u64));
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    let full = rows.len() == limit;
    let last = rows.last().and_then(|(seq, _)| u64::try_from(*seq).ok());
    let records: Vec<Record> =
        rows.iter().filter_map(|(_, body)| serde_json::from_str(body).ok()).collect();
    let unreadable = (rows.len() - records.len()) as u64;
    Ok(Page { records, next: last.filter(|_| full), unreadable })
}

fn select(filter: &Filter) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new("SELECT seq, body FROM events WHERE 1");
    let conditions = [
        (" AND session_id = ", &filter.session),
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
