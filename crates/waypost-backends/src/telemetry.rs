//! Traces and metrics for an OpenTelemetry collector, if the feature `otlp` is on.

#[cfg(feature = "otlp")]
mod otlp;

#[cfg(feature = "otlp")]
pub use otlp::Telemetry;

use crate::llm::Secret;

/// A collector, and who speaks to it.
#[derive(Debug, Clone)]
pub struct TelemetryConfig {
    /// Its address, such as `http://127.0.0.1:4318`; the paths of the signals are added.
    pub endpoint: String,
    /// The token that it wants, if it wants one.
    pub token: Option<Secret>,
    /// The version of this program.
    pub version: &'static str,
}
