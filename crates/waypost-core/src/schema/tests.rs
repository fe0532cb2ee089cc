//! Schemas that burn, and those that must go on to work.

use serde_json::json;

use super::*;

fn refused(schema: &Value) -> String {
    Schema::compile(schema).expect_err("a schema that is refused")
}

/// `levels` of `anyOf` with `width` references each; the last takes a text.
fn bomb(levels: usize, width: usize) -> Value {
    let mut defs = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        defs.insert(format!("l{level}"), json!({ "anyOf": vec![next; width] }));
    }
    defs.insert(format!("l{levels}"), json!({ "type": "string" }));
    json!({ "$defs": defs, "$ref": "#/$defs/l0" })
}

#[test]
fn a_schema_that_unfolds_is_refused_and_a_wide_one_is_not() {
    assert!(refused(&bomb(8, 10)).contains("more than 100000 parts"));
    assert!(refused(&bomb(20, 2)).contains("parts"));
    let wide = Schema::compile(&bomb(3, 10)).unwrap();
    assert_eq!(wide.check(&json!("x")), Check::Fits);
    assert!(matches!(wide.check(&json!(1)), Check::Misfits(_)));
}

#[test]
fn a_schema_is_bounded_as_it_is_written() {
    let mut deep = json!(true);
    for _ in 0..100 {
        deep = json!({ "items": deep });
    }
    assert!(refused(&deep).contains("deep"));
    for _ in 0..500 {
        deep = Value::Array(vec![deep]);
    }
    assert!(refused(&json!({ "const": deep })).contains("deep"));
    assert!(refused(&json!({ "const": "x".repeat(1 << 20) })).contains("bytes"));
    let patterns: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("a{n}"), json!(true))).collect();
    assert!(refused(&json!({ "patternProperties": patterns })).contains("patterns"));
    assert!(refused(&json!({ "pattern": "a".repeat(3000) })).contains("pattern"));
    assert!(Schema::compile(&json!({ "pattern": "((a{1,500}){1,500}){1,500}" })).is_err());
    assert!(Schema::compile(&json!({ "pattern": "^.{1,1000}$" })).is_ok());
    let left_over = (0..40).fold(
        json!(true),
        |inner, _| json!({ "allOf": [inner], "unevaluatedProperties": { "type": "string" } }),
    );
    assert!(refused(&left_over).contains("parts"));
}

#[test]
fn references_lead_within_the_document() {
    for reference in [
        "https://example.org/schema",
        "other.json#/a",
        "#/$defs/none",
        "#none",
        "http://127.0.0.1:1/",
    ] {
        assert!(refused(&json!({ "$ref": reference })).contains("another document"), "{reference}");
    }
    assert!(refused(&json!({ "items": { "$id": "x", "type": "string" } })).contains("`$id`"));
    for reference in ["#/$defs/a%20b", "#named", "https://example.org/s#/$defs/a%20b"] {
        let schema = json!({ "$id": "https://example.org/s", "$ref": reference,
            "$defs": { "a b": { "$anchor": "named", "type": "string" } } });
        let schema = Schema::compile(&schema).unwrap();
        assert_eq!(schema.check(&json!("x")), Check::Fits, "{reference}");
        assert!(matches!(schema.check(&json!(1)), Check::Misfits(_)));
    }
}

#[test]
fn a_schema_that_only_refers_to_itself_is_refused() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "anyOf": [{ "$ref": "#" }] }] }),
        json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "not": { "$ref": "#/$defs/a" } } }, "items": { "$ref": "#/$defs/a" } }),
        json!({ "properties": { "x": { "$ref": "#/$defs/b" } }, "anyOf": [{ "$ref": "#/$defs/b" }],
            "$defs": { "b": { "oneOf": [{ "$ref": "#" }] } } }),
    ] {
        assert!(refused(&schema).contains("without end"), "{schema}");
    }
}

