//! The request: what a caller asks, as it comes in.
//!
//! A record is lenient where people type (unknown keys are ignored, so that a case file can carry
//! more) and strict where meaning would be lost: a broken instant or zone is an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Zoned;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_text::language::Language;

use crate::error::{Error, Result};
use crate::records::access::Access;

/// The longest text that is taken, in bytes; longer ones are refused before any work is done.
///
/// A question is rarely over a thousand characters; this leaves room for pasted code and data.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// One request; all but `text` is optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Request {
    /// The text of the user.
    pub text: String,
    /// The name of the pack that is asked, where a surface serves several; without one it is the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The name of the conversation; without one nothing is remembered.
    pub session: Option<String>,
    /// The user, as a trusted caller knows them: tools that keep something of people get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The instant of the question, RFC 3339 or a date; the surface fills it where it is missing.
    pub now: Option<String>,
    /// The IANA name of the user's zone; a pack has a default.
    pub tz: Option<String>,
    /// A hint; without it the text decides.
    pub language: Option<String>,
    /// The route that the caller declares: no layer is asked.
    pub route: Option<String>,
    /// The call that the caller declares: no layer is asked and no words fill its arguments. The
    /// gates hold for it as for any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<DeclaredCall>,
    /// The run that goes on, by its id: its calls are made that have no result yet. The words and the instant are those of the
    /// run, and a call that changes something is approved anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The caller is the platform itself.
    pub trusted: bool,
    /// The value of a choice that was clicked.
    pub choice: Option<Value>,
    /// The context: what happened before.
    pub context: Context,
    /// The fields that were taken out as the caller may not set them; the router tells of them.
    #[serde(skip)]
    pub dropped: Vec<&'static str>,
    /// The tools that the caller may use, where not all of them are; the surface that knows the caller sets it.
    #[serde(skip)]
    pub tools: Option<Arc<[String]>>,
    /// The key of the caller, where there is one; the surface that knows the caller sets it. What the request leaves behind is its
    /// own.
    #[serde(skip)]
    pub owner: Option<Arc<str>>,
    /// The name of that key, for people who read logs and the audit.
    #[serde(skip)]
    pub owner_name: Option<Arc<str>>,
    /// The ways in which the request may say yes to a call that changes something; the surface that asks its users by forms
    /// sets it.
    #[serde(skip)]
    pub consent: Consent,
    /// The name by which the caller sends the request again, with the caller's own before it, where there is one. A write spends
    /// it, so that it is made once however often the request comes.
    #[serde(skip)]
    pub once: Option<String>,
    /// The decision of this conversation that the request goes on from; the latest without it. A surface sets it if its clients
    /// can go back to an earlier answer.
    #[serde(skip)]
    pub after: Option<String>,
    /// A number that nobody can guess, from a surface whose callers may be strangers to each other:
    /// it goes into the id of the decision, which is the right to speak of it. Without one the id is
    /// a function of the request.
    #[serde(skip)]
    pub salt: Option<u64>,
}

/// The ways in which a request may say yes to a call that changes something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Consent {
    /// In words, by a choice that was shown, or by the word of a platform that is believed.
    #[default]
    Said,
    /// In none: the user is asked by a form, and this request is not the answer to it.
    Withheld,
}

/// A call that a caller declares: a tool with its arguments, as its schema wants them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DeclaredCall {
    /// The tool.
    pub tool: String,
    /// Its arguments; what its schema requires and is not here is asked for.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The user was asked about this very call and said yes. Where no such question is open, nothing is done and
    /// nothing is asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approved: bool,
}

/// The caller's knowledge of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Context {
    /// State of the workflow, as gates use it.
    pub flags: Map<String, Value>,
    /// The tool that the assistant just asked about.
    pub active_tool: Option<String>,
    /// The argument that it asked for.
    pub active_argument: Option<String>,
    /// True if options and calls come from the session's own memory, not from the caller.
    #[serde(skip)]
    pub remembered: bool,
    /// True if the open question was asked before and no answer was understood.
    #[serde(skip)]
    pub repeated: bool,
    /// The run that the open question belongs to; the session's own memory sets it.
    #[serde(skip)]
    pub run: Option<String>,
    /// The conditions under which something was asked for before the open question; the session's own memory sets it.
    #[serde(skip)]
    pub conditions: Vec<String>,
    /// The conditions that were tested in this turn; only the router sets it.
    #[serde(skip)]
    pub tested: Vec<Tested>,
    /// The known arguments of the call that it asked about.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub active_arguments: Map<String, Value>,
    /// The other calls of the turn in which the assistant asked; they are made with the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<PastCall>,
    /// The text of the user that made the assistant ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The language of the conversation so far, for turns that show none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The choices that the user sees, in order.
    pub options: Vec<Choice>,
    /// Routes and topics of earlier turns, oldest first.
    pub history: Vec<Topic>,
    /// The latest calls, oldest first.
    pub last_calls: Vec<PastCall>,
    /// The last answer of the assistant, for "say that again" and "shorter, please".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The gazetteers of what the user looks at, such as the one of a tab: where several things bear one name, theirs is meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The switches of the conversation that commands set: `planning` to `on`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub switches: BTreeMap<String, String>,
    /// Free text that the platform adds: account data, selected code.
    pub extra: Option<String>,
    /// The access of tools as their servers say, for tools of which the pack says nothing. Only the
    /// router sets it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub access: BTreeMap<String, Access>,
}

