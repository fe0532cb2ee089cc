//! The ledger of one turn: stages hand their events to it, and the router empties it into the store
//! once, when the turn is over.

use waypost_core::error::Error;
use waypost_core::records::decision::Decision;
use waypost_core::records::event::{Event, Record};

use crate::understand::Turn;

/// The events of one turn, in their order.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    events: Vec<Event>,
}

impl Ledger {
    /// Takes in the events of a stage.
    pub(crate) fn note(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// Notes that something did not work as configured; the turn goes on.
    pub(crate) fn note_failure(&mut self, what: &str, error: &Error) {
        self.events.push(Event::degraded(what, error));
    }

    /// Returns whether nothing was noted.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The events as they are stored, of a turn that is over.
    pub(crate) fn records(self, turn: &Turn<'_>, decision: &Decision) -> Vec<Record> {
        let at = turn.now.timestamp().to_string();
        let records = self.events.into_iter().map(|event| Record {
            decision_id: decision.id.clone(),
            session_id: turn.request.session.clone(),
            pack: turn.pack.spec.name.clone(),
            at: at.clone(),
            era: turn.era,
            event,
        });
        records.collect()
    }
}
