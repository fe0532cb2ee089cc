//! The surface over real sockets of this machine: what it says, what it refuses, and how it stops.

mod client;
mod dialects;
mod endings;
mod hostile;
mod keyed;
mod load;
mod models;
pub(in crate::surfaces) mod parts;
mod shares;

use std::time::Duration;

use serde_json::{Value as Json, json};
use waypost_backends::students::{By, Registry};

use super::Limits;
use crate::tiny;
use client::events;
pub(super) use parts::LIMITS;
use parts::{Behavior, NOW, Running, start, start_over, start_with};

fn question(text: &str) -> Json {
    json!({ "text": text, "now": NOW })
}

#[tokio::test]
async fn a_request_record_comes_in_and_a_decision_record_goes_out() {
    let server = start().await;
    let reply = server.client().await.post("/v1/route", &question("help me with addVar")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let decision = reply.json();
    assert_eq!(decision["route"], "help");
    assert_eq!(decision["bundle"], server.bundles[0].id());
    let declared = json!({ "text": "x", "route": "chat", "now": NOW });
    let reply = server.client().await.post("/v1/route", &declared).await;
    assert_eq!(reply.json()["layer"], "declared");
    assert!(server.kept().await.is_empty(), "deciding leaves no events");
    server.stop().await;
}

#[tokio::test]
async fn s0_15_an_answer_is_the_envelope() {
    let server = start().await;
    let mut asked = question("help me with addVar");
    asked["session"] = json!("s");
    let reply = server.client().await.post("/v1/answer", &asked).await;
    assert_eq!((reply.status, &reply.json()["mode"]), (200, &json!("help")), "{reply:?}");
    assert_eq!(reply.json()["raw"]["plan"]["bundle"], server.bundles[0].id());
    let events = server.kept().await;
    assert!(events.iter().any(|event| event["type"] == "router_event"), "{events:?}");
    assert!(events.iter().all(|event| event["session_id"] == "s"), "{events:?}");
    server.stop().await;
}

#[tokio::test]
async fn s2_24_a_stream_tells_the_phases_in_order_and_ends_with_done() {
    let server = start_with(LIMITS, Behavior::Talks).await;
    let mut client = server.client().await;
    let reply = client.stream("/v1/answer", &question("help me with addVar")).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events = events(&reply.body);
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(
        names,
        ["reasoning", "reasoning", "reasoning", "token", "token", "answer", "done"],
        "{events:?}"
    );
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.id, (index + 1).to_string());
        assert_eq!(
            (&event.data["type"], &event.data["seq"]),
            (&json!(event.name), &json!(index + 1))
        );
    }
    let decided = &events[1].data["data"];
    assert_eq!(
        (&decided["phase"], &decided["action"]),
        (&json!("tool_routing"), &json!("decision"))
    );
    assert_eq!(decided["content"], "Selected the route help");
    for field in ["selected_tools", "complexity", "strategy"] {
        assert!(!decided["metadata"][field].is_null(), "{field}: {decided}");
    }
    assert_eq!(events[3].data["data"]["text"], "some ");
    assert_eq!(events[5].data["data"]["mode"], "help");
    server.stop().await;
}

#[tokio::test]
async fn a_stream_that_cannot_be_served_ends_with_an_error() {
    let server = start().await;
    let asked = json!({ "text": "x", "route": "hlep", "now": NOW });
    let reply = server.client().await.stream("/v1/answer", &asked).await;
    let events = events(&reply.body);
    let error = &events[events.len() - 2];
    assert_eq!(
        (error.name.as_str(), &events[events.len() - 1].name),
        ("error", &"done".to_owned())
    );
    let problem = &error.data["data"];
    assert_eq!((&problem["status"], &problem["pointer"]), (&json!(400), &json!("/route")));
    assert!(problem["hint"].as_str().unwrap().contains("`help`"), "{problem}");
    server.stop().await;
}

/// Each body, with the status, the pointer and words of the problem that it gives.
const REFUSED: &[(&str, u16, Option<&str>, &str)] = &[
    ("{\"text\": ", 400, None, "not JSON: line 1, column"),
    ("{\"text\": \"x\"} {", 400, None, "not JSON"),
    ("[\"x\"]", 400, Some(""), "a list"),
    ("\"x\"", 400, Some(""), "expected an object"),
    ("{\"text\": 5}", 400, Some("/text"), "invalid type: integer `5`, expected a string"),
    ("{}", 400, Some("/text"), "no `text`"),
    ("{\"text\": \"  \"}", 400, Some("/text"), "no `text`"),
    ("{\"text\": \"x\", \"context\": 5}", 400, Some("/context"), "expected an object"),
    (
        "{\"text\": \"x\", \"context\": {\"options\": [{\"label\": \"a\", \"value\": 1}, {}]}}",
        400,
        Some("/context/options/1"),
        "missing field `label`",
    ),
    ("{\"text\": \"x\", \"now\": \"soon\"}", 400, Some("/now"), "`soon`"),
    ("{\"text\": \"x\", \"tz\": \"Mars/Base\"}", 400, Some("/tz"), "`Mars/Base`"),
    ("{\"text\": \"x\", \"route\": \"hlep\"}", 400, Some("/route"), "no route `hlep`"),
];

