//! A program without the feature `otlp`: there is no collector.

use std::sync::Arc;

use waypost::Result;
use waypost::ports::store::Store;
use waypost_backends::telemetry::TelemetryConfig;

use crate::features::OTLP;
use crate::surfaces::http::Metrics;

/// A collector. There is none.
#[derive(Debug)]
pub(crate) enum Collector {}

impl Collector {
    pub(crate) fn open(_: &TelemetryConfig) -> Result<Self> {
        Err(OTLP.missing())
    }

    pub(crate) fn watching(&self, _: Arc<dyn Store>, _: &Arc<Metrics>) -> Arc<dyn Store> {
        match *self {}
    }

    pub(crate) async fn shutdown(self) {
        match self {}
    }
}
