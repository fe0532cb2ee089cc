//! The property: over random texts, schemas and sessions, every argument of every call validates, and
//! the words of its receipt stand in the request, the memory, the options or the defaults.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value as Json, json};
use waypost_core::records::decision::{By, Evidence, Source};
use waypost_core::records::request::PastCall;

use super::super::{DraftCall, Given, fill};
use super::Tried;
use crate::understand::Turn;

/// Pieces of texts: values of every kind, words of roles, and words.
const PIECES: &[&str] = &[
    "from",
    "to",
    "Berlin",
    "Tokyo",
    "HEAD~2",
    "a.py",
    "src/b.rs",
    "main",
    "branch",
    "named",
    "\"x y\"",
    "'z",
    "5",
    "20%",
    "3 km",
    "1.5",
    "tomorrow",
    "at 5pm",
    "for 90 minutes",
    "$20",
    "and",
    "or",
    "not",
    "without",
    "hidden",
    "files",
    "search for",
    "saying",
    "with message",
    "move",
    "commit",
    "ada@b.org",
    "https://b.org/a",
    "10.0.0.1",
    "121.5E 24N",
    "10/11",
    "從",
    "到",
    "東京",
    "把",
    "改名為",
    "搜尋",
    "từ",
    "đến",
    "de",
    "a",
    "sorry",
    "the",
    ",",
    ".",
    "?",
    "：",
    "first",
    "yes",
    "asc",
    "keelung",
    "width",
    "30",
    "\u{301}",
    "🦀",
    "İ",
    "ABC-123",
    "owner/name",
];

/// Names of arguments, with which rules of suggestion work.
const NAMES: &[&str] = &[
    "path",
    "files",
    "source_path",
    "destination",
    "branch_name",
    "revision",
    "timezone",
    "source_timezone",
    "target_timezone",
    "time",
    "date",
    "start_date",
    "end_date",
    "duration",
    "timeout_ms",
    "url",
    "email",
    "query",
    "message",
    "title",
    "content",
    "city",
    "name",
    "a",
    "b",
    "count",
    "lat",
    "lon",
    "bbox",
    "include_hidden",
    "order",
    "size",
    "tags",
    "x",
    "id",
];

/// Schemas of arguments.
fn schemas() -> Vec<Json> {
    let string = json!({ "type": "string" });
    vec![
        string.clone(),
        string,
        json!({ "type": "string", "maxLength": 3 }),
        json!({ "type": "string", "format": "date" }),
        json!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" }),
        json!({ "type": "string", "description": "Sort order: 'asc' or 'desc'" }),
        json!({ "type": "string", "description": "24-hour format (HH:MM)" }),
        json!({ "type": ["string", "number", "null"] }),
        json!({ "enum": ["asc", "keelung", null, 5] }),
        json!({ "type": "number", "minimum": 3, "maximum": 21 }),
        json!({ "type": "integer", "description": "in minutes" }),
        json!({ "type": "boolean" }),
        json!({ "type": "array", "items": { "type": "string" }, "maxItems": 2, "uniqueItems": true }),
        json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2 }),
        json!({ "type": "array" }),
        json!({ "type": "object", "properties": {
            "width": { "type": "integer" }, "name": { "type": "string" } }, "required": ["width"] }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
        json!({ "$ref": "#/$defs/node" }),
        json!({}),
        json!(true),
    ]
}

fn text() -> impl Strategy<Value = String> {
    vec(prop::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.join(" "))
}

type Case = (Vec<(String, Json)>, Vec<bool>, String, String, Option<usize>, bool);

fn case() -> impl Strategy<Value = Case> {
    let name = prop::sample::select(NAMES).prop_map(str::to_owned);
    let properties = btree_map(name, prop::sample::select(schemas()), 1..6)
        .prop_map(|map| map.into_iter().collect::<Vec<_>>());
    (properties, vec(any::<bool>(), 6), text(), text(), prop::option::of(0_usize..6), any::<bool>())
}

/// A session in which the tool was called before, and one of its arguments asked for.
fn context(before: &Map<String, Json>, asked: Option<&str>) -> Json {
    let mut context = json!({
        "last_calls": [{ "tool": "tool", "arguments": before }],
    });
    if let Some(asked) = asked {
        context["active_tool"] = json!("tool");
        context["active_argument"] = json!(asked);
    }
    context
}

/// Checks a call's arguments and where each came from.
fn hold(tried: &Tried, turn: &Turn<'_>, draft: &DraftCall) -> Result<(), TestCaseError> {
    let Some(filled) = fill(turn, draft) else { return Ok(()) };
    let tool = &tried.pack.tools[0];
    let all = turn.said.text.original().chars().count();
    for span in &filled.leftover {
        prop_assert!(span.start < span.end && span.end <= all, "{span:?}");
    }
    for call in &filled.calls {
        for (name, value) in &call.arguments {
            let receipt = call.evidence.get(name).cloned();
            let receipt = receipt.ok_or_else(|| TestCaseError::fail("no receipt"))?;
            let settled = matches!(receipt.source, Source::Option | Source::Memory);
            // A number outside its bounds is asked about by the gate of values; text in the place of
            // a number never gets there.
            let accepted = settled || tool.accepts(name, value) || value.is_number();
            prop_assert!(accepted, "{name} {value} {receipt:?} {}", tool.spec.schema);
            let said = receipt.text.as_ref().is_none_or(|text| {
                turn.said.text.original().contains(text.as_str())
                    || text.split(", ").all(|part| turn.said.text.original().contains(part))
            });
            prop_assert!(said || settled, "{name} {value} {receipt:?}");
            let sourced = receipt.text.is_some() || receipt.source != Source::Span;
            prop_assert!(sourced, "{name} {value} {receipt:?}");
        }
    }
    Ok(())
}

#[test]
fn every_value_validates_and_stands_on_words_that_are_there() {
    let config = ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let property = |(properties, required, earlier, text, asked, chosen): Case| {
        let named = properties.iter().zip(&required).filter(|(_, required)| **required);
        let needed: Vec<&str> = named.map(|((name, _), _)| name.as_str()).collect();
        let schema = json!({
            "type": "object",
            "properties": properties.iter().cloned().collect::<Map<String, Json>>(),
            "required": needed,
            "$defs": { "node": { "properties": { "node": { "$ref": "#/$defs/node" } } } },
        });
        let mut tried = Tried { pack: super::pack(&schema, &json!({})), context: json!({}) };
        let before = tried.fill(&earlier).calls.first().map(|call| call.arguments.clone());
        let before = before.unwrap_or_default();
        let asked = asked.and_then(|at| properties.get(at)).map(|(name, _)| name.clone());
        tried.context = context(&before, asked.as_deref());
        let past = PastCall { tool: "tool".to_owned(), arguments: before, text: None };
        tried.with(&text, |turn| {
            let mut draft =
                DraftCall { tool: "tool".to_owned(), memory: Some(past), ..DraftCall::default() };
            if chosen && let Some((name, _)) = properties.first() {
                let evidence = Evidence::new(Source::Option, By::Ordinal);
                draft.given.insert(name.clone(), Given { value: json!("5"), evidence });
                draft.consumed =
                    turn.said.values.first().map(|value| value.span).into_iter().collect();
                let consumed = draft.consumed.clone();
                let filled = fill(turn, &draft).unwrap_or_default();
                let left = filled.leftover.iter().any(|span| consumed.contains(span));
                prop_assert!(!left);
            }
            hold(&tried, turn, &draft)
        })
    };
    runner.run(&case(), property).unwrap();
}
