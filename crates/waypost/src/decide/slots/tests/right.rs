//! No value without a right to be there.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence, Source};

use super::super::{DraftCall, Given, fill};
use super::tool;

fn tide() -> super::Tried {
    let tried = tool(
        json!({
            "station": { "type": "string", "enum": ["keelung", "hualien"] },
            "tz": { "type": ["string", "number"], "description": "An IANA zone, an offset or Z" },
            "date": { "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" },
        }),
        &["station", "tz"],
    );
    tried.annotated(&json!({
        "tz": { "default": "request_zone" }, "date": { "default": "today" },
    }))
}

#[test]
fn a_stray_number_is_no_zone() {
    tide()
        .gives(
            "tides at Keelung, gate 12, tomorrow",
            &json!({ "station": "keelung", "tz": "Etc/UTC", "date": "2025-11-07" }),
        )
        .leaves("tides at Keelung, gate 12, tomorrow", &["12"])
        .leaves("tides at Keelung tomorrow", &[]);
}

#[test]
fn an_argument_that_takes_text_too_takes_a_number_only_by_its_words() {
    let either = tool(json!({ "level": { "type": ["string", "number"] } }), &[]);
    either.gives("go to gate 12", &json!({})).gives("level 12 please", &json!({ "level": 12 }));
}

#[test]
fn the_digit_of_a_menu_is_consumed() {
    let counted = tool(
        json!({ "station": { "enum": ["keelung", "hualien"] }, "count": { "type": "integer" } }),
        &["station"],
    );
    let given =
        Given { value: json!("hualien"), evidence: Evidence::new(Source::Option, By::Ordinal) };
    let arguments = |consumed: bool| {
        counted.with("2", |turn| {
            let draft = DraftCall {
                tool: "tool".to_owned(),
                given: [("station".to_owned(), given.clone())].into(),
                exact: true,
                consumed: if consumed { vec![turn.said.values[0].span] } else { Vec::new() },
                ..DraftCall::default()
            };
            json!(fill(turn, &draft).unwrap().calls[0].arguments)
        })
    };
    assert_eq!(arguments(true), json!({ "station": "hualien" }));
    assert_eq!(arguments(false), json!({ "station": "hualien", "count": 2 }));
}

#[test]
fn a_required_text_does_not_take_the_whole_sentence() {
    tool(json!({ "revision": { "type": "string" } }), &["revision"])
        .gives("show the last commit of somebody", &json!({}));
    tool(json!({ "timezone": { "type": "string" } }), &["timezone"])
        .gives("what time is it over there", &json!({}));
    tool(json!({ "message": { "type": "string" } }), &["message"])
        .gives("commit the staged files", &json!({}))
        .gives("commit with \"fix the tests\"", &json!({ "message": "fix the tests" }));
}

#[test]
fn a_thought_is_the_whole_where_the_tool_needs_nothing_else() {
    let query = json!({ "type": "string", "description": "The search query" });
    tool(json!({ "query": query }), &["query"])
        .gives("why do tides turn", &json!({ "query": "why do tides turn" }));
    tool(json!({ "query": query, "site": { "type": "string" } }), &["query", "site"])
        .gives("why do tides turn", &json!({}));
    let body = || tool(json!({ "body": { "type": "string" } }), &["body"]);
    body().gives("why do tides turn", &json!({}));
    body()
        .annotated(&json!({ "body": { "text": "whole" } }))
        .gives("why do tides turn", &json!({ "body": "why do tides turn" }));
    body().annotated(&json!({ "body": { "text": "never" } })).gives("write \"why\"", &json!({}));
}

#[test]
fn an_answer_to_the_question_is_taken_as_it_is() {
    let note = tool(
        json!({ "title": { "type": "string" }, "owner": { "type": "string" } }),
        &["title", "owner"],
    );
    note.asked("title").gives("tides and the moon", &json!({ "title": "tides and the moon" }));
    let branch = tool(json!({ "branch_name": { "type": "string" } }), &["branch_name"]);
    branch.asked("branch_name").gives("main", &json!({ "branch_name": "main" }));
}

#[test]
fn what_no_argument_explains_is_left_over() {
    let purge = tool(json!({ "day": { "type": "string", "format": "date" } }), &[]);
    purge
        .leaves("purge tomorrow", &[])
        .leaves("purge tomorrow, 5 km away", &["5 km"])
        .leaves("purge 20%", &["20%"]);
}

#[test]
fn odd_schemas_fill_nothing_and_do_no_harm() {
    for schema in [
        json!({}),
        json!(true),
        json!({ "type": "object", "additionalProperties": true }),
        json!({ "$defs": { "n": { "type": "object", "properties": { "n": { "$ref": "#/$defs/n" } } } },
            "type": "object", "properties": { "n": { "$ref": "#/$defs/n" } }, "required": ["n"] }),
    ] {
        let tried = super::Tried { pack: super::pack(&schema, &json!({})), context: json!({}) };
        tried.gives("do it 5 times tomorrow at \"x\"", &json!({}));
    }
    let schema = json!({ "properties": { "x": true, "y": {} }, "required": ["x"] });
    let tried = super::Tried { pack: super::pack(&schema, &json!({})), context: json!({}) };
    tried.gives("do it 5 times tomorrow at \"x\"", &json!({ "x": "x" }));
    let names: Vec<String> = (0..40).map(|at| format!("value_{at}")).collect();
    let required: Vec<&str> = names.iter().map(String::as_str).collect();
    for kind in ["string", "number", "boolean", "array", "object"] {
        let properties: serde_json::Map<String, serde_json::Value> =
            names.iter().map(|name| (name.clone(), json!({ "type": kind }))).collect();
        let many = tool(json!(properties), &required);
        assert_eq!(many.fill("a 1 b 2 \"c\" tomorrow").gaps.len(), 40, "{kind}");
    }
}