#[tokio::test]
async fn what_cannot_be_read_is_a_problem_that_names_its_place() {
    let server = start().await;
    let mut client = server.client().await;
    for (body, status, pointer, words) in REFUSED {
        for path in ["/v1/route", "/v1/answer"] {
            let reply = client.send("POST", path, &[], body.as_bytes()).await;
            let problem = reply.problem(*status);
            assert_eq!(problem["code"], "INVALID_ARGUMENT", "{body}");
            assert_eq!(
                problem.get("pointer").and_then(Json::as_str),
                *pointer,
                "{body}: {problem}"
            );
            assert!(problem["detail"].as_str().unwrap().contains(words), "{body}: {problem}");
            assert!(problem["hint"].is_string(), "{body}: {problem}");
        }
    }
    let long = json!({ "text": "x".repeat(70_000) }).to_string();
    let reply = client.send("POST", "/v1/route", &[], long.as_bytes()).await;
    assert_eq!(reply.problem(400)["pointer"], "/text");
    let session = json!({ "text": "x", "session": "s".repeat(300) }).to_string();
    let reply = client.send("POST", "/v1/route", &[], session.as_bytes()).await;
    assert_eq!(reply.problem(400)["pointer"], "/session");
    server.stop().await;
}

#[tokio::test]
async fn bodies_are_bounded_and_declared() {
    let server = start().await;
    let large = vec![b' '; super::bodies::MAX_BODY_BYTES + 1];
    let reply = server.client().await.send("POST", "/v1/route", &[], &large).await;
    assert_eq!(reply.problem(413)["code"], "INVALID_ARGUMENT");
    let kind = [("content-type", "text/plain")];
    let reply = server.client().await.send("POST", "/v1/route", &kind, b"{\"text\":\"x\"}").await;
    assert!(reply.problem(415)["hint"].as_str().unwrap().contains("application/json"));
    server.stop().await;
}

