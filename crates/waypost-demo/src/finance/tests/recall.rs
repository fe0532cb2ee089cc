//! What is remembered of each user.

use serde_json::{Value, json};

use super::super::{Memory, recall};
use super::{call, context, filled, number, refused, reply_in, texts};
use crate::server;

#[test]
fn facts_are_remembered_and_forgotten() {
    let context = context();
    let edit = |arguments: Value| reply_in("memoryUserEdits", &arguments, &context);
    let done = |arguments: Value| edit(arguments).expect("a result").result;
    let before = done(json!({"command": "view"}));
    assert_eq!(before["changed"], Value::Null);
    let fact = json!({"command": "add", "content": "Holds 20 shares of AAPL", "category": "fact"});
    let added = done(fact);
    let line = added["changed"]["line"].clone();
    assert_eq!(added["total_count"], number(&before["total_count"]) as u64 + 1);
    let found = |query: &str| {
        let ask = json!({"query": query, "include_global": false});
        let reply = reply_in("searchArchivalMemory", &ask, &context).expect("a result");
        texts(&reply.result["results"], "text")
    };
    assert_eq!(found("shares of AAPL"), ["Holds 20 shares of AAPL"]);
    let text = "Holds 30 shares of AAPL";
    let replaced = done(json!({"command": "replace", "line_number": line, "replacement": text}));
    let before_it = json!({"line": line, "text": "Holds 20 shares of AAPL"});
    assert_eq!(replaced["changed"], before_it);
    assert!(replaced["message"].as_str().is_some_and(|message| message.contains(text)));
    assert_eq!(found("shares of AAPL"), [text]);
    let removed = done(json!({"command": "remove", "line_number": line}));
    assert_eq!(removed["edits"], before["edits"]);
    for (arguments, code) in [
        (json!({"command": "remove"}), "INVALID_ARGUMENT"),
        (json!({"command": "add"}), "INVALID_ARGUMENT"),
        (json!({"command": "replace", "line_number": 1}), "INVALID_ARGUMENT"),
        (json!({"command": "remove", "line_number": 99}), "NOT_FOUND"),
        (json!({"command": "add", "content": "x".repeat(201)}), "INVALID_ARGUMENT"),
    ] {
        assert_eq!(edit(arguments).expect_err("should be refused").code, code);
    }
    assert_eq!(done(json!({"command": "view"})), before);
    assert_eq!(
        Memory::default().facts("ana").len(),
        before["edits"].as_array().map_or(0, Vec::len)
    );
}

#[test]
fn no_user_sees_what_another_told() {
    let context = context();
    let edits = |user: &str, more: Value| {
        let mut arguments = more;
        arguments["user_id"] = json!(user);
        let reply = reply_in("memoryUserEdits", &arguments, &context).expect("a result");
        texts(&reply.result["edits"], "text")
    };
    let first = edits("ben", json!({"command": "view"}));
    edits("ana", json!({"command": "add", "content": "Likes green tea"}));
    edits("ben", json!({"command": "remove", "line_number": 1}));
    let view = || json!({"command": "view"});
    assert_eq!(edits("ana", view()), [&first[..], &["Likes green tea".to_owned()]].concat());
    assert_eq!(edits("ben", view()), first[1..]);
    assert_eq!(edits("cy", view()), first, "everybody begins with the same");
    let found = |user: &str| {
        let ask = json!({"query": "green tea", "user_id": user});
        let reply = reply_in("searchArchivalMemory", &ask, &context).expect("a result");
        reply.result["total_found"].clone()
    };
    assert_eq!(["ana", "ben"].map(found), [json!(1), json!(0)]);
}

#[test]
fn a_memory_needs_the_name_of_its_user() {
    for tool in recall::tools() {
        let mut arguments = filled(&tool, &json!({"query": "tea", "command": "view"}));
        arguments
            .retain(|name, _| name != "user_id" && tool.input["properties"].get(name).is_some());
        let refused = server::call(&tool, &arguments, &context()).expect_err("no user");
        assert!(refused.message.contains("lacks `user_id`"), "{}: {}", tool.name, refused.message);
    }
}

#[test]
fn conversations_are_found_by_time_and_topic() {
    let recent = call("getRecentConversations", json!({"n": 3}));
    assert_eq!((&recent["total_returned"], &recent["has_more"]), (&json!(3), &json!(true)));
    let days = texts(&recent["conversations"], "date");
    assert!(days.windows(2).all(|two| two[0] >= two[1]));
    let span = json!({"after": "2025-11-05", "before": "2025-11-05"});
    let yesterday = call("getRecentConversations", span.clone());
    assert_eq!(texts(&yesterday["conversations"], "title"), ["Bitcoin and Ethereum"]);
    let ask = json!({"query": "bitcoin", "date_range": span});
    let found = call("searchConversationHistory", ask);
    assert_eq!(texts(&found["results"], "title"), ["Bitcoin and Ethereum"]);
    let recall = |timeframe: &str| {
        call("searchRecallMemory", json!({"query": "AAPL earnings", "timeframe": timeframe}))
    };
    assert_eq!(recall("last_day")["total_found"], 0);
    assert_eq!(recall("last_week")["results"][0]["title"], "Apple earnings");
    let usual = call("searchRecallMemory", json!({"query": "AAPL"}));
    assert_eq!(usual["timeframe_applied"], "last_week");
    refused("getRecentConversations", json!({"after": "soon"}), "INVALID_ARGUMENT", "`after`");
}
