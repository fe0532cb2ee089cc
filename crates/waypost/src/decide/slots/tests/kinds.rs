//! Values of each kind, alone, in lists and in objects.

use serde_json::json;

use super::tool;

#[expect(clippy::needless_pass_by_value, reason = "a schema that is written where it is used")]
fn one(name: &str, schema: serde_json::Value) -> super::Tried {
    tool(json!({ name: schema }), &[name])
}

#[test]
fn times_and_lengths_of_time_fill_as_the_schema_writes_them() {
    let time = json!({ "type": "string", "description": "24-hour format (HH:MM)" });
    one("time", time).gives("at half past five in the afternoon", &json!({ "time": "17:30" }));
    one("at", json!({ "type": "string", "format": "time" }))
        .gives("at 5:30pm", &json!({ "at": "17:30:00" }));
    one("length", json!({ "type": "string", "format": "duration" }))
        .gives("for 90 minutes", &json!({ "length": "PT90M" }));
    one("duration", json!({ "type": "integer", "description": "Length in minutes" }))
        .gives("for 2 hours", &json!({ "duration": 120 }))
        .gives("for 45 minutes", &json!({ "duration": 45 }))
        .gives("duration 45", &json!({ "duration": 45 }));
    one("timeout_ms", json!({ "type": "number" }))
        .gives("1.5 seconds", &json!({ "timeout_ms": 1500 }));
}

#[test]
fn days_fill_in_the_notation_that_is_spelled_out() {
    one("day", json!({ "type": "string", "format": "date" }))
        .gives("tomorrow", &json!({ "day": "2025-11-07" }));
    let first = json!({ "type": "string", "description": "YYYY-MM-DD" });
    tool(json!({ "start_date": first, "end_date": first }), &["start_date", "end_date"]).gives(
        "from 2025-11-08 to 2025-11-10",
        &json!({ "start_date": "2025-11-08", "end_date": "2025-11-10" }),
    );
}

#[test]
fn addresses_fill_alone_and_in_lists() {
    one("url", json!({ "type": "string" })).gives(
        "fetch https://example.org/a?b=1 please",
        &json!({ "url": "https://example.org/a?b=1" }),
    );
    one("emails", json!({ "type": "array", "items": { "type": "string" } })).gives(
        "invite ada@example.org and bob@example.org",
        &json!({ "emails": ["ada@example.org", "bob@example.org"] }),
    );
    one("email", json!({ "type": "string" })).asks(
        "write to ada@example.org and bob@example.org",
        "email",
        &json!(["ada@example.org", "bob@example.org"]),
    );
}

#[test]
fn a_list_of_numbers_takes_all_of_them() {
    one("numbers", json!({ "type": "array", "items": { "type": "number" } }))
        .gives("the mean of 3, 5.5 and 8", &json!({ "numbers": [3, 5.5, 8] }));
}

#[test]
fn names_fill_by_their_capitals_and_by_the_words_beside_them() {
    one("city", json!({ "type": "string", "description": "The city" }))
        .gives("What's the weather in Berlin?", &json!({ "city": "Berlin" }))
        .gives("weather in Boston, MA", &json!({ "city": "Boston, MA" }))
        .gives("what's the weather like", &json!({}));
    // Capitals alone do not fill what is not for names.
    one("flavor", json!({ "type": "string" })).gives("tell Berlin", &json!({}));
    one("flavor", json!({ "type": "string" }))
        .gives("flavor: vanilla", &json!({ "flavor": "vanilla" }));
}

#[test]
fn yes_and_no_come_from_the_words_of_the_flag() {
    tool(json!({ "include_hidden": { "type": "boolean" } }), &[])
        .gives("list everything including hidden files", &json!({ "include_hidden": true }))
        .gives("list everything without hidden files", &json!({ "include_hidden": false }))
        .gives("list everything", &json!({}));
    tool(json!({ "recursive": { "type": "boolean" } }), &[])
        .gives("list it recursive", &json!({ "recursive": true }))
        .gives("list it, not recursive", &json!({ "recursive": false }));
    tool(json!({ "no_header": { "type": "boolean" } }), &[])
        .gives("print it without the header", &json!({ "no_header": true }));
}

