//! Puts a share of what the student decided before a model, beside the turns.

use futures_util::future::{Either, select};
use tokio_util::sync::CancellationToken;
use waypost_core::error::Code;
use waypost_core::ports::model::{Model, Slot};
use waypost_core::ports::store::Filter;
use waypost_core::records::event::{Event, Purpose, Record};
use waypost_core::records::label::Label;

use super::Router;
use crate::feedback::audit::{Audits, audit};
use crate::observe::meter::Meter;

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
            let events = self.audited(&record, model.as_ref(), cancel).await;
            let events = events.into_iter().map(|event| Record { event, ..record.clone() });
            self.parts.store.append(events.collect());
        }
    }

    /// The number of turns that were to be audited but could not wait, because too many did.
    pub fn unaudited(&self) -> u64 {
        self.audits.as_ref().map_or(0, Audits::passed)
    }

    /// Audits a turn: returns the model's call and the outcome as events, and keeps its label. For a
    /// turn that was forgotten, no model is asked and nothing more is written down.
    async fn audited(
        &self,
        record: &Record,
        model: &dyn Model,
        cancel: &CancellationToken,
    ) -> Vec<Event> {
        if !self.is_kept(record).await {
            return Vec::new();
        }
        let (bundle, meter) = (self.bundle(), Meter::new(&self.parts.clock, &self.parts.pack));
        let model = meter.model(Slot::Main, model);
        let audited = audit(record, &self.replaying(&bundle), &model, cancel).await;
        // While a model thinks there is time to forget, for another process as well.
        if !self.is_kept(record).await {
            return Vec::new();
        }
        let mut events = meter.take(route(record), Purpose::Audit);
        match audited {
            Ok((event, label)) => {
                let labels: Vec<Label> = label.into_iter().collect();
                match self.parts.store.save_labels(&labels).await {
                    Ok(()) => events.extend(event),
                    Err(error) => events.push(Event::degraded("store", &error)),
                }
            }
            Err(error) if error.code() == Code::Cancelled => {}
            Err(error) => events.push(Event::degraded("audit", &error)),
        }
        events
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

/// The route of the decision that a record is of.
fn route(record: &Record) -> &str {
    match &record.event {
        Event::RouterEvent(routed) => &routed.intent,
        _ => "",
    }
}
