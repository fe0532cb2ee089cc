//! The surface over streams of this process: what clients that misbehave are owed, and how a session
//! ends.

mod forms;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;
use waypost::records::answer::Answer;
use waypost::router::Router;
use waypost_backends::stores::MemoryStore;
use waypost_testing::clients::{MCP_CLIENTS, Reply, Says, question};

use super::lines::{MAX_LINE_BYTES, MAX_OPEN};
use super::serve;
use crate::surfaces::http::tests::parts::{Behavior, NOW, Told, parts};
use crate::surfaces::{Hosted, HostedPack};

const MINUTE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(20);

/// A client that has shaken hands, and the server that it talks to.
struct Client {
    input: DuplexStream,
    output: Lines<BufReader<DuplexStream>>,
    model: Arc<Told>,
    serving: JoinHandle<std::result::Result<(), String>>,
}

impl Client {
    async fn start(behavior: Behavior, grace: Duration) -> Self {
        let (parts, model) = parts(behavior, Arc::new(MemoryStore::new()));
        let pack = HostedPack::new(Arc::new(Router::new(parts)), None);
        Self::over(vec![pack], model, grace, &json!({})).await
    }

    /// Starts a client of these capabilities over these packs.
    async fn over(
        packs: Vec<HostedPack>,
        model: Arc<Told>,
        grace: Duration,
        capabilities: &Json,
    ) -> Self {
        let (input, theirs) = duplex(64 * 1024);
        let (ours, output) = duplex(64 * 1024);
        let hosted = Arc::new(Hosted::new(packs).unwrap());
        let serving = tokio::spawn(serve(hosted, [7; 32], theirs, ours, grace, 4 * MOMENT));
        let output = BufReader::new(output).lines();
        let mut client = Self { input, output, model, serving };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" } });
        client.ask(1, "initialize", &hello).await;
        assert_eq!(client.next().await["result"]["serverInfo"]["name"], "waypost");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn write(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).await.unwrap();
    }

    async fn say(&mut self, message: &Json) {
        self.write(&format!("{message}\n")).await;
    }

    async fn ask(&mut self, id: u64, method: &str, params: &Json) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&message).await;
    }

    async fn call(&mut self, id: u64, arguments: &Json) {
        self.ask(id, "tools/call", &json!({ "name": "router.route", "arguments": arguments }))
            .await;
    }

    /// Calls a tool, and returns its result.
    async fn result(&mut self, tool: &str, arguments: &Json) -> Json {
        self.ask(6, "tools/call", &json!({ "name": tool, "arguments": arguments })).await;
        self.next().await["result"].clone()
    }

    async fn next(&mut self) -> Json {
        let line = self.output.next_line().await.unwrap().expect("the session goes on");
        serde_json::from_str(&line).expect(&line)
    }

    /// Ends its input, and waits for the end of the session; returns what was still said.
    async fn leave(self) -> Vec<Json> {
        let Self { input, mut output, serving, .. } = self;
        drop(input);
        let mut said = Vec::new();
        while let Some(line) = output.next_line().await.unwrap() {
            said.push(serde_json::from_str(&line).unwrap());
        }
        serving.await.unwrap().unwrap();
        said
    }
}

fn reply(message: &Json) -> Reply {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    match message["error"]["code"].as_i64() {
        Some(code) => Reply::Error(message["id"].as_u64(), code),
        None => Reply::Result(message["id"].as_u64().unwrap()),
    }
}

#[tokio::test]
async fn every_client_of_the_catalogue_gets_what_it_is_owed_and_the_session_goes_on() {
    for hostile in MCP_CLIENTS {
        let mut client = Client::start(Behavior::Talks, MINUTE).await;
        for says in hostile.says {
            match says {
                Says::Line(line) => client.write(&format!("{line}\n")).await,
                Says::Repeat(text, times) => {
                    // In parts, as no client holds such a line either.
                    for _ in 0..*times / 1000 {
                        client.write(&text.repeat(1000)).await;
                    }
                }
                Says::Lines(line, times) => client.write(&format!("{line}\n").repeat(*times)).await,
            }
        }
        client.write(&format!("{}\n", question())).await;
        let mut owed = hostile.owed.to_vec();
        owed.push(Reply::Result(5));
        while !owed.is_empty() {
            let message = client.next().await;
            let at = owed.iter().position(|owed| *owed == reply(&message));
            let at = at.unwrap_or_else(|| panic!("{}: {message} of {owed:?}", hostile.name));
            owed.remove(at);
        }
        assert!(client.leave().await.is_empty(), "{}", hostile.name);
    }
}

