//! Reads rows of BFCL, and turns its dialect of schemas into JSON Schema.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use waypost::hash::{Fnv, mix};
use waypost::pack::spec::Access;
use waypost::ports::tools::{Hints, ToolDescription};

/// A question with the functions that may answer it, and the call that does.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) functions: Vec<Function>,
    /// One call: a function, and the accepted values of each of its arguments.
    pub(crate) answer: Vec<Map<String, Value>>,
}

/// A function as BFCL writes it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) parameters: Value,
}

/// One row in so many is there to be looked at; nobody looks at the others.
const DEVELOPMENT: u64 = 3;

impl Row {
    /// Returns whether the row may be looked at while something is being mended.
    pub(crate) fn is_for_development(&self) -> bool {
        let mut hash = Fnv::default();
        hash.write(self.id.as_bytes());
        mix(hash.value()).is_multiple_of(DEVELOPMENT)
    }

    /// The functions as a server would list them, all of them harmless: an approval would hide wrong
    /// values.
    pub(crate) fn tools(&self) -> Vec<(ToolDescription, Access)> {
        let tool = |function: &Function| ToolDescription {
            name: function.name.clone(),
            description: function.description.clone(),
            input_schema: json_schema(&function.parameters),
            output_schema: None,
            hints: Hints::default(),
        };
        self.functions.iter().map(|function| (tool(function), Access::Read)).collect()
    }
}

/// The rows of `data/bfcl/SET.jsonl`.
pub(crate) fn read(data: &Path, set: &str) -> Result<Vec<Row>> {
    let path = data.join("bfcl").join(format!("{set}.jsonl"));
    let content = std::fs::read_to_string(&path).with_context(|| {
        format!("cannot read `{}`; give the folder with --data", path.display())
    })?;
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    let rows = lines.enumerate().map(|(index, line)| {
        serde_json::from_str(line)
            .with_context(|| format!("line {} of `{}` is no row", index + 1, path.display()))
    });
    rows.collect()
}

/// The deepest nesting of a schema that is followed; the rows have three levels.
const DEEPEST: usize = 16;

/// A schema in BFCL's dialect (the type names of Python, `optional` in a property) as JSON Schema.
pub(crate) fn json_schema(schema: &Value) -> Value {
    converted(schema, DEEPEST)
}

fn converted(schema: &Value, depth: usize) -> Value {
    let Value::Object(map) = schema else { return json!({}) };
    let mut out = Map::new();
    for (key, value) in map {
        match (key.as_str(), value) {
            ("type", Value::String(name)) => {
                if let Some(name) = type_name(name) {
                    out.insert(key.clone(), json!(name));
                }
            }
            ("properties", Value::Object(properties)) if depth > 0 => {
                let all = properties.iter();
                let all = all.map(|(name, schema)| (name.clone(), converted(schema, depth - 1)));
                out.insert(key.clone(), Value::Object(all.collect()));
            }
            ("items", items) if depth > 0 => {
                out.insert(key.clone(), converted(items, depth - 1));
            }
            // A word of the dialect alone; `required` says it already.
            ("optional" | "properties" | "items", _) => {}
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

/// The name of a type in JSON Schema; nothing for a type that takes everything.
fn type_name(name: &str) -> Option<&str> {
    match name {
        "dict" => Some("object"),
        "float" => Some("number"),
        "tuple" => Some("array"),
        "any" => None,
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialect_becomes_json_schema() {
        let schema = json!({
            "type": "dict",
            "required": ["at"],
            "properties": {
                "at": { "type": "tuple", "items": { "type": "float" } },
                "note": { "type": "any", "optional": true, "description": "Anything." },
            },
        });
        let wanted = json!({
            "type": "object",
            "required": ["at"],
            "properties": {
                "at": { "type": "array", "items": { "type": "number" } },
                "note": { "description": "Anything." },
            },
        });
        assert_eq!(json_schema(&schema), wanted);
    }
}
