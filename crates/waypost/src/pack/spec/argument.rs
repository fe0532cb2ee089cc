//! Annotations of arguments: the part of a pack that a JSON Schema cannot express.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waypost_text::extract::Kind;

/// A value of the request that fills an argument when the call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Injected {
    /// The user, where the surface knows one; the conversation of somebody who is not known, so that no two strangers share
    /// anything.
    User,
    /// The conversation.
    Session,
}

/// Annotations of an argument that its schema cannot express.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Annotation {
    /// The kind of value that fills it.
    pub kind: Option<Kind>,
    /// The part of that value: `longitude` of a point, `start` of a range.
    pub part: Option<Part>,
    /// The words that fill it, where it takes free text.
    pub text: Option<FreeText>,
    /// The value without evidence in the words: JSON, or `today`, or `request_zone`.
    pub default: Option<Value>,
    /// True if it takes a key by which the server knows a call that is made again and does it once.
    /// Waypost fills it, and nothing else does.
    pub idempotency_key: bool,
    /// What Waypost fills it with when the call is made. Nobody says it, no model sees it, and no decision shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject: Option<Injected>,
    /// The things that other tools provide, from whose results it is filled when the call is made: their values of the same name,
    /// lists put together. What the user said counts before that; without a `kind` nobody can say it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The side of now that an open date means.
    pub bias: Option<Bias>,
    /// For a box: how far around a bare point it reaches, in degrees.
    pub around: Option<f64>,
    /// Defaults that depend on flags, before `default`: the first whose flag is set.
    pub default_if: Vec<FlagDefault>,
    /// Words for the values of an enumeration.
    pub values: BTreeMap<String, Naming>,
    /// Other spellings of its values, as callers send them: `all_ages` for `all`.
    pub aliases: BTreeMap<String, String>,
    /// The gazetteer whose keys are its values.
    pub gazetteer: Option<String>,
    /// True if it takes one value of a gazetteer and several that are named are as many calls: "Apple and Tesla".
    pub each: bool,
    /// Words that stand beside a number of this argument: "nets", "household"; `a _` counts right before it alone.
    pub cues: Vec<String>,
    /// The argument whose values it counts, each of which `lasts` some time: "eight quarters" is 8, and `quarter`.
    pub counts: Option<String>,
    /// The unit of its number: `percent`, or a UCUM code such as `km`.
    pub unit: Option<String>,
    /// The usual range of its number; outside it the user is asked once.
    pub soft: Option<[f64; 2]>,
    /// Its value if the user passes over it.
    pub skip: Option<Value>,
    /// Its name for users, by language.
    pub label: BTreeMap<String, String>,
    /// The question for it, by language.
    pub ask: BTreeMap<String, String>,
    /// Keys of a gazetteer that are offered when it is asked for.
    pub suggest: Vec<String>,
    /// Three to five examples for a model: words and the value that they mean. Source: S1-16.
    pub shots: Vec<ValueShot>,
}

impl Annotation {
    /// Returns whether its values are named in passing, as parts of what is asked for: "the temperature anomaly".
    pub(crate) fn is_in_passing(&self) -> bool {
        self.values.values().any(|naming| naming.generic)
    }
}

/// A word that stands for a value of the request, where a pack gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueWord {
    /// `today`: the day of the request.
    Today,
    /// `request_zone`: the time zone of the request.
    RequestZone,
}

impl ValueWord {
    /// The word that a value is, if it is one.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value.as_str()? {
            "today" => Some(Self::Today),
            "request_zone" => Some(Self::RequestZone),
            _ => None,
        }
    }

    /// The value that a pack means for a request of this instant: what a word stands for, or the value itself.
    pub(crate) fn meant(value: &Value, now: &jiff::Zoned) -> Value {
        match Self::of(value) {
            Some(Self::Today) => Value::from(now.date().to_string()),
            Some(Self::RequestZone) => match now.time_zone().iana_name() {
                Some(name) => Value::from(name),
                None => Value::from(now.offset().to_string()),
            },
            None => value.clone(),
        }
    }
}

/// The words that an argument of free text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FreeText {
    /// What stands in quotation marks, or behind the verb: "search for X", "a note saying X".
    Said,
    /// All that the user wrote: a thought, a question.
    Whole,
    /// The task: all that the user wrote, with the instants that its times mean.
    Task,
    /// None: only a choice, a default or a model fills it.
    Never,
}

/// A part of a value that is an argument of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Of a point.
    Longitude,
    /// Of a point.
    Latitude,
    /// The first day of a range.
    Start,
    /// The last day of a range, included.
    End,
}

/// The side of now that an open date means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// Records of what was: nothing after today.
    Past,
    /// Plans and forecasts.
    Future,
}

/// A default that depends on a flag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlagDefault {
    /// The flag that must be set.
    pub flag: String,
    /// The value then; without one, what the flag keeps of a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// Words and the value that they mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueShot {
    /// A text that a user might write.
    pub text: String,
    /// Its meaning.
    pub value: Value,
}

/// The names of a value of an enumeration: a list of words, or more.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "NamingShape")]
#[schemars(with = "NamingShape")]
pub struct Naming {
    /// A few representative phrasings in every language.
    pub words: Vec<String>,
    /// Its text as a choice, by language.
    pub label: BTreeMap<String, String>,
    /// The values that it stands for together: `both` of `rdt` and `microscopy`.
    pub of: Vec<String>,
    /// Takes the value itself as a word for it.
    pub own_name: bool,
    /// The numbers that it stands for: ages, sizes.
    pub band: Option<Band>,
    /// The time that it lasts: `3M` is three months, and `quarter` too.
    pub lasts: Option<Lasts>,
    /// True if its names say what all of the list is about ("sea temperature"): it is chosen only beside words such as
    /// "only" and "without".
    pub generic: bool,
}

/// A length of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lasts {
    /// How many, above 0.
    pub number: f64,
    /// The unit, a UCUM code such as `mo` for months.
    pub unit: String,
}

/// A band of numbers, half-open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The lower end, included; without it, there is no lower end.
    #[serde(default)]
    pub from: Option<f64>,
    /// The upper end, not included; without it, there is no upper end.
    #[serde(default)]
    pub to: Option<f64>,
    /// The unit of both, a UCUM code such as `a` for years.
    pub unit: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum NamingShape {
    /// Words only.
    Words(Vec<String>),
    /// Words and more.
    Full(NamingFull),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NamingFull {
    /// A few representative phrasings in every language.
    #[serde(default)]
    words: Vec<String>,
    /// Its text as a choice, by language.
    #[serde(default)]
    label: BTreeMap<String, String>,
    /// The values that it stands for together.
    #[serde(default)]
    of: Vec<String>,
    /// Takes the value itself as a word for it.
    #[serde(default = "yes")]
    own_name: bool,
    /// The numbers that it stands for.
    #[serde(default)]
    band: Option<Band>,
    /// The time that it lasts.
    #[serde(default)]
    lasts: Option<Lasts>,
    /// True if its names say what all of the list is about: it is chosen only beside words such as "only".
    #[serde(default)]
    generic: bool,
}

fn yes() -> bool {
    true
}

impl From<NamingShape> for Naming {
    fn from(shape: NamingShape) -> Self {
        match shape {
            NamingShape::Words(words) => Self { words, own_name: true, ..Self::default() },
            NamingShape::Full(NamingFull { words, label, of, own_name, band, lasts, generic }) => {
                Self { words, label, of, own_name, band, lasts, generic }
            }
        }
    }
}
