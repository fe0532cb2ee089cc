//! Mends references that mean a part of their own document and that the validator would not follow: by the address that the
//! part gives itself, or with signs that an address does not have.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{keywords, parts};

/// The keywords by which a schema refers to another.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Turns such references into pointers; returns whether there were any. The document must be bounded.
pub(super) fn mend(root: &mut Value) -> bool {
    let mut pointers: HashMap<String, String> = HashMap::new();
    let names = names(root);
    let base = own_name(root.as_object()).unwrap_or_default().to_owned();
    keywords::each(root, "", &mut |_, schema| {
        for reference in REFERENCES.into_iter().filter_map(|keyword| schema.get(keyword)?.as_str())
        {
            if let Some(pointer) = pointer(root, &names, &base, reference) {
                pointers.insert(reference.to_owned(), format!("#{}", escaped(&pointer)));
            }
        }
    });
    keywords::each_mut(root, "", &mut |_, schema| {
        for keyword in REFERENCES {
            let Some(Value::String(reference)) = schema.get_mut(keyword) else { continue };
            if let Some(pointer) = pointers.get(reference) {
                reference.clone_from(pointer);
            }
        }
    });
    !pointers.is_empty()
}

/// The pointer that a reference means, if it is to be mended.
fn pointer<'a>(
    root: &Value,
    names: &HashMap<String, String>,
    base: &str,
    reference: &'a str,
) -> Option<Cow<'a, str>> {
    if parts::target(root, &reference.into()).is_some() {
        let (_, fragment) = reference.split_once('#')?;
        let is_odd = fragment.starts_with('/') && fragment.chars().any(|c| !is_plain(c));
        return is_odd.then_some(Cow::Borrowed(fragment));
    }
    if let Some(place) = names.get(&absolute(base, reference)) {
        return Some(Cow::Owned(place.clone()));
    }
    let (document, below) = reference.split_once('#')?;
    let place = names.get(&absolute(base, document)).filter(|_| below.starts_with('/'))?;
    let pointer = format!("{place}{below}");
    root.pointer(&pointer).is_some().then_some(Cow::Owned(pointer))
}

/// The places of the parts that give themselves an address, by it.
fn names(root: &Value) -> HashMap<String, String> {
    let mut names = HashMap::new();
    let base = own_name(root.as_object()).unwrap_or_default();
    keywords::each(root, "", &mut |place, schema| {
        if let Some(name) = own_name(Some(schema)).filter(|_| !place.is_empty()) {
            names.entry(absolute(base, name)).or_insert_with(|| place.to_owned());
        }
    });
    names
}

/// The address that a schema gives itself.
fn own_name(schema: Option<&Map<String, Value>>) -> Option<&str> {
    let named = ["$id", "id"].into_iter().find_map(|keyword| schema?.get(keyword)?.as_str());
    named.filter(|name| !name.is_empty())
}

/// An address seen from the one of the document.
fn absolute(base: &str, address: &str) -> String {
    if address.contains("://") {
        return address.to_owned();
    }
    let folder = base.rfind('/').map_or("", |end| &base[..=end]);
    format!("{folder}{address}")
}

/// Returns whether an address may have a sign after its `#`.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/?%".contains(c)
}

/// A pointer as an address has it; what is escaped stays.
fn escaped(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for c in pointer.chars() {
        if is_plain(c) {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mended(reference: &str, mut root: Value) -> String {
        root["properties"] = json!({ "level": { "$ref": reference } });
        mend(&mut root);
        root["properties"]["level"]["$ref"].as_str().unwrap().to_owned()
    }

    #[test]
    fn signs_that_no_address_has_are_escaped() {
        for (name, pointer) in [
            ("Page[Level]", "#/$defs/Page%5BLevel%5D"),
            ("the level", "#/$defs/the%20level"),
            ("水位", "#/$defs/%E6%B0%B4%E4%BD%8D"),
            ("Level", "#/$defs/Level"),
        ] {
            let root = json!({ "$defs": { name: { "type": "integer" } } });
            assert_eq!(mended(&format!("#/$defs/{name}"), root), pointer);
        }
    }

    #[test]
    fn the_address_of_a_part_leads_to_it() {
        let base = "https://harbor.example/outer.json";
        let part = |id: &str| json!({ "$id": base, "$defs": { "A": { "$id": id, "$defs": { "B": {} } } } });
        let inner = "https://harbor.example/inner.json";
        for (id, reference, pointer) in [
            (inner, inner, "#/$defs/A"),
            ("inner.json", "inner.json", "#/$defs/A"),
            ("inner.json", inner, "#/$defs/A"),
            (inner, "inner.json#/$defs/B", "#/$defs/A/$defs/B"),
            ("#level", "#level", "#/$defs/A"),
            (inner, "other.json", "other.json"),
            (inner, "inner.json#/$defs/C", "inner.json#/$defs/C"),
        ] {
            assert_eq!(mended(reference, part(id)), pointer, "{id} {reference}");
        }
    }
}
