//! What is kept of a chat request's tools, by cases.

use serde_json::{Value as Json, json};

use super::*;

/// Twelve tools of three servers.
const TOOLS: [(&str, &str); 12] = [
    ("getForecast", "The weather of a city on a day."),
    ("get_tide", "High and low water at a port."),
    ("stock_price", "The latest price of a share."),
    ("convert_currency", "Converts an amount of money into another currency."),
    ("send_mail", "Sends a mail to somebody."),
    ("search_mail", "Finds mails by sender, subject or words."),
    ("create_issue", "Opens an issue in a repository."),
    ("list_commits", "Lists the commits of a branch, newest first."),
    ("merge_pull_request", "Merges a pull request."),
    ("read_file", "Reads a file of the workspace."),
    ("write_file", "Writes a file of the workspace."),
    ("run_query", "Runs an SQL query on the database."),
];

fn tool(name: &str, description: &str) -> Json {
    json!({ "type": "function", "function": {
        "name": name, "description": description, "parameters": { "type": "object" } } })
}

fn request(messages: &Json) -> Json {
    let tools: Vec<Json> = TOOLS.iter().map(|(name, words)| tool(name, words)).collect();
    json!({ "model": "m", "messages": messages, "tools": tools, "stream": true })
}

/// The bounds within which no more than the likeliest tools are left.
fn only(least: usize) -> Keep {
    Keep { least, missed: 1.0, sharpness: 1.0, in_scope: 0.0 }
}

fn names(pruned: &Pruned) -> Vec<&str> {
    let tools = pruned.request["tools"].as_array().expect("a list");
    tools.iter().filter_map(name).collect()
}

#[test]
fn what_the_last_turns_of_the_user_ask_for_stays() {
    let user = |text: &str| json!([{ "role": "user", "content": text }]);
    for (messages, wanted) in [
        (user("what will the weather be like in Hanoi tomorrow"), "getForecast"),
        (user("when is high water at Keelung"), "get_tide"),
        (user("find the mail that Ada sent me about the budget"), "search_mail"),
        (user("how many rows are in the database"), "run_query"),
        (
            json!([{ "role": "user", "content": [
                { "type": "image_url", "image_url": { "url": "x" } },
                { "type": "text", "text": "open an issue about this" },
            ] }]),
            "create_issue",
        ),
        (
            json!([
                { "role": "system", "content": "You write mails and read files." },
                { "role": "user", "content": "what does a share of that company cost" },
                { "role": "assistant", "content": "It costs 12." },
                { "role": "user", "content": "now merge the pull request" },
            ]),
            "merge_pull_request",
        ),
    ] {
        let pruned = tools(&request(&messages), &only(3));
        let left = names(&pruned);
        assert_eq!(left.len(), 3, "{messages}");
        assert!(left.contains(&wanted), "{messages}: {left:?}");
        assert_eq!((pruned.untouched, pruned.dropped.len()), (None, 9));
        let order: Vec<&str> =
            TOOLS.iter().map(|(name, _)| *name).filter(|name| left.contains(name)).collect();
        assert_eq!(left, order, "in their order");
    }
}

#[test]
fn what_was_used_or_is_named_stays_whatever_it_says() {
    let used = json!([
        { "role": "user", "content": "open an issue" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "create_issue", "arguments": "{}" } } ] },
        { "role": "tool", "tool_call_id": "1", "content": "done" },
        { "role": "assistant", "function_call": { "name": "list_commits", "arguments": "{}" } },
        { "role": "function", "name": "write_file", "content": "done" },
        { "role": "user", "content": "when is high water at Keelung" },
    ]);
    let pruned = tools(&request(&used), &only(4));
    assert_eq!(names(&pruned), ["get_tide", "create_issue", "list_commits", "write_file"]);
    assert_eq!(
        names(&tools(&request(&used), &only(1))),
        ["create_issue", "list_commits", "write_file"]
    );

    let mut chosen = request(&json!([{ "role": "user", "content": "high water at Keelung" }]));
    chosen["tool_choice"] = json!({ "type": "function", "function": { "name": "send_mail" } });
    assert_eq!(names(&tools(&chosen, &only(2))), ["get_tide", "send_mail"]);
    chosen["tool_choice"] = json!({ "type": "allowed_tools", "allowed_tools": {
        "mode": "auto", "tools": [{ "type": "function", "function": { "name": "read_file" } }] } });
    assert_eq!(names(&tools(&chosen, &only(2))), ["get_tide", "read_file"]);
}