#[test]
fn values_that_stand_in_prose_are_named() {
    let order = json!({ "type": "string", "description": "Sort order: 'asc' or 'desc'" });
    tool(json!({ "order": order }), &["order"])
        .gives("sort it desc", &json!({ "order": "desc" }))
        .asks("sort it", "order", &json!(["asc", "desc"]));
}

#[test]
fn an_object_is_filled_field_by_field() {
    let object = json!({
        "type": "object",
        "properties": {
            "width": { "type": "integer" },
            "height": { "type": "integer" },
            "day": { "type": "string", "format": "date" },
        },
        "required": ["width", "height"],
    });
    tool(json!({ "size": object }), &["size"])
        .gives("width 30 and height 40", &json!({ "size": { "width": 30, "height": 40 } }))
        .gives("30", &json!({}));
}

#[test]
fn nullable_and_alternative_types_fill_as_their_type() {
    one("count", json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }))
        .gives("give me 7", &json!({ "count": 7 }));
    one("day", json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }] }))
        .gives("tomorrow", &json!({ "day": "2025-11-07" }));
}

#[test]
fn a_file_fills_alone_and_in_lists() {
    one("files", json!({ "type": "array", "items": { "type": "string" } }))
        .gives("stage a.py and src/b.py", &json!({ "files": ["a.py", "src/b.py"] }));
    one("path", json!({ "type": "string" }))
        .gives("open src/main.rs please", &json!({ "path": "src/main.rs" }))
        .asks("open a.py, b.py", "path", &json!(["a.py", "b.py"]));
}

#[test]
fn a_revision_is_what_names_one() {
    one("revision", json!({ "type": "string" }))
        .gives("show HEAD~2", &json!({ "revision": "HEAD~2" }))
        .gives("show a1b2c3d4", &json!({ "revision": "a1b2c3d4" }))
        .gives("show the last commit of somebody", &json!({}));
    one("branch_name", json!({ "type": "string" }))
        .gives("checkout feature/login", &json!({ "branch_name": "feature/login" }))
        .gives("checkout main", &json!({ "branch_name": "main" }))
        .gives("checkout the main branch", &json!({ "branch_name": "main" }))
        .gives("create a branch named dev", &json!({ "branch_name": "dev" }))
        .gives("create a branch", &json!({}));
}

#[test]
fn a_zone_is_what_a_place_has() {
    let zone = json!({ "type": "string", "description": "IANA timezone name" });
    one("timezone", zone.clone())
        .gives("what time is it in Tokyo", &json!({ "timezone": "Asia/Tokyo" }))
        .gives("東京現在幾點", &json!({ "timezone": "Asia/Tokyo" }))
        .gives("what time is it", &json!({}));
}

#[test]
fn free_text_stands_behind_its_verb() {
    one("message", json!({ "type": "string" }))
        .gives(
            "commit with message fix the login test",
            &json!({ "message": "fix the login test" }),
        )
        .gives("commit the staged files", &json!({}));
    let note = || {
        tool(
            json!({ "title": { "type": "string" }, "content": { "type": "string" } }),
            &["title", "content"],
        )
    };
    note().gives(
        "create a note titled Groceries saying buy milk and eggs",
        &json!({ "title": "Groceries", "content": "buy milk and eggs" }),
    );
    tool(
        json!({ "pattern": { "type": "string", "description": "Text to search for" },
            "path": { "type": "string" } }),
        &["pattern", "path"],
    )
    .gives(
        "search for open issues in src/main.rs",
        &json!({ "pattern": "open issues", "path": "src/main.rs" }),
    );
}

#[test]
fn amounts_are_converted_to_the_unit_of_the_schema() {
    one("distance_km", json!({ "type": "number" }))
        .gives("1500 meters", &json!({ "distance_km": 1.5 }))
        .gives("3 km", &json!({ "distance_km": 3 }))
        .gives("20 kg", &json!({}));
}
