//! A model that is right as often as it is told to be: it looks the text up in the cases of the pack, and says what they expect
//! or something else.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use waypost::hash::{Fnv, mix};
use waypost::pack::{Pack, Tool};

use super::relay::{Answers, saying};

/// The expectations of cases by their texts, and how often it says them.
pub(super) struct Oracle {
    known: BTreeMap<String, Value>,
    /// The family of each tool that has one: a model may be asked for it instead.
    families: BTreeMap<String, String>,
    /// The share of texts of which it is right; of the others it is always wrong.
    right: f64,
    seed: u64,
}

impl Oracle {
    /// One that is always right of these cases of a pack.
    pub(super) fn of(pack: &Pack, cases: &str) -> Result<Self> {
        let mut known = BTreeMap::new();
        for line in cases.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line)?;
            let said = case["text"].as_str().unwrap_or_default().to_owned();
            known.insert(said, case["expect"].clone());
        }
        let family = |tool: &Tool| Some((tool.spec.name.clone(), tool.spec.family.clone()?));
        let families = pack.tools.iter().filter_map(family).collect();
        Ok(Self { known, families, right: 1.0, seed: 0 })
    }

    /// One that is right of this share of the texts; which ones is by chance.
    pub(super) fn right_of(self, right: f64, seed: u64) -> Self {
        Self { right, seed, ..self }
    }

    /// Returns whether it is right of a text.
    pub(super) fn knows(&self, text: &str) -> bool {
        let mut hash = Fnv::default();
        hash.write(&self.seed.to_le_bytes());
        hash.write(text.as_bytes());
        (mix(hash.value()) as f64 / u64::MAX as f64) < self.right
    }

    /// The last text of a prompt, which may stand behind lines of context, and what is expected of it.
    fn expected(&self, asked: &Value) -> Option<(&str, &Value)> {
        let said = asked["messages"].as_array()?.last()?["content"].as_str()?;
        let own = self.known.iter().filter(|(text, _)| !text.is_empty() && said.ends_with(*text));
        own.max_by_key(|(text, _)| text.len()).map(|(text, expected)| (text.as_str(), expected))
    }
}

/// Another name of the list than these.
fn another(names: &Value, right: &[&str]) -> Value {
    let mut names = names.as_array().into_iter().flatten();
    let other = names.find(|name| name.as_str().is_some_and(|name| !right.contains(&name)));
    other.cloned().unwrap_or_default()
}

impl Answers for Oracle {
    fn answer(&self, asked: &Value) -> Result<Value> {
        // A text that no case has, such as that of a probe, gets a reply of the right form.
        let (text, expected) = self.expected(asked).unwrap_or(("", &Value::Null));
        let format = &asked["response_format"]["json_schema"];
        let properties = &format["schema"]["properties"];
        let reply = if format["name"] == "decision" {
            let tool = expected["tools"].get(0).and_then(Value::as_str);
            let route = expected["route"].as_str().unwrap_or("out_of_scope");
            let right = Value::from(tool.unwrap_or(route));
            let names = &properties["decision"]["enum"];
            let says = if self.knows(text) {
                right
            } else {
                let family =
                    tool.and_then(|tool| self.families.get(tool)).map_or("", String::as_str);
                another(names, &[route, tool.unwrap_or(route), family])
            };
            Map::from_iter([("decision".to_owned(), says)])
        } else {
            let names = properties.as_object().context("a prompt without a schema")?.keys();
            names.map(|name| (name.clone(), argument(expected, name))).collect()
        };
        Ok(saying(&Value::Object(reply).to_string()))
    }
}

/// The expected value of an argument, of one call or of the first that has it.
fn argument(expected: &Value, name: &str) -> Value {
    match &expected["arguments"] {
        Value::Array(calls) => calls.iter().map(|call| call[name].clone()).find(|v| !v.is_null()),
        arguments => Some(arguments[name].clone()),
    }
    .unwrap_or_default()
}
