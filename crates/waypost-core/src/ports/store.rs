//! What outlives a process: sessions, events and labels. Implementations live elsewhere.

use async_trait::async_trait;

use crate::error::{Error, Result};
use crate::records::event::Record;
use crate::records::label::Label;
use crate::records::session::Session;

/// Which events are meant; what is `None` is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those of this session.
    pub session: Option<String>,
    /// Those of this decision.
    pub decision: Option<String>,
    /// Those of this type, such as `tool_event`.
    pub kind: Option<String>,
    /// Those of this pack.
    pub pack: Option<String>,
    /// Those of requests of this instant and later: RFC 3339 in UTC, without the final `Z`, so that
    /// fractions of a second sort as they should.
    pub since: Option<String>,
}

impl Filter {
    /// Whether an event is meant.
    pub fn takes(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, value: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == value)
        };
        is(&self.session, record.session_id.as_deref().unwrap_or_default())
            && is(&self.decision, &record.decision_id)
            && is(&self.kind, record.event.name())
            && is(&self.pack, &record.pack)
            && self.since.as_ref().is_none_or(|since| record.at >= *since)
    }
}

/// Some events, and where the next ones begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The events, oldest first.
    pub records: Vec<Record>,
    /// What to ask for next; `None` where there are no more.
    pub next: Option<u64>,
    /// How many were left out because they cannot be read, such as those of an older program.
    pub unreadable: u64,
}

/// Some labels, and where the next ones begin.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPage {
    /// The labels, oldest first.
    pub labels: Vec<Label>,
    /// What to ask for next; `None` where there are no more.
    pub next: Option<u64>,
    /// How many were left out because they cannot be read, such as those of a newer program.
    pub unreadable: u64,
}

/// What forgetting a session removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Whether its memory was there.
    pub memory: bool,
    /// How many of its events were.
    pub events: u64,
    /// How many of its labels were.
    pub labels: u64,
}

/// Remembers sessions, events and labels.
///
/// An implementer may be called from many tasks at once. `save_session`, `save_labels` and
/// `take_back` return when what they did is durable. `append` takes telemetry: it must return at once,
/// may write up to 200 ms later, and drops the newest events (and counts them) rather than grow without
/// bound. A store that cannot write answers `UNAVAILABLE`; the turn goes on without it.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    /// The memory of a session, empty for a new one.
    async fn session(&self, id: &str) -> Result<Session>;

    /// Makes the memory of a session durable.
    async fn save_session(&self, id: &str, session: &Session) -> Result<()>;

    /// Takes events to be written soon.
    fn append(&self, events: Vec<Record>);

    /// How many events were lost so far: too many waited, or they could not be written.
    fn lost(&self) -> u64 {
        0
    }

    /// Writes what is waiting; called before a process ends.
    async fn flush(&self) -> Result<()>;

    /// The latest `limit` events that `filter` takes, oldest first.
    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>>;

    /// At most `limit` of the events that `filter` takes, oldest first, from `from` on: 0 is the
    /// beginning, then what the page before calls [`Page::next`]. All can be read so, however many
    /// there are.
    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page>;

    /// Makes labels durable, all of them or none. A label takes the place of an earlier one of the
    /// same decision, kind and session, and is then the newest.
    async fn save_labels(&self, _: &[Label]) -> Result<()> {
        Err(Error::unavailable("this store keeps no labels"))
    }

    /// Removes a label that was saved, if it still stands as it was given, and says whether it did: a
    /// later statement that took its place stays.
    async fn take_back(&self, _: &Label) -> Result<bool> {
        Err(Error::unavailable("this store keeps no labels"))
    }

    /// At most `limit` of the labels of a pack, oldest first, from `from` on as for [`Store::page`].
    async fn labels(&self, _: &str, _: u64, _: usize) -> Result<LabelPage> {
        Err(Error::unavailable("this store keeps no labels"))
    }

    /// Removes everything that is kept of a session.
    async fn forget(&self, id: &str) -> Result<Forgotten>;
}
