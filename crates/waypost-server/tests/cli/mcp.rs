//! `waypost mcp`: its tools, what they accept, and how calls end.

use serde_json::{Value as Json, json};

use crate::odd_servers;
use crate::support::{Home, McpClient, NOW, WAYPOST, server};

fn tool(client: &mut McpClient, name: &str) -> Json {
    let reply = client.request("tools/list", &json!({}));
    let tools = reply["result"]["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 5);
    tools.into_iter().find(|tool| tool["name"] == name).expect(name)
}

#[test]
fn s0_14_the_schema_of_router_answer() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let answer = tool(&mut client, "router_answer");
    let schema = &answer["inputSchema"];
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["properties"]["text"]["minLength"], 1);
    assert_eq!(schema["properties"]["debug"]["default"], false);
    assert_eq!(schema["properties"]["now"]["format"], "date-time");
    // S0-12: it says what it does.
    assert!(answer["description"].as_str().unwrap().contains("in one pass"), "{answer}");
    assert_eq!(answer["outputSchema"]["type"], "object");
    let route = tool(&mut client, "router_route");
    assert!(route["inputSchema"]["properties"]["route"].is_object(), "{route}");
    assert_eq!(client.leave(), 0);
}

#[test]
fn s0_12_router_answer_returns_the_envelope_and_the_words() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let arguments = json!({ "query": "海溫多少", "query_time": NOW });
    let reply = client.call("router.answer", &arguments);
    let result = &reply["result"];
    assert_eq!(result["structuredContent"]["mode"], "clarify");
    let text = result["content"][0]["text"].as_str().unwrap();
    // A client without forms shows the choices.
    assert!(text.contains("\n1. 台灣周遭\n2. 台灣海峽"), "{text}");
    assert_eq!(client.leave(), 0);
}

#[test]
fn the_progress_of_tools_is_passed_on_to_a_client_that_asks_for_it() {
    let mut client = McpClient::start(&Home::with_fault("steps:20"), &[]);
    let arguments = json!({ "query": "現在台灣周遭海溫多少？", "query_time": NOW });
    let mut ask = |meta: Json| {
        let params = json!({ "name": "router.answer", "arguments": arguments, "_meta": meta });
        let id = client.begin("tools/call", &params);
        let mut messages = client.all_until(id);
        assert_eq!(messages.pop().unwrap()["result"]["structuredContent"]["mode"], "tool");
        messages
    };
    let reports = ask(json!({ "progressToken": "p" }));
    // The day has no data, and the day before is asked for: what it reports again is not passed on.
    let done: Vec<&Json> = reports.iter().map(|report| &report["params"]["progress"]).collect();
    assert_eq!(done, [1.0, 2.0, 3.0, 4.0, 5.0].map(|n| json!(n)).iter().collect::<Vec<_>>());
    for report in &reports {
        assert_eq!(report["method"], "notifications/progress");
        assert_eq!(
            (&report["params"]["progressToken"], &report["params"]["total"]),
            (&json!("p"), &json!(5.0))
        );
    }
    assert_eq!(reports[0]["params"]["message"], "ghrsst.bbox_mean: step 1");
    assert!(ask(json!({})).is_empty());
    assert_eq!(client.leave(), 0);
}

#[test]
fn router_route_returns_the_record_and_runs_nothing() {
    let home = Home::with_config(&server(&["/nonexistent"]));
    let mut client = McpClient::start(&home, &[]);
    let arguments = json!({ "query": "現在台灣周遭海溫多少？", "query_time": NOW });
    let reply = client.call("router.route", &arguments);
    let decision = &reply["result"]["structuredContent"];
    assert_eq!(decision["decision"], "run", "{reply}");
    assert_eq!(decision["calls"][0]["arguments"]["date"], "2025-11-06");
    let declared = json!({ "query": "台灣海溫", "route": "explain", "query_time": NOW });
    let reply = client.call("router.route", &declared);
    assert_eq!(reply["result"]["structuredContent"]["layer"], "declared");
    assert_eq!(client.leave(), 0);
}

