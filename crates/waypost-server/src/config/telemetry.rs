//! A collector of OpenTelemetry in the configuration.

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_backends::llm::Secret;
use waypost_backends::telemetry::TelemetryConfig;

use crate::environment;

/// A collector of OpenTelemetry, which `waypost serve` sends traces and metrics to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TelemetryFile {
    /// Its address for OTLP over HTTP, such as `http://127.0.0.1:4318`.
    otlp: String,
    /// The environment variable that holds the token that it wants.
    #[serde(default)]
    token_env: Option<String>,
}

impl TelemetryFile {
    /// The collector as the sender knows it.
    pub(crate) fn collector(&self) -> TelemetryConfig {
        let token = self.token_env.as_deref().and_then(environment::named);
        TelemetryConfig {
            endpoint: self.otlp.clone(),
            token: token.filter(|token| !token.is_empty()).map(Secret::new),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
