//! Stores for sessions, writes, runs, events and labels: in an SQLite file, or in memory alone.

mod behind;
mod holder;
mod lease;
mod memory;
mod queue;
mod recovering;
mod redacting;
mod retention;
mod runs;
mod schema;
mod sizes;
mod sqlite;
mod told;
mod tombstones;
mod writes;

use std::time::{SystemTime, UNIX_EPOCH};

pub use behind::{Behind, Inlet};
pub use memory::MemoryStore;
pub use recovering::{Opening, Recovering};
pub use redacting::Redacting;
pub use retention::Retention;
pub use sqlite::SqliteStore;

/// Takes the sessions that their users call `$1`, as `records::session::is_called` says.
const CALLED: &str = "(session_id = $1 OR session_id GLOB '@*/*'
    AND instr(session_id, '/') IN (10, 22) AND substr(session_id, instr(session_id, '/') + 1) = $1
    AND NOT ($1 GLOB '@*/*' AND instr($1, '/') IN (10, 22)))";

/// Returns the time on the wall clock, in microseconds since 1970.
fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
