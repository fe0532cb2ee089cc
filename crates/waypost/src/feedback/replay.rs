//! Decides a recorded turn again: asks nobody, and writes nothing.
//!
//! A decision is a function of the request, the pack, the student, and what came from outside while
//! it was made. The record holds the request and what came from outside ([`Asked`], [`Replies`]).
//! With the same pack and student [`replay`] must come to the same decision, bit for bit; with others
//! [`reconsider`] says what they would have decided.
//!
//! [`Asked`]: waypost_core::records::event::Asked
//! [`Replies`]: waypost_core::records::event::Replies

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};
use waypost_core::records::decision::Decision;
use waypost_core::records::event::{Asked, Event, Recalled, Record, Replies, Routed, Said};
use waypost_core::records::rollout::Enabled;
use waypost_learning::Bundle;

use crate::decide::cascade::{DecisionDependencies, OwnLayer, Teaching};
use crate::decide::{Matchers, decide};
use crate::observe::events::{prompt_hash, schema_name};
use crate::pack::Pack;
use crate::pack::messages::Messages;
use crate::understand::ingest;
use crate::understand::matcher::Matcher;

/// The most differences of one decision that are told; the rest would be more of the same.
pub const MAX_DIFFERENCES: usize = 32;

/// The parts that decide again.
#[derive(Debug, Clone, Copy)]
pub struct ReplayDependencies<'a> {
    /// The pack.
    pub pack: &'a Pack,
    /// The student.
    pub bundle: &'a Bundle,
    /// The encoder, where one is there.
    pub encoder: Option<&'a dyn Encoder>,
    /// The sentences of Waypost's own.
    pub messages: &'a Messages,
    /// What the teacher is shown.
    pub teaching: &'a Teaching,
    /// The layers of an embedder.
    pub layers: &'a [OwnLayer],
    /// The matchers of an embedder.
    pub matchers: &'a [Arc<dyn Matcher>],
}

/// A decision that was made again.
#[derive(Debug, Clone, Serialize)]
pub struct Replayed {
    /// The decision that is made now, under the id of the record.
    pub decision: Decision,
    /// True if it is the recorded one, and a model is asked the same.
    pub same: bool,
    /// The fields in which it differs, at most [`MAX_DIFFERENCES`] of them.
    pub differs: Vec<Difference>,
    /// True if another pack or student decided then.
    pub foreign: bool,
    /// True if a model would be asked what it was not asked then: its reply is not known, and the
    /// decision is the one without it.
    pub asks: bool,
    /// The kernels, if the encoder computed on other instructions then: the last bits may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Difference>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The path of the field, such as `calls[0].arguments.date`.
    pub field: String,
    /// The recorded value; null where there is none.
    pub recorded: Json,
    /// The value of now; null where there is none.
    pub replayed: Json,
}

/// Decides a recorded turn again as it was decided, with what came from outside then.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the record is of no decision; `FAILED_PRECONDITION` if it holds no request,
/// or is redacted; those of a decision.
pub async fn replay(record: &Record, with: &ReplayDependencies<'_>) -> Result<Replayed> {
    let (routed, asked) = recorded(record)?;
    let replies = &routed.replies;
    let told = Told::of(replies, true);
    let failing = replies
        .encoder
        .as_ref()
        .and_then(|encoder| encoder.fault.map(|code| Failing { id: encoder.id.clone(), code }));
    let encoder = failing.as_ref().map(|failing| failing as &dyn Encoder).or(with.encoder);
    let with = ReplayDependencies { encoder, ..*with };
    let decision = again(record, routed, asked, &with, &told, replies.recalled.as_ref()).await?;
    let mut replayed = compared(routed, decision, &told)?;
    replayed.kernel = other_kernel(replies, with.encoder);
    Ok(replayed)
}

/// Decides a recorded turn as another pack or student would have decided it.
///
/// The model is taken to say again what it said then, if it is asked the same, or if the pack is
/// another one and words its questions in its own way. A recalled decision is what a model once
/// said, so it counts only where the model would be asked.
///
/// # Errors
///
/// As [`replay`].
pub async fn reconsider(record: &Record, with: &ReplayDependencies<'_>) -> Result<Replayed> {
    let (routed, asked) = recorded(record)?;
    let told = Told::of(&routed.replies, with.pack.id != routed.decision.pack);
    let decision = again(record, routed, asked, with, &told, None).await?;
    let replayed = compared(routed, decision, &told)?;
    let Some(recalled) = routed.replies.recalled.as_ref().filter(|_| replayed.asks) else {
        return Ok(replayed);
    };
    let told = Told::of(&routed.replies, false);
    let decision = again(record, routed, asked, with, &told, Some(recalled)).await?;
    compared(routed, decision, &told)
}

