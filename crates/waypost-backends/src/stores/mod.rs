//! Where sessions and events are kept: in an SQLite file, or in memory alone.

mod memory;
mod queue;
mod schema;
mod sqlite;

pub use memory::MemoryStore;
pub use sqlite::{DEFAULT_MAX_EVENTS, SqliteStore};
