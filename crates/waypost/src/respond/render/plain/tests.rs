//! Results without a template, and what a person reads of them.

use serde_json::json;

use super::*;

#[track_caller]
fn check(result: &ToolResult, expected: &str) {
    let said = shown(result, &Messages::default(), Language::En);
    assert_eq!(said, expected, "\n{said}\n");
}

fn parts(parts: Vec<Content>) -> ToolResult {
    ToolResult { parts, ..ToolResult::default() }
}

fn text(kept: &str) -> Content {
    Content::Text(Text { kept: kept.to_owned(), left_out: 0 })
}

#[test]
fn text_is_text() {
    check(
        &parts(vec![text("Changes committed\nwith hash a1b2c3\n")]),
        "Changes committed\nwith hash a1b2c3",
    );
    check(&parts(vec![text("one"), text(""), text("two")]), "one\ntwo");
    check(&parts(vec![text("\u{1b}[31mred\u{7}\r\nplain\ttab")]), "␛[31mred␇\nplain\ttab");
    check(&parts(Vec::new()), "");
}

#[test]
fn an_object_is_a_short_list() {
    check(
        &json!({
            "branch": "main", "ahead": 2, "clean": true, "note": null, "files": ["a.py", "b.py"],
            "author": { "name": "Ann", "mail": { "at": "x", "deep": { "er": 1 } } },
            "message": "first\nsecond",
        })
        .into(),
        "\
branch: main
ahead: 2
clean: true
note: –
files: a.py, b.py
author:
  name: Ann
  mail:
    at: x
    deep: {\"er\":1}
message:
  first
  second",
    );
}

#[test]
fn a_value_is_taken_out_of_its_wrapper() {
    check(&json!({ "result": "done" }).into(), "done");
    check(&json!({ "result": 42 }).into(), "42");
    check(&json!({ "items": ["a", "b"] }).into(), "- a\n- b");
    check(&json!({ "cm": 42 }).into(), "cm: 42");
    check(&json!({}).into(), "");
}

#[test]
fn a_list_of_objects_is_a_table() {
    check(
        &json!({ "items": [
            { "name": "基隆", "cm": 42, "tags": ["a"] },
            { "name": "a|b", "at": "2025-11-06" },
        ] })
        .into(),
        "\
| name | cm  | tags  | at         |
|------|-----|-------|------------|
| 基隆 | 42  | [\"a\"] |            |
| a\\|b |     |       | 2025-11-06 |",
    );
}

#[test]
fn text_for_people_goes_before_the_value_for_programs() {
    let result = ToolResult { parts: vec![text("It is 42 cm.")], ..json!({ "cm": 42 }).into() };
    check(&result, "It is 42 cm.");
}

#[test]
fn other_parts_are_named_by_kind_and_size() {
    let link = Link {
        uri: "file:///a.txt".to_owned(),
        name: "The file".to_owned(),
        mime: "text/plain".to_owned(),
        bytes: Some(12_345),
    };
    let bare = Link { uri: "note://1".to_owned(), ..Link::default() };
    let words = Some(Text { kept: "hi".to_owned(), left_out: 0 });
    check(
        &parts(vec![
            Content::Link(link),
            Content::Resource { link: bare.clone(), text: words },
            Content::Resource { link: bare, text: None },
            Content::Media { mime: "audio/wav".to_owned(), bytes: 999 },
            Content::Media { mime: "image/png".to_owned(), bytes: 2_500_000 },
            Content::Other { kind: "hologram".to_owned(), bytes: 35 },
        ]),
        "\
Link: The file <file:///a.txt> (text/plain, 12.3 kB)
Resource: note://1
hi
Resource: note://1
Audio: audio/wav, 999 B
Image: image/png, 2.5 MB
Content of an unknown kind: hologram, 35 B",
    );
}

#[test]
fn what_is_too_long_is_cut_and_counted() {
    let page = |result: &ToolResult| shown(result, &Messages::default(), Language::En);
    let long = page(&parts(vec![Content::Text(Text { kept: "x".repeat(9_000), left_out: 1_000 })]));
    assert!(long.ends_with("\n… 6,000 more characters are left out"), "{long}");
    assert!(long.chars().count() < 4_100);
    let lines = page(&parts(vec![text(&"a\n".repeat(1_000))]));
    assert_eq!(lines.lines().count(), MAX_LINES + 1);
    let rows: Vec<Json> = (0..5_000).map(|n| json!({ "row": n })).collect();
    let rows = page(&json!({ "items": rows }).into());
    assert!(rows.ends_with("\n… 4,980 more entries are left out"), "{rows}");
    let keys: Map<String, Json> = (0..500).map(|n| (format!("k{n}"), json!("v"))).collect();
    let keys = page(&Json::Object(keys).into());
    assert!(keys.ends_with("\n… 480 more entries are left out"), "{keys}");
    let cut = ToolResult { left_out: 6_000_000, ..json!({ "cm": 42 }).into() };
    check(&cut, "cm: 42\n… 6.0 MB of the answer are left out");
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([[deep.clone()], { "a": deep }]);
        if deep.to_string().len() > 1_000_000 {
            break;
        }
    }
    assert!(page(&json!({ "deep": deep }).into()).chars().count() < 4_200);
}
