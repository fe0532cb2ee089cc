//! What outlives a process: sessions and events. Implementations live elsewhere.

use async_trait::async_trait;

use crate::error::Result;
use crate::event::Record;
use crate::session::Session;

/// Remembers sessions and events.
///
/// An implementer may be called from many tasks at once. `save_session` returns when the session
/// is durable. `append` takes telemetry: it must return at once, may write up to 200 ms later, and
/// drops the newest events (and counts them) rather than grow without bound. A store that cannot
/// write answers `UNAVAILABLE`; the turn goes on without it.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    /// The memory of a session, empty for a new one.
    async fn session(&self, id: &str) -> Result<Session>;

    /// Makes the memory of a session durable.
    async fn save_session(&self, id: &str, session: &Session) -> Result<()>;

    /// Takes events to be written soon.
    fn append(&self, events: Vec<Record>);

    /// Writes what is waiting; called before a process ends.
    async fn flush(&self) -> Result<()>;

    /// The latest `limit` events, oldest first.
    async fn events(&self, limit: usize) -> Result<Vec<Record>>;

    /// Removes everything that is kept of a session; returns how many events went.
    async fn forget(&self, id: &str) -> Result<u64>;
}
