//! One engine, many ways in: the same requests give the same decision over each of them, which is that of the golden file.
//!
//! `WAYPOST_UPDATE_SURFACES=1` writes the golden file anew; read what changed before it is kept.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value as Json, json};

use crate::grpc;
use crate::serve::{Serving, Site};
use crate::support::{Home, McpClient};

const PACKS: [&str; 5] = ["ocean", "malaria", "finance", "accelerator", "platform"];
/// The headers of a message of MCP.
const MCP: &[(&str, &str)] =
    &[("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
/// The requests of each pack.
const EACH: usize = 12;

/// A request, and what is decided of it.
#[derive(Debug, Clone)]
struct Asked {
    pack: &'static str,
    /// The fields of the request.
    request: Json,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Requests out of the cases of the packs, at even distances, none with a conversation before it.
fn requests() -> Vec<Asked> {
    let mut asked = Vec::new();
    for pack in PACKS {
        let text = fs::read_to_string(root().join(format!("packs/{pack}/cases.jsonl"))).unwrap();
        let cases: Vec<Json> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let alone: Vec<&Json> = cases
            .iter()
            .filter(|case| {
                case["context"].is_null() && case["session"].is_null() && case["trusted"].is_null()
            })
            .collect();
        for case in alone.iter().step_by(alone.len() / EACH).take(EACH) {
            let mut request = Map::new();
            for field in ["text", "now", "tz"] {
                if case[field].is_string() {
                    request.insert(field.to_owned(), case[field].clone());
                }
            }
            request.entry("now").or_insert(json!("2025-11-06T09:00:00+08:00"));
            asked.push(Asked { pack, request: Json::Object(request) });
        }
    }
    asked
}

/// The core of a decision record, or of the plan of an answer.
fn core(decision: &Json) -> Json {
    let calls: Vec<Json> = decision["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| json!({ "tool": call["tool"], "arguments": call["arguments"] }))
        .collect();
    json!({ "route": decision["route"], "calls": calls, "reason": decision["reason"] })
}

fn with_pack(asked: &Asked) -> Json {
    let mut request = asked.request.clone();
    request["pack"] = json!(asked.pack);
    request
}

fn over_http(site: Site, asked: &Asked) -> Json {
    core(&site.json("POST", "/v1/route", &with_pack(asked)))
}

fn over_chat(site: Site, asked: &Asked) -> Json {
    let messages = json!([{ "role": "user", "content": asked.request["text"] }]);
    let own = json!({ "now": asked.request["now"], "tz": asked.request["tz"] });
    let body =
        json!({ "model": format!("waypost/{}", asked.pack), "messages": messages, "waypost": own });
    core(&site.json("POST", "/v1/chat/completions", &body)["waypost"]["raw"]["plan"])
}

fn over_messages(site: Site, asked: &Asked) -> Json {
    let messages = json!([{ "role": "user", "content": asked.request["text"] }]);
    let own = json!({ "now": asked.request["now"], "tz": asked.request["tz"] });
    let model = format!("waypost/{}", asked.pack);
    let body = json!({ "model": model, "max_tokens": 9, "messages": messages, "waypost": own });
    core(&site.json("POST", "/v1/messages", &body)["waypost"]["raw"]["plan"])
}

fn over_responses(site: Site, asked: &Asked) -> Json {
    let own = json!({ "now": asked.request["now"], "tz": asked.request["tz"] });
    let model = format!("waypost/{}", asked.pack);
    let body = json!({ "model": model, "input": asked.request["text"], "waypost": own });
    core(&site.json("POST", "/v1/responses", &body)["waypost"]["raw"]["plan"])
}

/// The decisions of the command line, all packs' in the order of the requests.
fn over_command_line(home: &Home, asked: &[Asked]) -> Vec<Json> {
    let mut decisions = Vec::new();
    for pack in PACKS {
        let own = asked.iter().filter(|asked| asked.pack == pack);
        let input = own.fold(String::new(), |mut input, asked| {
            let _ = writeln!(input, "{}", asked.request);
            input
        });
        let run = home.run_with(&["route", "--jsonl", "--pack", pack], input.as_bytes());
        decisions.extend(run.ended(0).records().iter().map(core));
    }
    decisions
}

fn over_grpc(site: Site, asked: &Asked) -> Json {
    core(&grpc::route(site.address(), &with_pack(asked)))
}

/// As clients until 2025-11-25 ask: a session begins first.
fn over_mcp_sessions(site: Site, asked: &Asked) -> Json {
    let path = format!("/mcp/{}", asked.pack);
    let client = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let (head, _) = site.exchange("POST", &path, MCP, &rpc("initialize", &params).to_string());
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session begins");
    let headers = [MCP, &[("mcp-session-id", session)]].concat();
    let began = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let (status, body) = site.ask("POST", &path, &headers, &began.to_string());
    assert_eq!(status, 202, "{body}");
    let params = json!({ "name": "router_route", "arguments": asked.request });
    let (status, body) = site.ask("POST", &path, &headers, &rpc("tools/call", &params).to_string());
    assert_eq!(status, 200, "{body}");
    // In a session replies come as events, of which the first has no message.
    let message = body.lines().rev().find_map(|line| line.strip_prefix("data: {"));
    let message = format!("{{{}", message.expect(&body));
    core(&serde_json::from_str::<Json>(&message).unwrap()["result"]["structuredContent"])
}

/// As clients since 2026-07-28 ask: each request says all.
fn over_mcp_stateless(site: Site, asked: &Asked) -> Json {
    let headers = [
        MCP,
        &[
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "router_route"),
        ],
    ]
    .concat();
    let body = rpc("tools/call", &stateless(&asked.request)).to_string();
    let (status, body) = site.ask("POST", &format!("/mcp/{}", asked.pack), &headers, &body);
    assert_eq!(status, 200, "{body}");
    core(&serde_json::from_str::<Json>(&body).unwrap()["result"]["structuredContent"])
}

fn rpc(method: &str, params: &Json) -> Json {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A call as clients since 2026-07-28 make it.
fn stateless(arguments: &Json) -> Json {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "name": "router_route", "arguments": arguments, "_meta": meta })
}

/// Over standard input and output: how a client starts, and the parameters that each request becomes.
fn over_pipe(
    home: &Home,
    asked: &[Asked],
    start: fn(&Home, &[&str]) -> McpClient,
    params: fn(&Json) -> Json,
) -> Vec<Json> {
    let mut decisions = Vec::new();
    for pack in PACKS {
        let mut client = start(home, &["--pack", pack]);
        for asked in asked.iter().filter(|asked| asked.pack == pack) {
            let reply = client.request("tools/call", &params(&asked.request));
            decisions.push(core(&reply["result"]["structuredContent"]));
        }
        client.leave();
    }
    decisions
}

/// A call as clients until 2025-11-25 make it.
fn in_session(arguments: &Json) -> Json {
    json!({ "name": "router_route", "arguments": arguments })
}

/// With numbers as doubles, which are all that some protocols have.
fn in_doubles(value: &Json) -> Json {
    match value {
        Json::Number(number) => json!(number.as_f64()),
        Json::Array(items) => items.iter().map(in_doubles).collect(),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), in_doubles(value)));
            Json::Object(fields.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn the_same_requests_give_the_same_decision_over_every_surface() {
    let asked = requests();
    assert_eq!(asked.len(), PACKS.len() * EACH);
    let home = Home::new();
    let packs: Vec<&str> = PACKS.iter().flat_map(|pack| ["--pack", pack]).collect();
    let serving = Serving::start(&home, &packs);
    let site = serving.site;
    let wanted: Vec<Json> = asked.iter().map(|asked| over_http(site, asked)).collect();
    let of = |over: fn(Site, &Asked) -> Json| asked.iter().map(|asked| over(site, asked)).collect();
    let surfaces: [(&str, Vec<Json>); 9] = [
        ("chat completions", of(over_chat)),
        ("responses", of(over_responses)),
        ("messages", of(over_messages)),
        ("gRPC", of(over_grpc)),
        ("MCP over HTTP, 2025-11-25", of(over_mcp_sessions)),
        ("MCP over HTTP, 2026-07-28", of(over_mcp_stateless)),
        ("MCP over a pipe, 2025-11-25", over_pipe(&home, &asked, McpClient::start, in_session)),
        (
            "MCP over a pipe, 2026-07-28",
            over_pipe(&home, &asked, McpClient::start_stateless, stateless),
        ),
        ("the command line", over_command_line(&home, &asked)),
    ];
    for (surface, decisions) in surfaces {
        assert_eq!(decisions.len(), wanted.len(), "{surface}");
        for ((asked, decided), wanted) in asked.iter().zip(&decisions).zip(&wanted) {
            let (decided, wanted) = (in_doubles(decided), in_doubles(wanted));
            assert_eq!(decided, wanted, "{surface}: {}", asked.request);
        }
    }
    let golden = asked.iter().zip(&wanted).fold(String::new(), |mut text, (asked, decided)| {
        let _ = writeln!(
            text,
            "{}",
            json!({ "pack": asked.pack, "request": asked.request, "decided": decided })
        );
        text
    });
    let path = root().join("spec/surfaces/decisions.jsonl");
    if std::env::var_os("WAYPOST_UPDATE_SURFACES").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &golden).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == golden, "if this is right, write it anew with WAYPOST_UPDATE_SURFACES=1");
}
