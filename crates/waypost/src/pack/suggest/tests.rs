//! Each rule by what public servers and registries declare.

use serde_json::{Value as Json, json};
use waypost_text::extract::Kind;

use super::*;

fn of(name: &str, schema: &Json) -> Suggested {
    suggest(name, &Shape::read(schema, schema), &[name.to_owned()], "")
}

/// Checks the kind that each argument is given, and by which rule.
fn check(rule: &str, cases: &[(&str, Json, Option<Kind>)]) {
    for (name, schema, kind) in cases {
        let suggested = of(name, schema);
        assert_eq!((suggested.kind, suggested.rule), (*kind, rule), "{name} {schema}");
    }
}

#[test]
fn listed_values_need_no_kind() {
    check(
        "listed",
        &[
            ("date", json!({ "type": "string", "enum": ["today", "tomorrow"] }), None),
            ("tags", json!({ "type": "array", "items": { "enum": ["a", "b"] } }), None),
        ],
    );
}

#[test]
fn a_boolean_is_yes_or_no() {
    check(
        "boolean",
        &[
            ("recursive", json!({ "type": "boolean" }), Some(Kind::Boolean)),
            ("all", json!({ "type": ["boolean", "null"] }), Some(Kind::Boolean)),
        ],
    );
}

#[test]
fn a_format_says_the_kind_whatever_the_name() {
    let format = |format: &str| json!({ "type": "string", "format": format });
    check(
        "format",
        &[
            ("when", format("date"), Some(Kind::Date)),
            ("text", format("date-time"), Some(Kind::Datetime)),
            ("at", format("time"), Some(Kind::Time)),
            ("wait", format("duration"), Some(Kind::Duration)),
            ("target", format("uri"), Some(Kind::Url)),
            ("to", format("email"), Some(Kind::Email)),
            ("host", format("ipv4"), Some(Kind::Ip)),
            (
                "links",
                json!({ "type": "array", "items": { "type": "string", "format": "uri" } }),
                Some(Kind::Url),
            ),
        ],
    );
}

#[test]
fn a_pattern_says_the_kind_of_its_values() {
    let pattern = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    check(
        "pattern",
        &[
            ("when", pattern(r"^\d{4}-\d{2}-\d{2}$"), Some(Kind::Date)),
            ("at", pattern(r"^([01]\d|2[0-3]):[0-5]\d$"), Some(Kind::Time)),
            ("which", pattern(r"^[A-Z]+-\d+$"), Some(Kind::Identifier)),
            ("state", pattern("^[0-9a-f]{40}$"), Some(Kind::Revision)),
        ],
    );
    // A pattern that many kinds have, or that is none, tells nothing.
    for open in [".*", "^.{1,80}$", "("] {
        assert_eq!(of("which", &pattern(open)).kind, None, "{open}");
    }
}

#[test]
fn examples_that_look_alike_say_the_kind() {
    let examples = |examples: Json| json!({ "type": "string", "examples": examples });
    check(
        "examples",
        &[
            ("x", examples(json!(["2024-01-31"])), Some(Kind::Date)),
            ("x", examples(json!(["2024-01-31T08:00:00"])), Some(Kind::Datetime)),
            ("x", examples(json!(["17:30", "08:00"])), Some(Kind::Time)),
            ("x", examples(json!(["https://example.org"])), Some(Kind::Url)),
            ("x", examples(json!(["Asia/Tokyo", "UTC"])), Some(Kind::Zone)),
            ("x", examples(json!(["src/**/*.rs"])), Some(Kind::Glob)),
            ("x", examples(json!(["/tmp/a", "notes.md"])), Some(Kind::Path)),
        ],
    );
    assert_eq!(of("x", &examples(json!(["17:30", "https://example.org"]))).kind, None);
    assert_eq!(of("x", &examples(json!(["Berlin", "3.14"]))).kind, None);
}