#[test]
fn what_cannot_be_read_is_an_error_with_code_and_hint() {
    let mut client = McpClient::start(&Home::new(), &[]);
    for (arguments, words) in [
        (json!({ "query": "x", "qury": 1 }), "`qury`"),
        (json!({ "text": 5 }), "`text` is `5`"),
        (json!({ "query": "x", "debug": "yes" }), "`debug`"),
        (json!({ "query": "" }), "no `text`"),
        (json!({}), "no `text`"),
        (json!({ "query": "x", "query_time": "soon" }), "`query_time` is `soon`"),
        (json!({ "query": "x", "tz": "Mars/Base" }), "`Mars/Base`"),
        (json!({ "query": "x", "route": "explain" }), "`route`"),
        (json!({ "query": "x".repeat(70_000) }), "the limit is"),
    ] {
        let reply = client.call("router.answer", &arguments);
        let result = &reply["result"];
        assert_eq!(result["isError"], true, "{arguments}: {reply}");
        let fault = &result["structuredContent"]["error"];
        assert_eq!(fault["code"], "INVALID_ARGUMENT");
        assert!(fault["message"].as_str().unwrap().contains(words), "{reply}");
        assert!(fault["hint"].is_string(), "{reply}");
    }
    let reply = client.call("router.anwser", &json!({ "query": "x" }));
    assert!(reply["error"]["message"].as_str().unwrap().contains("did you mean `router_answer`"));
    assert_eq!(client.leave(), 0);
}

#[test]
fn s0_35_a_failed_upstream_is_an_answer_and_no_error_of_the_call() {
    let home = Home::with_config(&server(&["/nonexistent"]));
    let mut client = McpClient::start(&home, &[]);
    let arguments = json!({ "query": "現在台灣周遭海溫多少？", "query_time": NOW });
    let reply = client.call("router.answer", &arguments);
    assert_ne!(reply["result"]["isError"], true, "{reply}");
    let answer = &reply["result"]["structuredContent"];
    assert_eq!(
        (&answer["mode"], &answer["error"]["code"]),
        (&json!("error"), &json!("UNAVAILABLE"))
    );
    assert_eq!(client.leave(), 0);
}

#[test]
fn several_lines_are_one_query() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let query = "幫我把以下 JSON 轉 CSV 的 Python\n\n{\"a\": 1,\n \"b\": 2}\n";
    let reply = client.call("router.answer", &json!({ "query": query, "query_time": NOW }));
    assert_eq!(reply["result"]["structuredContent"]["mode"], "code");
    assert_eq!(client.leave(), 0);
}

#[test]
fn sessions_are_the_callers_and_kept_apart() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let mut ask = |session: &str, query: &str| {
        let arguments = json!({ "query": query, "query_time": NOW, "session": session });
        client.call("router.answer", &arguments)["result"]["structuredContent"].clone()
    };
    ask("a", "現在台灣海峽海溫多少？");
    assert_eq!(ask("a", "那昨天呢")["raw"]["plan"]["calls"][0]["arguments"]["date"], "2025-11-05");
    assert_ne!(ask("b", "那昨天呢")["mode"], "tool", "R0.4: LAST_PLAN");
    assert_eq!(client.leave(), 0);
}

