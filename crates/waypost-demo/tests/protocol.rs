//! The sample server over the real protocol, with rmcp's own client on the other end.

#![allow(clippy::expect_used, reason = "a test that cannot go on must fail")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use waypost_demo::{DemoOptions, Fault, Log};

/// The lines the server logged.
type Lines = Arc<Mutex<Vec<String>>>;

/// DemoOptions at 2025-11-06, in Taipei, with a log that keeps its lines.
fn options(fault: Option<Fault>) -> (DemoOptions, Lines) {
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    let log = Log::new(move |line| kept.lock().expect("a log").push(line.to_owned()));
    let now = "2025-11-06T10:30:00[Asia/Taipei]".parse().expect("a moment");
    (DemoOptions { fault, log, ..DemoOptions::at(now) }, lines)
}

/// A client of the ocean server, and the server's log.
async fn connect(fault: Option<Fault>) -> (RunningService<RoleClient, ()>, Lines) {
    connect_to("ocean", fault).await
}

async fn connect_to(
    pack: &'static str,
    fault: Option<Fault>,
) -> (RunningService<RoleClient, ()>, Lines) {
    let (options, lines) = options(fault);
    let (theirs, ours) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (input, output) = tokio::io::split(theirs);
        waypost_demo::serve_stream(pack, options, input, output).await.expect("a server");
    });
    (().serve(ours).await.expect("a handshake"), lines)
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let Value::Object(arguments) = arguments else { unreachable!("arguments are an object") };
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(request).await.expect("a reply")
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    let (client, lines) = connect(None).await;
    let info = client.peer_info().expect("the server's information");
    let name = info.server_info.as_ref().map(|server| server.name.as_str());
    assert_eq!(name, Some("waypost-demo-ocean"));
    let tools = client.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 4);
    assert!(tools.iter().all(|tool| tool.output_schema.is_some()));

    let bbox = json!([118, 20, 123.5, 26.5]);
    let mean = call(&client, "ghrsst.bbox_mean", json!({"bbox": bbox, "date": "2025-11-05"})).await;
    assert_eq!(mean.is_error, Some(false));
    let structured = mean.structured_content.expect("a structured result");
    let text = &mean.content[0].as_text().expect("a text copy").text;
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), structured);

    let today =
        call(&client, "ghrsst.bbox_mean", json!({"bbox": bbox, "date": "2025-11-06"})).await;
    assert_eq!(today.is_error, Some(true));
    let message = "Data not exist, available date is 2002-06-01/2025-11-05";
    assert_eq!(today.structured_content, Some(json!({"code": "NOT_FOUND", "message": message})));
    let text = &today.content[0].as_text().expect("a text").text;
    assert_eq!(*text, format!("NOT_FOUND: {message}"));

    let lines = lines.lock().expect("a log").clone();
    assert_eq!(lines.len(), 2);
    let start = r#"waypost-demo ocean: call ghrsst.bbox_mean {"bbox":[118,20,123.5,26.5],"date":"2025-11-06"} -> NOT_FOUND "#;
    assert!(lines[0].contains("-> ok "), "{}", lines[0]);
    assert!(lines[1].starts_with(start) && lines[1].ends_with("ms"), "{}", lines[1]);
}

#[tokio::test]
async fn pictures_go_out_beside_the_result() {
    let (client, _) = connect_to("malaria", None).await;
    let tools = client.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 6);
    let both = call(&client, "create_vulnerability_map", json!({"method": "both"})).await;
    let structured = both.structured_content.expect("a structured result");
    assert_eq!(structured["highest"][0]["ward"], "Virako");
    let text = &both.content[0].as_text().expect("a text copy").text;
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), structured);
    let images: Vec<_> = both.content.iter().filter_map(|block| block.as_image()).collect();
    assert_eq!(images.len(), 2);
    for (image, title) in images.into_iter().zip(["composite", "pca"]) {
        assert_eq!(image.mime_type, "image/svg+xml");
        let meta = image.meta.as_ref().expect("a title");
        assert_eq!(meta.0["title"], format!("Malaria vulnerability, {title}"));
        let svg = BASE64.decode(&image.data).expect("base64");
        let svg = String::from_utf8(svg).expect("UTF-8");
        assert!(svg.starts_with("<svg ") && svg.contains("synthetic data"), "{svg}");
    }

    let first = call(&client, "run_tpr_step", json!({"facility_level": "primary"})).await;
    assert!(first.content.iter().all(|block| block.as_image().is_none()));
    assert_eq!(first.structured_content.expect("a result")["next"], "age_group");
    let wrong = call(&client, "run_tpr_step", json!({"age_group": "teens"})).await;
    assert_eq!(wrong.is_error, Some(true));
    assert_eq!(wrong.structured_content.expect("an error")["code"], "INVALID_ARGUMENT");

    let (client, _) = connect_to("malaria", Some(Fault::NotFound)).await;
    let none = call(&client, "create_vulnerability_map", json!({})).await;
    assert_eq!(none.structured_content.expect("an error")["code"], "NOT_FOUND");
    assert_eq!(none.content.len(), 1);
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let (client, _) = connect(None).await;
    let error = client.call_tool(CallToolRequestParams::new("ghrsst.depth")).await;
    assert!(error.expect_err("no such tool").to_string().contains("unknown tool `ghrsst.depth`"));
}