#[test]
fn parts_belong_to_one_value() {
    let number = json!({ "type": "number" });
    for (name, part) in [("lat", Part::Latitude), ("longitude", Part::Longitude)] {
        let suggested = of(name, &number);
        assert_eq!((suggested.kind, suggested.part), (Some(Kind::Point), Some(part)), "{name}");
    }
    let names = ["start_date".to_owned(), "end_date".to_owned()];
    let day = json!({ "type": "string", "description": "YYYY-MM-DD" });
    let edge = |name: &str, names: &[String]| suggest(name, &Shape::read(&day, &day), names, "");
    assert_eq!(edge("start_date", &names).part, Some(Part::Start));
    assert_eq!(edge("end_date", &names).part, Some(Part::End));
    // A start alone is a day.
    assert_eq!(edge("start_date", &names[..1]).kind, Some(Kind::Date));
    assert_eq!(edge("start_date", &names[..1]).part, None);
}

#[test]
fn numbers_know_their_unit() {
    for (name, description, unit) in [
        ("distance_km", "", Some("km")),
        ("timeout_ms", "", Some("ms")),
        ("distance", "The distance in meters.", Some("m")),
        ("temperature", "Temperature (Celsius)", Some("Cel")),
        ("duration", "How long, in minutes", Some("min")),
        ("count", "How many in total", None),
        ("min", "", None),
    ] {
        let schema = json!({ "type": "number", "description": description });
        let suggested = of(name, &schema);
        assert_eq!((suggested.kind, suggested.unit), (Some(Kind::Number), unit), "{name}");
    }
    // What may be text as well is no number.
    assert_eq!(of("tz", &json!({ "type": ["string", "number"] })).kind, Some(Kind::Zone));
}

#[test]
fn values_in_prose_are_listed() {
    let schema = json!({ "type": "string", "description": "Order: 'asc' or 'desc'" });
    let suggested = of("order", &schema);
    assert_eq!((suggested.kind, suggested.listed), (None, vec!["asc".into(), "desc".into()]));
}

#[test]
fn a_notation_says_the_kind() {
    let said = |description: &str| json!({ "type": "string", "description": description });
    check(
        "notation",
        &[
            ("x", said("Format: YYYY-MM-DD"), Some(Kind::Date)),
            ("x", said("24-hour format (HH:MM)"), Some(Kind::Time)),
            ("x", said("YYYY-MM-DD HH:MM:SS"), Some(Kind::Datetime)),
            ("x", said("IANA name"), Some(Kind::Zone)),
        ],
    );
}

#[test]
fn names_say_the_kind_by_their_last_telling_word() {
    let string = || json!({ "type": "string" });
    let said = |description: &str| json!({ "type": "string", "description": description });
    check(
        "name",
        &[
            ("repo_path", string(), Some(Kind::Path)),
            ("filePath", string(), Some(Kind::Path)),
            ("file_name", string(), Some(Kind::Path)),
            ("files", json!({ "type": "array", "items": { "type": "string" } }), Some(Kind::Path)),
            ("source_timezone", string(), Some(Kind::Zone)),
            ("time_zone", string(), Some(Kind::Zone)),
            ("date_of_birth", string(), Some(Kind::Date)),
            ("due_date", string(), Some(Kind::Date)),
            ("branch_name", string(), Some(Kind::Revision)),
            ("message", string(), Some(Kind::Text)),
            ("user_id", string(), Some(Kind::Identifier)),
            ("message_id", string(), Some(Kind::Identifier)),
            ("repo", said("The repository, as owner/name"), Some(Kind::Repository)),
            ("time", said("An ISO 8601 instant"), Some(Kind::Datetime)),
            ("url", json!({}), Some(Kind::Url)),
        ],
    );
    assert!(of("query", &json!({ "type": "string" })).thought);
    assert!(!of("message", &json!({ "type": "string" })).thought);
}

#[test]
fn descriptions_say_the_kind_outright() {
    let said = |description: &str| json!({ "type": "string", "description": description });
    check(
        "description",
        &[
            ("x", said("The path to the repository"), Some(Kind::Path)),
            ("x", said("The URL of the page"), Some(Kind::Url)),
            ("who", said("An email address"), Some(Kind::Email)),
            ("x", said("Text to translate"), Some(Kind::Text)),
        ],
    );
}

#[test]
fn what_nothing_tells_has_no_kind() {
    check(
        "",
        &[
            ("city", json!({ "type": "string", "description": "The city" }), None),
            ("user_name", json!({ "type": "string" }), None),
            ("options", json!({ "type": "object", "additionalProperties": true }), None),
            ("x", json!(true), None),
        ],
    );
}
