//! Takes personal data out of events, labels and records of writes before a store keeps them.
//!
//! The memory of a conversation is kept as it is: the next turn is answered from it.

use std::borrow::Cow;

use serde_json::Value as Json;
use waypost_core::records::event::{Event, Record};
use waypost_core::records::label::Label;
use waypost_core::records::write::Write;
use waypost_text::redact::redact;

use super::Inlet;

/// The keys that name things of Waypost's and never people: a hash may look like a number that
/// identifies.
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
    "prompt",
    "route",
    "rule",
    "selected",
    "session",
    "session_id",
    "tool",
    "type",
    "tz",
];

/// The keys below which everything comes from people and tools, whatever it is called.
const DATA: &[&str] = &["active_arguments", "args", "arguments", "choice", "value"];

/// The inlet that redacts.
#[derive(Debug, Clone, Copy)]
pub struct Redacting;

impl Inlet for Redacting {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        events.into_iter().map(redacted).collect()
    }

    fn labels<'a>(&self, labels: &'a [Label]) -> Cow<'a, [Label]> {
        let clean =
            |label: &Label| Label { text: redact(&label.text).into_owned(), ..label.clone() };
        labels.iter().map(clean).collect()
    }

    fn write<'a>(&self, write: &'a Write) -> Cow<'a, Write> {
        let mut arguments = Json::Object(write.arguments.clone());
        match clean(&mut arguments, true) {
            true => {
                let arguments = arguments.as_object().cloned().unwrap_or_default();
                Cow::Owned(Write { arguments, ..write.clone() })
            }
            false => Cow::Borrowed(write),
        }
    }
}

/// Returns the event without personal data. An event that cannot be read back afterwards is
/// replaced by [`Event::Dropped`], which says that something happened.
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
        Ok(Some(mut clean)) => {
            clean.era = record.era;
            if let Event::RouterEvent(routed) = &mut clean.event {
                routed.redacted = true;
            }
            clean
        }
        Err(_) => {
            let (what, why) = (record.event.name(), "it cannot be redacted");
            let event = Event::Dropped { what: what.to_owned(), why: why.to_owned() };
            Record { event, ..record }
        }
    }
}

/// Redacts a value in place and returns whether that changed it. Records are only as deep as JSON
/// that could be read.
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
        // A card number may come as a number.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use waypost_core::ports::store::{Filter, Store};
    use waypost_core::records::era::Era;
    use waypost_core::records::label::{LabelKind, Verdict};

    use super::super::{Behind, MemoryStore};
    use super::*;

    const SECRETS: [&str; 5] = [
        "ana@example.org",
        "+34 612 345 678",
        "4111111111111111",
        "GB82WEST12345698765432",
        "192.168.10.254",
    ];

    fn record(event: &serde_json::Value) -> Record {
        let mut record = json!({
            "decision_id": "1234567890123456", "session_id": "12345678901", "pack": "p",
            "at": "2025-11-06T08:00:00Z",
        });
        record.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        serde_json::from_value(record).unwrap()
    }

    fn event(told: &str) -> Record {
        record(&json!({
            "type": "tool_event", "tool": "t", "status": "success", "tool_latency_ms": 1234567890.5,
            "tries": 1, "relaxed": [told], "errors": [],
            "arguments": { "id": told, "deep": [{ "to": told }], "card": 4111111111111111_u64,
                "bbox": [118.0, 20.0, 123.5, 26.5], "date": "2025-11-06", "nets": 75000 },
        }))
    }

    #[tokio::test]
    async fn s4_28_nothing_personal_reaches_the_store_and_the_rest_does() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let store = Behind::new(Redacting, Arc::clone(&inner));
        for (n, told) in SECRETS.into_iter().enumerate() {
            let label = Label {
                decision_id: format!("123456789012345{}", 6 + n),
                session_id: Some("12345678901".to_owned()),
                owner: None,
                pack: "p".to_owned(),
                at: "2025-11-06T08:00:00Z".to_owned(),
                kind: LabelKind::Teacher,
                text: format!("tide at 25.0330,121.5654 on 2025-11-06 for {told}"),
                language: "en".to_owned(),
                era: Era::default(),
                verdict: Verdict::Right { route: "tool".to_owned(), tools: vec!["t".to_owned()] },
            };
            store.append(vec![event(told)]);
            let other = Label { kind: LabelKind::Choice, ..label.clone() };
            store.save_labels(&[label, other.clone()]).await.unwrap();
            assert!(store.take_back(&other).await.unwrap(), "it is known by the words of before");
        }
        let events = inner.events(&Filter::default(), 99).await.unwrap();
        let labels = inner.labels("p", 0, 99).await.unwrap().labels;
        let kept = serde_json::to_string(&(&events, &labels)).unwrap();
        for told in SECRETS {
            assert!(!kept.contains(told), "{kept}");
        }
        assert_eq!(labels[0].text, "tide at 25.0330,121.5654 on 2025-11-06 for ‹email›");
        assert_eq!(labels[0].decision_id, "1234567890123456");
        let Event::ToolEvent { arguments, tool_latency_ms, .. } = &events[0].event else {
            panic!("{events:?}");
        };
        let wanted = json!({ "id": "‹email›", "deep": [{ "to": "‹email›" }], "card": "‹card›",
            "bbox": [118.0, 20.0, 123.5, 26.5], "date": "2025-11-06", "nets": 75000 });
        assert_eq!(serde_json::Value::Object(arguments.clone()), wanted);
        assert_eq!(*tool_latency_ms, 1_234_567_890.5);
        assert_eq!(events[0].decision_id, "1234567890123456");
        assert_eq!(events[0].session_id.as_deref(), Some("12345678901"));
    }

    #[test]
    fn what_is_redacted_keeps_its_era() {
        let told = Record { era: Era::after(7), ..event(SECRETS[0]) };
        let clean = Redacting.events(vec![told.clone()]);
        assert_ne!(clean[0], told);
        assert_eq!(clean[0].era.forgotten(), 7);
    }

    #[tokio::test]
    async fn an_event_without_anything_personal_is_kept_as_it_is() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let plain = record(&json!({ "type": "dropped", "what": "花蓮 2025-11-06", "why": "x" }));
        Behind::new(Redacting, Arc::clone(&inner)).append(vec![plain.clone()]);
        assert_eq!(inner.events(&Filter::default(), 9).await.unwrap(), [plain]);
    }
}