#[test]
fn the_zone_of_the_caller_decides_the_day() {
    let mut client = McpClient::start(&Home::new(), &[]);
    // Still the day before in Honolulu.
    let query = "Hawaiian Islands SST today";
    let arguments = json!({ "query": query, "query_time": NOW, "tz": "Pacific/Honolulu" });
    let reply = client.call("router.route", &arguments);
    let call = &reply["result"]["structuredContent"]["calls"][0];
    assert_eq!(call["arguments"]["date"], "2025-11-05", "{reply}");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_cancelled_call_ends_and_the_next_is_answered() {
    let fault = ["--fault", "delay:60000"];
    let demo = [WAYPOST, "demo", "ocean", "--now", NOW];
    let home = Home::with_config(&server(&[&demo[..], &fault].concat()));
    let mut client = McpClient::start(&home, &[]);
    let arguments = json!({ "query": "現在台灣周遭海溫多少？", "query_time": NOW });
    let slow =
        client.begin("tools/call", &json!({ "name": "router.answer", "arguments": arguments }));
    let cancelled = json!({ "requestId": slow, "reason": "the user left" });
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }),
    );
    // Answered while, or after, the slow one ends; a held place would never let it.
    let reply = client.call("router.route", &json!({ "query": "海溫", "query_time": NOW }));
    assert_ne!(reply["result"]["isError"], true);
    let began = std::time::Instant::now();
    assert_eq!(client.leave(), 0);
    assert!(began.elapsed().as_secs() < 20, "upstream work was not stopped");
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let arguments = json!({ "query": "台灣周遭海溫", "query_time": NOW });
    let params = json!({ "name": "router.route", "arguments": arguments });
    let ids: Vec<u64> = (0..40).map(|_| client.begin("tools/call", &params)).collect();
    // Replies come in any order.
    let mut left: std::collections::BTreeSet<u64> = ids.into_iter().collect();
    while !left.is_empty() {
        left.remove(&client.next_id());
    }
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_client_that_leaves_at_once_is_no_fault() {
    let run = Home::new().run(&["mcp"]);
    run.ended(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn something_that_is_not_mcp_ends_with_a_hint_or_is_ignored() {
    let run = Home::new().run_with(&["mcp"], b"hello\n");
    assert!([0, 1].contains(&run.status), "{run:?}");
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

#[test]
fn an_agent_finds_describes_and_calls_tools() {
    let mut client = McpClient::start(&Home::new(), &[]);
    let found = client.call("tools_search", &json!({ "query": "when is high tide", "limit": 2 }));
    let tools = found["result"]["structuredContent"]["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "tide.forecast", "{found}");
    assert!(tools.len() <= 2, "{found}");
    assert!(tools[0]["schema"].is_null() && tools[0]["score"].is_number(), "{found}");
    let names = json!({ "names": ["tide.forecast", "tide.forcast"] });
    let described = client.call("tools_describe", &names)["result"]["structuredContent"].clone();
    assert_eq!(described["tools"][0]["schema"]["type"], "object", "{described}");
    assert_eq!(described["unknown"][0]["hint"], "did you mean `tide.forecast`?", "{described}");

    let keelung = json!({ "longitude": 121.75, "latitude": 25.15, "tz": "Asia/Taipei", "date": "2025-11-06" });
    let called =
        client.call("tools_call", &json!({ "name": "tide.forecast", "arguments": keelung }));
    let plan = &called["result"]["structuredContent"]["raw"]["plan"];
    assert_eq!((&plan["outcome"], &plan["layer"]), (&json!("run"), &json!("declared")), "{called}");
    let evidence = &plan["calls"][0]["evidence"]["date"];
    assert_eq!(evidence["source"], "caller", "{called}");
    for (arguments, words) in [
        (json!({ "name": "tide.forcast" }), "has no tool `tide.forcast`"),
        (json!({ "name": "tide.forecast", "arguments": { "lat": 1 } }), "has no argument `lat`"),
    ] {
        let reply = client.call("tools_call", &arguments);
        let fault = &reply["result"]["structuredContent"]["error"];
        assert_eq!(fault["code"], "INVALID_ARGUMENT", "{reply}");
        assert!(fault["message"].as_str().unwrap().contains(words), "{reply}");
    }
    assert_eq!(client.leave(), 0);
}

/// The names of the tools that a search finds, and what is said of it.
fn searched(client: &mut McpClient, query: &str) -> (Vec<String>, String) {
    let result = client.call("tools_search", &json!({ "query": query }))["result"].clone();
    let name = |tool: &Json| tool["name"].as_str().unwrap().to_owned();
    let names = result["structuredContent"]["tools"].as_array().unwrap().iter().map(name).collect();
    (names, result["content"][0]["text"].as_str().unwrap().to_owned())
}

/// Nothing is found for a text, and all tools are listed for an empty one.
fn finds_nothing(client: &mut McpClient, query: &str) {
    let (names, said) = searched(client, query);
    assert_eq!(names, [""; 0], "{query}");
    assert!(said.contains("no tool fits") && said.contains("an empty query"), "{query}: {said}");
}

#[test]
fn a_search_may_find_nothing_and_an_empty_one_lists_all_tools() {
    let mut client = McpClient::start(&Home::new(), &[]);
    for query in ["xyzzy", "book a flight", "turn on the kitchen lights"] {
        finds_nothing(&mut client, query);
    }
    assert_eq!(searched(&mut client, " ").0.len(), 4);
    assert_eq!(searched(&mut client, "high water").0[0], "tide.forecast");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_search_over_a_git_server_finds_what_shares_a_telling_word_alone() {
    const GIT: &str = r#"
TOOLS = [tool("git_status", "Shows the working tree status"),
         tool("git_diff_unstaged", "Shows changes in the working directory that are not yet staged"),
         tool("git_diff_staged", "Shows changes that are staged for commit"),
         tool("git_commit", "Records changes to the repository", {"message": {"type": "string"}}),
         tool("git_add", "Adds file contents to the staging area", {"files": {"type": "array", "items": {"type": "string"}}}),
         tool("git_reset", "Unstages all staged changes"),
         tool("git_log", "Shows the commit logs"),
         tool("git_create_branch", "Creates a new branch from an optional base branch", {"branch_name": {"type": "string"}}),
         tool("git_checkout", "Switches branches", {"branch_name": {"type": "string"}}),
         tool("git_branch", "List Git branches")]
"#;
    let home = Home::new();
    let mut client = McpClient::start(&home, &["--mcp", &odd_servers::server(&home, GIT)]);
    for query in ["book a flight", "order a pizza", "send an email to the team", "call my mother"] {
        finds_nothing(&mut client, query);
    }
    for (query, wanted) in [
        ("a new branch for the bugfix", "git_create_branch"),
        ("switch to main", "git_checkout"),
        ("the commit history", "git_log"),
        ("which branches are there", "git_branch"),
        ("建立分支", "git_create_branch"),
        ("throw away what is staged", "git_reset"),
    ] {
        let (names, said) = searched(&mut client, query);
        assert!(names.iter().any(|name| name == wanted), "{query}: {said}");
    }
    assert_eq!(searched(&mut client, "").0.len(), 10);
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_search_over_hundreds_of_tools_finds_none_that_is_not_there() {
    const CHARTS: &str = r#"
KINDS = ["bar", "line", "pie", "area", "radar", "scatter", "bubble", "funnel", "gauge", "heat"]
DEEDS = [("draw", "Draws a {} chart of a table."), ("set_title_of", "Sets the title of a {} chart."),
         ("color", "Changes the colors of a {} chart."), ("export", "Exports a {} chart as a picture."),
         ("delete", "Deletes a {} chart."), ("share", "Shares a {} chart with other people by its link."),
         ("sort", "Sets the order of the values of a {} chart."), ("legend_of", "Shows or hides the legend of a {} chart."),
         ("zoom", "Zooms a part of a {} chart."), ("copy", "Copies a {} chart to another page.")]
TOOLS = [tool(f"{deed}_{kind}_chart_{size}", words.format(f"{size} {kind}")) for deed, words in DEEDS for kind in KINDS for size in ("small", "wide", "tall")]
"#;
    let home = Home::new();
    let mut client = McpClient::start(&home, &["--mcp", &odd_servers::server(&home, CHARTS)]);
    for query in [
        "send gmail email",
        "send an email to the team",
        "order a pizza",
        "set an alarm for seven",
        "book a flight",
        "xyzzy",
    ] {
        finds_nothing(&mut client, query);
    }
    for (query, part) in [
        ("export the pie chart", "export_pie"),
        ("hide the legend", "legend_of"),
        ("funnel", "funnel"),
    ] {
        let (names, said) = searched(&mut client, query);
        assert!(names.first().is_some_and(|name| name.contains(part)), "{query}: {said}");
    }
    assert_eq!(searched(&mut client, "").0.len(), 300);
    assert_eq!(client.leave(), 0);
}

#[test]
fn s2_6_a_full_schema_has_parameters_results_and_examples() {
    let mut client = McpClient::start(&Home::new(), &["--pack", "finance"]);
    let names = json!({ "names": ["getStockPrice", "getBalanceSheet"] });
    let described = client.call("tools_describe", &names)["result"]["structuredContent"].clone();
    let tools = described["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 2, "{described}");
    for tool in tools {
        assert!(tool["schema"]["properties"]["symbol"]["description"].is_string(), "{tool}");
        assert!(tool["returns"].as_str().unwrap().starts_with("Returns "), "{tool}");
        assert!(!tool["examples"].as_array().unwrap().is_empty(), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 100, "{tool}");
    }
    assert_eq!(client.leave(), 0);
}
