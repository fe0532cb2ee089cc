//! Takes over a schema that another program wrote: one faulty keyword is passed over, and the rest counts.
//!
//! What is left never refuses what the original takes. So a keyword that turns round what another says (`not`, `if`, `oneOf`) is
//! weakened where something in it was passed over. A schema that breaks a bound as a whole cannot be used.

use std::collections::{HashMap, HashSet};
use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError};
use serde_json::{Map, Value, json};

use super::keywords::{self, Holds, holds, step};
use super::refer::{self, REFERENCES};
use super::{Schema, draft_of, measure, options, parts, words};

/// The most times that a schema is looked through: taking one fault out may show another.
const ROUNDS: usize = 32;
/// The most faults that are taken out of a schema. More of them are no slip.
const MOST_FAULTS: usize = 200;
/// The keywords that only say something to people: without them a schema takes the same.
const WORDS: [&str; 10] = [
    "$comment",
    "$schema",
    "default",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
];
/// The keywords that name fields: without one of them, nobody knows which fields there are.
const NAMING: [&str; 9] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
    "properties",
];

/// A schema that can be used, and what of the original was passed over.
#[derive(Debug, Clone, PartialEq)]
pub struct Adopted {
    /// The schema; the original where it has no fault.
    pub schema: Value,
    /// The keywords that were passed over, in the order in which they were found.
    pub passed_over: Vec<PassedOver>,
}

/// A keyword that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// The JSON pointer of the schema that has it, or of the part of it that is no schema; empty for the whole.
    pub place: String,
    /// The keyword.
    pub keyword: String,
    /// The reason. It may quote the schema.
    pub why: String,
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, keyword, why } = self;
        match place.as_str() {
            "" => write!(f, "`{keyword}` at the top of its schema ({why})"),
            place => write!(f, "`{keyword}` at `{place}` of its schema ({why})"),
        }
    }
}

/// Takes over a schema. One without a fault stays as it is.
///
/// # Errors
///
/// The reason in a sentence, if it breaks a bound, or its fault is in no keyword.
pub fn adopt(schema: &Value) -> Result<Adopted, String> {
    let mut own = Adopted { schema: schema.clone(), passed_over: Vec::new() };
    let is_sound = |schema: &Value| match Schema::compile(schema) {
        Ok(_) if lists_nothing(schema).is_empty() => Ok(()),
        Ok(_) => Err("the schema lists no value where it lists values".to_owned()),
        Err(why) => Err(why),
    };
    let Err(mut why) = is_sound(schema) else { return Ok(own) };
    measure::bounded(schema).map_err(|why| format!("the schema {why}"))?;
    if refer::mend(&mut own.schema) {
        match is_sound(&own.schema) {
            Ok(()) => return Ok(own),
            Err(still) => why = still,
        }
    }
    for _ in 0..ROUNDS {
        let faults = faults(&own.schema);
        if faults.is_empty() || own.passed_over.len() + faults.len() > MOST_FAULTS {
            break;
        }
        for fault in faults {
            pass_over(&mut own.schema, &fault);
            own.passed_over.push(fault.told);
        }
        let weakened = weakened(&own);
        match Schema::compile(&weakened) {
            Ok(_) => return Ok(Adopted { schema: weakened, ..own }),
            Err(still) => why = still,
        }
    }
    Err(why)
}

/// A fault of a schema.
#[derive(Debug, Clone)]
struct Fault {
    told: PassedOver,
    /// True if the place itself is no schema, and not only one of its keywords faulty.
    is_part: bool,
}

impl Fault {
    fn keyword(place: &str, keyword: &str, why: String) -> Self {
        let told = PassedOver { place: place.to_owned(), keyword: keyword.to_owned(), why };
        Self { told, is_part: false }
    }
}

/// The faults of a schema, each once: what its draft says of it, or else what this program cannot use, or else a circle.
fn faults(root: &Value) -> Vec<Fault> {
    let mut found = by_draft(root);
    if found.is_empty() {
        found = by_use(root);
        found.extend(lists_nothing(root));
    }
    if found.is_empty() {
        found.extend(in_circle(root));
    }
    let mut seen = HashSet::new();
    found.retain(|fault| seen.insert((fault.told.place.clone(), fault.told.keyword.clone())));
    found
}

