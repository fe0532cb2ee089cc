//! One engine, many ways in: the same requests give the same decision over each of them, which is that of the golden file.
//!
//! `WAYPOST_UPDATE_SURFACES=1` writes the golden file anew; read what changed before it is kept.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value as Json, json};

use crate::serve::{Serving, Site};
use crate::support::{Home, McpClient};

const PACKS: [&str; 5] = ["ocean", "malaria", "finance", "accelerator", "platform"];
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

fn over_mcp(home: &Home, asked: &[Asked]) -> Vec<Json> {
    let mut decisions = Vec::new();
    for pack in PACKS {
        let mut client = McpClient::start(home, &["--pack", pack]);
        for asked in asked.iter().filter(|asked| asked.pack == pack) {
            let reply = client.call("router_route", &asked.request);
            decisions.push(core(&reply["result"]["structuredContent"]));
        }
        client.leave();
    }
    decisions
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
    let surfaces: [(&str, Vec<Json>); 4] = [
        ("chat completions", of(over_chat)),
        ("responses", of(over_responses)),
        ("the command line", over_command_line(&home, &asked)),
        ("MCP", over_mcp(&home, &asked)),
    ];
    for (surface, decisions) in surfaces {
        assert_eq!(decisions.len(), wanted.len(), "{surface}");
        for ((asked, decided), wanted) in asked.iter().zip(&decisions).zip(&wanted) {
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