#[test]
fn a_tool_that_is_no_function_stays_and_so_do_all_other_fields() {
    let mut request = request(&json!([{ "role": "user", "content": "high water at Keelung" }]));
    let search = json!({ "type": "web_search" });
    request["tools"].as_array_mut().expect("a list").push(search.clone());
    let pruned = tools(&request, &only(2));
    assert_eq!(pruned.request["tools"][1], search);
    assert_eq!(names(&pruned), ["get_tide"]);
    request["tools"] = pruned.request["tools"].clone();
    assert_eq!(pruned.request, request);
    let whole = TOOLS.iter().map(|(name, words)| cost(&tool(name, words))).sum::<usize>();
    assert_eq!(pruned.tokens_kept + pruned.tokens_dropped, whole + cost(&search));
}

#[test]
fn a_request_that_cannot_be_read_stays_as_it_is_and_says_why() {
    let said = json!([{ "role": "user", "content": "high water at Keelung" }]);
    let mut nameless = request(&said);
    nameless["tools"][3] = json!({ "type": "function", "function": { "description": "x" } });
    for (request, least, why) in [
        (json!(5), 3, Untouched::NoTools),
        (json!({ "messages": said, "tools": "x" }), 3, Untouched::NoTools),
        (request(&said), 12, Untouched::Few),
        (nameless, 3, Untouched::Nameless),
        (request(&json!("hello")), 3, Untouched::NoMessages),
        (request(&json!(["hello"])), 3, Untouched::NoMessages),
        (request(&json!([{ "role": "user", "content": "" }])), 3, Untouched::NothingSaid),
        (request(&json!([{ "role": "user", "content": 5 }])), 3, Untouched::NothingSaid),
        (
            request(&json!([{ "role": "user", "content": "qwv plork zindle" }])),
            3,
            Untouched::NothingFits,
        ),
        (
            request(&json!([{ "role": "user", "content": "какая погода завтра" }])),
            3,
            Untouched::Language,
        ),
    ] {
        let pruned = tools(&request, &Keep { least, ..Keep::default() });
        assert_eq!((pruned.untouched, &pruned.request), (Some(why), &request));
        assert!(pruned.dropped.is_empty() && pruned.tokens_dropped == 0 && !why.words().is_empty());
    }
}

#[test]
fn a_question_in_any_language_keeps_the_tool_that_it_needs() {
    for question in [
        "what will the weather be in Hanoi tomorrow",
        "明天河內的天氣如何",
        "明天河内的天气如何",
        "¿qué tiempo hará mañana en Hanói?",
        "thời tiết Hà Nội ngày mai thế nào",
        "wie wird das Wetter morgen in Hanoi",
        "какая погода завтра в Ханое",
        "millainen sää Hanoissa on huomenna",
    ] {
        let said = json!([{ "role": "user", "content": question }]);
        let pruned = tools(&request(&said), &Keep { least: 1, ..Keep::default() });
        assert!(names(&pruned).contains(&"getForecast"), "{question}: {:?}", names(&pruned));
    }
}

#[test]
fn as_many_tools_stay_as_the_ranking_is_unsure_of() {
    let said = json!([{ "role": "user", "content": "when is high water at Keelung" }]);
    let left = |keep: Keep| names(&tools(&request(&said), &keep)).len();
    assert_eq!(left(only(1)), 1);
    assert_eq!(left(only(5)), 5);
    let unsure = left(Keep { missed: 1e-6, ..only(1) });
    assert!(unsure > 1, "{unsure}");
    assert!(left(Keep { missed: 0.1, ..only(1) }) <= unsure);
    assert_eq!(left(Keep { in_scope: 1.1, ..only(1) }), TOOLS.len(), "it is not understood");
}

#[test]
fn a_question_about_a_long_text_counts_before_it_and_behind_it() {
    let long = "All of it was quiet. ".repeat(400);
    for text in
        [format!("merge the pull request\n{long}"), format!("{long}\nmerge the pull request")]
    {
        let said = json!([{ "role": "user", "content": text }]);
        let pruned = tools(&request(&said), &Keep { least: 1, ..Keep::default() });
        assert!(names(&pruned).contains(&"merge_pull_request"), "{:?}", names(&pruned));
    }
}

#[test]
fn what_a_conversation_called_is_found_with_the_request_before_it() {
    let call = |name: &str| {
        json!({ "role": "assistant", "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": name, "arguments": "{}" } } ] })
    };
    let user = json!({ "role": "user", "content": "open an issue" });
    let all = [user.clone(), call("create_issue"), user, call("create_issue"), call("other")];
    let found = called(&request(&json!(all)));
    assert_eq!(
        found,
        [Called { request: request(&json!([all[0]])), tools: vec!["create_issue".to_owned()] }]
    );
}
