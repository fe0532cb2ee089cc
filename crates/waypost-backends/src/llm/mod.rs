//! Language models behind an OpenAI-compatible address: Ollama, the llama.cpp server, vLLM and
//! everything that speaks like them.
//!
//! One call is one request. A server that does not know the reply format it is asked for fails
//! that call, and is asked for a simpler one from the next call on: `json_schema`, then
//! `json_object` with the schema, then without, then none (the prompt says in any case what is wanted).
//! So it is with the count of tokens at the end of a stream.

mod breaker;
mod config;
mod fault;
mod forward;
mod hidden;
mod reasoning;
mod redacted;
mod sse;
mod stream;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reqwest::{Client, Response, Url};
use tokio_util::sync::CancellationToken;
use waypost_core::Result;
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};

use self::breaker::Breaker;
pub(crate) use self::hidden::{Hidden, is_secret};
use self::reasoning::{Filter, Habit, Reader};
use self::wire::Form;
use crate::bounds::{MAX_ANSWER_BYTES, cancelled, within};

pub use config::{ModelConfig, ResponseFormat, Secret};
pub use forward::{Forwarded, Forwarder};
pub use redacted::Redacted;

/// Installs the cryptography that TLS needs. It may be called any number of times.
pub fn install_crypto() {
    // It fails only where a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A model at an OpenAI-compatible address.
#[derive(Debug)]
pub struct OpenAiModel {
    client: Client,
    endpoint: Url,
    name: String,
    hidden: Hidden,
    timeout: Option<Duration>,
    format: Format,
    /// True until the server refuses to count the tokens of a stream.
    counts: AtomicBool,
    /// Whether its replies have reasoning among their words.
    habit: Arc<Habit>,
    breaker: Breaker,
}

impl OpenAiModel {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if the address is no `http` or `https` URL, holds a password, or the key
    /// cannot be a header; `UNAVAILABLE` if this machine has no certificates for `https`.
    pub fn open(config: &ModelConfig) -> Result<Self> {
        install_crypto();
        let endpoint = config.endpoint()?;
        Ok(Self {
            client: fault::SERVER.client(&endpoint, config.authorization()?)?,
            hidden: Hidden::of(config.key.as_ref(), &endpoint),
            endpoint,
            name: config.model.clone(),
            timeout: config.timeout,
            format: Format::new(config.response_format),
            counts: AtomicBool::new(true),
            habit: Arc::default(),
            breaker: Breaker::default(),
        })
    }

    /// Begins with the form of replies that the server took before, and has `keep` keep each simpler one that it took, once
    /// it did. A form that is configured stands.
    #[must_use]
    pub fn remembering(mut self, known: Option<ResponseFormat>, keep: Keep) -> Self {
        if self.format.learns {
            let known = known.map_or(0, level_of);
            self.format.level.store(known, Ordering::Relaxed);
            self.format.taken.store(known, Ordering::Relaxed);
            self.format.keep = Some(Keeper(keep));
        }
        self
    }

    /// The form of replies that is asked for now.
    pub fn format(&self) -> ResponseFormat {
        self.format.level()
    }

    /// Returns the names of the models that the server lists.
    ///
    /// # Errors
    ///
    /// As a call: `UNAVAILABLE`, `DEADLINE_EXCEEDED`, `PERMISSION_DENIED`; `CANCELLED`.
    pub async fn listed(
        &self,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Vec<String>> {
        let mut address = self.endpoint.clone();
        let path = address.path().replace("/chat/completions", "/models");
        address.set_path(&path);
        let late = || fault::SERVER.late();
        within(timeout, cancel, late, async {
            let response = fault::SERVER.send(self.client.get(address)).await?;
            let status = response.status().as_u16();
            let body = fault::SERVER.body(response, MAX_ANSWER_BYTES).await?;
            if status != 200 {
                let words = self.hidden.out_of(&String::from_utf8_lossy(&body));
                return Err(fault::status(status, &words, &self.name));
            }
            wire::models(&body)
        })
        .await
    }

    fn timeout(&self, prompt: &Prompt) -> Duration {
        self.timeout.map_or(prompt.timeout, |most| most.min(prompt.timeout))
    }

    /// Sends the one request of a call and returns its answer, if it is a good one.
    async fn send(&self, prompt: &Prompt, form: Form) -> Result<Response> {
        self.breaker.pass(Instant::now())?;
        let level = self.format.level();
        let body = wire::body(&self.name, prompt, level, form);
        let request = self.client.post(self.endpoint.clone()).json(&body);
        let sent = fault::SERVER.send(request).await;
        // A server that refuses is there; one that cannot be reached, or fails, may be left alone.
        let is_well = sent.as_ref().is_ok_and(|response| !response.status().is_server_error());
        self.breaker.note(is_well, Instant::now());
        let response = sent?;
        let status = response.status().as_u16();
        if status == 200 {
            if prompt.schema.is_some() {
                self.format.note(level);
            }
            return Ok(response);
        }
        // The words of a refusal help only the log; without them it is still a refusal.
        let words = fault::SERVER.body(response, MAX_ANSWER_BYTES).await.unwrap_or_default();
        let words = self.hidden.out_of(&String::from_utf8_lossy(&words));
        if form == Form::CountedPieces && fault::refuses_usage(status, &words) {
            self.counts.store(false, Ordering::Relaxed);
            return Err(fault::usage_refused(status, &words));
        }
        if prompt.schema.is_some()
            && fault::refuses_format(status, &words, self.format.is_taken())
            && let Some(simpler) = self.format.simplify(level)
        {
            return Err(fault::format_refused(status, &words, simpler.name()));
        }
        Err(fault::status(status, &words, &self.name))
    }
}

#[async_trait]
impl Model for OpenAiModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        let late = || fault::SERVER.late();
        within(self.timeout(prompt), cancel, late, async {
            let response = self.send(prompt, Form::Whole).await?;
            let whole = wire::whole(&fault::SERVER.body(response, MAX_ANSWER_BYTES).await?)?;
            let truncated = whole.cut.is_some();
            let text = reasoning::strip(&whole.text, &self.habit, reader(prompt), truncated);
            Ok(Reply { text, usage: whole.usage, truncated })
        })
        .await
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        let counts = self.counts.load(Ordering::Relaxed);
        let form = if counts { Form::CountedPieces } else { Form::Pieces };
        let timeout = self.timeout(prompt);
        let deadline = tokio::time::Instant::now() + timeout;
        let late = || fault::SERVER.late();
        let response = within(timeout, cancel, late, self.send(prompt, form)).await?;
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        let filter = Filter::new(&self.habit, reader(prompt));
        Ok(stream::pieces(response, filter, deadline, cancel.clone()))
    }
}

