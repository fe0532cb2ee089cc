//! Sends traces and metrics over OTLP, as protobuf on HTTP.
//!
//! A batch that cannot be sent is lost: no turn waits for a collector.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use waypost_core::{Error, Result};

use super::TelemetryConfig;
use crate::http::client;
use crate::llm::install_crypto;

/// The longest time for one batch.
const WITHIN: Duration = Duration::from_secs(10);

/// The ways to a collector. They end with [`Telemetry::shutdown`].
#[derive(Debug, Clone)]
pub struct Telemetry {
    /// Takes spans.
    pub traces: SdkTracerProvider,
    /// Takes figures.
    pub metrics: SdkMeterProvider,
}

impl Telemetry {
    /// Prepares both; nothing is sent yet. Requests run on the runtime that calls.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for an address that is none.
    pub fn open(config: &TelemetryConfig) -> Result<Self> {
        install_crypto();
        let unusable = |why: &dyn std::fmt::Display| {
            Error::invalid(format!("cannot use the collector's address: {why}"))
                .with_hint("write it like `http://127.0.0.1:4318`")
        };
        let url = Url::parse(&config.endpoint).map_err(|error| unusable(&error))?;
        let sender = Sender {
            client: client("the collector", &url, HeaderMap::new())?,
            threads: Handle::current(),
        };
        let endpoint = config.endpoint.trim_end_matches('/');
        let bearer = config
            .token
            .iter()
            .map(|token| ("authorization".to_owned(), format!("Bearer {}", token.expose().trim())));
        let headers: HashMap<String, String> = bearer.collect();
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(sender.clone())
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .with_headers(headers.clone())
            .with_timeout(WITHIN)
            .build()
            .map_err(|error| unusable(&error))?;
        let figures = MetricExporter::builder()
            .with_http()
            .with_http_client(sender)
            .with_endpoint(format!("{endpoint}/v1/metrics"))
            .with_headers(headers)
            .with_timeout(WITHIN)
            .build()
            .map_err(|error| unusable(&error))?;
        let resource = Resource::builder()
            .with_service_name("waypost")
            .with_attribute(KeyValue::new("service.version", config.version))
            .build();
        let traces = SdkTracerProvider::builder()
            .with_batch_exporter(spans)
            .with_resource(resource.clone())
            .build();
        let metrics = SdkMeterProvider::builder()
            .with_periodic_exporter(figures)
            .with_resource(resource)
            .build();
        Ok(Self { traces, metrics })
    }

    /// Sends what waits, and ends. It may block for seconds.
    pub fn shutdown(&self) {
        // The rest is lost; there is nobody left to tell.
        let _ = self.traces.shutdown_with_timeout(Duration::from_secs(1));
        let _ = self.metrics.shutdown_with_timeout(Duration::from_secs(1));
    }
}

/// Sends batches; they are made on threads that have no runtime.
#[derive(Debug, Clone)]
struct Sender {
    client: Client,
    threads: Handle,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(
        &self,
        request: Request<Bytes>,
    ) -> std::result::Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        let (done, result) = oneshot::channel();
        self.threads.spawn(async move {
            let sent = async {
                let response = client.execute(request).await?;
                let status = response.status();
                Ok::<_, reqwest::Error>((status, response.bytes().await?))
            };
            let _ = done.send(tokio::time::timeout(WITHIN, sent).await);
        });
        let (status, bytes) = result.await???;
        Ok(Response::builder().status(status).body(bytes)?)
    }
}