/// A condition that was tested: what was read for it, and whether it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The condition, in the user's words.
    pub condition: String,
    /// The tool that read.
    pub tool: String,
    /// The arguments that it was called with.
    pub arguments: Map<String, Value>,
    /// The key of the thing that was read.
    pub what: String,
    /// The numbers that the condition speaks of, so that two that are read differently are told apart.
    pub bound: Value,
    /// The number that was read, in `unit`.
    pub value: f64,
    /// The unit of the thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// True if the condition holds.
    pub holds: bool,
}

/// A choice of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Choice {
    /// The label that the user reads.
    pub label: String,
    /// The value that it stands for; any JSON value.
    pub value: Value,
}

/// A line of intent history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Topic {
    /// The route of that turn.
    pub route: String,
    /// The first words of it.
    #[serde(default)]
    pub topic: String,
}

/// A call of an earlier turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastCall {
    /// The tool.
    pub tool: String,
    /// Its arguments, as they were called.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The text of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Request {
    /// A request with a text and nothing else.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same request of a caller who is not the platform: fields that only the platform may set
    /// are taken out.
    #[must_use]
    pub fn distrusted(mut self) -> Self {
        if std::mem::take(&mut self.trusted) {
            self.dropped.push("trusted");
        }
        if !std::mem::take(&mut self.context.flags).is_empty() {
            self.dropped.push("context.flags");
        }
        self
    }

    /// Returns whether the caller may use a tool.
    pub fn may_use(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|own| own == tool))
    }

    /// The instant of the question in the user's zone, or in `default_zone` without one.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if `now` is missing or is no instant, or `tz` names no zone.
    pub fn instant(&self, default_zone: &str) -> Result<Zoned> {
        let zone = zone(self.tz.as_deref().unwrap_or(default_zone))?;
        let now = self.now.as_deref().ok_or_else(|| {
            Error::invalid("the request has no `now`")
                .with_hint("give the instant of the question, such as `2025-11-06T09:00:00+08:00`")
        })?;
        if let Ok(timestamp) = now.parse::<jiff::Timestamp>() {
            return Ok(timestamp.to_zoned(zone));
        }
        // A bare date is the start of its day.
        let civil = now.parse::<jiff::civil::DateTime>();
        civil.ok().and_then(|civil| civil.to_zoned(zone).ok()).ok_or_else(|| {
            Error::invalid(format!("`now` is `{}`, which is no instant", shorten(now, 40)))
                .with_hint("write RFC 3339, such as `2025-11-06T09:00:00+08:00`, or a date")
        })
    }

    /// The language that the caller names, where Waypost speaks it.
    pub fn language_hint(&self) -> Option<Language> {
        Language::from_tag(self.language.as_deref()?)
    }
}

/// Reads a zone: an IANA name, `UTC`, or an offset such as `+08:00`.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if there is no such zone.
pub fn zone(name: &str) -> Result<TimeZone> {
    if let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    let offset = format!("2000-01-01T00:00:00{name}");
    if let Ok(pieces) = jiff::fmt::temporal::DateTimeParser::new().parse_pieces(&offset)
        && let Some(offset) = pieces.to_numeric_offset()
    {
        return Ok(TimeZone::fixed(offset));
    }
    Err(Error::invalid(format!("there is no time zone `{}`", shorten(name, 40)))
        .with_hint("use an IANA name such as `Asia/Taipei`, or an offset such as `+08:00`"))
}

/// The first `limit` characters, with an ellipsis where something was cut.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(now: &str, tz: &str) -> String {
        let request =
            Request { now: Some(now.to_owned()), tz: Some(tz.to_owned()), ..Request::new("x") };
        match request.instant("UTC") {
            Ok(now) => now.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn now_is_an_instant_or_a_day_in_the_zone() {
        let taipei = "2025-11-06T09:00:00+08:00[Asia/Taipei]";
        assert_eq!(instant("2025-11-06T09:00:00+08:00", "Asia/Taipei"), taipei);
        assert_eq!(instant("2025-11-06T01:00:00Z", "Asia/Taipei"), taipei);
        let midnight = "2025-11-06T00:00:00+08:00[Asia/Taipei]";
        assert_eq!(instant("2025-11-06", "Asia/Taipei"), midnight);
        assert_eq!(instant("2025-11-06", "+08:00"), "2025-11-06T00:00:00+08:00[+08:00]");
        assert_eq!(instant("soon", "UTC"), "`now` is `soon`, which is no instant");
        assert_eq!(instant("2025-11-06", "Mars/Base"), "there is no time zone `Mars/Base`");
    }
}
