//! Counts the events on their way into a store.

use std::sync::Arc;

use waypost::records::event::Record;
use waypost_backends::stores::Inlet;

use super::metrics::Metrics;

/// Lets everything through, and counts it into these metrics.
#[derive(Debug)]
pub(crate) struct Metered(pub(crate) Arc<Metrics>);

impl Inlet for Metered {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        events.iter().for_each(|record| self.0.count(record));
        events
    }
}
