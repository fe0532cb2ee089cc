//! The results of every MCP tool.

use serde_json::json;

use super::{Goldens, PACK, home};
use crate::support::{McpClient, NOW};

#[test]
fn every_tool_of_the_mcp_server_answers_as_its_golden_file() {
    let home = home();
    let mut client = McpClient::start(&home, &["--pack", PACK]);
    let mut goldens = Goldens::default();
    let mut add = |file: &str, example: &str, reply: serde_json::Value| {
        let kept = reply.get("result").or(reply.get("error")).expect("a result or an error");
        goldens.add(&home, file, example, kept.clone());
    };
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    add("initialize", "result", client.request("initialize", &hello));
    let tools = client.request("tools/list", &json!({}));
    add("tools-list", "result", tools.clone());
    let ask = |query: &str| json!({ "query": query, "query_time": NOW });
    add("router_answer", "tool", client.call("router.answer", &ask("tide at Keelung")));
    add("router_answer", "clarify", client.call("router.answer", &ask("tide")));
    add("router_answer", "error", client.call("router.answer", &json!({ "query": "" })));
    add("router_route", "run", client.call("router.route", &ask("tide at Keelung")));
    let refused = client.call("router.route", &ask("share price of a company"));
    add("router_route", "refuse", refused);
    add("router_route", "error", client.call("router.route", &json!({ "query": 5 })));
    let search = |query: &str| json!({ "query": query, "limit": 1 });
    add("tools_search", "found", client.call("tools_search", &search("high water")));
    add(
        "tools_search",
        "error",
        client.call("tools_search", &json!({ "query": "x", "limit": 99 })),
    );
    let names = |names: &[&str]| json!({ "names": names });
    add("tools_describe", "one", client.call("tools_describe", &names(&["tide.forecast"])));
    let unknown = client.call("tools_describe", &names(&["tide.forecast", "tide"]));
    add("tools_describe", "one that is not known", unknown);
    add("tools_describe", "error", client.call("tools_describe", &names(&["tide"])));
    let keelung = json!({ "longitude": 121.75, "latitude": 25.15, "tz": "Asia/Taipei", "date": "2025-11-06" });
    let call =
        |arguments: &serde_json::Value| json!({ "name": "tide.forecast", "arguments": arguments });
    add("tools_call", "tool", client.call("tools_call", &call(&keelung)));
    add("tools_call", "clarify", client.call("tools_call", &call(&json!({ "tz": "UTC" }))));
    add("tools_call", "error", client.call("tools_call", &call(&json!({ "day": "today" }))));
    add("error", "no such tool", client.call("router.anwser", &json!({ "query": "x" })));
    for tool in tools["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(goldens.0.contains_key(name), "{name} has no golden file");
    }
    assert_eq!(client.leave(), 0);
    goldens.check("mcp");
}
