//! Turns that take all threads, that panic or that hang: the server still hears, answers and ends.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use waypost::Result;
use waypost::ports::store::{Filter, Forgotten, Page, Store};
use waypost::ports::turns::TurnPermit;
use waypost::records::event::Record;
use waypost::records::session::Session;
use waypost_backends::stores::MemoryStore;

use super::parts::{Behavior, LIMITS, NOW, Threads, parts, start, start_of, start_with};
use super::{Limits, question};

/// Limits of a server that gives little grace.
const HASTY: Limits = Limits { grace: Duration::from_millis(20), ..LIMITS };

#[tokio::test]
async fn turns_that_burn_every_thread_keep_nobody_from_being_heard_nor_the_server_from_ending() {
    let threads = Threads::new(1);
    let (parts, model) = parts(Behavior::Burns, Arc::new(MemoryStore::new()));
    let server = threads.start(HASTY, parts, model).await;
    let mut burning = server.client().await;
    burning.begin("/v1/route", &question("help")).await;
    server.model.entered.notified().await;
    // Its thread is gone for good; what is asked now waits for one.
    let mut waiting = server.client().await;
    waiting.begin("/v1/answer", &question("help")).await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.client().await.send("GET", path, &[], b"").await.status, 200, "{path}");
    }
    let broken = server.client().await.send("POST", "/v1/route", &[], b"{").await;
    assert_eq!(broken.status, 400);
    server.stop().await;
}

#[tokio::test]
async fn a_turn_that_panics_is_a_fault_that_tells_nothing_and_the_server_goes_on() {
    let server = start_with(LIMITS, Behavior::Panics).await;
    let mut client = server.client().await;
    for _ in 0..3 {
        let reply = client.post("/v1/route", &question("help")).await;
        assert_eq!(reply.problem(500)["code"], "INTERNAL");
        assert!(!reply.text().contains("secret"), "{}", reply.text());
    }
    server.stop().await;
}

/// A store that never says anything.
#[derive(Debug)]
struct Hangs;

#[async_trait]
impl Store for Hangs {
    async fn turn(&self, _: &str) -> Result<TurnPermit> {
        std::future::pending().await
    }

    async fn session(&self, _: &str) -> Result<Session> {
        std::future::pending().await
    }

    async fn save_session(&self, _: &str, _: &Session) -> Result<()> {
        std::future::pending().await
    }

    fn append(&self, _: Vec<Record>) {}

    async fn flush(&self) -> Result<()> {
        std::future::pending().await
    }

    async fn events(&self, _: &Filter, _: usize) -> Result<Vec<Record>> {
        std::future::pending().await
    }

    async fn page(&self, _: &Filter, _: u64, _: usize) -> Result<Page> {
        std::future::pending().await
    }

