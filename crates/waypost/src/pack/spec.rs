//! A pack as it is written: the shape of `pack.yaml`.
//!
//! This shape is also the JSON Schema that `waypost schema` prints and the loader checks against,
//! so that editors and the loader cannot disagree.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Code;
use crate::extract::Kind;
use crate::model::Slot;
use crate::rollout::Setting;

/// The whole of `pack.yaml`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackSpec {
    /// The name that `--pack` takes.
    pub name: String,
    /// One sentence: what it is for.
    pub summary: String,
    /// The version of this format.
    pub format: u32,
    /// The languages that its users write, as tags.
    pub languages: Vec<String>,
    /// The zone of a request that names none.
    pub tz: String,
    /// The exclusive classes of a turn, in the order of reports.
    pub routes: Vec<RouteSpec>,
    /// The route of a turn that nothing decided and a model answered badly.
    pub fallback: String,
    /// Where tools run.
    #[serde(default)]
    pub servers: Vec<ServerSpec>,
    /// Named things.
    #[serde(default)]
    pub gazetteers: Vec<GazetteerSpec>,
    /// What can be called.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// The bars and bounds of a turn.
    #[serde(default)]
    pub policy: Policy,
    /// What the model is told beside the catalog.
    #[serde(default)]
    pub prompts: Prompts,
    /// Sentences of the pack's own, by name and language.
    #[serde(default)]
    pub messages: BTreeMap<String, BTreeMap<String, String>>,
    /// How far layers, matchers and handlers are rolled out, where no configuration says otherwise.
    #[serde(default)]
    pub rollout: BTreeMap<String, Setting>,
}

/// A class of turns.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// Its name in records.
    pub name: String,
    /// Which handler does its work.
    pub handler: HandlerName,
    /// One sentence: when a turn belongs here.
    pub summary: String,
    /// Whether its handler looks up documents.
    #[serde(default)]
    pub retrieval: bool,
    /// The model slot that it asks for.
    #[serde(default)]
    pub model: Option<Slot>,
    /// The confidence from which it runs, instead of the policy's.
    #[serde(default)]
    pub run: Option<f64>,
}

/// What does the work of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HandlerName {
    /// Runs tools.
    Tool,
    /// Answers from documents.
    Explain,
    /// Writes code.
    Code,
}

impl HandlerName {
    /// The name in records and configurations.
    pub fn name(self) -> &'static str {
        match self {
            HandlerName::Tool => "tool",
            HandlerName::Explain => "explain",
            HandlerName::Code => "code",
        }
    }
}

/// A place where tools run: exactly one of `demo` and `command`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Its name, which tools refer to.
    pub name: String,
    /// A sample server of this program.
    #[serde(default)]
    pub demo: Option<String>,
    /// A program that speaks MCP on its standard streams, with its arguments.
    #[serde(default)]
    pub command: Vec<String>,
}

/// A list of named things.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GazetteerSpec {
    /// Its name in values.
    pub name: String,
    /// The file in the pack that holds its entries.
    pub file: String,
}

/// An entry of a gazetteer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntrySpec {
    /// Every spelling of it; the first in a script is how it is shown.
    pub names: Vec<String>,
    /// Longitude and latitude in degrees.
    #[serde(default)]
    pub point: Option<[f64; 2]>,
    /// West, south, east, north in degrees.
    #[serde(default, rename = "box")]
    pub area: Option<[f64; 4]>,
    /// The box of the sea before it.
    #[serde(default)]
    pub sea: Option<[f64; 4]>,
}

/// A gazetteer file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacesSpec {
    /// The entries by key.
    pub places: BTreeMap<String, EntrySpec>,
}

