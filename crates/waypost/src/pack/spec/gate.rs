//! The workflow of a pack: what must come first, what sets it, and the choices that lead on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A flag that a tool needs: always, or under a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "RequirementShape")]
#[schemars(with = "RequirementShape")]
pub struct Requirement {
    /// The flag that must be set.
    pub flag: String,
    /// The condition under which it is needed at all.
    #[serde(flatten)]
    pub condition: Condition,
}

/// The conditions of a requirement: it counts only where all of them hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Condition {
    /// Only where the words ask for this view of the tool.
    pub view: Option<String>,
    /// Only where this argument is given.
    pub with: Option<String>,
    /// Only where this argument is not given.
    pub without: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum RequirementShape {
    /// The flag, always.
    Flag(String),
    /// The flag and its condition.
    Full(RequirementFull),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RequirementFull {
    /// The flag that must be set.
    flag: String,
    /// Only where the words ask for this view of the tool.
    #[serde(default)]
    view: Option<String>,
    /// Only where this argument is given.
    #[serde(default)]
    with: Option<String>,
    /// Only where this argument is not given.
    #[serde(default)]
    without: Option<String>,
}

impl From<RequirementShape> for Requirement {
    fn from(shape: RequirementShape) -> Self {
        match shape {
            RequirementShape::Flag(flag) => Self { flag, condition: Condition::default() },
            RequirementShape::Full(RequirementFull { flag, view, with, without }) => {
                Self { flag, condition: Condition { view, with, without } }
            }
        }
    }
}

/// A flag that a tool's success sets: always, or as its result says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "FlagShape")]
#[schemars(with = "FlagShape")]
pub struct FlagSpec {
    /// The flag.
    pub flag: String,
    /// The place in the result that says so, as a JSON pointer, and the value there.
    pub proof: Option<(String, Value)>,
    /// The place in the result whose value the flag keeps, as a JSON pointer.
    pub keeps: Option<String>,
    /// True if it clears the flag instead.
    pub clears: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum FlagShape {
    /// Set by every success.
    Flag(String),
    /// Set by a success whose result says so.
    Full(FlagFull),
    /// Keeps a value of the result.
    Kept(FlagKept),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FlagFull {
    /// The flag.
    flag: String,
    /// The place in the result, as a JSON pointer: `/status`.
    at: String,
    /// The value there that sets the flag: `complete`.
    is: Value,
    /// True if it clears the flag instead.
    #[serde(default)]
    clears: bool,
    /// The place in the result of the value that it keeps, as a JSON pointer: `/method`.
    #[serde(default)]
    keeps: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FlagKept {
    /// The flag.
    flag: String,
    /// The place in the result of the value that it keeps, as a JSON pointer: `/method`.
    keeps: String,
}

impl From<FlagShape> for FlagSpec {
    fn from(shape: FlagShape) -> Self {
        let plain = |flag| Self { flag, proof: None, keeps: None, clears: false };
        match shape {
            FlagShape::Flag(flag) => plain(flag),
            FlagShape::Full(FlagFull { flag, at, is, clears, keeps }) => {
                Self { proof: Some((at, is)), clears, keeps, ..plain(flag) }
            }
            FlagShape::Kept(FlagKept { flag, keeps }) => Self { keeps: Some(keeps), ..plain(flag) },
        }
    }
}

/// The longest value that a flag keeps, in bytes of JSON.
const LONGEST_KEPT: usize = 1_000;

impl FlagSpec {
    /// What a tool's result makes of the flag: nothing (`None`), gone (`Some(None)`), or this value. What is kept of one result is
    /// gone after the next that has no such value.
    pub fn after(&self, result: &Value) -> Option<Option<Value>> {
        if self.proof.as_ref().is_some_and(|(at, is)| result.pointer(at) != Some(is)) {
            return None;
        }
        let Some(at) = self.keeps.as_ref().filter(|_| !self.clears) else {
            return Some((!self.clears).then_some(Value::Bool(true)));
        };
        let fits = |value: &&Value| !value.is_null() && value.to_string().len() <= LONGEST_KEPT;
        Some(result.pointer(at).filter(fits).cloned())
    }
}

/// The words and choices for a flag that is not set yet. Source: S1-41.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateSpec {
    /// The flag.
    pub flag: String,
    /// Flags without which its own choices lead nowhere: theirs are offered instead.
    #[serde(default)]
    pub after: Vec<String>,
    /// The meaning of the flag, by language: "test positivity rate".
    #[serde(default)]
    pub label: BTreeMap<String, String>,
    /// One sentence: what has to be done first, by language.
    #[serde(default)]
    pub ask: BTreeMap<String, String>,
    /// The choices that lead on; without any, the tools that set the flag.
    #[serde(default)]
    pub choices: Vec<LeadSpec>,
}

/// A choice that leads on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeadSpec {
    /// The text of the choice, by language; `{{ step }}` is the next argument that is not known yet.
    pub label: BTreeMap<String, String>,
    /// The call that it makes.
    pub call: LeadCall,
}

/// A call that a choice makes, or that stands for another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeadCall {
    /// The tool.
    pub tool: String,
    /// Values for arguments that are not known yet; they never replace what the user said.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}
