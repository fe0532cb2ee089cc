//! The part of JSON Schema that OpenAI takes for replies in strict mode, as a checker.
//!
//! A server refuses a schema outside it with status 400 before the model has read a word. Servers that only speak like
//! OpenAI's take more; what passes here passes there.
//!
//! # Source
//!
//! OpenAI, "Structured model outputs", section "Supported schemas", as it stood in February 2026. The first version, of
//! August 2024, took 100 properties, 5 levels and 500 values.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The most properties of all objects together.
const MOST_PROPERTIES: usize = 5_000;
/// The most objects within each other.
const MOST_LEVELS: usize = 10;
/// The most values of all enums together.
const MOST_VALUES: usize = 1_000;
/// The most characters of all names and of all values together.
const MOST_CHARACTERS: usize = 120_000;
/// The number of values from which an enum of texts has a bound on its characters.
const MANY_VALUES: usize = 250;
/// The most characters of the values of such an enum.
const MOST_OF_MANY: usize = 15_000;

const TYPES: [&str; 7] = ["string", "number", "boolean", "integer", "object", "array", "null"];

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// What a schema may say; `default`, `minLength`, `maxLength`, `uniqueItems`, `allOf` and the like are none of it.
const KEYWORDS: [&str; 22] = [
    "type",
    "title",
    "description",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "definitions",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// Returns what strict mode would refuse of a schema, each with its place; empty for a schema that it takes.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use waypost_testing::strict_faults;
///
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
/// assert_eq!(
///     strict_faults(&schema),
///     ["#: `additionalProperties` must be false", "#: `n` is not in `required`"]
/// );
/// ```
pub fn strict_faults(schema: &Value) -> Vec<String> {
    let mut reading =
        Reading { root: schema, faults: Vec::new(), properties: 0, values: 0, characters: 0 };
    if schema["type"] != "object" || schema.get("anyOf").is_some() {
        reading.fault("#", "the root must be an object");
    }
    reading.read(schema, "#", 0);
    for (count, most, what) in [
        (reading.properties, MOST_PROPERTIES, "properties"),
        (reading.values, MOST_VALUES, "values of enums"),
        (reading.characters, MOST_CHARACTERS, "characters of names and values"),
    ] {
        if count > most {
            reading.fault("#", &format!("{count} {what} are more than {most}"));
        }
    }
    reading.faults
}

/// A schema that is read, and what was counted in it so far.
struct Reading<'a> {
    root: &'a Value,
    faults: Vec<String>,
    properties: usize,
    values: usize,
    characters: usize,
}

impl Reading<'_> {
    fn fault(&mut self, place: &str, what: &str) {
        self.faults.push(format!("{place}: {what}"));
    }

    /// Reads a schema that stands in so many objects.
    fn read(&mut self, schema: &Value, place: &str, levels: usize) {
        let Some(schema) = schema.as_object() else {
            return self.fault(place, "a schema must be an object");
        };
        for keyword in schema.keys().filter(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            self.fault(place, &format!("`{keyword}` is not supported"));
        }
        let types = self.types(schema, place);
        let levels = levels + usize::from(types.contains(&"object"));
        if types.contains(&"object") {
            self.object(schema, place, levels);
        }
        if types.contains(&"array") && !schema.contains_key("items") {
            self.fault(place, "a list needs `items`");
        }
        self.values(schema, place);
        self.reference(schema, place);
        let format = schema.get("format").and_then(Value::as_str);
        if let Some(format) = format.filter(|format| !FORMATS.contains(format)) {
            self.fault(place, &format!("the format `{format}` is not supported"));
        }
        self.below(schema, place, levels);
    }

    /// Reads the types of a schema.
    fn types<'s>(&mut self, schema: &'s Map<String, Value>, place: &str) -> Vec<&'s str> {
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let elsewhere = schema.contains_key("$ref") || schema.contains_key("anyOf");
        if types.is_empty() && !elsewhere {
            self.fault(place, "no type is given");
        }
        for name in &types {
            if !TYPES.contains(name) {
                self.fault(place, &format!("there is no type `{name}`"));
            }
        }
        types
    }

    /// Checks that an object has all of its properties and no others.
    fn object(&mut self, schema: &Map<String, Value>, place: &str, levels: usize) {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.fault(place, "`additionalProperties` must be false");
        }
        if levels > MOST_LEVELS {
            self.fault(place, &format!("{levels} levels are more than {MOST_LEVELS}"));
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        let properties: BTreeSet<&str> =
            named(schema, "properties").map(|(name, _)| name).collect();
        for name in properties.difference(&required) {
            self.fault(place, &format!("`{name}` is not in `required`"));
        }
        for name in required.difference(&properties) {
            self.fault(place, &format!("`{name}` is required and no property"));
        }
        self.properties += properties.len();
    }

    /// Checks the values that a schema lists.
    fn values(&mut self, schema: &Map<String, Value>, place: &str) {
        let characters = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
        self.characters += schema.get("const").map_or(0, characters);
        let Some(values) = schema.get("enum") else { return };
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        if values.is_empty() {
            self.fault(place, "the enum is empty");
        }
        let all: usize = values.iter().map(characters).sum();
        if values.len() > MANY_VALUES && all > MOST_OF_MANY {
            self.fault(place, &format!("{all} characters of values are more than {MOST_OF_MANY}"));
        }
        self.values += values.len();
        self.characters += all;
    }

    /// Checks that a reference leads somewhere within the schema.
    fn reference(&mut self, schema: &Map<String, Value>, place: &str) {
        let Some(target) = schema.get("$ref") else { return };
        let pointer = target.as_str().and_then(|target| target.strip_prefix('#'));
        if pointer.is_none_or(|pointer| self.root.pointer(pointer).is_none()) {
            self.fault(place, &format!("{target} leads nowhere"));
        }
    }

    /// Reads the schemas within a schema.
    fn below(&mut self, schema: &Map<String, Value>, place: &str, levels: usize) {
        for (name, property) in named(schema, "properties") {
            self.characters += name.chars().count();
            self.read(property, &format!("{place}/properties/{name}"), levels);
        }
        for key in ["$defs", "definitions"] {
            for (name, definition) in named(schema, key) {
                self.characters += name.chars().count();
                self.read(definition, &format!("{place}/{key}/{name}"), 0);
            }
        }
        if let Some(items) = schema.get("items") {
            self.read(items, &format!("{place}/items"), levels);
        }
        let choices = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        for (index, choice) in choices.enumerate() {
            self.read(choice, &format!("{place}/anyOf/{index}"), levels);
        }
    }
}

