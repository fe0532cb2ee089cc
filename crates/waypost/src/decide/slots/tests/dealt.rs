//! The one assignment: what is a tie, a list, a code, a count.

use serde_json::json;

use super::tool;

#[test]
fn an_or_offers_both_of_its_sides_and_nothing_else() {
    let number = json!({ "type": "integer" });
    tool(json!({ "household_size": number }), &["household_size"])
        .asks("households of 5 or 6", "household_size", &json!([5, 6]))
        .asks("household size 5 or 6", "household_size", &json!([5, 6]));
    // What is optional is asked about too, where a pack describes it.
    tool(json!({ "size": number, "nets": { "type": "integer", "minimum": 100 } }), &["nets"])
        .annotated(&json!({ "size": { "soft": [1, 20] }, "nets": { "soft": [100, 1_000_000] } }))
        .asks("distribute 100000 and 5 or 6", "size", &json!([5, 6]));
}

#[test]
fn a_code_keeps_its_letters_and_fills_what_is_named_for_it() {
    let id = json!({ "type": "string" });
    tool(json!({ "wallet_id": id }), &["wallet_id"])
        .gives("show wallet w-12", &json!({ "wallet_id": "w-12" }))
        .gives("show wallet usr:9", &json!({ "wallet_id": "usr:9" }))
        .gives("show wallet id:9", &json!({ "wallet_id": "9" }))
        .gives("show wallet #12", &json!({ "wallet_id": "12" }))
        .asks("cancel it for the F1 race", "wallet_id", &json!(["F1"]));
    tool(json!({ "customer_id": id, "limit": { "type": "integer" } }), &[])
        .gives("orders, limit:5", &json!({ "limit": 5 }))
        .gives("orders of the F1 team", &json!({}))
        .gives("papers about covid-19", &json!({}));
}

#[test]
fn a_list_has_all_its_items_or_is_asked_about() {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    tool(json!({ "photo_ids": list }), &["photo_ids"])
        .gives("tag photos a-1, b-2 and c-3", &json!({ "photo_ids": ["a-1", "b-2", "c-3"] }))
        .gives("標記 a-1、b-2 和 c-3", &json!({ "photo_ids": ["a-1", "b-2", "c-3"] }))
        .gives("tag photos 17 and imap:ana", &json!({ "photo_ids": ["17", "imap:ana"] }))
        .gives("tag photos 17, 18 and x19", &json!({ "photo_ids": ["17", "18", "x19"] }))
        .asks("tag photos a-1, work and b-2", "photo_ids", &json!([]));
    tool(json!({ "branches": list }), &["branches"])
        .gives("merge branches main and dev", &json!({ "branches": ["main", "dev"] }));
    let numbers = json!({ "type": "array", "items": { "type": "integer" } });
    let precision = json!({ "type": "integer" });
    tool(json!({ "numbers": numbers, "precision": precision }), &["numbers"])
        .gives("sum the numbers 3 5 8", &json!({ "numbers": [3, 5, 8] }))
        .gives("sum 3, 5 and 8", &json!({ "numbers": [3, 5, 8] }));
    tool(json!({ "values": numbers, "weights": numbers }), &["values"])
        .gives("the values 3, 5 and 8, rounded to 2 places", &json!({ "values": [3, 5, 8] }));
}

#[test]
fn a_number_arrives_as_it_was_written() {
    let whole = json!({ "type": "integer" });
    tool(json!({ "account": whole }), &["account"])
        .gives("account 9,007,199,254,740,993", &json!({ "account": 9_007_199_254_740_993_u64 }))
        .gives("account 9007199254740993", &json!({ "account": 9_007_199_254_740_993_u64 }));
    tool(json!({ "numbers": { "type": "array", "items": whole } }), &["numbers"]).gives(
        "sum 9007199254740993, 9007199254740995",
        &json!({ "numbers": [9_007_199_254_740_993_u64, 9_007_199_254_740_995_u64] }),
    );
    tool(json!({ "ratio": { "type": "number" } }), &["ratio"])
        .gives("ratio 0.12345678912", &json!({ "ratio": 0.123_456_789_12 }))
        .gives("ratio 1234.5678901234", &json!({ "ratio": 1_234.567_890_123_4 }));
}

#[test]
fn a_number_with_its_word_or_sign_is_one_and_a_caption_is_none() {
    let number = json!({ "type": "integer" });
    tool(json!({ "number": number }), &[])
        .gives("ticket number 42", &json!({ "number": 42 }))
        .gives("ticket #42", &json!({ "number": 42 }))
        .gives("see [Image #1]", &json!({}));
}

#[test]
fn a_count_before_the_noun_of_the_tool_is_its_limit_and_no_price() {
    let number = json!({ "type": "integer" });
    tool(json!({ "limit": number }), &[]).gives("the first 5 tools", &json!({ "limit": 5 }));
    tool(json!({ "max_price": number }), &[]).gives("find 3 tools", &json!({}));
}

#[test]
fn what_is_said_twice_is_one_value() {
    let mail = json!({ "type": "string", "format": "email" });
    tool(json!({ "boss": mail }), &["boss"])
        .gives("ada@example.org, I mean ada@example.org", &json!({ "boss": "ada@example.org" }));
    let number = json!({ "type": "integer" });
    tool(json!({ "base": number, "factor": number }), &["base", "factor"]).asks(
        "multiply 5 by 5",
        "factor",
        &json!([5]),
    );
}