/// A tool.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Its name, as its server knows it.
    pub name: String,
    /// The server that runs it.
    pub server: String,
    /// The first level: one sentence of about 50 tokens.
    pub summary: String,
    /// Tools of one family answer the same kind of question; the values decide between them.
    #[serde(default)]
    pub family: Option<String>,
    /// What it may do to the world.
    #[serde(default)]
    pub access: Access,
    /// The second level: the JSON Schema of its arguments.
    pub schema: Value,
    /// What the schema cannot say of its arguments.
    #[serde(default)]
    pub arguments: BTreeMap<String, Annotation>,
    /// Flags of the session that must be set first.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Flags of the session that its success sets.
    #[serde(default)]
    pub sets: Vec<String>,
    /// What to try when it fails, in order.
    #[serde(default)]
    pub relax: Vec<Relaxation>,
    /// The longest wait for one try, in milliseconds.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
    /// Parts of the answer that a user may ask for alone, each with the words that ask for it.
    #[serde(default)]
    pub views: BTreeMap<String, Vec<String>>,
    /// The one-line answer, by language.
    #[serde(default)]
    pub answer: BTreeMap<String, String>,
}

/// Twice the longest upstream timeout seen in practice (15 s).
fn default_timeout_ms() -> u64 {
    30_000
}

/// What a tool may do to the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Looks only.
    #[default]
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Changes something for good.
    Destructive,
}

/// What the schema cannot say of an argument.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Annotation {
    /// The kind of value that fills it.
    pub kind: Option<Kind>,
    /// Which part of that value: `longitude` of a point, `start` of a range.
    pub part: Option<Part>,
    /// The value without evidence in the words: JSON, or `today`, or `request_zone`.
    pub default: Option<Value>,
    /// Which side of now an open date means.
    pub bias: Option<Bias>,
    /// For a box: how far around a bare point it reaches, in degrees.
    pub around: Option<f64>,
    /// Words for the values of an enumeration.
    pub values: BTreeMap<String, Vec<String>>,
    /// Keys of a gazetteer that are offered when it is asked for.
    pub suggest: Vec<String>,
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

/// Which side of now an open date means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// Records of what was: nothing after today.
    Past,
    /// Plans and forecasts.
    Future,
}

/// What to try when a tool fails: one argument changed, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relaxation {
    /// The code that it answers.
    pub on: Code,
    /// The argument that changes.
    pub set: String,
    /// Its new value; `-1d` moves a date by a day.
    pub to: Value,
    /// Only if the argument has this value; `today` is the day of the request.
    #[serde(default)]
    pub only_if: Option<Value>,
    /// How often in a turn.
    #[serde(default = "one")]
    pub max: u32,
}

fn one() -> u32 {
    1
}

/// The bars and bounds of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// From this confidence a decision runs. Source: S1-8.
    pub run: f64,
    /// From this confidence one question is asked; below, the user is asked to rephrase.
    pub ask: f64,
    /// From this confidence the student's decision stands without the teacher.
    pub student: f64,
    /// From this probability a clause asks for a tool of its own.
    pub select: f64,
    /// The most calls of one turn.
    pub max_calls: usize,
    /// The most choices of one question.
    pub max_choices: usize,
    /// The most tries of one call, the first among them.
    pub max_tries: u32,
    /// The wait before the second try, in milliseconds; it grows by `backoff_factor`.
    pub backoff_ms: u64,
    /// By how much each wait is longer than the one before.
    pub backoff_factor: f64,
    /// The longest turn, in milliseconds.
    pub turn_timeout_ms: u64,
    /// The longest wait for a model that decides, in milliseconds.
    pub llm_timeout_ms: u64,
    /// The longest reply of a model that decides, in tokens. Source: S0-48.
    pub llm_max_tokens: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            run: 0.7,
            ask: 0.4,
            student: 0.7,
            select: 0.75,
            max_calls: 6,
            max_choices: 4,
            max_tries: 3,
            backoff_ms: 200,
            backoff_factor: 2.0,
            turn_timeout_ms: 60_000,
            llm_timeout_ms: 20_000,
            llm_max_tokens: 256,
        }
    }
}

/// What the model is told beside the catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Prompts {
    /// What this assistant is for, in a sentence or two.
    pub role: String,
    /// How the handler of `explain` should write.
    pub explain: String,
    /// How the handler of `code` should write.
    pub code: String,
    /// Up to five questions with the reply that is expected.
    pub shots: Vec<Shot>,
}

/// A question with the reply that is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shot {
    /// The question.
    pub text: String,
    /// The reply.
    pub reply: Value,
}