/// Reads the decision and the request of a record.
pub(crate) fn recorded(record: &Record) -> Result<(&Routed, &Asked)> {
    let Event::RouterEvent(routed) = &record.event else {
        let message = format!("`{}` is no record of a decision", record.event.name());
        return Err(Error::invalid(message).with_hint("records of decisions are `router_event`"));
    };
    if routed.redacted {
        return Err(Error::new(Code::FailedPrecondition, "the record was redacted")
            .with_hint("what was taken out of it before it was stored is not known"));
    }
    let asked = routed.request.as_deref().ok_or_else(|| {
        let message = format!("the record of `{}` does not hold its request", record.decision_id);
        Error::new(Code::FailedPrecondition, message)
            .with_hint("an earlier version wrote it, or its context was too large to be kept")
    })?;
    Ok((routed, asked))
}

async fn again(
    record: &Record,
    routed: &Routed,
    asked: &Asked,
    with: &ReplayDependencies<'_>,
    told: &Told<'_>,
    recalled: Option<&Recalled>,
) -> Result<Decision> {
    let request = asked.request(&routed.text, &record.at, record.session_id.as_deref());
    let mut turn = ingest(with.pack, &request, request.context.clone())?;
    turn.permits.enabled = Enabled::without(asked.off.iter().map(String::as_str));
    turn.matchers = with.matchers;
    turn.lessons.clone_from(&routed.replies.lessons);
    let cancel = CancellationToken::new();
    let dependencies = DecisionDependencies {
        bundle: with.bundle,
        arguments: &Matchers,
        encoder: with.encoder,
        model: told.model(),
        teaching: with.teaching,
        belief: routed.replies.belief.unwrap_or_default(),
        recall: None,
        recalled,
        layers: with.layers,
        cancel: &cancel,
    };
    let decided = decide(&turn, &dependencies, with.messages).await?;
    // The id names the request with all that was sent, of which the record may hold less.
    Ok(Decision { id: record.decision_id.clone(), ..decided.decision })
}

fn compared(routed: &Routed, decision: Decision, told: &Told<'_>) -> Result<Replayed> {
    let json = |decision: &Decision| {
        serde_json::to_value(decision)
            .map_err(|error| Error::internal(format!("a decision is no JSON: {error}")))
    };
    let then = Decision { id: decision.id.clone(), ..(*routed.decision).clone() };
    let mut differs = Vec::new();
    find_differences("", &json(&then)?, &json(&decision)?, &mut differs);
    let heard = told.heard();
    if let (Some(prompt), [said]) = (&heard.prompt, &told.said[..])
        && *prompt != said.prompt
    {
        differs.push(Difference {
            field: "prompt".to_owned(),
            recorded: said.prompt.clone().into(),
            replayed: prompt.clone().into(),
        });
    }
    let foreign = then.pack != decision.pack || then.bundle != decision.bundle;
    let same = differs.is_empty() && !heard.anew;
    Ok(Replayed { decision, same, differs, foreign, asks: heard.anew, kernel: None })
}

fn other_kernel(replies: &Replies, encoder: Option<&dyn Encoder>) -> Option<Difference> {
    let then = replies.encoder.as_ref().filter(|then| then.fault.is_none())?;
    let now = encoder.filter(|encoder| encoder.id() == then.id)?.kernel();
    (then.kernel != now).then(|| Difference {
        field: "kernel".to_owned(),
        recorded: then.kernel.clone().into(),
        replayed: now.into(),
    })
}

/// Collects the deepest fields in which two records differ.
fn find_differences(field: &str, then: &Json, now: &Json, found: &mut Vec<Difference>) {
    if found.len() >= MAX_DIFFERENCES || is_same(then, now) {
        return;
    }
    match (then, now) {
        (Json::Object(then), Json::Object(now)) => {
            let added = now.keys().filter(|name| !then.contains_key(*name));
            for name in then.keys().chain(added) {
                let field = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                let of = |object: &serde_json::Map<String, Json>| {
                    object.get(name).cloned().unwrap_or_default()
                };
                find_differences(&field, &of(then), &of(now), found);
            }
        }
        (Json::Array(then), Json::Array(now)) if then.len() == now.len() => {
            for (at, (then, now)) in then.iter().zip(now).enumerate() {
                find_differences(&format!("{field}[{at}]"), then, now, found);
            }
        }
        _ => found.push(Difference {
            field: field.to_owned(),
            recorded: then.clone(),
            replayed: now.clone(),
        }),
    }
}

