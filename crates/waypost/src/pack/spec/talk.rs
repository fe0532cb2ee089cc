//! Small talk: what is said to what needs no documents and no model.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that people say, and what is said to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TalkSpec {
    /// Its name.
    pub name: String,
    /// The words that give it away, in any language; without any it is said where nothing else fits.
    #[serde(default)]
    pub words: Vec<String>,
    /// What is said, by language. `{{ answer }}` is what was said last; where nothing was said yet
    /// the entry does not fit.
    pub say: BTreeMap<String, String>,
}
