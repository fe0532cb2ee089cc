//! What pruning would have left out of a log of requests.

use std::fs;

use serde_json::{Value as Json, json};

use crate::support::Home;

/// The names of forty tools, of which the last tells the weather.
fn tools(form: fn(&str, &str) -> Json) -> Vec<Json> {
    let others =
        (1..40).map(|number| form(&format!("ledger_entry_{number}"), "An entry of a ledger."));
    others.chain([form("get_forecast", "The weather of a city on a day.")]).collect()
}

fn of_openai(name: &str, description: &str) -> Json {
    json!({ "type": "function", "function": { "name": name, "description": description } })
}

fn of_anthropic(name: &str, description: &str) -> Json {
    json!({ "name": name, "description": description, "input_schema": { "type": "object" } })
}

fn of_responses(name: &str, description: &str) -> Json {
    json!({ "type": "function", "name": name, "description": description })
}

/// Runs the check over these lines.
fn check(lines: &[Json]) -> (i32, String) {
    let home = Home::new();
    let log: Vec<String> = lines.iter().map(Json::to_string).collect();
    home.write("log.jsonl", &log.join("\n"));
    let path = home.path("log.jsonl");
    let run = home.run(&["prune", "--check", path.to_str().unwrap()]);
    (run.status, run.stdout)
}

#[test]
fn a_log_of_any_protocol_is_checked_against_the_calls_of_its_answers() {
    let asked = "what will the weather be in Hanoi tomorrow";
    let said = json!([{ "role": "user", "content": asked }]);
    let call = json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": "1", "type": "function", "function": { "name": "get_forecast", "arguments": "{}" } } ] });
    for line in [
        json!({ "request": { "model": "m", "messages": said, "tools": tools(of_openai) },
            "response": { "choices": [{ "message": call }] } }),
        json!({ "request": { "model": "m", "messages": said, "tools": tools(of_anthropic) },
            "response": { "content": [{ "type": "tool_use", "id": "1", "name": "get_forecast", "input": {} }] } }),
        json!({ "request": { "model": "m", "input": asked, "tools": tools(of_responses) },
            "response": { "output": [{ "type": "function_call", "call_id": "1", "name": "get_forecast", "arguments": "{}" }] } }),
        // A later request holds the calls before it.
        json!({ "model": "m", "messages": [said[0], call], "tools": tools(of_openai) }),
    ] {
        let (status, told) = check(&[line.clone(), line]);
        assert_eq!(status, 0, "{told}");
        assert!(told.starts_with("1 of 1 called tools left (100.0%), with "), "{told}");
    }
}

#[test]
fn a_log_that_calls_what_was_not_asked_for_says_so() {
    // The model calls what no word of the conversation speaks of.
    let line = json!({
        "request": {
            "model": "m", "tools": tools(of_openai),
            "messages": [{ "role": "user", "content": "show me the ledger entry" }],
        },
        "response": { "choices": [{ "message": { "role": "assistant", "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "get_forecast", "arguments": "{}" } } ] } }] },
    });
    let (status, told) = check(&[line]);
    assert_eq!(status, 1, "{told}");
    let [missed, all] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert!(missed.starts_with("line 1: `get_forecast` is not among the "), "{told}");
    assert!(all.starts_with("0 of 1 called tools left (0.0%), with "), "{told}");
}

#[test]
fn a_line_that_is_no_request_is_told_with_its_place() {
    let home = Home::new();
    let path = home.path("log.jsonl");
    for bad in [&b"nonsense"[..], b"\xff"] {
        fs::write(&path, [b"{}\n", bad].concat()).unwrap();
        let run = home.run(&["prune", "--check", path.to_str().unwrap()]);
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert!(run.stderr.contains("log.jsonl:2"), "{}", run.stderr);
    }
}

#[test]
fn equal_words_with_other_tools_are_counted_apart() {
    let line = |tools: Vec<Json>| {
        json!({ "request": { "model": "m", "tools": tools,
                "messages": [{ "role": "user", "content": "what will the weather be in Hanoi tomorrow" }] },
            "response": { "choices": [{ "message": { "role": "assistant", "tool_calls": [
                { "id": "1", "type": "function", "function": { "name": "get_forecast", "arguments": "{}" } } ] } }] } })
    };
    let all = tools(of_openai);
    let (_, told) = check(&[line(all.clone()), line(all[20..].to_vec()), line(all)]);
    assert!(told.starts_with("2 of 2 called tools left"), "{told}");
}
