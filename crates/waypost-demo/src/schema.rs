//! Checks a value against the part of JSON Schema that the sample servers' schemas use.
//!
//! It knows `type`, `const`, `enum`, `minimum`, `exclusiveMinimum`, `maximum`, `minLength`,
//! `items`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required` and
//! `additionalProperties: false`. It does not read `pattern` or `format`: the tools parse dates and
//! times themselves, and say more when one is wrong.

use serde_json::{Map, Value};

/// Checks that `value` fits `schema`; `path` names the value in the message.
///
/// # Errors
///
/// A sentence about the first thing that does not fit.
pub(crate) fn check(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    check_type(schema, value, path)?;
    check_choices(schema, value, path)?;
    match value {
        Value::Number(number) => check_range(schema, number.as_f64().unwrap_or(f64::NAN), path),
        Value::String(text) => check_length(schema, text, path),
        Value::Array(items) => check_items(schema, items, path),
        Value::Object(fields) => check_fields(schema, fields, path),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn check_type(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let allowed: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    if allowed.iter().any(|name| has_type(value, name)) {
        return Ok(());
    }
    Err(format!("`{path}` must be {}, not `{value}`", allowed.join(" or ")))
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn check_choices(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    if let Some(only) = schema.get("const")
        && only != value
    {
        return Err(format!("`{path}` must be `{only}`, not `{value}`"));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        let listed: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        return Err(format!("`{path}` must be one of {}, not `{value}`", listed.join(", ")));
    }
    Ok(())
}

fn check_range(schema: &Value, number: f64, path: &str) -> Result<(), String> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(minimum) = bound("minimum")
        && number < minimum
    {
        return Err(format!("`{path}` is `{number}`, below {minimum}"));
    }
    if let Some(minimum) = bound("exclusiveMinimum")
        && number <= minimum
    {
        return Err(format!("`{path}` is `{number}`, not above {minimum}"));
    }
    if let Some(maximum) = bound("maximum")
        && number > maximum
    {
        return Err(format!("`{path}` is `{number}`, above {maximum}"));
    }
    Ok(())
}

fn check_length(schema: &Value, text: &str, path: &str) -> Result<(), String> {
    match schema.get("minLength").and_then(Value::as_u64) {
        Some(least) if (text.chars().count() as u64) < least => {
            Err(format!("`{path}` must have at least {least} characters"))
        }
        _ => Ok(()),
    }
}

fn check_items(schema: &Value, items: &[Value], path: &str) -> Result<(), String> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let count = items.len() as u64;
    if bound("minItems").is_some_and(|least| count < least)
        || bound("maxItems").is_some_and(|most| count > most)
    {
        return Err(match (bound("minItems"), bound("maxItems")) {
            (Some(least), Some(most)) if least == most => {
                format!("`{path}` must have {least} items, not {count}")
            }
            _ => format!("`{path}` has {count} items, too few or too many"),
        });
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true))
        && items.iter().enumerate().any(|(index, item)| items[..index].contains(item))
    {
        return Err(format!("`{path}` must not repeat an item"));
    }
    let Some(each) = schema.get("items") else { return Ok(()) };
    items
        .iter()
        .enumerate()
        .try_for_each(|(index, item)| check(each, item, &format!("{path}[{index}]")))
}

fn check_fields(schema: &Value, fields: &Map<String, Value>, path: &str) -> Result<(), String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            return Err(format!("`{path}` lacks `{name}`"));
        }
    }
    for (name, value) in fields {
        match properties.and_then(|properties| properties.get(name)) {
            Some(property) => check(property, value, &format!("{path}.{name}"))?,
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                return Err(format!("`{path}` has the unknown key `{name}`"));
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value, value: &Value, expected: &str) {
        let message = check(schema, value, "arguments").expect_err("should not fit");
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": {"type": "number", "minimum": -90, "maximum": 90},
                "fields": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "uniqueItems": true},
                "pair": {"type": "array", "minItems": 2, "maxItems": 2},
                "tz": {"type": ["string", "number"], "minLength": 1},
                "size": {"type": "number", "exclusiveMinimum": 0},
            },
            "required": ["n"],
            "additionalProperties": false,
        });
        assert_eq!(
            check(&schema, &json!({"n": 90, "tz": 8, "fields": ["b"]}), "arguments"),
            Ok(())
        );
        refused(&schema, &json!([]), "`arguments` must be object");
        refused(&schema, &json!({}), "lacks `n`");
        refused(&schema, &json!({"n": "1"}), "`arguments.n` must be number");
        refused(&schema, &json!({"n": 95.2}), "`95.2`, above 90");
        refused(&schema, &json!({"n": 0, "size": 0}), "`0`, not above 0");
        refused(&schema, &json!({"n": 1, "m": 2}), "unknown key `m`");
        refused(&schema, &json!({"n": 1, "fields": []}), "0 items");
        refused(&schema, &json!({"n": 1, "fields": ["a", "a"]}), "repeat");
        refused(&schema, &json!({"n": 1, "fields": ["c"]}), "one of `\"a\"`, `\"b\"`");
        refused(&schema, &json!({"n": 1, "pair": [1]}), "must have 2 items, not 1");
        refused(&schema, &json!({"n": 1, "tz": ""}), "at least 1");
        refused(&schema, &json!({"n": 1, "tz": null}), "string or number");
    }
}
