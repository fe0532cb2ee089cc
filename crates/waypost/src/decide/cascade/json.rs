//! JSON in a model's reply, and the schema of it.

use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json, json};

/// The most items of a list in a reply: a model that is made to keep to a schema does not end a list by itself.
const ITEMS: u64 = 16;
/// The levels of a schema that a model is asked to keep to; what lies deeper is text.
const LEVELS: usize = 4;

/// The first whole JSON object in a text, whatever prose stands around it.
pub(crate) fn first_object(text: &str) -> Option<&str> {
    objects(text).next()
}

/// The JSON object that a reply means.
///
/// A reply that begins with an object means that one: small models write on in the pattern of their examples. One that
/// begins with prose thinks aloud, so that what it writes last is its answer.
pub(crate) fn meant_object(text: &str) -> Option<&str> {
    let start = text.trim_start().trim_start_matches(['`', '\n']);
    let start = start.strip_prefix("json").unwrap_or(start);
    if start.trim_start().starts_with(['{', '[']) {
        return first_object(text);
    }
    // Braces in prose are no object.
    let is_json = |object: &&str| serde_json::from_str::<IgnoredAny>(object).is_ok();
    objects(text).filter(is_json).last()
}

/// The whole JSON objects in a text, one after the other. What follows one that never ends is not looked at, so that each
/// character is read once.
fn objects(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find('{')?;
        let end = start + length(&rest[start..])?;
        let object = &rest[start..end];
        rest = &rest[end..];
        Some(object)
    })
}

/// The length of the object that a text begins with; `None` if it does not end.
fn length(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What every server takes of the schema of a value. OpenAI's strict mode wants each property required and each object
/// closed, and refuses the keywords that it does not know. The value is checked against the whole schema afterwards.
pub(super) fn strict(schema: &Json) -> Json {
    level(schema, LEVELS)
}

fn level(schema: &Json, levels: usize) -> Json {
    if let Some(listed) = schema["enum"].as_array().filter(|listed| !listed.is_empty()) {
        return enumeration(listed);
    }
    if let Some(only) = schema.get("const") {
        return enumeration(std::slice::from_ref(only));
    }
    let either = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Json::as_array);
    if let Some(either) = either.filter(|_| levels > 0) {
        let each = either.iter().filter(|one| one["type"] != "null");
        let each: Vec<Json> = each.map(|one| level(one, levels - 1)).collect();
        return match each.as_slice() {
            [] => json!({ "type": "string" }),
            [one] => one.clone(),
            _ => json!({ "anyOf": each }),
        };
    }
    match own_type(schema) {
        "array" if levels > 0 => list(schema, levels - 1),
        "object" if levels > 0 => object(schema, levels - 1),
        own @ ("number" | "integer") => number(own, schema),
        "boolean" => json!({ "type": "boolean" }),
        _ => json!({ "type": "string" }),
    }
}

/// The type of a schema's values, the first one where there are several.
fn own_type(schema: &Json) -> &str {
    let own = match &schema["type"] {
        Json::String(own) => Some(own.as_str()),
        Json::Array(types) => types.iter().filter_map(Json::as_str).find(|own| *own != "null"),
        _ => None,
    };
    let meant = || match schema {
        _ if schema["properties"].is_object() => "object",
        _ if schema["items"].is_object() => "array",
        _ => "string",
    };
    own.unwrap_or_else(meant)
}

/// The name of a type, and whether a value is of it.
type Type = (&'static str, fn(&Json) -> bool);

fn enumeration(listed: &[Json]) -> Json {
    let listed: Vec<&Json> = listed.iter().filter(|value| !value.is_null()).collect();
    let types: [Type; 4] = [
        ("string", Json::is_string),
        ("boolean", Json::is_boolean),
        ("integer", |value| value.is_i64() || value.is_u64()),
        ("number", Json::is_number),
    ];
    let own = types.iter().find(|(_, is_own)| listed.iter().all(|value| is_own(value)));
    own.filter(|_| !listed.is_empty()).map_or_else(
        || json!({ "type": "string" }),
        |(own, _)| json!({ "type": own, "enum": listed }),
    )
}

fn number(own: &str, schema: &Json) -> Json {
    let mut number = json!({ "type": own });
    for bound in ["minimum", "maximum"] {
        if let Some(value) = schema.get(bound).filter(|value| value.is_number()) {
            number[bound] = value.clone();
        }
    }
    number
}

fn list(schema: &Json, levels: usize) -> Json {
    let most = schema["maxItems"].as_u64().unwrap_or(ITEMS).min(ITEMS);
    json!({ "type": "array", "items": level(&schema["items"], levels), "maxItems": most })
}

fn object(schema: &Json, levels: usize) -> Json {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let own = properties.iter().map(|(name, own)| (name.clone(), level(own, levels)));
    json!({
        "type": "object",
        "properties": own.collect::<Map<_, _>>(),
        "required": properties.keys().collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_what_every_server_takes() {
        let of = |schema: Json| strict(&schema);
        assert_eq!(
            of(json!({ "type": "string", "default": "a", "maxLength": 9 })),
            json!({ "type": "string" })
        );
        assert_eq!(
            of(json!({ "enum": ["a", "b", null] })),
            json!({ "type": "string", "enum": ["a", "b"] })
        );
        assert_eq!(of(json!({ "enum": [] })), json!({ "type": "string" }));
        assert_eq!(of(json!({ "enum": [null] })), json!({ "type": "string" }));
        assert_eq!(
            of(json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "null" }] })),
            json!({ "type": "integer", "minimum": 1 })
        );
        assert_eq!(
            of(json!({ "type": ["array", "null"], "items": { "const": 1 }, "maxItems": 4000 })),
            json!({ "type": "array", "items": { "type": "integer", "enum": [1] }, "maxItems": 16 })
        );
        assert_eq!(
            of(json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "required": [] })),
            json!({
                "type": "object",
                "properties": { "a": { "type": "string" } },
                "required": ["a"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn the_object_is_found_between_prose() {
        assert_eq!(first_object(r#"Sure! {"a": "}"} Done."#), Some(r#"{"a": "}"}"#));
        assert_eq!(first_object(r#"{"a": {"b": 1}} {"c": 2}"#), Some(r#"{"a": {"b": 1}}"#));
        assert_eq!(first_object(r#"{"a": 1"#), None);
        assert_eq!(first_object("no"), None);
    }

    #[test]
    fn what_a_model_writes_last_is_meant_unless_it_began_with_an_object() {
        let (s, t) = (r#"{"a": 1}"#, r#"{"a": 2}"#);
        for (text, wanted) in [
            (format!("Maybe {s}? No: {t}"), Some(t)),
            (format!("{t}\nText: x\n{s}"), Some(t)),
            (format!("```json\n{t}\n```\nand not {s}"), Some(t)),
            (format!("So: {t} {{"), Some(t)),
            (format!("The answer is {t} (as {{decision}} asks)."), Some(t)),
            ("none".to_owned(), None),
            ("{ {".to_owned(), None),
        ] {
            assert_eq!(meant_object(&text), wanted, "{text}");
        }
        assert_eq!(meant_object(&"{".repeat(1_000_000)), None);
    }
}
