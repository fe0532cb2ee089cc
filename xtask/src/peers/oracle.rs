//! A model that is always right: it looks the text up in the cases of the pack, and says what they expect.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::relay::{Answers, saying};

/// The expectations of cases by their texts.
pub(super) struct Oracle(BTreeMap<String, Value>);

impl Oracle {
    pub(super) fn of(cases: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(cases)?;
        let mut known = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line)?;
            let said = case["text"].as_str().unwrap_or_default().to_owned();
            known.insert(said, case["expect"].clone());
        }
        Ok(Self(known))
    }

    /// What is expected of the last text of a prompt, which may stand behind lines of context.
    fn expected(&self, asked: &Value) -> Option<&Value> {
        let said = asked["messages"].as_array()?.last()?["content"].as_str()?;
        let own = self.0.iter().filter(|(text, _)| !text.is_empty() && said.ends_with(*text));
        own.max_by_key(|(text, _)| text.len()).map(|(_, expected)| expected)
    }
}

impl Answers for Oracle {
    fn answer(&self, asked: &Value) -> Result<Value> {
        let expected = self.expected(asked).context("a text that no case has")?;
        let format = &asked["response_format"]["json_schema"];
        let properties = &format["schema"]["properties"];
        let reply = if format["name"] == "decision" {
            let tool = expected["tools"].get(0).and_then(Value::as_str);
            let route = expected["route"].as_str().unwrap_or("out_of_scope");
            Map::from_iter([("decision".to_owned(), tool.unwrap_or(route).into())])
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
