//! Which of two values of a kind goes where.

use serde_json::json;

use super::tool;

#[test]
fn numbers_go_where_their_words_stand() {
    let number = json!({ "type": "number" });
    tool(json!({ "base": number, "height": number }), &["base", "height"])
        .gives("a triangle of base 10 and height 5", &json!({ "base": 10, "height": 5 }))
        .gives("height 5, base 10", &json!({ "base": 10, "height": 5 }))
        .asks("a triangle of 10 and 5", "base", &json!([10, 5]));
}

#[test]
fn arguments_of_a_series_take_their_values_in_order() {
    let number = json!({ "type": "integer" });
    tool(json!({ "a": number, "b": number }), &["a", "b"])
        .gives("greatest common divisor of 12 and 15", &json!({ "a": 12, "b": 15 }));
    let mail = json!({ "type": "string", "format": "email" });
    tool(json!({ "mail1": mail, "mail2": mail }), &["mail1", "mail2"]).gives(
        "ada@example.org, bob@example.org",
        &json!({ "mail1": "ada@example.org", "mail2": "bob@example.org" }),
    );
}

#[test]
fn two_that_nothing_tells_apart_are_asked_about() {
    let mail = json!({ "type": "string", "format": "email" });
    let both = json!(["ada@example.org", "bob@example.org"]);
    tool(json!({ "boss": mail, "assistant": mail }), &["boss", "assistant"])
        .asks("ada@example.org, bob@example.org", "boss", &both)
        .gives(
            "boss ada@example.org, assistant bob@example.org",
            &json!({ "boss": "ada@example.org", "assistant": "bob@example.org" }),
        );
}

#[test]
fn the_words_around_a_value_say_its_role_in_five_languages() {
    let zone = json!({ "type": "string", "description": "IANA timezone name" });
    let convert = tool(
        json!({ "source_timezone": zone, "target_timezone": zone }),
        &["source_timezone", "target_timezone"],
    );
    let berlin = json!({
        "source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo",
    });
    for text in [
        "convert it from Berlin to Tokyo",
        "to Tokyo from Berlin",
        "從柏林到東京",
        "从柏林到东京",
        "từ Berlin đến Tokyo",
        "de Berlín a Tokio",
    ] {
        convert.gives(text, &berlin);
    }
    convert.asks("Berlin, Tokyo", "source_timezone", &json!(["Europe/Berlin", "Asia/Tokyo"]));
}

#[test]
fn what_is_renamed_is_the_source_and_what_it_becomes_the_target() {
    let path = json!({ "type": "string" });
    tool(
        json!({ "path": path, "destination": { "type": "string", "description": "The new path" } }),
        &["path", "destination"],
    )
    .gives("move a.py to b.py", &json!({ "path": "a.py", "destination": "b.py" }))
    .gives("把 a.py 改名為 b.py", &json!({ "path": "a.py", "destination": "b.py" }));
}

#[test]
fn names_go_by_their_roles_too() {
    let city = json!({ "type": "string", "description": "A city" });
    let flight = tool(
        json!({ "origin_city": city, "destination_city": city }),
        &["origin_city", "destination_city"],
    );
    flight
        .gives(
            "flights from Berlin to New York",
            &json!({ "origin_city": "Berlin", "destination_city": "New York" }),
        )
        .asks("flights Berlin, New York", "origin_city", &json!(["Berlin, New York"]));
}
