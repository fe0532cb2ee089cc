//! Memory that outlives a process: sessions, writes, runs, events and labels. Implementations live elsewhere.

use std::sync::Arc;

use async_trait::async_trait;

use crate::error::{Error, Result};
use crate::ports::runs::RunLog;
use crate::ports::turns::TurnPermit;
use crate::records::era::Era;
use crate::records::event::Record;
use crate::records::label::Label;
use crate::records::session::{self, Session};
use crate::records::write::{Untold, Write, WriteEnd};

/// A filter of events; a field that is `None` lets every event through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those of the session that is kept by this name.
    pub session: Option<String>,
    /// Those of the sessions that their users call by this name, of whatever key.
    pub called: Option<String>,
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
    /// Returns whether the filter takes an event.
    pub fn takes(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, value: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == value)
        };
        let kept = record.session_id.as_deref().unwrap_or_default();
        is(&self.session, kept)
            && self.called.as_ref().is_none_or(|name| session::is_called(kept, name))
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
    /// The place from which to ask on; `None` where there are no more.
    pub next: Option<u64>,
    /// The number of events left out as they cannot be read, such as those of an older program.
    pub unreadable: u64,
}

/// Some labels, and where the next ones begin.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPage {
    /// The labels, oldest first.
    pub labels: Vec<Label>,
    /// The place from which to ask on; `None` where there are no more.
    pub next: Option<u64>,
    /// The number of labels left out as they cannot be read, such as those of a newer program.
    pub unreadable: u64,
}

/// The data that forgetting a session removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// True if its memory was there.
    pub memory: bool,
    /// The number of its events.
    pub events: u64,
    /// The number of its labels.
    pub labels: u64,
}

/// Remembers sessions, writes, events and labels.
///
/// An implementer may be called from many tasks at once. `save_session`, `begin_write`, `end_write`,
/// `save_labels` and `take_back` return when what they did is durable. `append` takes telemetry: it must return at once,
/// may write up to 200 ms later, and drops the newest events (and counts them) rather than grow without
/// bound. A store that cannot write answers `UNAVAILABLE`; the turn goes on without it.
///
/// A conversation stays forgotten: nothing of a turn that began in an earlier era is written any more,
/// by whatever process, and [`Store::begin_write`] fails. The look at what was forgotten and the
/// write are one step. A store whose events do not wait and that one process uses alone needs no eras.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    /// Waits for the turn of a session: of all who use the store, only one has it, in the order of
    /// asking. Whoever stops waiting leaves the queue, and the turn of a process that ends, ends.
    /// [`Turns`](crate::ports::turns::Turns) does this for a store of one process.
    async fn turn(&self, session: &str) -> Result<TurnPermit>;

    /// The memory of a session, empty for a new one, with the era in which it was read.
    async fn session(&self, id: &str) -> Result<Session>;

    /// Makes the memory of a session durable.
    async fn save_session(&self, id: &str, session: &Session) -> Result<()>;

    /// Records a write that is about to begin, and with it that its approval is spent; false, and
    /// nothing is recorded, if it was spent before.
    async fn begin_write(&self, _: &Write) -> Result<bool> {
        Err(Error::unavailable("this store keeps no record of writes"))
    }

    /// Records the end of a write.
    async fn end_write(&self, _token: &str, _: WriteEnd) -> Result<()> {
        Err(Error::unavailable("this store keeps no record of writes"))
    }

    /// The writes of a session whose end was not told, oldest first. Whoever asks has the session's
    /// turn, so that one without an end has an unknown one.
    async fn untold(&self, _session: &str) -> Result<Vec<Untold>> {
        Ok(Vec::new())
    }

    /// The writes of no session that processes left without an end when they ended themselves,
    /// oldest first, at most `limit`. Those of a session are told at its next turn.
    async fn abandoned(&self, _limit: usize) -> Result<Vec<Untold>> {
        Ok(Vec::new())
    }

    /// Notes that the ends of these writes are told by an answer that is about to be handed over. From
    /// now on [`Store::untold`] leaves them out. It need not be durable before the answer can have
    /// reached anybody, and had better not be.
    async fn told(&self, _tokens: &[String]) -> Result<()> {
        Ok(())
    }

    /// The record of runs, where the store keeps one and is there.
    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        None
    }

    /// Returns when the store was seen to be able to write, or else why it is not. Asked often; it may
    /// answer with what it saw a few seconds ago.
    async fn ready(&self) -> Result<()> {
        Ok(())
    }

    /// Takes events to be written soon.
    fn append(&self, events: Vec<Record>);

    /// The number of events lost so far: too many waited, or they could not be written.
    fn lost(&self) -> u64 {
        0
    }

    /// Writes what is waiting; called before a process ends.
    async fn flush(&self) -> Result<()>;

    /// The latest `limit` events that `filter` takes, oldest first.
    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>>;

    /// At most `limit` of the events that `filter` takes, oldest first, from `from` on: 0 is the
    /// beginning, then the [`Page::next`] of the page before. In this way all can be read, however
    /// many there are.
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

    /// Removes everything that is kept of a session, and begins a new era.
    async fn forget(&self, id: &str) -> Result<Forgotten>;

    /// The era of a turn that begins now.
    async fn era(&self) -> Result<Era> {
        Ok(Era::default())
    }

    /// Returns whether a session was forgotten after `era`. Who holds what was said in one asks this
    /// before giving it to anybody. Where it cannot be told any more, it was.
    async fn was_forgotten(&self, _session: &str, _era: Era) -> Result<bool> {
        Ok(false)
    }
}