/// The least tokens of a reply that shows how a model writes.
const SHORTEST: u32 = 16;

/// The reader of the reply to a prompt.
fn reader(prompt: &Prompt) -> Reader {
    match &prompt.schema {
        Some(_) => Reader::Program,
        // Of a model that is but woken nobody reads the reply, which is too short to show how it writes.
        None if prompt.max_tokens < SHORTEST => Reader::Program,
        None if prompt.tool_tokens > 0 => Reader::Agent,
        None => Reader::Person,
    }
}

/// The level of a server that has taken none yet.
const NONE: u8 = u8::MAX;

/// Keeps the form of replies that a server takes.
pub type Keep = Arc<dyn Fn(ResponseFormat) + Send + Sync>;

/// A [`Keep`] that can be shown.
struct Keeper(Keep);

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeper")
    }
}

/// The reply format that is asked for now: fixed by configuration, or learned from refusals.
#[derive(Debug)]
struct Format {
    level: AtomicU8,
    /// The level that the server took last.
    taken: AtomicU8,
    learns: bool,
    keep: Option<Keeper>,
}

impl Format {
    fn new(configured: ResponseFormat) -> Self {
        Self {
            level: AtomicU8::new(level_of(configured)),
            taken: AtomicU8::new(NONE),
            learns: configured == ResponseFormat::Auto,
            keep: None,
        }
    }

    fn level(&self) -> ResponseFormat {
        level_at(self.level.load(Ordering::Relaxed))
    }

    /// Returns the format for later calls now that `refused` was refused, if there is a simpler
    /// one.
    fn simplify(&self, refused: ResponseFormat) -> Option<ResponseFormat> {
        if !self.learns || refused == ResponseFormat::Text {
            return None;
        }
        let now = level_of(refused);
        // Calls that were refused together move one step together.
        let _ = self.level.compare_exchange(now, now + 1, Ordering::Relaxed, Ordering::Relaxed);
        Some(self.level())
    }

    /// Returns whether the server took the form that is asked for now: what it refuses after that, it refuses for something
    /// else, unless it names the form.
    fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) == self.level.load(Ordering::Relaxed)
    }

    /// Notes that the server took a form, and has it kept where it is not the one from before.
    fn note(&self, form: ResponseFormat) {
        let now = level_of(form);
        let before = self.taken.swap(now, Ordering::Relaxed);
        let is_new = before != now && (before, now) != (NONE, 0);
        if let (true, Some(Keeper(keep))) = (is_new, &self.keep) {
            keep(form);
        }
    }
}

fn level_of(format: ResponseFormat) -> u8 {
    match format {
        ResponseFormat::Auto | ResponseFormat::JsonSchema => 0,
        ResponseFormat::JsonObjectSchema => 1,
        ResponseFormat::JsonObject => 2,
        ResponseFormat::Text => 3,
    }
}

fn level_at(level: u8) -> ResponseFormat {
    match level {
        0 => ResponseFormat::JsonSchema,
        1 => ResponseFormat::JsonObjectSchema,
        2 => ResponseFormat::JsonObject,
        _ => ResponseFormat::Text,
    }
}
