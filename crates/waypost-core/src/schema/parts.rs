//! The schemas that a schema is made of, each with the values that it looks at: what both bounds count by.

use std::borrow::Cow;

use jsonschema::Draft;
use serde_json::{Map, Value};

/// The values that a part of a schema looks at, seen from the value that the whole looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// The same value.
    Here,
    /// The field of that name.
    Field(&'a str),
    /// Fields of any name.
    Fields,
    /// The names of fields.
    Names,
    /// The item at that place of a list.
    Item(usize),
    /// Items at any place.
    Items,
}

/// A reference that leads to no part of its own document.
#[derive(Debug)]
pub(super) struct Elsewhere;

/// Calls `each` with every part of `schema`, which stands somewhere in `root`. Keywords of all revisions count,
/// so that none is forgotten whichever revision a document claims.
///
/// # Errors
///
/// [`Elsewhere`] for a reference out of the document, or the error of `each`.
pub(super) fn each<'a, E: From<Elsewhere>>(
    root: &'a Value,
    schema: &'a Map<String, Value>,
    each: &mut dyn FnMut(Place<'a>, &'a Value) -> Result<(), E>,
) -> Result<(), E> {
    for (key, value) in schema {
        match key.as_str() {
            "allOf" | "anyOf" | "oneOf" => {
                list(value).iter().try_for_each(|part| each(Place::Here, part))?;
            }
            "not" | "if" | "then" | "else" => each(Place::Here, value)?,
            "dependentSchemas" | "dependencies" => {
                fields(value).try_for_each(|(_, part)| each(Place::Here, part))?;
            }
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                each(Place::Here, target(root, value).ok_or(Elsewhere)?)?;
            }
            "properties" => {
                fields(value).try_for_each(|(name, part)| each(Place::Field(name), part))?;
            }
            "patternProperties" => {
                fields(value).try_for_each(|(_, part)| each(Place::Fields, part))?;
            }
            "additionalProperties" | "unevaluatedProperties" => each(Place::Fields, value)?,
            "propertyNames" => each(Place::Names, value)?,
            "items" | "prefixItems" if value.is_array() => {
                let mut items = list(value).iter().enumerate();
                items.try_for_each(|(index, part)| each(Place::Item(index), part))?;
            }
            "items" | "contains" | "additionalItems" | "unevaluatedItems" => {
                each(Place::Items, value)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The number of times that the parts of a schema may be asked about one value: what is left over can only be
/// told by asking all others once more.
pub(super) fn rounds(schema: &Map<String, Value>) -> usize {
    let left_over = ["unevaluatedProperties", "unevaluatedItems"];
    if left_over.iter().any(|key| schema.contains_key(*key)) { 2 } else { 1 }
}

/// The keyword by which a schema gives itself an address, if it does: draft 4 has another than the later ones.
pub(super) fn own_name(schema: &Map<String, Value>, draft: Draft) -> Option<&'static str> {
    let keyword = if draft == Draft::Draft4 { "id" } else { "$id" };
    schema.get(keyword).is_some_and(Value::is_string).then_some(keyword)
}

/// The part of `root` that a reference leads to.
pub(super) fn target<'a>(root: &'a Value, reference: &Value) -> Option<&'a Value> {
    let (base, fragment) = reference.as_str()?.split_once('#')?;
    let own = root.get("$id").or_else(|| root.get("id"));
    let own = own.and_then(Value::as_str).unwrap_or_default();
    if !base.is_empty() && base != own.trim_end_matches('#') {
        return None;
    }
    let fragment = decoded(fragment)?;
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&fragment);
    }
    anchored(root, &fragment)
}

/// The JSON pointer of a reference within a document; the name of an anchor is none.
pub(super) fn pointer(reference: &Value) -> Option<Cow<'_, str>> {
    let (_, fragment) = reference.as_str()?.split_once('#')?;
    decoded(fragment).filter(|fragment| fragment.is_empty() || fragment.starts_with('/'))
}

/// The part that gives itself a name; looked for in all of the document, which is bounded.
fn anchored<'a>(at: &'a Value, name: &str) -> Option<&'a Value> {
    let is_named = |key: &str| at.get(key).and_then(Value::as_str) == Some(name);
    match at {
        Value::Object(_) if is_named("$anchor") || is_named("$dynamicAnchor") => Some(at),
        Value::Object(map) => map.values().find_map(|part| anchored(part, name)),
        Value::Array(items) => items.iter().find_map(|part| anchored(part, name)),
        _ => None,
    }
}

/// A fragment without its percent signs.
fn decoded(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(Cow::Borrowed(fragment));
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => hexadecimal(rest.next()?)? * 16 + hexadecimal(rest.next()?)?,
            other => other,
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, part)| (name.as_str(), part))
}
