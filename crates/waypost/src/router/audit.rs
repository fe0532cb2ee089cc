//! Puts a share of what the student decided before a model, beside the turns.

use futures_util::future::{Either, select};
use tokio_util::sync::CancellationToken;
use waypost_core::error::Code;
use waypost_core::ports::model::{Model, Slot};
use waypost_core::ports::store::Filter;
use waypost_core::records::event::{Event, Record};
use waypost_core::records::label::Label;

use super::Router;
use crate::feedback::audit::{Audits, audit};

impl Router {
    /// Audits what is due, one turn after the other, until `cancel`; returns at once where nothing
    /// is to be audited or there is no model.
    pub async fn audit(&self, cancel: &CancellationToken) {
        let (Some(audits), Some(model)) = (&self.audits, self.parts.models.get(&Slot::Main)) else {
            return;
        };
        loop {
            let next = std::pin::pin!(audits.next());
            let record = match select(next, std::pin::pin!(cancel.cancelled())).await {
                Either::Left((record, _)) => record,
                Either::Right(_) => return,
            };
            let event = self.audited(&record, model.as_ref(), cancel).await;
            let events = event.into_iter().map(|event| Record { event, ..record.clone() });
            self.parts.store.append(events.collect());
        }
    }

    /// The number of turns that were to be audited but could not wait, because too many did.
    pub fn unaudited(&self) -> u64 {
        self.audits.as_ref().map_or(0, Audits::passed)
    }

    /// Audits a turn: returns the outcome as an event, and keeps its label. For a turn that was
    /// forgotten, no model is asked and nothing more is written down.
    async fn audited(
        &self,
        record: &Record,
        model: &dyn Model,
        cancel: &CancellationToken,
    ) -> Option<Event> {
        if !self.is_kept(record).await {
            return None;
        }
        let bundle = self.bundle();
        let audited = audit(record, &self.replaying(&bundle), model, cancel).await;
        // While a model thinks there is time to forget, for another process as well.
        if !self.is_kept(record).await {
            return None;
        }
        match audited {
            Ok((event, label)) => {
                let labels: Vec<Label> = label.into_iter().collect();
                match self.parts.store.save_labels(&labels).await {
                    Ok(()) => event,
                    Err(error) => Some(Event::degraded("store", &error)),
                }
            }
            Err(error) if error.code() == Code::Cancelled => None,
            Err(error) => Some(Event::degraded("audit", &error)),
        }
    }

    /// Returns whether the store still has the record of a turn. A store that cannot be read could
    /// hardly take what would be kept of it either, and the turns tell of that.
    async fn is_kept(&self, record: &Record) -> bool {
        let filter = Filter {
            decision: Some(record.decision_id.clone()),
            kind: Some(record.event.name().to_owned()),
            ..Filter::default()
        };
        self.parts.store.events(&filter, 1).await.is_ok_and(|found| !found.is_empty())
    }
}