#[tokio::test]
async fn paths_methods_and_places_that_there_are_not() {
    let server = start().await;
    let mut client = server.client().await;
    let reply = client.send("GET", "/v1/rout", &[], b"").await;
    assert!(reply.problem(404)["hint"].as_str().unwrap().contains("`/v1/route`"), "{reply:?}");
    let reply = client.send("GET", "/v1/route", &[], b"").await;
    reply.problem(405);
    assert_eq!(reply.header("allow"), Some("POST"));
    for path in ["/healthz", "/v1/students", "/v1/models", "/v1/models/waypost/desk"] {
        let reply = server.client().await.send("PUT", path, &[], b"").await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{path}");
        let mut client = server.client().await;
        client.request("HEAD", path, &[], b"").await;
        // Its length is told, and no body follows.
        let head = client.until(b"\r\n\r\n").await;
        assert!(head.starts_with(b"HTTP/1.1 200 "), "{path}");
    }
    for (header, value) in [("host", "evil.example:80"), ("origin", "https://evil.example")] {
        let reply = client.send("GET", "/v1/students", &[(header, value)], b"").await;
        assert_eq!(reply.problem(403)["code"], "PERMISSION_DENIED", "{header}");
    }
    let here = [("origin", "http://localhost:3000")];
    assert_eq!(client.send("GET", "/v1/students", &here, b"").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn nobody_is_trusted_and_no_flag_is_believed() {
    let server = start().await;
    let claimed = json!({
        "text": "help me with addVar", "now": NOW, "trusted": true,
        "context": { "flags": { "approval": true } },
    });
    for (times, path) in [(1, "/v1/route"), (2, "/v1/answer")] {
        let reply = server.client().await.post(path, &claimed).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let events = server.kept().await;
        let dropped = events.iter().filter(|event| event["type"] == "dropped");
        let dropped: Vec<&Json> = dropped.map(|event| &event["what"]).collect();
        assert_eq!(dropped, ["trusted", "context.flags"].repeat(times), "{path}");
        for event in events.iter().filter(|event| event["type"] == "router_event") {
            assert_eq!(event["flags"], json!({}), "{event}");
        }
    }
    let metrics = server.client().await.send("GET", "/metrics", &[], b"").await.text();
    assert!(metrics.contains("waypost_dropped_total{what=\"trusted\"} 2\n"), "{metrics}");
    server.stop().await;
}

#[tokio::test]
async fn s4_28_feedback_becomes_a_label_of_the_conversation_that_gives_it() {
    let server = start().await;
    let mut client = server.client().await;
    let mut asked = question("help me with addVar");
    asked["session"] = json!("s");
    let answer = client.post("/v1/answer", &asked).await.json();
    let mut word = json!({ "decision_id": answer["id"], "right": false, "route": "chat" });
    let stranger = client.post("/v1/feedback", &word).await;
    assert_eq!(stranger.problem(404)["pointer"], "/decision_id");
    word["session"] = json!("s");
    let reply = client.post("/v1/feedback", &word).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let label = &reply.json()["label"];
    assert_eq!((&label["kind"], &label["route"]), (&json!("feedback"), &json!("chat")));
    let kept = server.served.store.labels("desk", 0, 10).await.unwrap().labels;
    assert_eq!(kept.len(), 1);
    assert_eq!(json!(kept[0]), *label);
    word["route"] = json!("caht");
    let wrong = client.post("/v1/feedback", &word).await.problem(400);
    assert_eq!(wrong["pointer"], "/route");
    let half = json!({ "decision_id": answer["id"] });
    let half = client.post("/v1/feedback", &half).await.problem(400);
    assert!(half["detail"].as_str().unwrap().contains("missing field `right`"), "{half}");
    server.stop().await;
}

#[tokio::test]
async fn metrics_count_requests_and_turns_by_layer() {
    let server = start().await;
    let mut client = server.client().await;
    client.post("/v1/answer", &question("help me with addVar")).await;
    client.post("/v1/route", &question("help me with addParam")).await;
    client.post("/v1/route", &json!({ "text": "x", "route": "chat", "now": NOW })).await;
    client.send("POST", "/v1/route", &[], b"{}").await;
    client.send("GET", "/nowhere", &[], b"").await;
    let reply = client.send("GET", "/metrics", &[], b"").await;
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = reply.text();
    let id = server.bundles[0].id();
    for line in [
        "waypost_http_requests_total{path=\"/v1/answer\",status=\"200\"} 1",
        "waypost_http_requests_total{path=\"/v1/route\",status=\"200\"} 2",
        "waypost_http_requests_total{path=\"/v1/route\",status=\"400\"} 1",
        "waypost_http_requests_total{path=\"other\",status=\"404\"} 1",
        "waypost_turns_total{layer=\"declared\",decision=\"run\"} 1",
        "waypost_turns_total{layer=\"linear\",decision=\"run\"} 2",
        "waypost_decision_duration_seconds_count 3",
        "waypost_turn_duration_seconds_count 1",
        "waypost_turns_in_flight 0",
        "waypost_events_lost_total 0",
        &format!("waypost_bundle_info{{pack=\"{}\",bundle=\"{id}\"}} 1", server.pack),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_full_server_says_when_to_come_again() {
    let limits = Limits { turns: 1, ..LIMITS };
    let server = start_with(limits, Behavior::Waits).await;
    let mut first = server.client().await;
    first.begin("/v1/answer", &question("help")).await;
    server.model.entered.notified().await;
    let reply = server.client().await.post("/v1/route", &question("help")).await;
    assert_eq!(reply.problem(503)["code"], "UNAVAILABLE");
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(server.client().await.send("GET", "/healthz", &[], b"").await.status, 200);
    server.model.go_on.notify_one();
    assert_eq!(first.reply().await.status, 200);
    let metrics = server.client().await.send("GET", "/metrics", &[], b"").await.text();
    assert!(metrics.contains("waypost_turns_rejected_total 1\n"), "{metrics}");
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_turn() {
    let server = start_with(LIMITS, Behavior::Waits).await;
    for accept in ["application/json", "text/event-stream"] {
        let mut client = server.client().await;
        client.begin_as("/v1/answer", &question("help"), accept).await;
        server.model.entered.notified().await;
        drop(client);
        server.model.cancelled.notified().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_turn_whose_conversation_is_forgotten_while_it_works_leaves_nothing() {
    let server = start_with(LIMITS, Behavior::Waits).await;
    let mut asked = question("help");
    asked["session"] = json!("s");
    for (path, forgets, leaves) in [
        ("/v1/answer", true, false),
        ("/v1/route", true, false),
        ("/v1/answer", false, true),
        ("/v1/answer", true, false),
    ] {
        let mut client = server.client().await;
        client.begin(path, &asked).await;
        server.model.entered.notified().await;
        if forgets {
            // As another process does.
            server.served.store.forget("s").await.unwrap();
        }
        server.model.go_on.notify_one();
        assert_eq!(client.reply().await.status, 200);
        assert_eq!(!server.kept().await.is_empty(), leaves, "{path}");
        let session = server.served.store.session("s").await.unwrap();
        assert_eq!(!session.history.is_empty(), leaves, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn stopping_lets_finish_what_runs_and_takes_nothing_new() {
    let server = start_with(LIMITS, Behavior::Waits).await;
    let (mut working, mut idle) = (server.client().await, server.client().await);
    assert_eq!(idle.send("GET", "/readyz", &[], b"").await.status, 200);
    working.begin("/v1/answer", &question("help")).await;
    server.model.entered.notified().await;
    server.served.brakes().0.cancel();
    idle.closed().await;
    server.model.go_on.notify_one();
    assert_eq!(working.reply().await.status, 200);
    server.ended().await;
}

#[tokio::test]
async fn a_second_signal_stops_what_runs() {
    let server = start_with(LIMITS, Behavior::Waits).await;
    let mut working = server.client().await;
    working.begin("/v1/answer", &question("help")).await;
    server.model.entered.notified().await;
    let (stop, work) = server.served.brakes();
    stop.cancel();
    work.cancel();
    let reply = working.reply().await;
    assert_eq!(reply.problem(503)["detail"], "the server is stopping");
    server.ended().await;
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_head_is_let_go() {
    let limits = Limits { head: Duration::from_millis(20), ..LIMITS };
    let server = start_with(limits, Behavior::Talks).await;
    let mut slow = server.client().await;
    slow.write(b"GET /healthz HTTP/1.1\r\nhost: localho").await;
    slow.closed().await;
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_let_go() {
    let limits = Limits { write: Duration::from_millis(20), ..LIMITS };
    let server = start_with(limits, Behavior::Talks).await;
    let mut deaf = server.client().await;
    // The replies fill the buffers between; then the server waits for the client, as long as the
    // limit allows.
    deaf.writes_until_closed(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    server.stop().await;
}

#[tokio::test]
async fn another_student_is_put_in_service_while_it_serves() {
    let server: Running = start().await;
    let mut client = server.client().await;
    server.router.swap(std::sync::Arc::clone(&server.bundles[1])).unwrap();
    let reply = client.post("/v1/route", &question("help me with addVar")).await;
    assert_eq!(reply.json()["bundle"], server.bundles[1].id());
    let models = client.send("GET", "/v1/students", &[], b"").await.json();
    assert_eq!(models["running"]["bundle"], server.bundles[1].id());
    server.stop().await;
}

#[tokio::test]
async fn the_versions_are_shown_without_people_and_read_once() {
    let home = tempfile::TempDir::new().unwrap();
    let (pack, [first, _]) = tiny::students();
    let registry = Registry::open(home.path(), &pack.spec.name).unwrap();
    tiny::keep(&registry, first);
    let (who, because) = ("ada@here".to_owned(), Some("eve complained".to_owned()));
    let by = By { who, at: NOW.to_owned(), because, forced: true };
    registry.promote(1, &by, |_, _, _| Ok(())).unwrap();
    let server = start_over(LIMITS, Behavior::Talks, Some(registry.clone())).await;
    let mut client = server.client().await;
    let models = client.send("GET", "/v1/students", &[], b"").await.json();
    let change = json!({ "step": "promote", "version": 1, "at": NOW, "forced": true });
    assert_eq!((&models["champion"], &models["changes"]), (&json!(1), &json!([change])));
    assert_eq!(models["versions"][0]["promoted"], json!([change]));
    assert!(models["versions"][0]["trained"]["newest"].is_null(), "{models}");
    for word in ["ada@here", "eve complained"] {
        assert!(!models.to_string().contains(word), "{word}: {models}");
    }
    // Cards are read again where something changed; one that is damaged hides nothing else.
    std::fs::write(home.path().join("students/desk/1.json"), "{").unwrap();
    assert_eq!(client.send("GET", "/v1/students", &[], b"").await.json(), models);
    tiny::keep(&registry, first);
    let models = client.send("GET", "/v1/students", &[], b"").await.json();
    assert_eq!(
        (&models["unreadable"], &models["versions"][0]["version"]),
        (&json!([1]), &json!(2))
    );
    server.stop().await;
}