/// The keywords that the draft of a schema does not allow as they are.
fn by_draft(root: &Value) -> Vec<Fault> {
    let validator = match draft_of(root) {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft7 => jsonschema::draft7::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        _ => jsonschema::draft202012::meta::validator(),
    };
    let mut found = Vec::new();
    for error in validator.iter_errors(root).take(MOST_FAULTS) {
        innermost(&error, &mut |error| found.extend(located(root, error)));
    }
    found
}

/// Calls `found` with the errors that lie deepest: a draft that allows a schema or a list says of a fault within that neither fits.
fn innermost(error: &ValidationError<'_>, found: &mut dyn FnMut(&ValidationError<'_>)) {
    let ValidationErrorKind::AnyOf { context } = error.kind() else { return found(error) };
    let own = error.instance_path().as_str().len();
    let is_within = |branch: &&Vec<ValidationError<'static>>| {
        !branch.is_empty()
            && branch.iter().all(|deeper| deeper.instance_path().as_str().len() > own)
    };
    match context.iter().find(is_within) {
        Some(branch) => branch.iter().for_each(|deeper| innermost(deeper, found)),
        None => found(error),
    }
}

/// The keyword that an error of a draft is about.
fn located(root: &Value, error: &ValidationError<'_>) -> Option<Fault> {
    let (mut at, mut place) = (root, String::new());
    let mut steps = error.instance_path().as_str().split('/').skip(1);
    while let Some(written) = steps.next() {
        let keyword = written.replace("~1", "/").replace("~0", "~");
        let value = at.get(&keyword)?;
        let below = format!("{place}/{written}");
        let (part, below, is_entry) = match holds(&keyword, value) {
            Holds::One => (Some(value), below, false),
            Holds::Named | Holds::Listed => match steps.next() {
                Some(name) => {
                    let part = value.pointer(&format!("/{name}"));
                    (part, format!("{below}/{name}"), true)
                }
                None => (None, below, false),
            },
            Holds::Nothing => (None, below, false),
        };
        match part {
            Some(part) if part.is_object() => (at, place) = (part, below),
            // A list of names is a part of `dependencies`, and no schema.
            Some(part) if is_entry && !part.is_array() => {
                let told = PassedOver { place: below, keyword, why: words(error) };
                return Some(Fault { told, is_part: true });
            }
            _ => return Some(Fault::keyword(&place, &keyword, words(error))),
        }
    }
    // The schema is an object whose keywords do not go together: in draft 4 one is nothing without the other.
    let pairs = [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")];
    let alone = pairs.iter().find(|(own, other)| at.get(own).is_some() && at.get(other).is_none());
    alone.map(|(keyword, _)| Fault::keyword(&place, keyword, words(error)))
}

/// The keywords that are as their draft wants them and cannot be used: a reference that leads nowhere, a document within the
/// document, a pattern that is none or too large.
fn by_use(root: &Value) -> Vec<Fault> {
    let draft = draft_of(root);
    let mut found = Vec::new();
    let mut patterns: HashMap<&str, Option<String>> = HashMap::new();
    keywords::each(root, "", &mut |place, schema| {
        for keyword in REFERENCES {
            let nowhere = |reference: &Value| parts::target(root, reference).is_none();
            if schema.get(keyword).is_some_and(nowhere) {
                let why = "it leads to another document, or to no part of this one".to_owned();
                found.push(Fault::keyword(place, keyword, why));
            }
        }
        if let Some(keyword) = parts::own_name(schema, draft).filter(|_| !place.is_empty()) {
            let why = "it makes another document of a part".to_owned();
            found.push(Fault::keyword(place, keyword, why));
        }
        for (keyword, pattern) in measure::patterns_of(schema) {
            let is_one_too_many = patterns.len() >= measure::MOST_PATTERNS;
            let why = patterns
                .entry(pattern)
                .or_insert_with(|| unusable(pattern, draft, is_one_too_many));
            found.extend(why.clone().map(|why| Fault::keyword(place, keyword, why)));
        }
    });
    found
}

/// The lists of values that are empty: no value would be one of them, which nobody means.
fn lists_nothing(root: &Value) -> Vec<Fault> {
    let mut found = Vec::new();
    keywords::each(root, "", &mut |place, schema| {
        if schema.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            let why = "it lists no value".to_owned();
            found.push(Fault::keyword(place, "enum", why));
        }
    });
    found
}