#[test]
fn a_tree_is_checked_and_one_that_is_asked_twice_a_step_is_not() {
    let tree = Schema::compile(&json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string" }, "left": { "$ref": "#" }, "right": { "$ref": "#" } } }))
    .unwrap();
    let grown = |depth| {
        (0..depth).fold(
            json!({ "name": "leaf" }),
            |inner, _| json!({ "name": "n", "left": inner, "right": { "name": "r" } }),
        )
    };
    assert_eq!(tree.check(&grown(100)), Check::Fits);
    let broken = tree.check(&json!({ "name": "n", "left": { "right": 5 } }));
    let Check::Misfits(why) = broken else { panic!("{broken:?}") };
    assert_eq!(
        why.iter().map(|why| (why.path.as_str(), !why.wants.is_empty())).collect::<Vec<_>>(),
        [("/left", true), ("/left/right", false)]
    );
    let twice = json!({ "properties": { "left": { "$ref": "#" } } });
    let doubling = json!({ "anyOf": [twice, twice, { "type": "integer" }], "required": ["x"] });
    assert_eq!(Schema::compile(&doubling).unwrap().check(&grown(60)), Check::Unchecked);
    assert!(matches!(Schema::compile(&doubling).unwrap().check(&grown(3)), Check::Misfits(_)));
}

#[test]
fn a_large_value_is_checked_without_reasons_and_a_larger_one_not_at_all() {
    let schema = Schema::compile(
        &json!({ "items": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } }),
    )
    .unwrap();
    assert_eq!(schema.check(&json!(vec![1; 50_000])), Check::Fits);
    let Check::Misfits(why) = schema.check(&json!(vec![1.5; 50_000])) else {
        panic!("it does not fit")
    };
    assert_eq!(why.len(), 1);
    assert_eq!(schema.check(&json!(vec![1.5; 2_000_000])), Check::Unchecked);
    let Check::Misfits(why) = schema.check(&json!(["x", { "long": "y".repeat(1_000_000) }])) else {
        panic!("it does not fit")
    };
    assert!(why.iter().all(|why| why.detail.len() <= LONGEST_REASON));
}

#[test]
fn what_is_missing_is_told_with_what_would_do_instead() {
    let wants = |schema: &Value, value: Value| match Schema::compile(schema).unwrap().check(&value)
    {
        Check::Misfits(misfits) => misfits.into_iter().map(|misfit| misfit.wants).collect(),
        _ => Vec::new(),
    };
    let names = |sets: &[&[&str]]| -> Vec<Vec<String>> {
        sets.iter().map(|set| set.iter().map(|name| (*name).to_owned()).collect()).collect()
    };
    let either = json!({ "properties": { "a": { "type": "integer" } },
        "anyOf": [{ "required": ["a"] }, { "required": ["b", "c"] }] });
    assert_eq!(wants(&either, json!({})), [names(&[&["a"], &["b", "c"]])]);
    assert_eq!(wants(&either, json!({ "b": 1 })), [names(&[&["a"], &["c"]])]);
    assert_eq!(wants(&either, json!({ "a": 1 })), [] as [Vec<Vec<String>>; 0]);
    let typed = json!({ "oneOf": [
        { "properties": { "a": { "type": "integer" } }, "required": ["a"] },
        { "properties": { "b": { "type": "integer" } }, "required": ["b"] } ] });
    assert_eq!(wants(&typed, json!({ "a": "x" })), [names(&[&["b"]])]);
    assert_eq!(wants(&typed, json!({ "a": "x", "b": "x" })), [names(&[])]);
    let under = json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } });
    assert_eq!(wants(&under, json!({ "a": 1 })), [names(&[&["b"]])]);
}

#[test]
fn patterns_of_ordinary_size_are_checked() {
    for (pattern, fits, misfits) in
        [("^.{1,2000}$", "Ember", ""), ("^[\\p{L}\\p{N}]{1,50}$", "Émber7", "a b")]
    {
        let schema = json!({ "type": "string", "pattern": pattern });
        let schema = Schema::compile(&schema).unwrap();
        assert_eq!(schema.check(&fits.into()), Check::Fits, "{pattern}");
        assert!(matches!(schema.check(&misfits.into()), Check::Misfits(_)), "{pattern}");
    }
}
