//! A pack as it is written: the shape of `pack.yaml`.
//!
//! This shape is also the JSON Schema that `waypost schema` prints and the loader checks against,
//! so that editors and the loader cannot disagree.

mod agent;
mod argument;
mod gate;
mod plan;
mod policy;
mod server;
mod signal;
mod talk;
mod tool;

use std::collections::BTreeMap;

pub use agent::{AgentSpec, TurnsSpec};
pub(crate) use argument::ValueWord;
pub use argument::{
    Annotation, Band, Bias, FlagDefault, FreeText, Injected, Naming, Part, ValueShot,
};
pub use gate::{Condition, FlagSpec, GateSpec, LeadCall, LeadSpec, Requirement};
pub use plan::{Orchestration, PlanSpec, StepsSource, TaskSource};
pub use policy::{Order, Policy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use server::{ServerSpec, ValueSpec, VariableSpec};
pub use signal::{PrefixMatch, PrefixSpec, SignalSpec, Words};
pub use talk::TalkSpec;
pub use tool::{Access, GuideExample, GuideSpec, LimitsSpec, ReadsSpec, Relaxation, ToolSpec};

use waypost_core::ports::model::Slot;
use waypost_core::records::rollout::Setting;

/// The keys of `pack.yaml`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackSpec {
    /// The name that `--pack` takes.
    pub name: String,
    /// One sentence: the purpose of the pack.
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
    /// Texts that the platform itself puts before its prompts, each with its route.
    #[serde(default)]
    pub prefixes: Vec<PrefixSpec>,
    /// Signs in the words that decide a route.
    #[serde(default)]
    pub signals: Vec<SignalSpec>,
    /// The servers that run tools.
    #[serde(default)]
    pub servers: Vec<ServerSpec>,
    /// Lists of named things.
    #[serde(default)]
    pub gazetteers: Vec<GazetteerSpec>,
    /// The tools that can be called.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// By what the tools of a turn are chosen.
    #[serde(default)]
    pub selection: Selection,
    /// The capabilities of Waypost itself in every turn that runs tools, first among what is selected: routes of the pack, and
    /// `clarify`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub always_active: Vec<String>,
    /// Runs the calls of a turn as the steps of a plan; without it they run as the agent has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<PlanSpec>,
    /// Reads commands such as `/caps:off` at the start of a text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commands: bool,
    /// The flags that must be set first, and the choices that lead on.
    #[serde(default)]
    pub gates: Vec<GateSpec>,
    /// The thresholds and bounds of a turn.
    #[serde(default)]
    pub policy: Policy,
    /// How far the work of routes that run tools may go beyond the calls that were decided; without it no model takes part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentSpec>,
    /// Texts for the model, beside the catalog.
    #[serde(default)]
    pub prompts: Prompts,
    /// Small talk that needs no model; the first entry that fits is said.
    #[serde(default)]
    pub talk: Vec<TalkSpec>,
    /// Words that mean the same where account data are searched, by a name for each group.
    #[serde(default)]
    pub synonyms: BTreeMap<String, Vec<String>>,
    /// Sentences of the pack's own, by name and language.
    #[serde(default)]
    pub messages: BTreeMap<String, BTreeMap<String, String>>,
    /// The rollout of layers, matchers and handlers, where no configuration says otherwise.
    #[serde(default)]
    pub rollout: BTreeMap<String, Setting>,
}

/// By what the tools of a turn are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// By what the student learned from the pack's examples.
    #[default]
    Student,
    /// By what is written about the tools, and by examples where there are some: for tools of any server.
    Catalog,
    /// Each tool by itself, by what the student learned: a text may need any set of them.
    #[serde(rename = "per_tool")]
    PerTool,
}

/// A class of turns.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// Its name in records.
    pub name: String,
    /// The handler that does its work.
    pub handler: HandlerName,
    /// One sentence: when a turn belongs here.
    pub summary: String,
    /// What people are shown in place of the summary, by language; where it has none, the summary.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub label: BTreeMap<String, String>,
    /// Looks up documents before the handler begins.
    #[serde(default)]
    pub retrieval: bool,
    /// The model slot that it asks for.
    #[serde(default)]
    pub model: Option<Slot>,
    /// The confidence from which it runs, instead of the policy's.
    #[serde(default)]
    pub run: Option<f64>,
    /// The longest answer that a model writes, in tokens, instead of the handler's: 700 for `explain`,
    /// 1500 for `code`, 400 for `converse` and `account`.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// The longest wait for an answer that a model writes, in milliseconds, instead of the policy's
    /// `turn_timeout_ms`.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

/// The handler of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HandlerName {
    /// Runs tools.
    Tool,
    /// Answers from documents.
    Explain,
    /// Writes code.
    Code,
    /// Talks, and goes on from the last answer.
    Converse,
    /// Answers from what the caller knows of the user's account.
    Account,
}

impl HandlerName {
    /// The name in records and configurations.
    pub fn name(self) -> &'static str {
        match self {
            HandlerName::Tool => "tool",
            HandlerName::Explain => "explain",
            HandlerName::Code => "code",
            HandlerName::Converse => "converse",
            HandlerName::Account => "account",
        }
    }
}

/// A list of named things.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GazetteerSpec {
    /// Its name in values.
    pub name: String,
    /// The file in the pack that holds its entries.
    pub file: String,
    /// False if a key is no word for its entry, as tickers that are words of a language are not.
    #[serde(default = "own_names")]
    pub own_names: bool,
}

fn own_names() -> bool {
    true
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
    /// The values that it may be set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settable: Option<Settable>,
    /// The unit of its value, a UCUM code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// The values that a thing may be set to: without bounds and words, none at all, since it only tells something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settable {
    /// The least number.
    pub least: Option<f64>,
    /// The greatest number.
    pub most: Option<f64>,
    /// The words, where it takes no numbers.
    pub words: Vec<String>,
    /// A flag of the session that locks it while it is set: an interlock. A tool's result sets and clears it.
    pub locked_by: Option<String>,
}

/// A gazetteer file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntriesSpec {
    /// The entries by key.
    pub entries: BTreeMap<String, EntrySpec>,
}

/// Texts for the model, beside the catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Prompts {
    /// The purpose of this assistant, in a sentence or two.
    pub role: String,
    /// Instructions for how the handler of `explain` should write.
    pub explain: String,
    /// Instructions for how the handler of `code` should write.
    pub code: String,
    /// Instructions for how the handler of `converse` should write.
    pub converse: String,
    /// Instructions for how the handler of `account` should write.
    pub account: String,
    /// Rules for a model that decides, beside the routes.
    pub rules: Vec<String>,
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
