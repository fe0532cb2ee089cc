//! A tool as a pack declares it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waypost_core::error::Code;
pub use waypost_core::records::access::Access;

use super::argument::Annotation;
use super::gate::{FlagSpec, LeadCall, Requirement};

/// A tool.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Its name, which no other tool of the pack has.
    pub name: String,
    /// The server that runs it.
    pub server: String,
    /// The name by which its server knows it, where that is another one: two servers may use the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// One sentence of about 50 tokens; a model sees nothing else of a tool until it is chosen.
    pub summary: String,
    /// What people are shown in place of the summary, by language; where it has none, the summary.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub label: BTreeMap<String, String>,
    /// The group of tools that it belongs to, in a word; where it is not said, its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What else is written about it: the server's words in full, or sentences that say what it can do beside the summary and
    /// what it returns. Its requests are compared with them.
    #[serde(default)]
    pub description: Option<String>,
    /// Tools of one family answer the same kind of question; the values decide between them.
    #[serde(default)]
    pub family: Option<String>,
    /// Its words tell it from the others of its family: it has a head of its own, and the family
    /// is compared only where the words may mean several of it.
    #[serde(default)]
    pub own_head: bool,
    /// The call of another tool that does the same: whichever of both is made is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<LeadCall>,
    /// Its access to the world. Where the pack does not say it, the server's own hints count; a server
    /// that lists the tool without hints makes it a `write`.
    #[serde(default)]
    pub access: Option<Access>,
    /// What is lost for good where it destroys, by language, for the question whether it shall run;
    /// `{{ ARGUMENT }}` is a value of the call. Without it the values of the call are named.
    #[serde(default)]
    pub loss: BTreeMap<String, String>,
    /// The confidence from which it runs, instead of its route's: a tool that costs much to run in
    /// vain needs more.
    #[serde(default)]
    pub run: Option<f64>,
    /// The JSON Schema of its arguments, which a model sees once the tool is chosen.
    pub schema: Value,
    /// Annotations of its arguments that the schema cannot express.
    #[serde(default)]
    pub arguments: BTreeMap<String, Annotation>,
    /// Flags of the session that must be set first.
    #[serde(default)]
    pub requires: Vec<Requirement>,
    /// Flags of the session that its success sets.
    #[serde(default)]
    pub sets: Vec<FlagSpec>,
    /// The guide of a model that judges whether a text needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guide: Option<GuideSpec>,
    /// The things that it works on and other tools provide, by the names that they give them: those tools are called first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The things that it takes into account where other tools of the task provide them: those come before it, and are not called
    /// for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The things that its result gives to the tools that need them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provides: Vec<String>,
    /// The thing that it sets, which may have limits of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsSpec>,
    /// The thing that it reads, and the number in its result: a condition about that thing can be tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<ReadsSpec>,
    /// It knows the present alone: what asks for nothing else and names another time is not served.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_now: bool,
    /// A user may talk to it alone, by `/chat:NAME`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub direct_chat: bool,
    /// The place in its result of the argument that it wants next, as a JSON pointer: `/next`.
    #[serde(default)]
    pub next: Option<String>,
    /// Changes to try when it fails, in order.
    #[serde(default)]
    pub relax: Vec<Relaxation>,
    /// The longest wait for one try, in milliseconds. Each sign of progress begins it anew, up to the
    /// policy's `longest_turn_ms`.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
    /// Parts of the answer that a user may ask for alone, each with the words that ask for it.
    #[serde(default)]
    pub views: BTreeMap<String, Vec<String>>,
    /// The one-line answer, by language.
    #[serde(default)]
    pub answer: BTreeMap<String, String>,
}

impl ToolSpec {
    /// The name by which its server knows it.
    pub fn remote_name(&self) -> &str {
        self.remote.as_deref().unwrap_or(&self.name)
    }
}

/// The longest that people are made to wait for a server that says nothing. Source: S0-50.
fn default_timeout_ms() -> u64 {
    15_000
}

/// The guide of a model that judges whether a text needs a tool. Source: S3-12.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GuideSpec {
    /// Words beside the summary, such as what it is not for.
    pub instructions: String,
    /// Texts that need it, and near ones that do not.
    pub examples: Vec<GuideExample>,
}

/// A text that needs a tool, or one that does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuideExample {
    /// The text.
    pub text: String,
    /// True if it needs the tool.
    pub needed: bool,
    /// The reason, in a few words.
    pub because: String,
}

/// The arguments of a tool that say what is set, and to what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsSpec {
    /// The arguments by which it is raised or lowered instead: "by 5 A", "2 mm more".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The argument that names an entry of a gazetteer.
    pub of: String,
    /// The arguments with what the entry is set to.
    pub values: Vec<String>,
}

/// The argument of a tool that says what is read now, and the place of the number in its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadsSpec {
    /// The argument that names an entry of a gazetteer; the number is in the `unit` of that entry.
    pub of: String,
    /// The place of the number, as a JSON pointer: `/values/0/value`. A list on the way must have this one item alone.
    pub at: String,
}

/// A change of one argument, to be tried when a tool fails.
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
    /// The most times in a turn.
    #[serde(default = "one")]
    pub max: u32,
}

fn one() -> u32 {
    1
}