#[tokio::test]
async fn a_line_that_does_not_end_is_told_at_once_and_takes_no_memory() {
    let mut client = Client::start(Behavior::Talks, MINUTE).await;
    client.write(&"x".repeat(MAX_LINE_BYTES + 1)).await;
    assert_eq!(reply(&client.next().await), Reply::Error(None, -32700));
    // The rest of it is not kept, and not told again.
    for _ in 0..20 {
        client.write(&"x".repeat(MAX_LINE_BYTES)).await;
    }
    client.write("\n").await;
    client.call(9, &json!({ "query": "help me with addVar" })).await;
    assert_eq!(reply(&client.next().await), Reply::Result(9));
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn a_call_that_panics_is_answered_and_tells_nothing() {
    let mut client = Client::start(Behavior::Panics, MINUTE).await;
    for id in [7, 8] {
        client.call(id, &json!({ "query": "help" })).await;
        let message = client.next().await;
        assert_eq!(reply(&message), Reply::Error(Some(id), -32603));
        assert!(!message.to_string().contains("secret"), "{message}");
    }
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn an_id_is_used_for_one_call_at_a_time() {
    let mut client = Client::start(Behavior::Waits, MINUTE).await;
    client.call(7, &json!({ "query": "help" })).await;
    client.model.entered.notified().await;
    client.call(7, &json!({ "query": "help" })).await;
    assert_eq!(reply(&client.next().await), Reply::Error(None, -32600));
    client.model.go_on.notify_one();
    assert_eq!(reply(&client.next().await), Reply::Result(7));
    client.call(7, &json!({ "query": "help" })).await;
    client.model.go_on.notify_one();
    assert_eq!(reply(&client.next().await), Reply::Result(7));
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn more_calls_than_can_wait_are_told_so() {
    let mut client = Client::start(Behavior::Waits, MOMENT).await;
    let most = u64::try_from(MAX_OPEN).unwrap();
    for id in 0..=most {
        client.call(100 + id, &json!({ "query": "help" })).await;
    }
    assert_eq!(reply(&client.next().await), Reply::Error(Some(100 + most), -32000));
    // The others were never refused: they end with the session.
    client.leave().await;
}

#[tokio::test]
async fn a_turn_under_way_is_finished_and_answered_after_its_client_has_said_all() {
    let mut client = Client::start(Behavior::Waits, MINUTE).await;
    client.call(7, &json!({ "query": "help" })).await;
    let model = Arc::clone(&client.model);
    model.entered.notified().await;
    let leaving = tokio::spawn(client.leave());
    model.go_on.notify_one();
    let said: Vec<Reply> = leaving.await.unwrap().iter().map(reply).collect();
    assert_eq!(said, [Reply::Result(7)]);
}

#[tokio::test]
async fn a_turn_that_does_not_end_in_its_grace_is_cancelled() {
    let mut client = Client::start(Behavior::Waits, MOMENT).await;
    client.call(7, &json!({ "query": "help" })).await;
    let model = Arc::clone(&client.model);
    model.entered.notified().await;
    client.leave().await;
    model.cancelled.notified().await;
}

#[tokio::test]
async fn names_have_the_bound_that_they_have_over_http() {
    let mut client = Client::start(Behavior::Talks, MINUTE).await;
    let session = "s".repeat(300);
    client.call(7, &json!({ "query": "help", "query_time": NOW, "session": session })).await;
    let result = client.next().await["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let message = "INVALID_ARGUMENT: `session` has more than 256 bytes, the limit";
    assert!(text.starts_with(message), "{text}");
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn the_words_are_read_by_both_of_their_names_and_the_text_tells_the_decision() {
    let mut client = Client::start(Behavior::Talks, MINUTE).await;
    for name in ["text", "query"] {
        let result = client.result("router_route", &json!({ name: "help me with addVar" })).await;
        assert_eq!(result["structuredContent"]["route"], "help", "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("decision: run\nroute: help\nconfidence: "), "{text}");
    }
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn an_error_fits_the_schema_that_its_tool_is_listed_with() {
    let mut client = Client::start(Behavior::Talks, MINUTE).await;
    client.ask(5, "tools/list", &json!({})).await;
    let tools = client.next().await["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let result = client.result(name, &json!({ "nonsense": 1 })).await;
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("INVALID_ARGUMENT: "), "{text}");
        let Some(record) = result.get("structuredContent") else {
            assert!(!["router_answer", "tools_call"].contains(&name), "{name}");
            continue;
        };
        assert!(jsonschema::is_valid(&tool["outputSchema"], record), "{name}: {record}");
        let answer: Answer = serde_json::from_value(record.clone()).unwrap();
        assert_eq!(answer.mode, "error");
        assert!(answer.error.unwrap().message.contains("`nonsense`"));
    }
    assert!(client.leave().await.is_empty());
}
