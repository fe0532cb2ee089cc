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