/// The reason why a pattern cannot be used.
fn unusable(pattern: &str, draft: Draft, is_one_too_many: bool) -> Option<String> {
    if is_one_too_many {
        return Some(format!("there are more than {} patterns", measure::MOST_PATTERNS));
    }
    let fits = pattern.len() <= measure::LONGEST_PATTERN
        && options(draft).build(&json!({ "pattern": pattern })).is_ok();
    (!fits).then(|| {
        "the pattern is no regular expression, or one that takes too much memory".to_owned()
    })
}

/// A reference that leads back to itself without a step into the value.
fn in_circle(root: &Value) -> Option<Fault> {
    let closing = measure::circle(root)?;
    let mut found = None;
    keywords::each(root, "", &mut |place, schema| {
        if found.is_none() && std::ptr::eq(schema, closing) {
            let keyword = REFERENCES.into_iter().find(|keyword| schema.contains_key(*keyword));
            let why = "it refers to itself without end".to_owned();
            found = keyword.map(|keyword| Fault::keyword(place, keyword, why));
        }
    });
    found
}

/// Takes a fault out of a schema.
fn pass_over(root: &mut Value, fault: &Fault) {
    let PassedOver { place, keyword, .. } = &fault.told;
    let Some(part) = root.pointer_mut(place) else { return };
    let Value::Object(schema) = part else {
        // No schema says nothing, and so does an empty one.
        *part = Value::Object(Map::new());
        return;
    };
    if fault.is_part {
        return schema.clear();
    }
    if schema.get_mut(keyword).is_some_and(|value| mended(keyword, value)) {
        return;
    }
    let Some(lost) = schema.shift_remove(keyword) else { return };
    let is_empty = lost.is_null() || lost.as_array().is_some_and(Vec::is_empty);
    if NAMING.contains(&keyword.as_str()) && !is_empty {
        schema.insert("additionalProperties".to_owned(), Value::Bool(true));
    }
}

/// Mends a list of which an item is there twice, or is no name; returns whether that was its fault.
fn mended(keyword: &str, value: &mut Value) -> bool {
    let (true, Value::Array(items)) = (["required", "enum", "type"].contains(&keyword), value)
    else {
        return false;
    };
    let before = items.len();
    let mut seen = HashSet::new();
    items.retain(|item| {
        (keyword != "required" || item.is_string()) && seen.insert(item.to_string())
    });
    items.len() < before && !items.is_empty()
}

/// The schema without what would refuse more, now that parts of it take more.
fn weakened(own: &Adopted) -> Value {
    let is_felt = |told: &&PassedOver| !WORDS.contains(&told.keyword.as_str());
    let places: Vec<&str> =
        own.passed_over.iter().filter(is_felt).map(|told| told.place.as_str()).collect();
    let mut schema = own.schema.clone();
    if places.is_empty() {
        return schema;
    }
    keywords::each_mut(&mut schema, "", &mut |place, schema| {
        let is_touched = |keyword: &str, value: &Value| {
            let below = step(place, keyword);
            let within = |told: &&str| told.strip_prefix(&below).is_some_and(is_end);
            places.iter().any(within) || refers(value)
        };
        let touched = |schema: &Map<String, Value>, keyword: &str| {
            schema.get(keyword).is_some_and(|value| is_touched(keyword, value))
        };
        if touched(schema, "not") {
            schema.shift_remove("not");
        }
        if touched(schema, "if") {
            ["if", "then", "else"]
                .into_iter()
                .for_each(|keyword| drop(schema.shift_remove(keyword)));
        }
        if touched(schema, "oneOf")
            && let Some(either) = schema.shift_remove("oneOf")
        {
            let all = schema.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(all) = all {
                all.push(json!({ "anyOf": either }));
            }
        }
        for keyword in ["unevaluatedProperties", "unevaluatedItems", "maxContains"] {
            schema.shift_remove(keyword);
        }
    });
    schema
}