/// Returns whether two values are the same. A number that was written down and read may differ from
/// itself in the last bit, which the reader loses; what was computed now has to lose it too.
fn is_same(then: &Json, now: &Json) -> bool {
    match (then, now) {
        (Json::Number(then), Json::Number(now)) => {
            then == now
                || serde_json::from_str::<serde_json::Number>(&now.to_string())
                    .is_ok_and(|read| read == *then)
        }
        (Json::Array(then), Json::Array(now)) => {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| is_same(then, now))
        }
        (Json::Object(then), Json::Object(now)) => {
            then.len() == now.len()
                && then
                    .iter()
                    .all(|(name, then)| now.get(name).is_some_and(|now| is_same(then, now)))
        }
        _ => then == now,
    }
}

/// The model of a record: it says again what it said, and nothing else.
#[derive(Debug)]
struct Told<'a> {
    name: Option<&'a str>,
    said: Vec<&'a Said>,
    /// True if another question of the same kind gets the same reply.
    lenient: bool,
    heard: Mutex<Heard>,
}

/// The questions that the model of a record is asked.
#[derive(Debug, Clone, Default)]
struct Heard {
    /// The hash of the prompt that was replied to.
    prompt: Option<String>,
    /// True if there was a question that has no recorded reply.
    anew: bool,
}

impl<'a> Told<'a> {
    fn of(replies: &'a Replies, lenient: bool) -> Self {
        let name = replies.model.as_deref();
        Self {
            name,
            said: replies.said.iter().chain(&replies.also).collect(),
            lenient,
            heard: Mutex::default(),
        }
    }

    fn model(&self) -> Option<&dyn Model> {
        self.name.map(|_| self as &dyn Model)
    }

    fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Model for Told<'_> {
    fn name(&self) -> &str {
        self.name.unwrap_or_default()
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let hash = prompt_hash(prompt);
        // One reply of many is that of another question.
        let lenient = self.lenient && self.said.len() == 1;
        let is_to =
            |said: &&&Said| said.prompt == hash || lenient && said.to == schema_name(prompt);
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(said) = self.said.iter().find(is_to) else {
            heard.anew = true;
            return Err(Error::unavailable("the model was not asked this then"));
        };
        heard.prompt = Some(hash);
        match (&said.text, said.fault) {
            (Some(text), None) => Ok(Reply { text: text.clone(), usage: None, truncated: false }),
            (_, fault) => {
                Err(Error::new(fault.unwrap_or(Code::Unavailable), "the model failed then"))
            }
        }
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::unavailable("nothing is written in a replay"))
    }
}

/// An encoder that failed.
#[derive(Debug)]
struct Failing {
    id: String,
    code: Code,
}

#[async_trait]
impl Encoder for Failing {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        0
    }

    async fn encode(&self, _: &str) -> Result<Vec<f32>> {
        Err(Error::new(self.code, "the encoder failed then"))
    }

    fn encode_all(&self, _: &[&str]) -> Result<Vec<Vec<f32>>> {
        Err(Error::new(self.code, "the encoder failed then"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(then: &Json, now: &Json) -> Vec<String> {
        let mut found = Vec::new();
        find_differences("", then, now, &mut found);
        found.into_iter().map(|difference| difference.field).collect()
    }

    #[test]
    fn the_deepest_field_that_differs_is_named() {
        let then = json!({ "route": "tool", "calls": [{ "arguments": { "day": 1, "at": 2 } }] });
        assert_eq!(differs(&then, &then), [""; 0]);
        let now = json!({ "route": "code", "calls": [{ "arguments": { "day": 2, "at": 2 } }] });
        assert_eq!(differs(&then, &now), ["route", "calls[0].arguments.day"]);
        let now = json!({ "route": "tool", "calls": [], "reason": "gate:schema" });
        assert_eq!(differs(&then, &now), ["calls", "reason"]);
    }

    #[test]
    fn differences_are_bounded() {
        let many = |value: i32| Json::Array(vec![json!(value); 10 * MAX_DIFFERENCES]);
        assert_eq!(differs(&many(1), &many(2)).len(), MAX_DIFFERENCES);
    }

    #[test]
    fn a_number_that_was_written_and_read_is_the_same() {
        // Digits of which the fast reader of JSON may lose the last bit.
        for at in 1..2000_u32 {
            let value = json!(f64::from(at) / 3.0 + 121.0);
            let read: Json = serde_json::from_str(&value.to_string()).unwrap();
            assert_eq!(differs(&read, &value), [""; 0], "{value}");
        }
        assert_eq!(differs(&json!(1.0), &json!(1.000_000_1)), [""]);
    }
}