    async fn forget(&self, _: &str) -> Result<Forgotten> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_store_that_hangs_takes_turns_and_nothing_else() {
    let (parts, model) = parts(Behavior::Talks, Arc::new(Hangs));
    let server = start_of(Limits { turns: 2, ..HASTY }, parts, model, None).await;
    let mut asked = question("help me with addVar");
    asked["session"] = json!("s");
    let mut hanging = Vec::new();
    // So many wait for two places.
    for _ in 0..8 {
        let mut client = server.client().await;
        client.begin("/v1/answer", &asked).await;
        hanging.push(client);
    }
    while server.served.turns.waiting() < 8 {
        tokio::task::yield_now().await;
    }
    let busy = server.client().await.post("/v1/answer", &asked).await;
    assert_eq!(busy.problem(503)["code"], "UNAVAILABLE");
    let other = question("help me with addVar");
    assert_eq!(server.client().await.post("/v1/route", &other).await.status, 200);
    assert_eq!(server.client().await.send("GET", "/healthz", &[], b"").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn long_bodies_share_a_bound_and_an_ordinary_question_fits_beside_them() {
    let server = start_with(Limits { body_bytes: 1024 * 1024, ..LIMITS }, Behavior::Talks).await;
    let head = "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 400000\r\n\r\n";
    let begun = [head.as_bytes(), &vec![b' '; 390_000]].concat();
    let mut unfinished = Vec::new();
    for _ in 0..2 {
        let mut client = server.client().await;
        client.write(&begun).await;
        unfinished.push(client);
    }
    let long = async || {
        let mut client = server.client().await;
        client.try_write(&begun).await;
        client.try_write(&vec![b' '; 10_000]).await;
        client.reply().await
    };
    // What is past the first bytes of a body is held in common.
    while server.served.bodies.held() < 2 * (390_000 - 16 * 1024) {
        tokio::task::yield_now().await;
    }
    let full = long().await;
    assert_eq!(full.header("retry-after"), Some("1"));
    assert!(full.problem(503)["detail"].as_str().unwrap().contains("long bodies"));
    let reply = server.client().await.post("/v1/route", &question("help me with addVar")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    // It is given back by who is done, or gone.
    drop(unfinished);
    while server.served.bodies.held() > 0 {
        tokio::task::yield_now().await;
    }
    long().await.problem(400);
    server.stop().await;
}

#[tokio::test]
async fn a_field_without_a_bound_there_is_not() {
    let server = start().await;
    let mut client = server.client().await;
    for (field, value) in [
        ("choice", json!("x".repeat(400_000))),
        ("choice", json!(vec![0; 100_000])),
        ("session", json!("s".repeat(300))),
        ("context", json!({ "extra": "x".repeat(300_000) })),
        ("context", json!({ "options": vec![json!({ "label": "a", "value": 1 }); 300] })),
        ("context", json!({ "options": vec![json!({ "label": "x", "value": 1 }); 300] })),
    ] {
        let mut asked = question("help me with addVar");
        asked[field] = value;
        let reply = client.post("/v1/answer", &asked).await;
        let problem = reply.problem(400);
        assert!(problem["detail"].as_str().unwrap().contains("the limit"), "{field}: {problem}");
    }
    let word = json!({ "decision_id": "d", "right": false, "route": "r".repeat(300) });
    let problem = client.post("/v1/feedback", &word).await.problem(400);
    assert_eq!(problem["pointer"], "/route", "{problem}");
    assert!(server.kept().await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn the_id_of_a_decision_cannot_be_worked_out_from_its_question() {
    let server = start().await;
    let mut client = server.client().await;
    let asked = json!({ "text": "help me with addVar", "now": NOW });
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(client.post("/v1/answer", &asked).await.json()["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
    // Whoever got it may speak of it, and the decision is made again under the same id.
    let word = json!({ "decision_id": ids[0], "right": true });
    assert_eq!(client.post("/v1/feedback", &word).await.status, 200);
    let filter = Filter { decision: ids[0].as_str().map(str::to_owned), ..Filter::default() };
    let records = server.served.store.events(&filter, 10).await.unwrap();
    let record = records.iter().find(|record| record.event.name() == "router_event").unwrap();
    let replayed = server.router.replay(record).await.unwrap();
    assert!(replayed.same, "{replayed:?}");
    assert_eq!(replayed.decision.id, ids[0]);
    server.stop().await;
}

#[tokio::test]
async fn connections_that_are_all_at_work_leave_places_for_questions_about_the_server() {
    let limits = Limits { connections: 2, ..LIMITS };
    let server = start_with(limits, Behavior::Waits).await;
    let mut working = Vec::new();
    for _ in 0..2 {
        let mut client = server.client().await;
        client.begin("/v1/route", &question("help")).await;
        server.model.entered.notified().await;
        working.push(client);
    }
    for _ in 0..100 {
        assert_eq!(server.client().await.send("GET", "/healthz", &[], b"").await.status, 200);
    }
    let mut spare = server.client().await;
    let crowded = spare.post("/v1/route", &question("help")).await;
    assert!(crowded.problem(503)["detail"].as_str().unwrap().contains("2 connections"));
    assert_eq!(crowded.header("connection"), Some("close"));
    spare.closed().await;
    // Whoever is served is not closed for others.
    for client in &mut working {
        server.model.go_on.notify_one();
        assert_eq!(client.reply().await.status, 200);
    }
    // Idle now, they are: the longest idle one gives way.
    let mut new = server.client().await;
    new.begin("/v1/route", &question("help")).await;
    server.model.entered.notified().await;
    working[0].closed().await;
    server.model.go_on.notify_one();
    assert_eq!(new.reply().await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_leaves_after_the_first_events_cancels_its_turn() {
    let server = start_with(LIMITS, Behavior::Waits).await;
    let mut client = server.client().await;
    client.begin_as("/v1/answer", &question("help"), "text/event-stream").await;
    client.reads_until("Deciding").await;
    server.model.entered.notified().await;
    // Nothing is left unread that its system would tell of.
    drop(client);
    server.model.cancelled.notified().await;
    server.stop().await;
}
