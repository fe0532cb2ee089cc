//! Other people's protocols: an answer in each, whole and as it comes, and what is passed on to a model.

use std::sync::{Arc, Mutex};

use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::post;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;

use super::client::Reply;
use super::parts::{Running, start, start_before};

fn asked(path: &str, text: &str) -> Json {
    let messages = json!([{ "role": "user", "content": text }]);
    match path {
        "/v1/responses" => json!({ "model": "waypost/desk", "input": text }),
        _ => json!({ "model": "waypost/desk", "messages": messages }),
    }
}

/// The words of a whole answer.
fn words(path: &str, answer: &Json) -> String {
    let at = match path {
        "/v1/chat/completions" => "/choices/0/message/content",
        "/v1/responses" => "/output/0/content/0/text",
        _ => "/content/0/text",
    };
    answer.pointer(at).and_then(Json::as_str).unwrap_or_else(|| panic!("{at}: {answer}")).to_owned()
}

/// What the events of a stream carry; `[DONE]` as a text.
fn data(reply: &Reply) -> Vec<Json> {
    let lines = reply.text();
    let data = lines.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| json!(data))).collect()
}

pub(super) const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

#[tokio::test]
async fn the_tokens_of_a_request_are_counted_before_it_is_sent() {
    let server = start().await;
    let count =
        async |body: Json| server.client().await.post("/v1/messages/count_tokens", &body).await;
    let said = json!([{ "role": "user", "content": "help me with addVar" }]);
    let counted = async |body: Json| count(body).await.json()["input_tokens"].as_u64().unwrap();
    let alone = counted(json!({ "model": "waypost/desk", "messages": said })).await;
    let tools = json!([{ "name": "addVar", "input_schema": { "type": "object" } }]);
    let body =
        json!({ "model": "waypost", "messages": said, "tools": tools, "system": "Be brief." });
    assert!(alone > 0 && counted(body).await > alone + 5);
    let reply = count(json!({ "model": "nobody", "messages": said })).await;
    assert_eq!((reply.status, &reply.json()["error"]["type"]), (404, &json!("not_found_error")));
    server.stop().await;
}

