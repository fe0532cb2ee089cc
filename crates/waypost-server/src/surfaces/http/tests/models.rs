//! The models of the operator: which of them a key may use, and how much of them.

use std::num::NonZeroU64;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::client::Reply;
use super::dialects::{Heard, PATHS, upstream_saying};
use super::keyed::{key, made};
use super::parts::{Running, start_keyed_before};
use crate::keys::{Allowed, NewKey, Scope};

/// A server with these keys before the models `big` and `small`, which say this; what the models hear.
struct Before {
    server: Running,
    keys: Vec<String>,
    heard: Heard,
    _home: TempDir,
}

impl Before {
    async fn start(new: Vec<NewKey>, says: &'static str) -> Self {
        let (address, heard) = upstream_saying(200, "application/json", says).await;
        let of = |slot: &str, name: &str| {
            format!("[models.{slot}]\nurl = \"{address}\"\nmodel = \"{name}\"\n")
        };
        let config = toml::from_str(&(of("main", "big") + &of("light", "small"))).unwrap();
        let (keys, shown, home) = made(new);
        let server = start_keyed_before(keys, &config).await;
        Self { server, keys: shown, heard, _home: home }
    }

    /// What a key is answered.
    async fn ask(&self, key: usize, path: &str, body: &Json) -> Reply {
        let headers = [("authorization", self.keys[key].as_str())];
        let mut client = self.server.client().await;
        client.send("POST", path, &headers, body.to_string().as_bytes()).await
    }

    /// The models that a key is shown.
    async fn shown(&self, key: usize) -> Vec<String> {
        let headers = [("authorization", self.keys[key].as_str())];
        let list = self.server.client().await.send("GET", "/v1/models", &headers, b"").await.json();
        let ids =
            list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap());
        ids.filter(|id| !id.starts_with("waypost")).map(str::to_owned).collect()
    }
}

fn body(path: &str, model: &str) -> Json {
    match path {
        "/v1/responses" => json!({ "model": model, "input": "hi" }),
        _ => json!({ "model": model, "messages": [{ "role": "user", "content": "hi" }] }),
    }
}

fn names(names: &[&str]) -> Allowed {
    Allowed::Only(names.iter().map(|name| (*name).to_owned()).collect())
}

#[tokio::test]
async fn a_model_that_a_key_may_not_use_is_not_there_for_it() {
    let before = Before::start(
        vec![
            key("all", &[Scope::Ask]),
            NewKey {
                packs: names(&["desk"]),
                tools: names(&["list_notes"]),
                ..key("a tool", &[Scope::Ask])
            },
            NewKey { models: Some(names(&["small"])), ..key("small", &[Scope::Ask]) },
        ],
        "{}",
    )
    .await;
    for (key, may) in [(0, vec!["big", "small"]), (1, vec![]), (2, vec!["small"])] {
        assert_eq!(before.shown(key).await, may);
        for path in PATHS {
            let unknown = before.ask(key, path, &body(path, "nix")).await;
            for model in ["big", "small"] {
                let reply = before.ask(key, path, &body(path, model)).await;
                if may.contains(&model) {
                    assert_eq!(reply.status, 200, "{path} {model}: {}", reply.text());
                    continue;
                }
                assert_eq!((reply.status, unknown.status), (404, 404), "{path} {model}");
                for field in ["type", "code", "param"] {
                    assert_eq!(reply.json()["error"][field], unknown.json()["error"][field]);
                }
                let told = reply.text().replacen(&format!("`{model}`"), "", 1) + &unknown.text();
                assert!(!told.contains(model), "{path}: {told}");
            }
        }
        let count = before.ask(key, "/v1/messages/count_tokens", &body("", "big")).await;
        assert_eq!(count.status == 200, may.contains(&"big"));
    }
    assert_eq!(before.heard.lock().unwrap().len(), 3 * (2 + 1), "nothing else was passed on");
    before.server.stop().await;
}

#[tokio::test]
async fn no_field_of_a_request_leads_to_a_model_that_its_key_may_not_use() {
    let small = NewKey { models: Some(names(&["small"])), ..key("small", &[Scope::Ask]) };
    let before = Before::start(vec![small, key("all", &[Scope::Ask])], "{}").await;
    for (field, value) in [
        ("models", json!(["small", "big"])),
        ("fallbacks", json!([{ "small": ["big"] }])),
        ("tools", json!([{ "type": "advisor", "name": "advisor", "model": "big" }])),
    ] {
        let mut body = body(PATHS[0], "small");
        body[field] = value;
        assert_eq!(before.ask(0, PATHS[0], &body).await.status, 404, "{body}");
        assert_eq!(before.ask(1, PATHS[0], &body).await.status, 200, "{body}");
    }
    let mut own = body(PATHS[0], "small");
    own["models"] = json!(["small"]);
    assert_eq!(before.ask(0, PATHS[0], &own).await.status, 200);
    let mut headers = vec![("authorization", before.keys[0].as_str()), ("x-waypost", "answer")];
    headers.push(("x-waypost-pack", "desk"));
    let spared = body(PATHS[0], "big").to_string();
    let mut client = before.server.client().await;
    assert_eq!(client.send("POST", PATHS[0], &headers, spared.as_bytes()).await.status, 404);
    drop(client);
    before.server.stop().await;
}

#[tokio::test]
async fn a_key_that_has_spent_its_tokens_is_told_when_to_come_again_and_others_are_served() {
    let limited = NewKey { tokens_per_day: NonZeroU64::new(1000), ..key("limited", &[Scope::Ask]) };
    let says = "{\"usage\": {\"input_tokens\": 400, \"output_tokens\": 150}}";
    let before = Before::start(vec![limited, key("free", &[Scope::Ask])], says).await;
    let mut asked = body(PATHS[0], "big");
    asked["max_tokens"] = json!(100_000);
    for (key, status) in [(0, 200), (0, 200), (0, 429), (1, 200)] {
        let reply = before.ask(key, PATHS[0], &asked).await;
        assert_eq!(reply.status, status, "{}", reply.text());
        if status == 429 {
            let seconds: u64 = reply.header("retry-after").unwrap().parse().unwrap();
            // What was had beyond the quota, and a hundredth of it.
            assert!((1..=110 * 87).contains(&seconds), "{seconds}");
            assert_eq!(reply.json()["error"]["code"], "rate_limit_exceeded");
        }
    }
    let most: Vec<u64> = before
        .heard
        .lock()
        .unwrap()
        .iter()
        .map(|(_, body)| body["max_tokens"].as_u64().unwrap())
        .collect();
    assert_eq!((most[0], most[2]), (1000, 100_000));
    assert!((400..=460).contains(&most[1]), "{most:?}");
    let mut own = body(PATHS[0], "waypost/desk");
    own["messages"][0]["content"] = json!("help me with addVar");
    let own = before.ask(0, PATHS[0], &own).await;
    assert_eq!(own.status, 200, "a pack is asked by those who have spent their tokens of models");
    before.server.stop().await;
}
