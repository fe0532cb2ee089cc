//! The parts of a record from which its decision can be made again: the request as it was decided
//! on, and what came from outside while it was decided.
//!
//! The text and the instant are those of the record itself, so that personal data has to be taken
//! out in one place only. Free text that the platform adds (`context.extra`) is not kept: no layer
//! reads it, and it may hold what must not be written down. The record keeps that there was some:
//! words that came with it may not mean by themselves what was asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Code;
use crate::records::belief::Belief;
use crate::records::request::{Context, DeclaredCall, Request, Tested};
use crate::records::rollout::Enabled;

/// The largest request that is kept for a replay, in bytes of JSON: twice the longest text, and far
/// more than a conversation's own memory takes. A caller may send a larger context; that turn is
/// decided, and cannot be replayed.
pub const MAX_ASKED_BYTES: usize = 128 * 1024;
/// The longest reply of a model that is kept, in bytes; a longer one cannot be a decision.
pub const MAX_REPLY_BYTES: usize = 64 * 1024;

/// The request as it was decided on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The zone that the instant was read in.
    pub tz: String,
    /// The caller's hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The route that the caller declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// The call that the caller declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<DeclaredCall>,
    /// True if the caller was the platform itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
    /// The value of a choice that was clicked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Value>,
    /// The context of the conversation, with the session's memory laid under the caller's.
    pub context: Context,
    /// True if the caller added text to it, which is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extra: bool,
    /// [`Context::remembered`], which no caller can say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembered: bool,
    /// [`Context::repeated`], which no caller can say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// [`Context::conditions`], which no caller can say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// [`Context::tested`], which no caller can say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tested: Vec<Tested>,
    /// The rollout keys that were off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
}

impl Asked {
    /// The part that is kept of a request, decided on `context` and read in the zone `tz`; `None`
    /// where it is larger than [`MAX_ASKED_BYTES`].
    pub fn of(request: &Request, tz: &str, context: &Context, enabled: Enabled) -> Option<Self> {
        let asked = Self {
            tz: tz.to_owned(),
            language: request.language.clone(),
            route: request.route.clone(),
            call: request.call.clone(),
            trusted: request.trusted,
            choice: request.choice.clone(),
            context: Context { extra: None, ..context.clone() },
            extra: context.extra.is_some(),
            remembered: context.remembered,
            repeated: context.repeated,
            conditions: context.conditions.clone(),
            tested: context.tested.clone(),
            off: enabled.off().map(str::to_owned).collect(),
        };
        let size = serde_json::to_string(&asked).map_or(usize::MAX, |json| json.len());
        (size <= MAX_ASKED_BYTES).then_some(asked)
    }

    /// The request again, with the text, instant and session of its record. Text that the caller
    /// added is empty in it.
    pub fn request(&self, text: &str, at: &str, session: Option<&str>) -> Request {
        Request {
            session: session.map(str::to_owned),
            now: Some(at.to_owned()),
            tz: Some(self.tz.clone()),
            language: self.language.clone(),
            route: self.route.clone(),
            call: self.call.clone(),
            trusted: self.trusted,
            choice: self.choice.clone(),
            context: Context {
                extra: self.extra.then(String::new),
                remembered: self.remembered,
                repeated: self.repeated,
                conditions: self.conditions.clone(),
                tested: self.tested.clone(),
                ..self.context.clone()
            },
            ..Request::new(text)
        }
    }
}

/// The replies that came from outside while a turn was decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Replies {
    /// The name of the model that was there, whether it was asked or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How far it was believed, where somebody had measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belief: Option<Belief>,
    /// The model's reply, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// Its replies to other questions of the same decision, where it judged each tool by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Said>,
    /// The earlier decision of the same question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// The encoder, where the student was trained with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Encoded>,
    /// What people had said before of decisions like it, by tool, in the unit of a score.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lessons: BTreeMap<String, f64>,
}

/// A question to a model and its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The kind of reply that was asked for: the name of its schema.
    pub to: String,
    /// The hash of the prompt.
    pub prompt: String,
    /// Its words; `None` where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The code with which it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Code>,
}

/// An earlier decision, as it was recalled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// The route; `None` for out of scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// The tools with the arguments that the model had proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<(String, Map<String, Value>)>,
    /// The confidence of the model.
    pub confidence: f64,
    /// The reason, in one sentence.
    pub rationale: String,
}

/// The encoder that the student had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoded {
    /// Its name and checksum.
    pub id: String,
    /// The instructions that computed: another kernel may give other last bits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// The code with which it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Code>,
}
