//! Schemas that unfold, alone and in packs, and values that make a harmless one work.

use std::fmt::Write;

use serde_json::{Value, json};
use waypost::pack::Pack;
use waypost_core::schema::{Check, Schema};

use crate::count::most_held;

/// The most bytes that any schema may take here, with its patterns.
const MOST: usize = 24 * 1024 * 1024;

/// `levels` of alternatives, each of `width` references to the next.
fn unfolding(keyword: &str, levels: usize, width: usize) -> Value {
    let mut defs = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        defs.insert(format!("l{level}"), json!({ keyword: vec![next; width] }));
    }
    defs.insert(format!("l{levels}"), json!({ "type": "string" }));
    json!({ "$defs": defs, "$ref": "#/$defs/l0" })
}

/// Schemas that burn, and a value that each is asked about where it can be compiled.
fn attacks() -> Vec<(&'static str, Value, Value)> {
    let twice = json!({ "properties": { "a": { "$ref": "#" } } });
    let nest = |depth| (0..depth).fold(json!({ "x": 1 }), |inner, _| json!({ "a": inner }));
    let patterns = |pattern: &dyn Fn(usize) -> String| {
        let patterns: serde_json::Map<String, Value> =
            (0..64).map(|n| (pattern(n), json!(true))).collect();
        json!({ "patternProperties": patterns })
    };
    let deep =
        (0..60).fold(json!(true), |inner, _| json!({ "items": inner, "unevaluatedItems": false }));
    vec![
        ("anyOf", unfolding("anyOf", 8, 10), json!(1)),
        ("oneOf", unfolding("oneOf", 8, 10), json!(1)),
        ("allOf", unfolding("allOf", 8, 10), json!(1)),
        ("just within the bound", unfolding("anyOf", 4, 10), json!(1)),
        ("just within the bound, for many values", unfolding("anyOf", 3, 10), json!([1])),
        ("itself twice a step", json!({ "anyOf": [twice, twice], "required": ["y"] }), nest(100)),
        ("itself", json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }), json!(1)),
        ("many items", json!({ "items": unfolding("anyOf", 1, 10) }), json!(vec![1; 400_000])),
        ("what is left over of what is left over", deep, json!([[[1]]])),
        (
            "a pattern that multiplies",
            json!({ "pattern": "((a{1,900}){1,900}){1,900}" }),
            json!("a"),
        ),
        ("large patterns", patterns(&|n| format!("^\\p{{L}}{{1,{}}}$", 40 + n)), json!({ "x": 1 })),
        (
            "a pattern that goes back",
            json!({ "pattern": "^(?=(a+)+$)(a|aa)+$\\b(?!x)" }),
            json!("a".repeat(5_000) + "!"),
        ),
        ("an endless list", json!({ "enum": vec!["value"; 90_000] }), json!("x")),
    ]
}

#[test]
fn a_schema_that_unfolds_is_refused_or_checks_within_its_bound() {
    for (name, schema, value) in attacks() {
        let (outcome, held) =
            most_held(|| Schema::compile(&schema).map(|schema| schema.check(&value)));
        assert!(held < MOST, "{name}: {held} bytes, {outcome:?}");
        if ["anyOf", "oneOf", "allOf", "itself", "a pattern that multiplies"].contains(&name) {
            assert!(outcome.is_err(), "{name}");
        }
        if name == "itself twice a step" {
            assert_eq!(outcome, Ok(Check::Unchecked));
        }
    }
}

/// A pack with one tool that takes arguments of this schema.
fn pack(schema: &Value) -> String {
    let mut yaml = "name: fake
summary: Does what a test says.
format: 1
languages: [en]
tz: UTC
fallback: talk
routes:
  - { name: act, handler: tool, summary: The user wants something done. }
  - { name: talk, handler: converse, summary: The user greets or thanks. }
servers:
  - { name: fake, command: [fake] }
tools:
  - name: give
    server: fake
    summary: Does it.
"
    .to_owned();
    writeln!(yaml, "    schema: {schema}").unwrap();
    yaml
}

#[test]
fn a_pack_with_a_schema_that_unfolds_has_a_fault_at_its_place() {
    let mut schema = unfolding("anyOf", 8, 10);
    schema["type"] = json!("object");
    schema["properties"] = json!({ "x": { "$ref": "#/$defs/l0" } });
    let files =
        [("pack.yaml".to_owned(), pack(&schema)), ("examples.jsonl".to_owned(), String::new())];
    let (loaded, held) = most_held(|| Pack::load(&files.into()));
    let faults = loaded.expect_err("a fault");
    let fault = faults
        .iter()
        .find(|fault| fault.message.contains("parts"))
        .unwrap_or_else(|| panic!("{faults:?}"));
    assert_eq!((fault.file.as_str(), fault.line), ("pack.yaml", 16));
    assert!(held < MOST, "{held}");
}
