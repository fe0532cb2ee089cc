//! A tool server at an address: connects to it over streamable HTTP, in the newest revision of the protocol
//! that both know.

mod client;
mod config;
mod events;
mod fault;

use async_trait::async_trait;
pub use config::{HeaderText, HttpConfig};
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use waypost_core::{Error, Result, Severity};

use super::changes::Changes;
use super::connection::{Connection, FarEnd, Lost, shake_hands};
use super::wire::MAX_MESSAGE_BYTES;
use super::{broken, failure, too_slow};
use crate::bounds::detail;
use client::HttpClient;
use fault::Fault;

/// Connects to the server and shakes hands with it. One that cannot be used is not tried again in this call.
pub(super) async fn start(config: &HttpConfig, changes: &Changes) -> Result<Connection> {
    connected(config, changes).await.map_err(|error| error.with_severity(Severity::Critical))
}

async fn connected(config: &HttpConfig, changes: &Changes) -> Result<Connection> {
    let client = HttpClient::open(config)?;
    let transport = StreamableHttpClientTransport::with_client(
        client.clone(),
        StreamableHttpClientTransportConfig::with_uri(config.url.as_str())
            .max_sse_event_size(MAX_MESSAGE_BYTES),
    );
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let handshake = shake_hands(transport, lifecycle, changes);
    match tokio::time::timeout(config.start_timeout, handshake).await {
        Ok(Ok(service)) => {
            let far = Address { server: config.name.clone(), client };
            Ok(Connection::new(&config.name, service, far, changes))
        }
        Ok(Err(error)) => Err(client.latest_fault().unwrap_or_else(|| strange(config, &error))),
        Err(_) => Err(too_slow(&config.name, "was not ready", config.start_timeout)),
    }
}

/// The error of a server whose part of the handshake is none.
fn strange(config: &HttpConfig, error: &ClientInitializeError) -> Error {
    broken(&config.name, "does not speak MCP")
        .with_hint("check that its address is the one at which it speaks MCP")
        .with_detail(detail(&error.to_string()))
}

/// A server that is spoken with over HTTP.
#[derive(Debug)]
struct Address {
    server: String,
    client: HttpClient,
}

#[async_trait]
impl FarEnd for Address {
    async fn gone(
        &self,
        what: &str,
        fault: Option<&DynamicTransportError>,
    ) -> (Error, Option<Lost>) {
        let fault = fault.map(|fault| fault.error.downcast_ref::<StreamableHttpError<Fault>>());
        match fault {
            Some(Some(StreamableHttpError::Client(Fault::TooLarge))) => {
                (failure::too_large(what), None)
            }
            Some(Some(StreamableHttpError::Client(Fault::Told { error, lost }))) => {
                (error.clone(), *lost)
            }
            Some(other) => {
                let words = other.map(ToString::to_string).unwrap_or_default();
                let error = broken(&self.server, "answers with something that is no MCP");
                (error.with_detail(detail(&words)), Some(Lost::Broken))
            }
            None if self.client.was_oversized() => (failure::too_large(what), None),
            None => {
                let error = broken(&self.server, "stopped in the middle of its work");
                (error, Some(Lost::Broken))
            }
        }
    }
}
