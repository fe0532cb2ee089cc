//! One key asks without end: its requests wait, are refused or are read slowly, and the other key is answered.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::client::Client;
use super::keyed::{key, keyed_with};
use super::parts::{Behavior, LIMITS, NOW, Running, start_with};
use super::{Limits, question};
use crate::keys::{NewKey, Scope};

/// Limits under which one key may have all its requests of a test open at once.
const WIDE: Limits = Limits { connections: 256, ..LIMITS };

/// A client that sends a question of a key, and does not wait.
async fn asks(server: &Running, key: &str, body: &Json) -> Client {
    let mut client = server.client().await;
    let headers = [("authorization", key)];
    client.request("POST", "/v1/answer", &headers, body.to_string().as_bytes()).await;
    client
}

fn in_session(session: usize) -> Json {
    let mut asked = question("help");
    asked["session"] = json!(format!("s{session}"));
    asked
}

/// A question that the model need not be asked about.
fn declared() -> Json {
    json!({ "text": "good morning", "route": "chat", "now": NOW })
}

/// Waits until so many turns are at work and so many requests wait for them.
async fn until(server: &Running, at_work: usize, waiting: usize) {
    let turns = &server.served.turns;
    while (turns.under_way(), turns.waiting()) != (at_work, waiting) {
        tokio::task::yield_now().await;
    }
}

fn two_keys() -> Vec<NewKey> {
    vec![key("a", &[Scope::Ask]), key("b", &[Scope::Ask])]
}

#[tokio::test]
async fn requests_of_one_key_that_wait_for_each_other_hold_no_place_and_the_other_is_answered() {
    let (server, keys, _home) = keyed_with(WIDE, Behavior::Waits, two_keys()).await;
    let mut flood = Vec::new();
    for n in 0..64 {
        flood.push(asks(&server, &keys[0], &in_session(n % 4)).await);
    }
    until(&server, 4, 60).await;
    for n in 0..2 {
        let refused = asks(&server, &keys[0], &in_session(n)).await.reply().await;
        assert_eq!(refused.problem(429)["code"], "RESOURCE_EXHAUSTED");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    for _ in 0..3 {
        let answered = asks(&server, &keys[1], &declared()).await.reply().await;
        assert_eq!(answered.status, 200, "{answered:?}");
    }
    until(&server, 4, 60).await;
    drop(flood);
    server.stop().await;
}

#[tokio::test]
async fn turns_at_work_of_one_key_leave_places_for_the_other() {
    let limits = Limits { turns: 4, ..WIDE };
    let (server, keys, _home) = keyed_with(limits, Behavior::Waits, two_keys()).await;
    // Without a session, and each in one of its own: the share is that of the key.
    let flood = [
        asks(&server, &keys[0], &question("help")).await,
        asks(&server, &keys[0], &in_session(0)).await,
    ];
    until(&server, 2, 0).await;
    for asked in [question("help"), in_session(1)] {
        let refused = asks(&server, &keys[0], &asked).await.reply().await;
        let problem = refused.problem(503);
        assert!(problem["detail"].as_str().unwrap().contains("its share"), "{problem}");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    let answered = asks(&server, &keys[1], &declared()).await.reply().await;
    assert_eq!(answered.status, 200, "{answered:?}");
    drop(flood);
    server.stop().await;
}

#[tokio::test]
async fn a_long_queue_of_one_session_takes_one_place_and_keeps_its_order() {
    let limits = Limits { turns: 2, ..LIMITS };
    let server = start_with(limits, Behavior::Waits).await;
    let mut queue = Vec::new();
    for n in 0..5 {
        let mut client = server.client().await;
        client.begin("/v1/answer", &in_session(0)).await;
        queue.push(client);
        until(&server, 1, n).await;
    }
    let other = server.client().await.post("/v1/answer", &declared()).await;
    assert_eq!(other.status, 200, "{other:?}");
    let model = Arc::clone(&server.model);
    let releasing = tokio::spawn(async move {
        loop {
            model.go_on.notify_one();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let mut asked = Vec::new();
    for client in &mut queue {
        let reply = client.reply().await;
        assert_eq!(reply.status, 200, "{reply:?}");
        asked.push(reply.json()["id"].clone());
    }
    releasing.abort();
    let events = server.kept().await;
    let decided = events
        .iter()
        .filter(|event| event["type"] == "router_event" && event["session_id"] == "s0");
    let decided: Vec<Json> = decided.map(|event| event["decision_id"].clone()).collect();
    assert_eq!(decided, asked);
    server.stop().await;
}

/// A request of a key of which so many spaces have come, and as many more are announced.
async fn begins(server: &Running, key: &str, sent: usize, announced: usize) -> Client {
    let head = format!(
        "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         authorization: {key}\r\ncontent-length: {announced}\r\n\r\n"
    );
    let mut client = server.client().await;
    client.try_write(&[head.as_bytes(), &vec![b' '; sent]].concat()).await;
    client
}

#[tokio::test]
async fn long_bodies_of_one_key_leave_room_for_those_of_the_other() {
    let limits = Limits { body_bytes: 2 * 1024 * 1024, ..LIMITS };
    let (server, keys, _home) = keyed_with(limits, Behavior::Talks, two_keys()).await;
    let mut slow = Vec::new();
    for _ in 0..2 {
        slow.push(begins(&server, &keys[0], 390_000, 400_000).await);
    }
    // The most of its share.
    while server.served.bodies.held() < 2 * (390_000 - 16 * 1024) {
        tokio::task::yield_now().await;
    }
    for _ in 0..3 {
        let refused = begins(&server, &keys[0], 400_000, 400_000).await.reply().await;
        let problem = refused.problem(503);
        assert!(problem["detail"].as_str().unwrap().contains("its share"), "{problem}");
    }
    // It is read: spaces alone are no JSON.
    let read = begins(&server, &keys[1], 400_000, 400_000).await.reply().await;
    assert!(read.problem(400)["detail"].as_str().unwrap().contains("not JSON"));
    drop(slow);
    server.stop().await;
}

#[tokio::test]
async fn short_bodies_that_one_key_sends_slowly_leave_connections_for_the_other() {
    let limits = Limits { connections: 8, ..LIMITS };
    let (server, keys, _home) = keyed_with(limits, Behavior::Talks, two_keys()).await;
    let mut slow = Vec::new();
    for _ in 0..4 {
        slow.push(begins(&server, &keys[0], 10, 20).await);
    }
    let requests = &server.served.requests;
    while requests.held() < 4 {
        tokio::task::yield_now().await;
    }
    for _ in 0..2 {
        let refused = begins(&server, &keys[0], 10, 20).await.reply().await;
        let problem = refused.problem(503);
        assert!(problem["detail"].as_str().unwrap().contains("its share"), "{problem}");
    }
    let answered = asks(&server, &keys[1], &declared()).await.reply().await;
    assert_eq!(answered.status, 200, "{answered:?}");
    // One whose answer was handed over counts no more.
    while requests.held() > 4 {
        tokio::task::yield_now().await;
    }
    drop(slow);
    server.stop().await;
}
