//! Reads a value as its sender meant it where the schema leaves no doubt: `null` for a field that takes none says that the
//! field is not given, because clients in a strict mode send every field; and `3.0` is the integer 3, because some
//! languages write all numbers so.
//!
//! Nothing else is changed. A `null` that the schema takes, or about which it says nothing, stays, and so do the items of lists.

use std::cell::Cell;

use serde_json::{Number, Value};

use super::parts;

/// The most parts of a schema that are looked at for one value: alternatives of alternatives are many.
const MOST_PARTS: usize = 64;
/// The most parts that are looked at for all values together. What is beyond stays as it is.
const MOST_STEPS: usize = 500_000;
/// The deepest nesting of references and alternatives.
const DEEPEST: usize = 16;

/// Changes `value` to what it means by `schema`, and returns whether anything was changed.
///
/// # Example
///
/// ```
/// # use serde_json::json;
/// let schema = json!({ "properties": { "limit": { "type": "integer" }, "note": { "type": "string" } } });
/// let mut given = json!({ "limit": 3.0, "note": null });
/// assert!(waypost_core::schema::as_meant(&schema, &mut given));
/// assert_eq!(given.to_string(), r#"{"limit":3}"#);
/// ```
pub fn as_meant(schema: &Value, value: &mut Value) -> bool {
    changed(schema, value, true)
}

/// Changes the numbers of `value` as [`as_meant`] does, and keeps each `null`.
pub fn numbers_as_meant(schema: &Value, value: &mut Value) -> bool {
    changed(schema, value, false)
}

fn changed(schema: &Value, value: &mut Value, drops_null: bool) -> bool {
    let mut walk = Walk { root: schema, drops_null, steps: Cell::new(0), changed: false };
    walk.value(&[schema], value);
    walk.changed
}

struct Walk<'s> {
    root: &'s Value,
    /// True if a `null` for a field that takes none is dropped.
    drops_null: bool,
    steps: Cell<usize>,
    changed: bool,
}

