//! A tool server as a pack or the configuration names it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place where tools run: exactly one of `demo`, `command` and `url`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The environment of the program, by name, on top of the few variables that every program needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, ValueSpec>,
    /// An address that speaks MCP over streamable HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers that each request to the address carries, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, ValueSpec>,
    /// The environment variable that holds the bearer token for the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
}

/// A value that a server is given: the value itself, or `{ env: NAME }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ValueSpec {
    /// The value itself, which is no secret.
    Literal(String),
    /// The value of an environment variable.
    Variable(VariableSpec),
}

/// An environment variable of this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariableSpec {
    /// Its name.
    pub env: String,
}

impl ServerSpec {
    /// The environment variables of this program that it is given values of.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let values = self.env.values().chain(self.headers.values());
        values.filter_map(ValueSpec::variable).chain(self.token_env.as_deref())
    }
}

impl ValueSpec {
    /// The environment variable that it is the value of, if it is one's.
    pub fn variable(&self) -> Option<&str> {
        match self {
            ValueSpec::Variable(variable) => Some(&variable.env),
            ValueSpec::Literal(_) => None,
        }
    }
}
