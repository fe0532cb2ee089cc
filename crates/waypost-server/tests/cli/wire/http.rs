//! The bodies of every endpoint.

use std::fs;

use serde_json::{Value as Json, json};

use super::settled::outlined;
use super::{Goldens, PACK, home};
use crate::serve::{Serving, Site};
use crate::support::NOW;

const JSON: (&str, &str) = ("content-type", "application/json");
const EVENTS: (&str, &str) = ("accept", "text/event-stream");

#[test]
fn every_endpoint_answers_as_its_golden_file() {
    let home = home();
    let serving = Serving::start(&home, &["--pack", PACK]);
    let site = serving.site;
    let mut goldens = Goldens::default();
    let mut add = |file: &str, example: &str, value: Json| goldens.add(&home, file, example, value);
    let asked = |text: &str| json!({ "text": text, "now": NOW });
    let talk = |text: &str| json!({ "text": text, "now": NOW, "session": "s" });

    add("v1-route", "run", post(site, "/v1/route", &asked("tide at Keelung")));
    add("v1-route", "refuse", post(site, "/v1/route", &asked("share price of a company")));
    let answer = post(site, "/v1/answer", &talk("tide at Keelung"));
    let id = answer["body"]["id"].clone();
    add("v1-answer", "tool", answer);
    add("v1-answer", "clarify", post(site, "/v1/answer", &asked("tide")));
    let explained = json!({ "text": "what is a tide", "now": NOW, "route": "explain" });
    add("v1-answer", "explain", post(site, "/v1/answer", &explained));
    add("v1-answer-events", "tool", streamed(site, &asked("tide at Keelung")));
    add("v1-answer-events", "clarify", streamed(site, &asked("tide")));
    add("v1-answer-events", "explain", streamed(site, &explained));
    add("v1-answer-events", "error", streamed(site, &json!({ "text": "x", "now": "soon" })));
    let right = json!({ "decision_id": id, "right": true, "session": "s" });
    add("v1-feedback", "right", post(site, "/v1/feedback", &right));
    let wrong = json!({ "decision_id": id, "right": false, "session": "s" });
    add("v1-feedback", "wrong", post(site, "/v1/feedback", &wrong));
    add("v1-students", "without versions", get(site, "/v1/students"));
    add("v1-catalog", "one entry of each list", outlined(get(site, "/v1/catalog")));
    add("v1-events", "without a key", get(site, "/v1/events"));
    add("v1-reload", "without a key", post(site, "/v1/reload", &json!({})));
    add("v1-models", "packs", get(site, "/v1/models"));
    let own = json!({ "now": NOW });
    let messages = json!([{ "role": "user", "content": "tide" }]);
    let chat = json!({ "model": "waypost/minimal", "messages": messages, "waypost": own });
    let said = json!({ "model": "waypost/minimal", "input": "tide", "waypost": own });
    for (path, body) in [("chat/completions", &chat), ("messages", &chat), ("responses", &said)] {
        let file = format!("v1-{}", path.replace('/', "-"));
        let path = format!("/v1/{path}");
        add(&file, "clarify", post(site, &path, body));
        let mut unknown = body.clone();
        unknown["model"] = json!("gpt");
        add(&file, "no such model", post(site, &path, &unknown));
    }
    let described = get(site, "/openapi.json");
    let paths: Vec<&String> = described["body"]["paths"].as_object().unwrap().keys().collect();
    add(
        "openapi.json",
        "paths",
        json!({ "openapi": described["body"]["openapi"], "paths": paths }),
    );
    add("healthz", "ok", get(site, "/healthz"));
    add("readyz", "ready", get(site, "/readyz"));
    add("metrics", "figures", figures(site));

    add("problem", "field", post(site, "/v1/route", &json!({ "text": "tide", "now": "soon" })));
    add("problem", "type", post(site, "/v1/route", &json!({ "text": 3 })));
    add("problem", "no JSON", reply(site.ask("POST", "/v1/route", &[JSON], "{")));
    add("problem", "no content type", reply(site.ask("POST", "/v1/route", &[], "{}")));
    add("problem", "method", get(site, "/v1/route"));
    add("problem", "path", get(site, "/v1/rout"));
    let unknown = json!({ "decision_id": "00112233445566aa", "right": true });
    add("problem", "decision", post(site, "/v1/feedback", &unknown));

    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/HTTP.md");
    for path in documented(&fs::read_to_string(document).unwrap()) {
        let file = path.trim_start_matches('/').replace('/', "-");
        assert!(goldens.0.contains_key(&file), "{path} has no golden file");
    }
    goldens.check("http");
}

/// The paths that the document lists, by their name of today.
fn documented(text: &str) -> Vec<String> {
    let rows =
        text.lines().filter(|line| line.starts_with("| `POST /") || line.starts_with("| `GET /"));
    let paths = rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`'));
    let paths = paths.filter_map(|word| word.split_once(' ').map(|(_, path)| path.to_owned()));
    let paths: Vec<String> = paths.filter(|path| path.starts_with('/')).collect();
    assert!(paths.len() >= 14, "{paths:?}");
    paths
}

fn post(site: Site, path: &str, body: &Json) -> Json {
    reply(site.ask("POST", path, &[JSON], &body.to_string()))
}

fn get(site: Site, path: &str) -> Json {
    reply(site.ask("GET", path, &[], ""))
}

fn reply((status, body): (u16, String)) -> Json {
    let body: Json = serde_json::from_str(&body).unwrap_or(Json::String(body));
    json!({ "status": status, "body": body })
}

/// The events of an answer, in order.
fn streamed(site: Site, body: &Json) -> Json {
    let (status, text) = site.ask("POST", "/v1/answer", &[JSON, EVENTS], &body.to_string());
    let events = text.split("\n\n").filter(|event| !event.trim().is_empty());
    let events: Vec<Json> = events.map(event).collect();
    json!({ "status": status, "events": events })
}

fn event(text: &str) -> Json {
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").expect(line);
        (name.to_owned(), serde_json::from_str(value).unwrap_or(json!(value)))
    };
    Json::Object(text.lines().map(field).collect())
}

/// The figures by name, with their kind and what they count; what was counted is not shown.
fn figures(site: Site) -> Json {
    let (status, text) = site.ask("GET", "/metrics", &[], "");
    let mut lines: Vec<&str> = text.lines().filter(|line| line.starts_with("# ")).collect();
    lines.sort_unstable();
    json!({ "status": status, "described": lines })
}
