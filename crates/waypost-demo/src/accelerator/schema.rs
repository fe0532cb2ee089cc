//! The parts that the JSON Schemas of the accelerator's tools are made of. Every object is closed.

use serde_json::{Map, Value, json};

/// Arguments: an object of these, none of which must be there, as the pack's tools have them.
pub(super) fn input(properties: Value) -> Value {
    object(json!({}), properties)
}

/// The argument `task`.
pub(super) fn task() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": 4000,
        "description": "What is to be done in the words of the user.",
    })
}

/// The argument `channel`.
pub(super) fn channel() -> Value {
    text("Address of a channel; a star is every one of its kind.")
}

/// The argument `addresses`.
pub(super) fn addresses() -> Value {
    json!({
        "type": "array",
        "maxItems": 100,
        "items": {"type": "string"},
        "description": "Addresses of channels.",
    })
}

/// The arguments `start` and `end`, and the same of a result.
pub(super) fn moment(description: &str) -> Value {
    json!({"type": "string", "format": "date-time", "description": description})
}

/// The argument `data`.
pub(super) fn data(description: &str) -> Value {
    json!({"type": "array", "maxItems": 1000, "description": description})
}

pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub(super) fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

/// A number that may not exist.
pub(super) fn maybe(description: &str) -> Value {
    json!({"type": ["number", "null"], "description": description})
}

/// A number, or a word such as `open`.
pub(super) fn value(description: &str) -> Value {
    json!({"type": ["number", "string"], "description": description})
}

pub(super) fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

pub(super) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// A list of what fits a schema.
pub(super) fn list(items: Value) -> Value {
    let mut list = Map::new();
    list.insert("type".to_owned(), json!("array"));
    list.insert("items".to_owned(), items);
    Value::Object(list)
}

/// Figures with their names and units, as tools that go on with a result take them.
pub(super) fn facts() -> Value {
    let fact = json!({"name": text(""), "value": number(""), "unit": text("")});
    list(object(fact, json!({})))
}

/// An object that has all of the first properties, and may have the others.
pub(super) fn object(all: Value, some: Value) -> Value {
    let mut properties = fields(all);
    let required: Vec<String> = properties.keys().cloned().collect();
    properties.extend(fields(some));
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(schema)
}

/// A result: an object as [`object`] makes it, that says that it is simulated.
pub(super) fn output(all: Value, some: Value) -> Value {
    let mut all = all;
    all["simulated"] = json!({"const": true});
    all["synthetic"] = json!({"const": true});
    all["note"] = text("Where the values come from.");
    object(all, some)
}

fn fields(properties: Value) -> Map<String, Value> {
    match properties {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
