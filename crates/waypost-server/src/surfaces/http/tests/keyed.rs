//! Callers with keys: who is let in, what each sees, and in which words a refusal comes.

use std::num::NonZeroU32;

use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;

use super::parts::{Behavior, LIMITS, NOW, Running, start_keyed, start_keyed_with_mcp};
use super::{Limits, question};
use crate::keys::{Allowed, KeyFile, Keys, NewKey, Scope};

/// A server with these keys, and the keys.
async fn keyed(new: Vec<NewKey>) -> (Running, Vec<String>, TempDir) {
    keyed_with(LIMITS, Behavior::Talks, new).await
}

/// The same with these limits and a model that behaves so.
pub(super) async fn keyed_with(
    limits: Limits,
    behavior: Behavior,
    new: Vec<NewKey>,
) -> (Running, Vec<String>, TempDir) {
    let (keys, shown, home) = made(new);
    (start_keyed(limits, keys, behavior).await, shown, home)
}

/// These keys in a home, as they are kept and as they are sent.
pub(super) fn made(new: Vec<NewKey>) -> (Keys, Vec<String>, TempDir) {
    let home = TempDir::new().unwrap();
    let mut shown = Vec::new();
    for new in new {
        let made = KeyFile::change(home.path(), |file| Ok(file.add(new, Timestamp::now())?));
        shown.push(format!("Bearer {}", made.unwrap().1.reveal()));
    }
    (Keys::open(home.path()).unwrap(), shown, home)
}

pub(super) fn key(name: &str, scopes: &[Scope]) -> NewKey {
    NewKey { scopes: scopes.iter().copied().collect(), ..NewKey::named(name) }
}

