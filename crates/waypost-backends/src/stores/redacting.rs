//! A store that takes out of events and labels what tells who somebody is, before another store
//! keeps them.
//!
//! The memory of a conversation is kept as it is: it is what the next turn is answered from.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value as Json;
use waypost::Result;
use waypost::event::{Event, Record};
use waypost::label::Label;
use waypost::redact::redact;
use waypost::session::Session;
use waypost::store::{Filter, Forgotten, LabelPage, Page, Store};

/// What names things of Waypost's and never people: a hash may look like a number that identifies.
const NAMES: &[&str] = &[
    "at",
    "bundle",
    "by",
    "code",
    "decision_id",
    "enabled",
    "encoder",
    "errors",
    "id",
    "intent",
    "kernel",
    "key",
    "language",
    "layer",
    "matched_by",
    "mode",
    "now",
    "pack",
    "route",
    "rule",
    "selected",
    "session",
    "session_id",
    "tool",
    "type",
    "tz",
];

/// Below these everything comes from people and tools, whatever it is called.
const DATA: &[&str] = &["active_arguments", "args", "arguments", "choice", "value"];

/// A store over another one.
#[derive(Debug)]
pub struct Redacting {
    inner: Arc<dyn Store>,
}

impl Redacting {
    /// Keeps in `inner` what is left.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner }
    }
}

/// The event without what tells who somebody is. One that cannot be read back afterwards is not
/// kept: that something happened is.
fn redacted(record: Record) -> Record {
    let clean = || -> serde_json::Result<Option<Record>> {
        let mut value = serde_json::to_value(&record)?;
        if !clean(&mut value, false) {
            return Ok(None);
        }
        serde_json::from_value(value).map(Some)
    };
    match clean() {
        Ok(None) => record,
        Ok(Some(clean)) => clean,
        Err(_) => {
            let (what, why) = (record.event.name(), "it cannot be redacted");
            let event = Event::Dropped { what: what.to_owned(), why: why.to_owned() };
            Record { event, ..record }
        }
    }
}

/// Redacts a value in place and says whether that changed it. Records are only as deep as JSON that
/// could be read.
fn clean(value: &mut Json, data: bool) -> bool {
    match value {
        Json::String(text) => {
            let clean = redact(text);
            let changes = clean != *text;
            if changes {
                *value = Json::String(clean.into_owned());
            }
            changes
        }
        // A number of a card may come as a number.
        Json::Number(number) if data && !number.is_f64() => {
            let text = number.to_string();
            let clean = redact(&text);
            let changes = clean != text;
            if changes {
                *value = Json::String(clean.into_owned());
            }
            changes
        }
        Json::Array(values) => {
            values.iter_mut().fold(false, |changed, value| clean(value, data) | changed)
        }
        Json::Object(fields) => {
            let told =
                fields.iter_mut().filter(|(name, _)| data || !NAMES.contains(&name.as_str()));
            told.fold(false, |changed, (name, value)| {
                clean(value, data || DATA.contains(&name.as_str())) | changed
            })
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

#[async_trait]
impl Store for Redacting {
    async fn session(&self, id: &str) -> Result<Session> {
        self.inner.session(id).await
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        self.inner.save_session(id, session).await
    }

    fn append(&self, events: Vec<Record>) {
        self.inner.append(events.into_iter().map(redacted).collect());
    }

    async fn flush(&self) -> Result<()> {
        self.inner.flush().await
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.inner.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.inner.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        let clean =
            |label: &Label| Label { text: redact(&label.text).into_owned(), ..label.clone() };
        let clean: Vec<Label> = labels.iter().map(clean).collect();
        self.inner.save_labels(&clean).await
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        self.inner.labels(pack, from, limit).await
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        self.inner.forget(id).await
    }
}