#[tokio::test]
async fn faults_are_played() {
    let point = || json!({"longitude": 121.7, "latitude": 24.0});
    let (client, _) = connect(Some(Fault::Error("UNAVAILABLE"))).await;
    let result = call(&client, "ghrsst.point_value", point()).await;
    assert_eq!(result.structured_content.expect("an error")["code"], "UNAVAILABLE");

    let (client, _) = connect(Some(Fault::GarbageResult)).await;
    let result = call(&client, "ghrsst.point_value", point()).await;
    assert_eq!(result.is_error, Some(false));
    assert!(result.structured_content.expect("a result").get("region").is_none());

    let (client, _) = connect(Some(Fault::NotFound)).await;
    let result = call(&client, "ghrsst.point_value", point()).await;
    assert_eq!(result.structured_content.expect("an error")["code"], "NOT_FOUND");
}

#[tokio::test]
async fn a_hanging_call_is_logged_and_never_answered() {
    let (client, lines) = connect(Some(Fault::Hang)).await;
    let arguments = json!({"longitude": 121.7, "latitude": 24.0});
    let answer = call(&client, "ghrsst.point_value", arguments);
    assert!(tokio::time::timeout(Duration::from_millis(100), answer).await.is_err());
    assert!(lines.lock().expect("a log")[0].contains("-> hang "));
}

#[tokio::test]
async fn garbage_replaces_every_reply() {
    let (mut ours, theirs) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(theirs);
    let (options, _) = options(Some(Fault::Garbage));
    let server = tokio::spawn(waypost_demo::serve_stream("ocean", options, input, output));
    ours.write_all(b"{}\n{}\n").await.expect("a write");
    ours.shutdown().await.expect("an end");
    let mut replies = Vec::new();
    ours.read_to_end(&mut replies).await.expect("a read");
    assert_eq!(replies.iter().filter(|byte| **byte == b'\n').count(), 2);
    assert!(serde_json::from_slice::<Value>(&replies).is_err());
    server.await.expect("no panic").expect("a clean end");
}

/// Posts one message to `/mcp` under a host name; the whole response as text.
async fn post(address: std::net::SocketAddr, host: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("a write");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.expect("a read");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn http_answers_at_mcp_for_loopback_hosts_until_the_shutdown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (options, lines) = options(None);
    let server = tokio::spawn(waypost_demo::serve_http("ocean", options, listener, async {
        let _ = stopped.await;
    }));
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ghrsst.point_value","arguments":{"longitude":121.7,"latitude":24}}}"#;
    let response = post(address, "localhost", message).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("application/json") && response.contains(r#""synthetic":true"#));
    assert_eq!(lines.lock().expect("a log").len(), 1);
    let refused = post(address, "example.org", message).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    stop.send(()).expect("a server");
    server.await.expect("no panic").expect("a clean end");
}

#[tokio::test]
async fn an_unknown_pack_is_refused_with_the_choices() {
    let (options, _) = options(None);
    let served =
        waypost_demo::serve_stream("space", options, tokio::io::empty(), tokio::io::sink());
    let error = served.await.expect_err("no such pack");
    assert_eq!(
        error.to_string(),
        "no pack `space` has a sample server; choose ocean, malaria, finance, accelerator"
    );
    assert_eq!(waypost_demo::packs(), ["ocean", "malaria", "finance", "accelerator"]);
}

#[tokio::test]
async fn what_a_finance_server_is_told_is_remembered_and_marked_as_a_write() {
    let (client, _) = connect_to("finance", None).await;
    let tools = client.list_all_tools().await.expect("tools");
    let writes: Vec<_> = tools
        .iter()
        .filter(|tool| {
            tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) != Some(true)
        })
        .map(|tool| tool.name.as_ref())
        .collect();
    assert_eq!((tools.len(), writes), (38, vec!["memoryUserEdits"]));
    let add = json!({"command": "add", "content": "Likes index funds", "user_id": "ana"});
    let added = call(&client, "memoryUserEdits", add).await.structured_content.expect("a result");
    let line = &added["changed"]["line"];
    let view = json!({"command": "view", "user_id": "ana"});
    let view = call(&client, "memoryUserEdits", view).await;
    let view = view.structured_content.expect("a result");
    let last = view["edits"].as_array().and_then(|all| all.last()).expect("a line");
    assert_eq!((&last["line"], &last["text"]), (line, &json!("Likes index funds")));
    let performance = call(&client, "getStockPerformance", json!({"symbol": "AAPL"})).await;
    let images = performance.content.iter().filter_map(|block| block.as_image());
    assert_eq!(images.count(), 1);
    let unknown = call(&client, "getStockPrice", json!({"symbol": "QQQQQ"})).await;
    assert_eq!(unknown.structured_content.expect("an error")["code"], "NOT_FOUND");
}
