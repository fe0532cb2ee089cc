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

impl Oracle {
    /// The choice of a text: one name, or a set where the prompt asks for that.
    fn choice(&self, text: &str, expected: &Value, asked: &Value) -> Map<String, Value> {
        let tools = expected["tools"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let route = expected["route"].as_str().unwrap_or("out_of_scope");
        let right: Vec<&str> = match tools.collect::<Vec<_>>() {
            tools if tools.is_empty() => vec![route],
            tools => tools,
        };
        let is_set = asked["type"] == "array";
        let names = if is_set { &asked["items"]["enum"] } else { &asked["enum"] };
        let families = right.iter().filter_map(|tool| self.families.get(*tool));
        let known: Vec<&str> =
            right.iter().copied().chain(families.map(String::as_str)).chain([route]).collect();
        let says = match self.knows(text) {
            true => right.iter().map(|name| Value::from(*name)).collect(),
            false => vec![another(names, &known)],
        };
        let mut reply = Map::new();
        if is_set {
            reply.insert("complexity".to_owned(), "simple".into());
            reply.insert("strategy".to_owned(), "direct".into());
            reply.insert("decision".to_owned(), says.into());
        } else {
            reply.insert("decision".to_owned(), says.into_iter().next().unwrap_or_default());
        }
        reply
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
            self.choice(text, expected, &properties["decision"])
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