/// The schemas under a keyword that names them.
fn named<'s>(
    schema: &'s Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'s str, &'s Value)> + use<'s> {
    let named = schema.get(key).and_then(Value::as_object).into_iter().flatten();
    named.map(|(name, schema)| (name.as_str(), schema))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A schema of one property.
    fn of(property: &Value) -> Value {
        json!({
            "type": "object",
            "properties": { "a": property },
            "required": ["a"],
            "additionalProperties": false,
        })
    }

    fn check(property: &Value, faults: &[&str]) {
        assert_eq!(strict_faults(&of(property)), faults, "{property}");
    }

    #[test]
    fn what_strict_mode_takes_has_no_fault() {
        check(&json!({ "type": "string", "enum": ["x", "y"], "description": "One of two." }), &[]);
        check(&json!({ "type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 9 }), &[]);
        check(&json!({ "type": "array", "items": of(&json!({ "type": "boolean" })) }), &[]);
        check(
            &json!({ "anyOf": [{ "type": "null" }, { "type": "string", "format": "date" }] }),
            &[],
        );
        check(&json!({ "$ref": "#" }), &[]);
        check(&json!({ "type": "object", "additionalProperties": false, "properties": {} }), &[]);
    }

    #[test]
    fn what_it_refuses_is_told_with_its_place() {
        let at = "#/properties/a";
        check(&json!({ "enum": ["x", null] }), &[&format!("{at}: no type is given")]);
        check(&json!({ "type": "string", "enum": [] }), &[&format!("{at}: the enum is empty")]);
        check(&json!({ "type": "text" }), &[&format!("{at}: there is no type `text`")]);
        check(&json!({ "type": "array" }), &[&format!("{at}: a list needs `items`")]);
        check(&json!(true), &[&format!("{at}: a schema must be an object")]);
        check(&json!({ "$ref": "#/$defs/b" }), &[&format!("{at}: \"#/$defs/b\" leads nowhere")]);
        for keyword in ["default", "maxLength", "uniqueItems", "allOf", "not", "patternProperties"]
        {
            let told = format!("{at}: `{keyword}` is not supported");
            check(&json!({ "type": "string", keyword: 1 }), &[&told]);
        }
        check(
            &json!({ "type": "string", "format": "uri" }),
            &[&format!("{at}: the format `uri` is not supported")],
        );
        check(
            &json!({ "type": "object", "properties": { "b": { "type": "null" } }, "required": ["c"] }),
            &[
                &format!("{at}: `additionalProperties` must be false"),
                &format!("{at}: `b` is not in `required`"),
                &format!("{at}: `c` is required and no property"),
            ],
        );
    }

    #[test]
    fn the_root_is_an_object_and_nothing_else() {
        for root in [json!({ "type": "string" }), json!([]), json!(null)] {
            assert_eq!(strict_faults(&root)[0], "#: the root must be an object", "{root}");
        }
        let mut choice = of(&json!({ "type": "null" }));
        choice["anyOf"] = json!([{ "type": "object" }]);
        assert_eq!(strict_faults(&choice)[0], "#: the root must be an object");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let names =
            |count: usize| (0..count).map(|n| json!(format!("value {n}"))).collect::<Vec<_>>();
        check(&json!({ "type": "string", "enum": names(1_000) }), &[]);
        check(
            &json!({ "type": "string", "enum": names(1_001) }),
            &["#: 1001 values of enums are more than 1000"],
        );
        let long: Vec<Value> = (0..251).map(|n| json!(format!("{n:060}"))).collect();
        check(
            &json!({ "type": "string", "enum": long }),
            &["#/properties/a: 15060 characters of values are more than 15000"],
        );
        let nested =
            |levels: usize| (1..levels).fold(json!({ "type": "null" }), |inner, _| of(&inner));
        check(&nested(10), &[]);
        let faults = strict_faults(&of(&nested(11)));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].ends_with(": 11 levels are more than 10"), "{faults:?}");
    }
}