#[tokio::test]
async fn nobody_asks_without_a_key_that_counts_and_the_server_is_still_seen_to_work() {
    let (server, _, _home) = keyed(vec![key("page", &[Scope::Ask])]).await;
    let body = question("help me with addVar").to_string();
    let stranger = format!("Bearer wp_00000000_{}", "A".repeat(43));
    for headers in
        [&[][..], &[("authorization", "Bearer x")], &[("authorization", stranger.as_str())]]
    {
        for path in ["/v1/route", "/v1/answer", "/v1/feedback"] {
            let reply = server.client().await.send("POST", path, headers, body.as_bytes()).await;
            reply.problem(401);
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
        for path in ["/v1/catalog", "/v1/students", "/v1/events", "/metrics", "/v1/nothing"] {
            server.client().await.send("GET", path, headers, b"").await.problem(401);
        }
        for path in ["/healthz", "/readyz", "/openapi.json", "/"] {
            assert_eq!(
                server.client().await.send("GET", path, headers, b"").await.status,
                200,
                "{path}"
            );
        }
    }
    assert!(server.kept().await.is_empty(), "nothing was done");
    server.stop().await;
}

#[tokio::test]
async fn a_conversation_of_one_key_is_not_that_of_another() {
    let (server, keys, _home) = keyed(vec![key("a", &[Scope::Ask]), key("b", &[Scope::Ask])]).await;
    let mut asked = question("help me with addVar");
    asked["session"] = json!("s");
    for key in &keys {
        let headers = [("authorization", key.as_str())];
        let reply = server
            .client()
            .await
            .send("POST", "/v1/answer", &headers, asked.to_string().as_bytes())
            .await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    let mut sessions: Vec<String> = server
        .kept()
        .await
        .iter()
        .map(|event| event["session_id"].as_str().unwrap().to_owned())
        .collect();
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    assert!(sessions.iter().all(|session| session.starts_with('@') && session.ends_with("/s")));
    server.stop().await;
}

#[tokio::test]
async fn a_scope_is_needed_for_what_it_is_for() {
    let all = [Scope::Ask, Scope::Label, Scope::Admin];
    let (server, keys, _home) =
        keyed(all.iter().map(|scope| key(scope.name(), &[*scope])).collect()).await;
    let body = question("help me with addVar").to_string();
    let word = json!({ "decision_id": "0000000000000000", "right": true }).to_string();
    for (index, scope) in all.iter().enumerate() {
        let headers = [("authorization", keys[index].as_str())];
        let ask = server.client().await.send("POST", "/v1/route", &headers, body.as_bytes()).await;
        assert_eq!(ask.status == 200, *scope == Scope::Ask, "{ask:?}");
        let said =
            server.client().await.send("POST", "/v1/feedback", &headers, word.as_bytes()).await;
        assert_eq!(said.status == 403, *scope != Scope::Label, "{said:?}");
        for (method, path) in [("GET", "/metrics"), ("POST", "/v1/reload")] {
            let reply = server.client().await.send(method, path, &headers, b"").await;
            assert_eq!(reply.status == 403, *scope != Scope::Admin, "{path}: {reply:?}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn flags_count_from_a_caller_who_is_trusted_and_from_nobody_else() {
    let (server, keys, _home) =
        keyed(vec![key("a", &[Scope::Ask]), key("b", &[Scope::Ask, Scope::Trusted])]).await;
    let asked = json!({ "text": "hello", "now": NOW, "trusted": true, "context": { "flags": { "done": true } } });
    for (key, dropped) in [(&keys[0], 2), (&keys[1], 0)] {
        let before = server.kept().await.len();
        let headers = [("authorization", key.as_str())];
        server
            .client()
            .await
            .send("POST", "/v1/answer", &headers, asked.to_string().as_bytes())
            .await;
        let events = server.kept().await;
        let told = events[before..].iter().filter(|event| event["type"] == "dropped").count();
        assert_eq!(told, dropped, "{events:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn who_asks_too_much_is_told_when_to_come_again_and_others_are_served() {
    let limited = NewKey { per_minute: NonZeroU32::new(2), ..key("a", &[Scope::Ask]) };
    let (server, keys, _home) = keyed(vec![limited, key("b", &[Scope::Ask])]).await;
    let body = question("help me with addVar").to_string();
    let mut statuses = Vec::new();
    for key in [&keys[0], &keys[0], &keys[0], &keys[1]] {
        let headers = [("authorization", key.as_str())];
        let reply =
            server.client().await.send("POST", "/v1/route", &headers, body.as_bytes()).await;
        if reply.status == 429 {
            let seconds: u64 = reply.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=60).contains(&seconds));
            assert_eq!(reply.problem(429)["code"], "RESOURCE_EXHAUSTED");
        }
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 429, 200]);
    server.stop().await;
}

#[tokio::test]
async fn a_refusal_comes_in_the_words_of_the_protocol_and_no_key_is_in_it() {
    let (server, keys, _home) = keyed(vec![key("a", &[Scope::Label])]).await;
    let stranger = format!("Bearer wp_00000000_{}", "A".repeat(43));
    for (key, status, kind) in
        [(stranger.as_str(), 401, "authentication_error"), (&keys[0], 403, "permission_error")]
    {
        for path in ["/v1/chat/completions", "/v1/responses", "/v1/messages"] {
            let headers = [("authorization", key)];
            let reply = server.client().await.send("POST", path, &headers, b"{}").await;
            assert_eq!(reply.status, status);
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.json()["error"]["type"], kind, "{reply:?}");
            assert!(!reply.text().contains(key.trim_start_matches("Bearer ")));
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn the_path_of_a_pack_is_there_for_its_callers_alone() {
    let of = |name: &str, packs: &[&str]| {
        let packs: Vec<String> = packs.iter().map(|name| (*name).to_owned()).collect();
        NewKey { packs: Allowed::options(&packs), ..key(name, &[Scope::Ask]) }
    };
    let (keys, shown, _home) = made(vec![of("a", &["desk"]), of("b", &["other"])]);
    let server = start_keyed_with_mcp(LIMITS, keys).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    }});
    let mut told = Vec::new();
    for (key, path) in
        [(0, "/mcp/desk"), (1, "/mcp/desk"), (0, "/mcp/nothing"), (1, "/mcp/nothing")]
    {
        let headers = [
            ("authorization", shown[key].as_str()),
            ("accept", "application/json, text/event-stream"),
        ];
        let body = hello.to_string();
        let reply = server.client().await.send("POST", path, &headers, body.as_bytes()).await;
        told.push((reply.status, reply.text().replace(path, "PATH")));
    }
    assert_eq!(told[0].0, 200, "{told:?}");
    assert_eq!(told[1].0, 404, "{told:?}");
    let without_hint = |text: &str| text.split("hint").next().unwrap_or_default().to_owned();
    assert_eq!(without_hint(&told[1].1), without_hint(&told[3].1), "as one that is not there");
    server.stop().await;
}