/// Returns whether what follows the pointer of a keyword is its end, or a part of its value.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Returns whether a value refers to parts of the document elsewhere.
fn refers(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.iter().any(|(key, part)| REFERENCES.contains(&key.as_str()) || refers(part))
        }
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Check;

    /// A schema taken over, with the keywords that were passed over and their places.
    fn adopted(schema: &Value) -> (Value, Vec<(String, String)>) {
        let Adopted { schema: own, passed_over } =
            adopt(schema).unwrap_or_else(|why| panic!("{schema}: {why}"));
        (own, passed_over.into_iter().map(|told| (told.place, told.keyword)).collect())
    }

    #[expect(clippy::needless_pass_by_value, reason = "the tables of cases read better")]
    fn fits(schema: &Value, value: Value) -> bool {
        Schema::compile(schema).unwrap().check(&value) == Check::Fits
    }

    #[test]
    fn a_schema_without_a_fault_stays_as_it_is() {
        for schema in
            [json!({}), json!(true), json!({ "type": "object", "oneOf": [{ "not": {} }] })]
        {
            assert_eq!(adopted(&schema), (schema.clone(), Vec::new()));
        }
    }

    #[test]
    fn a_reference_that_no_validator_follows_counts_all_the_same() {
        let level = json!({ "type": "integer" });
        for schema in [
            json!({ "properties": { "level": { "$ref": "#/$defs/Page[Level]" } }, "$defs": { "Page[Level]": level } }),
            json!({ "properties": { "level": { "$ref": "https://a.example/in.json" } },
                "$defs": { "L": { "$id": "https://a.example/in.json", "type": "integer" } } }),
        ] {
            let (own, _) = adopted(&schema);
            assert!(
                fits(&own, json!({ "level": 7 })) && !fits(&own, json!({ "level": "low" })),
                "{own}"
            );
        }
    }

    #[test]
    fn a_faulty_keyword_is_passed_over_and_told_with_its_place() {
        let value = |own: Value| json!({ "type": "object", "properties": { "value": own } });
        for (schema, place, keyword) in [
            (json!({ "type": "object", "properties": [] }), "", "properties"),
            (json!({ "type": "object", "properties": null }), "", "properties"),
            (json!({ "type": "object", "required": null }), "", "required"),
            (json!({ "type": "object", "required": "value" }), "", "required"),
            (json!({ "type": "object", "required": ["value", "value"] }), "", "required"),
            (json!({ "type": "object", "additionalProperties": null }), "", "additionalProperties"),
            (json!({ "type": "object", "title": 5 }), "", "title"),
            (json!({ "type": "objekt" }), "", "type"),
            (value(json!({ "type": "string", "enum": [] })), "/properties/value", "enum"),
            (json!({ "$schema": 7, "type": "object" }), "", "$schema"),
            (value(json!({ "description": null })), "/properties/value", "description"),
            (value(json!({ "type": ["string", "text"] })), "/properties/value", "type"),
            (value(json!({ "type": "string", "required": true })), "/properties/value", "required"),
            (value(json!({ "items": null })), "/properties/value", "items"),
            (
                value(json!({ "items": { "minLength": -1 } })),
                "/properties/value/items",
                "minLength",
            ),
            (
                value(json!({ "minimum": 0, "exclusiveMinimum": true })),
                "/properties/value",
                "exclusiveMinimum",
            ),
            (value(json!({ "pattern": "^.{1,9000}$" })), "/properties/value", "pattern"),
            (
                value(json!({ "pattern": "^[\\p{L}\\p{N}]{1,900}$" })),
                "/properties/value",
                "pattern",
            ),
            (value(json!({ "pattern": "(" })), "/properties/value", "pattern"),
            (value(json!({ "$ref": "#/$defs/none" })), "/properties/value", "$ref"),
            (value(json!({ "$ref": "https://example.org/s.json" })), "/properties/value", "$ref"),
            (value(json!({ "$id": "inner", "type": "string" })), "/properties/value", "$id"),
            (value(json!("string")), "/properties/value", "properties"),
            (value(json!({ "$ref": "#/properties/value" })), "/properties/value", "$ref"),
        ] {
            let (own, told) = adopted(&schema);
            assert_eq!(told, [(place.to_owned(), keyword.to_owned())], "{schema}");
            assert!(fits(&own, json!({ "value": "x" })), "{own}");
        }
    }

    #[test]
    fn what_is_right_beside_a_fault_still_counts() {
        let (own, _) = adopted(&json!({ "type": "object", "required": ["n", 5, "n"],
            "properties": { "n": { "type": "integer", "title": [], "maximum": 9 } } }));
        for (value, is_taken) in [
            (json!({ "n": 9 }), true),
            (json!({ "n": 10 }), false),
            (json!({ "n": "x" }), false),
            (json!({}), false),
        ] {
            assert_eq!(fits(&own, value.clone()), is_taken, "{value}");
        }
        let several = json!({ "properties": { "a": { "description": null }, "b": { "title": 5, "default": 1 } },
            "title": {} });
        assert_eq!(adopted(&several).1.len(), 3);
    }

    #[test]
    fn no_part_refuses_more_because_another_was_passed_over() {
        let large = json!({ "pattern": "^.{1,9000}$" });
        for (schema, value) in [
            (json!({ "properties": { "a": { "not": large } } }), json!({ "a": 5 })),
            (
                json!({ "properties": { "a": { "oneOf": [large, { "maxLength": 1 }] } } }),
                json!({ "a": "x" }),
            ),
            (
                json!({ "properties": { "a": { "oneOf": [{ "$ref": "#/$defs/a" }, { "maxLength": 1 }] } },
                "$defs": { "a": large } }),
                json!({ "a": "x" }),
            ),
            (
                json!({ "if": { "properties": { "a": large } }, "then": { "required": ["b"] } }),
                json!({ "a": "x" }),
            ),
            (
                json!({ "patternProperties": { "^.{1,9000}$": {} }, "additionalProperties": false }),
                json!({ "a": 1 }),
            ),
            (
                json!({ "allOf": [{ "$ref": "#/none" }], "unevaluatedProperties": false }),
                json!({ "a": 1 }),
            ),
        ] {
            let (own, told) = adopted(&schema);
            assert_eq!(told.len(), 1, "{schema}");
            assert!(fits(&own, value), "{own}");
        }
        // What does not depend on it stays as strict as it was.
        let (own, _) = adopted(
            &json!({ "title": 5, "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        );
        assert!(!fits(&own, json!({ "a": 1, "b": 1 })));
    }

    #[test]
    fn a_schema_is_read_by_the_draft_that_it_names() {
        let bound = json!({ "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": { "n": { "minimum": 0, "exclusiveMinimum": true } } });
        assert_eq!(adopted(&bound).1, []);
        assert!(!fits(&bound, json!({ "n": 0 })) && fits(&bound, json!({ "n": 1 })));
        for named in
            ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-06/schema"]
        {
            let pair =
                json!({ "$schema": named, "items": [{ "type": "string" }, { "type": "integer" }] });
            assert_eq!(adopted(&pair).1, []);
            assert!(fits(&pair, json!(["a", 1])) && !fits(&pair, json!([1, "a"])));
        }
        // A fault is one by that draft, and nobody checks formats.
        let alone = json!({ "$schema": "http://json-schema.org/draft-04/schema#",
            "properties": { "n": { "exclusiveMinimum": true, "format": "date" } } });
        let (own, told) = adopted(&alone);
        assert_eq!(told, [("/properties/n".to_owned(), "exclusiveMinimum".to_owned())]);
        assert!(fits(&own, json!({ "n": "x" })));
        let within = json!({ "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": { "list": { "items": { "description": null, "type": "string" } } } });
        let (own, told) = adopted(&within);
        assert_eq!(told, [("/properties/list/items".to_owned(), "description".to_owned())]);
        assert!(!fits(&own, json!({ "list": [1] })));
    }

    #[test]
    fn a_schema_that_is_too_large_as_a_whole_is_refused() {
        let next = |level: usize| json!({ "$ref": format!("#/$defs/l{level}") });
        let mut defs: Map<String, Value> = (0..8)
            .map(|level| (format!("l{level}"), json!({ "anyOf": vec![next(level + 1); 10] })))
            .collect();
        defs.insert("l8".to_owned(), json!({ "title": 5 }));
        let bomb = json!({ "$defs": defs, "properties": { "a": next(0) } });
        assert!(adopt(&bomb).unwrap_err().contains("parts"));
        let faulty: Map<String, Value> =
            (0..1000).map(|n| (format!("a{n}"), json!({ "title": 5 }))).collect();
        assert!(adopt(&json!({ "properties": faulty })).is_err());
        let deep = (0..500).fold(json!([]), |inner, _| json!([inner]));
        assert!(adopt(&json!({ "title": 5, "default": deep })).is_err());
    }
}
