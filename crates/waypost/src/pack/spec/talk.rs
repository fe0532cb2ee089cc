//! Small talk: replies that need no documents and no model.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that people say, and the reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TalkSpec {
    /// Its name.
    pub name: String,
    /// The words that it fits, in any language; an entry without words fits everything.
    #[serde(default)]
    pub words: Vec<String>,
    /// The reply, by language. `{{ answer }}` is the last answer; without one the entry does not fit.
    pub say: BTreeMap<String, String>,
}