#[tokio::test]
async fn an_answer_has_the_same_words_in_every_protocol_whole_and_as_it_comes() {
    let server = start().await;
    for path in PATHS {
        let mut body = asked(path, "help me with addVar");
        let whole = server.client().await.post(path, &body).await;
        assert_eq!(whole.status, 200, "{whole:?}");
        assert_eq!(whole.json()["waypost"]["mode"], "help", "{path}");
        let said = words(path, &whole.json());
        assert!(said.starts_with("some words\n\nSources:"), "{path}: {said}");
        body["stream"] = json!(true);
        let stream = server.client().await.post(path, &body).await;
        assert_eq!(stream.header("content-type"), Some("text/event-stream"));
        let events = data(&stream);
        let deltas = events.iter().filter_map(|event| {
            let places = ["/choices/0/delta/content", "/delta/text", "/delta"];
            places.iter().find_map(|at| event.pointer(at)?.as_str().map(str::to_owned))
        });
        assert_eq!(deltas.collect::<String>(), said, "{path}: {events:?}");
        let kept = events.iter().rev().find_map(|event| {
            [event.get("waypost"), event.pointer("/response/waypost")].into_iter().flatten().next()
        });
        assert_eq!(kept.unwrap()["mode"], "help", "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stream_of_chat_completions_ends_as_its_clients_expect() {
    let server = start().await;
    let mut body = asked(PATHS[0], "help me with addVar");
    body["stream"] = json!(true);
    body["stream_options"] = json!({ "include_usage": true });
    let events = data(&server.client().await.post(PATHS[0], &body).await);
    let [.., finish, usage, done] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert_eq!(usage["choices"], json!([]));
    assert!(usage["usage"]["completion_tokens"].as_u64().is_some_and(|count| count > 2), "{usage}");
    assert_eq!(done, &json!("[DONE]"));
    let same = |field: &str| {
        events[..events.len() - 1].iter().all(|event| event[field] == events[0][field])
    };
    assert!(same("id") && same("model") && same("created"));
    server.stop().await;
}

#[tokio::test]
async fn a_conversation_that_is_sent_whole_goes_on_and_its_beginning_is_another() {
    let server = start().await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let first = server.client().await.post(PATHS[0], &asked(PATHS[0], "help me with addVar")).await;
    let said = first.json()["choices"][0]["message"].clone();
    let body = json!({ "model": "waypost", "messages": [user("help me with addVar"), said, user("thanks")] });
    let next = json!({ "model": "waypost/desk", "messages": body["messages"] });
    for body in [next, asked(PATHS[0], "help me with addVar")] {
        assert_eq!(server.client().await.post(PATHS[0], &body).await.status, 200);
    }
    let events = server.kept().await;
    let turns = events.iter().filter(|event| event["type"] == "router_event");
    let sessions: Vec<&str> = turns.filter_map(|event| event["session_id"].as_str()).collect();
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions[0], sessions[1], "it goes on");
    assert_ne!(sessions[0], sessions[2], "it begins");
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_told_with_its_place() {
    let server = start().await;
    let user = json!([{ "role": "user", "content": "hi" }]);
    for (path, body, status, place) in [
        (PATHS[0], json!({}), 400, "model"),
        (PATHS[0], json!({ "model": "waypost/desk" }), 400, "messages"),
        (PATHS[0], json!({ "model": "waypost/desk", "messages": [] }), 400, "messages"),
        (PATHS[0], json!({ "model": "waypost/dsk", "messages": user }), 404, "model"),
        (PATHS[0], json!({ "model": "gpt-5", "messages": user }), 404, "model"),
        (
            PATHS[0],
            json!({ "model": "waypost/desk", "messages": user, "waypost": 5 }),
            400,
            "waypost",
        ),
        (
            PATHS[0],
            json!({ "model": "waypost/desk", "messages": [{ "role": "user", "content": [{ "type": "image_url" }] }] }),
            400,
            "messages.0.content",
        ),
        (PATHS[1], json!({ "model": "waypost/desk", "input": 5 }), 400, "input"),
    ] {
        let reply = server.client().await.post(path, &body).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
        assert_eq!(reply.json()["error"]["param"], place, "{body}");
    }
    let reply =
        server.client().await.post(PATHS[2], &json!({ "model": "gpt-5", "messages": user })).await;
    assert_eq!(
        (&reply.json()["type"], &reply.json()["error"]["type"]),
        (&json!("error"), &json!("not_found_error"))
    );
    let models = server.client().await.send("GET", "/v1/models", &[], b"").await.json();
    let names: Vec<&Json> =
        models["data"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert_eq!(names, ["waypost", "waypost/desk"]);
    let one = server.client().await.send("GET", "/v1/models/waypost/desk", &[], b"").await;
    assert_eq!(one.json()["object"], "model");
    server.stop().await;
}

/// What a model was sent.
pub(super) type Heard = Arc<Mutex<Vec<(HeaderMap, Json)>>>;

/// A model that notes what it is sent.
async fn upstream(status: u16) -> (String, Heard) {
    upstream_saying(status, "application/json", "{\"said\": \"this\"}").await
}

/// A model that notes what it is sent, and says this.
pub(super) async fn upstream_saying(
    status: u16,
    kind: &'static str,
    says: &'static str,
) -> (String, Heard) {
    let heard = Heard::default();
    let noted = Arc::clone(&heard);
    let answer = move |headers: HeaderMap, body: String| {
        let noted = Arc::clone(&noted);
        async move {
            let body: Json = serde_json::from_str(&body).unwrap();
            noted.lock().unwrap().push((headers, body));
            let status = axum::http::StatusCode::from_u16(status).unwrap();
            (status, [("content-type", kind)], says).into_response()
        }
    };
    let app = axum::Router::new()
        .route("/v1/chat/completions", post(answer.clone()))
        .route("/v1/responses", post(answer.clone()))
        .route("/v1/messages", post(answer));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else { return };
            let service = hyper_util::service::TowerToHyperService::new(app.clone());
            let io = hyper_util::rt::TokioIo::new(stream);
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(io, service));
        }
    });
    (address, heard)
}

async fn before(address: &str) -> Running {
    before_as(address, false).await
}

async fn before_as(address: &str, dry_run: bool) -> Running {
    let text = format!("[models.main]\nurl = \"{address}\"\nmodel = \"far\"\n");
    start_before(&toml::from_str(&text).unwrap(), dry_run).await
}

/// Twelve tools in the form of a protocol, one of which tells the weather.
fn tools(path: &str) -> Json {
    let names = [
        "send_mail",
        "stock_price",
        "get_forecast",
        "play_song",
        "book_table",
        "set_alarm",
        "translate_page",
        "open_door",
        "pay_invoice",
        "find_recipe",
        "call_taxi",
        "print_photo",
    ];
    let of = |name: &str| {
        let says = if name == "get_forecast" {
            "The weather of a city on a day."
        } else {
            "Does something else."
        };
        match path {
            "/v1/chat/completions" => {
                json!({ "type": "function", "function": { "name": name, "description": says } })
            }
            "/v1/responses" => json!({ "type": "function", "name": name, "description": says }),
            _ => json!({ "name": name, "description": says, "input_schema": { "type": "object" } }),
        }
    };
    names.iter().map(|name| of(name)).collect()
}