impl<'s> Walk<'s> {
    fn value(&mut self, schemas: &[&'s Value], value: &mut Value) {
        let mut parts = Vec::new();
        for schema in schemas.iter().copied() {
            self.add_parts(schema, 0, &mut parts);
        }
        if parts.is_empty() || !self.takes(parts.len()) {
            return;
        }
        match value {
            Value::Number(number) => {
                if let Some(whole) = whole(number).filter(|_| wants_integer(&parts)) {
                    *value = Value::Number(whole);
                    self.changed = true;
                }
            }
            Value::Object(fields) => {
                fields.retain(|name, own| {
                    let schemas: Vec<&Value> =
                        parts.iter().copied().filter_map(|part| field(part, name)).collect();
                    if own.is_null() {
                        let refuses = |schema: &&Value| self.refuses_null(schema, 0);
                        let is_not_given =
                            self.drops_null && !schemas.is_empty() && schemas.iter().all(refuses);
                        self.changed |= is_not_given;
                        return !is_not_given;
                    }
                    self.value(&schemas, own);
                    true
                });
            }
            Value::Array(items) => {
                for (at, own) in items.iter_mut().enumerate() {
                    let schemas: Vec<&Value> =
                        parts.iter().copied().filter_map(|part| item(part, at)).collect();
                    self.value(&schemas, own);
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    /// Adds a schema, and all that say something about the same value.
    fn add_parts(&self, schema: &'s Value, depth: usize, parts: &mut Vec<&'s Value>) {
        if depth > DEEPEST || parts.len() >= MOST_PARTS {
            return;
        }
        parts.push(schema);
        if let Some(target) = self.target(schema) {
            self.add_parts(target, depth + 1, parts);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for part in list(schema, keyword) {
                self.add_parts(part, depth + 1, parts);
            }
        }
    }

    /// The schema that a schema refers to, within the document.
    fn target(&self, schema: &Value) -> Option<&'s Value> {
        parts::target(self.root, schema.get("$ref")?)
    }

    /// Counts steps; false if there are too many.
    fn takes(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_add(steps));
        self.steps.get() <= MOST_STEPS
    }

    /// Returns whether a schema surely takes no `null`.
    fn refuses_null(&self, schema: &Value, depth: usize) -> bool {
        let is_open = schema.get("nullable") == Some(&Value::Bool(true));
        if depth > DEEPEST || !self.takes(1) || is_open {
            return false;
        }
        let by_type = match schema.get("type") {
            Some(Value::String(name)) => name != "null",
            Some(Value::Array(names)) => names.iter().all(|name| name != "null"),
            _ => false,
        };
        let listed = || schema.get("enum").and_then(Value::as_array);
        let refuses = |part: &Value| self.refuses_null(part, depth + 1);
        let alternatives = |keyword| {
            let mut parts = list(schema, keyword).peekable();
            parts.peek().is_some() && parts.all(refuses)
        };
        by_type
            || schema.get("const").is_some_and(|value| !value.is_null())
            || listed().is_some_and(|values| !values.contains(&Value::Null))
            || self.target(schema).is_some_and(refuses)
            || alternatives("anyOf")
            || alternatives("oneOf")
            || list(schema, "allOf").any(refuses)
    }
}

fn list<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s Value> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// The schema of a field, where a schema says one. A field that has no name there may be one of its patterns.
fn field<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let named = schema.get("properties").and_then(|properties| properties.get(name));
    let has_patterns = schema.get("patternProperties").is_some();
    let others = || schema.get("additionalProperties").filter(|others| others.is_object());
    named.or_else(|| others().filter(|_| !has_patterns))
}

/// The schema of an item of a list.
fn item(schema: &Value, at: usize) -> Option<&Value> {
    let listed = |keyword| schema.get(keyword).and_then(Value::as_array)?.get(at);
    let all = || schema.get("items").filter(|items| items.is_object());
    listed("prefixItems").or_else(|| listed("items")).or_else(all)
}

/// Returns whether an integer is wanted, and no other number would do.
fn wants_integer(parts: &[&Value]) -> bool {
    let names = |part: &&Value, wanted: &str| match part.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        _ => false,
    };
    parts.iter().any(|part| names(part, "integer"))
        && !parts.iter().any(|part| names(part, "number"))
}

/// A number that is written with a point and is whole. A larger one has been rounded, and stays as it is.
fn whole(number: &Number) -> Option<Number> {
    /// From here on not every integer is a number of 64 bits with a point.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|value| number.is_f64() && value.abs() < EXACT)?;
    let integer = (value.fract() == 0.0).then(|| format!("{value:.0}").parse::<i64>().ok())??;
    Some(Number::from(integer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meant(schema: &Value, given: &Value) -> String {
        let mut value = given.clone();
        let changed = as_meant(schema, &mut value);
        // As texts, because 3 and 3.0 are equal.
        let (text, before) = (value.to_string(), given.to_string());
        assert_eq!(changed, text != before, "{given}");
        text
    }

    #[test]
    fn null_for_what_takes_none_is_not_given_however_deep_it_is() {
        let schema = json!({
            "properties": {
                "text": { "type": "string" },
                "maybe": { "type": ["string", "null"] },
                "any": {},
                "one": { "enum": ["a", "b"] },
                "two": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/inner" }] },
                "three": { "anyOf": [{ "$ref": "#/$defs/inner" }, { "type": "null" }] },
                "old": { "type": "string", "nullable": true },
                "list": { "type": "array", "items": { "$ref": "#/$defs/inner" } },
                "map": { "type": "object", "additionalProperties": { "type": "integer" } },
            },
            "$defs": { "inner": { "type": "object", "properties": {
                "name": { "type": "string" }, "next": { "$ref": "#/$defs/inner" },
            } } },
        });
        for (given, expected) in [
            (json!({ "text": null, "other": null }), r#"{"other":null}"#),
            (
                json!({ "maybe": null, "any": null, "old": null }),
                r#"{"maybe":null,"any":null,"old":null}"#,
            ),
            (json!({ "one": null, "two": null, "three": null }), r#"{"three":null}"#),
            (
                json!({ "two": { "name": null, "next": { "name": null } } }),
                r#"{"two":{"next":{}}}"#,
            ),
            (json!({ "three": { "next": null, "name": "x" } }), r#"{"three":{"name":"x"}}"#),
            (json!({ "list": [null, { "name": null }] }), r#"{"list":[null,{}]}"#),
            (json!({ "map": { "a": null, "b": 1.0 } }), r#"{"map":{"b":1}}"#),
            (json!({ "any": { "text": null } }), r#"{"any":{"text":null}}"#),
        ] {
            assert_eq!(meant(&schema, &given), expected);
        }
        let patterns = json!({ "patternProperties": { "^x": { "type": ["string", "null"] } },
            "additionalProperties": { "type": "string" } });
        assert_eq!(meant(&patterns, &json!({ "x1": null })), r#"{"x1":null}"#);
        let mut numbers = json!({ "text": null, "map": { "a": null, "b": 1.0 } });
        assert!(numbers_as_meant(&schema, &mut numbers));
        assert_eq!(numbers.to_string(), r#"{"text":null,"map":{"a":null,"b":1}}"#);
    }

    #[test]
    fn a_whole_number_is_an_integer_where_nothing_else_is_wanted() {
        let schema = json!({ "properties": {
            "count": { "type": "integer" },
            "maybe": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "ratio": { "type": "number" },
            "either": { "oneOf": [{ "type": "number" }, { "type": "integer" }] },
            "ids": { "items": { "type": ["integer", "string"] } },
        } });
        let given = json!({ "count": 3.0, "maybe": -7.0, "ratio": 3.0, "either": 3.0, "ids": [1.0, "1.0", 2.5] });
        let expected = r#"{"count":3,"maybe":-7,"ratio":3.0,"either":3.0,"ids":[1,"1.0",2.5]}"#;
        assert_eq!(meant(&schema, &given), expected);
        // One that cannot have been exact is not made to look so.
        let large = json!({ "count": 9_007_199_254_740_992.0 });
        assert_eq!(meant(&schema, &large), r#"{"count":9007199254740992.0}"#);
    }

    #[test]
    fn a_schema_that_refers_to_itself_or_branches_without_end_ends() {
        let branch = json!({ "$ref": "#" });
        let schema = json!({ "anyOf": vec![branch.clone(); 20], "properties": { "a": branch } });
        let mut given = json!({ "a": null });
        for _ in 0..100 {
            given = json!({ "a": given });
        }
        meant(&schema, &given);
    }
}
