//! Passes requests on to the server of a model as they are, and its answer back as it comes.

use std::time::{Duration, Instant};

use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use tokio_util::sync::CancellationToken;
use waypost_core::{Error, Result};

use super::breaker::Breaker;
use super::hidden::Hidden;
use super::{ModelConfig, fault, install_crypto};
use crate::bounds::{cancelled, within};

/// The most times that a request is sent again which the server was too busy for, or could not be reached with.
const RETRIES: u32 = 2;
/// The longest wait before a request is sent again; a server that wants a longer one is left alone.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The first wait where the server does not say how long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The longest time until an answer begins: a large prompt on a slow machine.
const BEGINS_WITHIN: Duration = Duration::from_secs(600);
/// The longest refusal in bytes, and the longest time until it has come: it is read whole, because it may repeat a secret.
const MAX_REFUSAL_BYTES: usize = 256 * 1024;
const REFUSES_WITHIN: Duration = Duration::from_secs(30);

/// The way to the server of a model, for requests that Waypost does not make itself.
#[derive(Debug)]
pub struct Forwarder {
    client: Client,
    /// The address of chat completions, from which the others are made.
    endpoint: Url,
    model: String,
    hidden: Hidden,
    breaker: Breaker,
}

/// An answer that begins.
pub struct Forwarded {
    /// Its status, whatever it is.
    pub status: u16,
    /// Its kind of content.
    pub content_type: Option<HeaderValue>,
    /// Its word on when to come again.
    pub retry_after: Option<HeaderValue>,
    /// Its bytes as they come.
    pub body: BoxStream<'static, Result<Vec<u8>>>,
}

impl std::fmt::Debug for Forwarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forwarded").field("status", &self.status).finish_non_exhaustive()
    }
}

impl Forwarder {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// As [`OpenAiModel::open`](super::OpenAiModel::open).
    pub fn open(config: &ModelConfig) -> Result<Self> {
        install_crypto();
        let endpoint = config.endpoint()?;
        let mut headers = HeaderMap::new();
        if let Some(bearer) = config.authorization()? {
            headers.insert(reqwest::header::AUTHORIZATION, bearer);
        }
        // Anthropic's own way to send a key; others pass over it.
        if let Some(key) = &config.key
            && let Ok(mut key) = HeaderValue::from_str(key.expose().trim())
        {
            key.set_sensitive(true);
            headers.insert(HeaderName::from_static("x-api-key"), key);
        }
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static("2023-06-01"),
        );
        let client = crate::http::client(fault::SERVER.name, &endpoint, headers)?;
        let hidden = Hidden::of(config.key.as_ref(), &endpoint);
        let (model, breaker) = (config.model.clone(), Breaker::default());
        Ok(Self { client, endpoint, model, hidden, breaker })
    }

    /// The name by which the server knows the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Sends a body to a path such as `/chat/completions`, again where the server is too busy for it and says for how long or
    /// cannot be reached; nothing is sent again once an answer has begun. A refusal comes whole, without the secrets of the
    /// server in it.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` for a server that cannot be reached, failed several times or refuses without end; `DEADLINE_EXCEEDED`;
    /// `CANCELLED`.
    pub async fn send(
        &self,
        path: &str,
        body: Vec<u8>,
        cancel: &CancellationToken,
    ) -> Result<Forwarded> {
        let mut address = self.endpoint.clone();
        address.set_path(&self.endpoint.path().replace("/chat/completions", path));
        let mut tries = 0;
        loop {
            self.breaker.pass(Instant::now())?;
            let sent = tokio::select! {
                () = cancel.cancelled() => return Err(cancelled()),
                sent = self.once(&address, body.clone()) => sent,
            };
            let failed = match &sent {
                Ok(response) => response.status().is_server_error(),
                Err(_) => true,
            };
            self.breaker.note(!failed, Instant::now());
            match wait_before(tries, &sent) {
                Some(wait) => tokio::select! {
                    () = cancel.cancelled() => return Err(cancelled()),
                    () = tokio::time::sleep(wait) => tries += 1,
                },
                None => return self.answer(sent?, cancel).await,
            }
        }
    }

    /// An answer as it comes, or a refusal once it has come.
    async fn answer(&self, response: Response, cancel: &CancellationToken) -> Result<Forwarded> {
        let header = |name| response.headers().get(name).filter(|value| self.is_open(value));
        let (content_type, retry_after) =
            (header(CONTENT_TYPE).cloned(), header(RETRY_AFTER).cloned());
        let status = response.status();
        let body = if status.is_success() {
            let pieces = response.bytes_stream();
            pieces.map(|piece| piece.map(Vec::from).map_err(|error| broken(&error))).boxed()
        } else {
            let late = || fault::SERVER.late();
            let body = fault::SERVER.body(response, MAX_REFUSAL_BYTES);
            let body = within(REFUSES_WITHIN, cancel, late, body).await?;
            let words = self.hidden.out_of(&String::from_utf8_lossy(&body));
            stream::iter([Ok(words.into_bytes())]).boxed()
        };
        Ok(Forwarded { status: status.as_u16(), content_type, retry_after, body })
    }

    /// Returns whether a header of an answer holds no secret.
    fn is_open(&self, value: &HeaderValue) -> bool {
        let text = String::from_utf8_lossy(value.as_bytes());
        self.hidden.out_of(&text) == text
    }

    async fn once(&self, address: &Url, body: Vec<u8>) -> Result<Response> {
        let request =
            self.client.post(address.clone()).header(CONTENT_TYPE, "application/json").body(body);
        match tokio::time::timeout(BEGINS_WITHIN, fault::SERVER.send(request)).await {
            Ok(sent) => sent,
            Err(_) => Err(fault::SERVER.late()),
        }
    }
}

/// The wait before a request is sent again; `None` where it is not.
fn wait_before(tries: u32, sent: &Result<Response>) -> Option<Duration> {
    if tries >= RETRIES {
        return None;
    }
    let own = FIRST_WAIT * 2_u32.pow(tries);
    match sent {
        Ok(response) if matches!(response.status().as_u16(), 429 | 503) => {
            let said = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
            let said = Duration::from_secs(said.trim().parse().ok()?);
            (said <= LONGEST_WAIT).then_some(said.max(own))
        }
        Ok(_) => None,
        Err(error) => (error.code() == waypost_core::Code::Unavailable).then_some(own),
    }
}

fn broken(error: &reqwest::Error) -> Error {
    fault::SERVER.transport(error)
}