#[tokio::test]
async fn a_request_for_a_model_is_passed_on_with_the_tools_that_it_needs() {
    let (address, heard) = upstream(200).await;
    let server = before(&address).await;
    for path in PATHS {
        let mut body = asked(path, "what will the weather be in Hanoi tomorrow");
        body["model"] = json!("far");
        body["tools"] = tools(path);
        body["own_field"] = json!({ "stays": 1.5 });
        let headers = [("authorization", "Bearer of-the-client"), ("x-waypost-keep", "2")];
        let reply =
            server.client().await.send("POST", path, &headers, body.to_string().as_bytes()).await;
        assert_eq!((reply.status, reply.text().as_str()), (200, "{\"said\": \"this\"}"), "{path}");
        let (sent, got) = heard.lock().unwrap().pop().unwrap();
        let names: Vec<&str> = got["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().or(tool["function"]["name"].as_str()).unwrap())
            .collect();
        assert!((2..12).contains(&names.len()), "{path}: {names:?}");
        assert!(names.contains(&"get_forecast"), "{path}: {names:?}");
        let pruned = reply.header("x-waypost-pruned").unwrap();
        assert!(pruned.starts_with(&format!("tools={}; ", 12 - names.len())), "{reply:?}");
        assert_eq!(got["own_field"], body["own_field"]);
        assert!(sent.get("authorization").is_none(), "the client's key is not the model's");
    }
    let metrics = server.client().await.send("GET", "/metrics", &[], b"").await.text();
    assert!(metrics.contains("waypost_forwarded_total 3"), "{metrics}");
    assert!(metrics.contains("waypost_pruned_tool_tokens_total{kind=\"dropped\"}"), "{metrics}");
    server.stop().await;
}

#[tokio::test]
async fn a_dry_run_passes_all_tools_on_and_says_what_it_would_have_left_out() {
    let (address, heard) = upstream(200).await;
    let server = before_as(&address, true).await;
    for path in PATHS {
        let mut body = asked(path, "what will the weather be in Hanoi tomorrow");
        body["model"] = json!("far");
        body["tools"] = tools(path);
        let reply = server.client().await.post(path, &body).await;
        assert!(reply.header("x-waypost-pruned").unwrap().ends_with("; dry-run"), "{reply:?}");
        let (_, got) = heard.lock().unwrap().pop().unwrap();
        assert_eq!(got, body, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_a_model_refuses_is_passed_back_as_it_is_and_one_that_is_gone_is_told() {
    let (address, _) = upstream(418).await;
    let server = before(&address).await;
    let mut body = asked(PATHS[0], "hello");
    body["model"] = json!("far");
    assert_eq!(server.client().await.post(PATHS[0], &body).await.status, 418);
    server.stop().await;
    let server = before("http://127.0.0.1:9/v1").await;
    let reply = server.client().await.post(PATHS[0], &body).await;
    assert_eq!((reply.status, &reply.json()["error"]["type"]), (503, &json!("server_error")));
    assert!(!reply.text().contains("127.0.0.1"), "no address is told: {}", reply.text());
    server.stop().await;
}

#[tokio::test]
async fn hostile_bodies_and_paths_get_a_status_and_words_of_the_protocol() {
    let server = start().await;
    let long = format!(
        "{{\"model\":\"waypost/desk\",\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}]}}",
        "x".repeat(9 * 1024 * 1024)
    );
    let many = format!("{{\"model\":\"waypost/desk\",\"messages\":[{}0]}}", "0,".repeat(500_000));
    let deep = format!("{{\"model\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (path, body, status) in [
        (PATHS[0], long.as_str(), 413),
        (PATHS[0], many.as_str(), 400),
        (PATHS[1], deep.as_str(), 400),
        (PATHS[2], "{\"model\":", 400),
        (PATHS[2], "[]", 400),
        ("/v1/models/../../etc/passwd", "", 405),
        ("/v1/models/%2e%2e/%00", "", 405),
    ] {
        let reply = server.client().await.send("POST", path, &[], body.as_bytes()).await;
        assert_eq!(
            reply.status,
            status,
            "{path}: {}",
            &reply.text()[..200.min(reply.text().len())]
        );
        assert!(reply.json()["error"]["message"].is_string(), "{path}");
    }
    for (name, value, status) in [
        ("idempotency-key", "", 400),
        ("idempotency-key", "a b \u{e9}", 400),
        ("x-request-id", "a\tb", 200),
        ("last-event-id", "-1-", 200),
    ] {
        let body = json!({ "text": "help me with addVar" }).to_string();
        let headers = [(name, value)];
        let reply =
            server.client().await.send("POST", "/v1/answer", &headers, body.as_bytes()).await;
        assert_eq!(reply.status, status, "{name}: {value:?}");
    }
    server.stop().await;
}
