//! The schemas that the keywords of a schema hold, for walks over a document as it is written. References are not followed.

use serde_json::{Map, Value};

/// The schemas that the value of a keyword is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// The value is a schema.
    One,
    /// The value is an object whose values are schemas.
    Named,
    /// The value is a list of schemas.
    Listed,
    /// The value holds no schema.
    Nothing,
}

/// Returns the schemas that a keyword holds. Keywords of all drafts count.
pub(super) fn holds(keyword: &str, value: &Value) -> Holds {
    match keyword {
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::Listed,
        "items" if value.is_array() => Holds::Listed,
        "items"
        | "contains"
        | "additionalItems"
        | "unevaluatedItems"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "additionalProperties"
        | "unevaluatedProperties" => Holds::One,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Named,
        _ => Holds::Nothing,
    }
}

/// Calls `found` with every object that is a schema in `schema`, itself first, and with its JSON pointer. The caller bounds
/// the nesting.
pub(super) fn each<'a>(
    schema: &'a Value,
    place: &str,
    found: &mut dyn FnMut(&str, &'a Map<String, Value>),
) {
    let Value::Object(map) = schema else { return };
    found(place, map);
    for (keyword, value) in map {
        let below = step(place, keyword);
        match (holds(keyword, value), value) {
            (Holds::One, part) => each(part, &below, found),
            (Holds::Named, Value::Object(parts)) => {
                parts.iter().for_each(|(name, part)| each(part, &step(&below, name), found));
            }
            (Holds::Listed, Value::Array(parts)) => {
                let parts = parts.iter().enumerate();
                parts.for_each(|(index, part)| each(part, &format!("{below}/{index}"), found));
            }
            _ => {}
        }
    }
}

/// Calls `change` as [`each`] does, and then walks on in what is left.
pub(super) fn each_mut(
    schema: &mut Value,
    place: &str,
    change: &mut dyn FnMut(&str, &mut Map<String, Value>),
) {
    let Value::Object(map) = schema else { return };
    change(place, map);
    for (keyword, value) in map {
        let below = step(place, keyword);
        match (holds(keyword, value), value) {
            (Holds::One, part) => each_mut(part, &below, change),
            (Holds::Named, Value::Object(parts)) => {
                parts.iter_mut().for_each(|(name, part)| {
                    each_mut(part, &step(&below, name), change);
                });
            }
            (Holds::Listed, Value::Array(parts)) => {
                let parts = parts.iter_mut().enumerate();
                parts.for_each(|(index, part)| each_mut(part, &format!("{below}/{index}"), change));
            }
            _ => {}
        }
    }
}

/// The JSON pointer of a part of what `place` points at.
pub(super) fn step(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}
