//! Forms for questions, and several packs: what a client that has capabilities gets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::{Files, Pack};
use waypost::ports::store::Store;
use waypost::ports::tools::{ToolDescription, ToolResult, ToolServer};
use waypost::router::{Parts, Router};
use waypost::student::heads::train_student;
use waypost_backends::stores::MemoryStore;

use super::{Client, MINUTE};
use crate::surfaces::HostedPack;
use crate::surfaces::http::tests::parts::{Behavior, Told, parts};

const PACK: &str = "\
name: board
summary: Leaves notes on a board.
format: 1
languages: [en]
tz: UTC
fallback: talk
routes:
  - { name: note, handler: tool, summary: The user wants to leave a note. }
  - { name: talk, handler: converse, summary: The user greets or thanks. }
servers:
  - { name: board, command: [board] }
tools:
  - name: note
    server: board
    summary: Leaves a note for somebody.
    access: write
    schema:
      type: object
      additionalProperties: false
      required: [audience]
      properties: { audience: { enum: [team, public] } }
    arguments:
      audience: { values: { team: [team], public: [public] } }
";
const EXAMPLES: &str = r#"{"text": "leave a note for the team", "lang": "en", "route": "note", "tools": ["note"]}
{"text": "a note to the public please", "lang": "en", "route": "note", "tools": ["note"]}
{"text": "put a note on the board", "lang": "en", "route": "note", "tools": ["note"]}
{"text": "hello there", "lang": "en", "route": "talk"}
{"text": "thanks a lot", "lang": "en", "route": "talk"}
{"text": "good morning", "lang": "en", "route": "talk"}
"#;

/// The notes that were left.
#[derive(Debug, Default)]
struct Board(Mutex<Vec<Json>>);

#[async_trait]
impl ToolServer for Board {
    async fn list(&self, _: &CancellationToken) -> waypost::Result<Vec<ToolDescription>> {
        Ok(vec![ToolDescription { name: "note".to_owned(), ..ToolDescription::default() }])
    }

    async fn call(
        &self,
        _: &str,
        arguments: &Map<String, Json>,
        _: &CancellationToken,
    ) -> waypost::Result<ToolResult> {
        self.0.lock().unwrap().push(Json::Object(arguments.clone()));
        Ok(json!({ "left": true }).into())
    }
}

/// A pack with a tool that changes something.
fn board(store: &Arc<MemoryStore>) -> (HostedPack, Arc<Board>, Arc<Told>) {
    let files = [("pack.yaml", PACK), ("examples.jsonl", EXAMPLES)];
    let files: Files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let pack = Pack::load(&files).unwrap();
    let student = train_student(&pack, None, &mut |_| {}).unwrap();
    let board = Arc::new(Board::default());
    let server: Arc<dyn ToolServer> = Arc::<Board>::clone(&board);
    let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(store);
    let (own, model) = parts(Behavior::Talks, store);
    let parts = Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(student).into(),
        servers: BTreeMap::from([("board".to_owned(), server)]),
        ..own
    };
    (HostedPack::new(Arc::new(Router::new(parts)), None), board, model)
}

/// The message of a call that changes something, with more in its parameters.
fn note(more: &Json) -> Json {
    let call = json!({ "name": "note", "arguments": { "audience": "team" } });
    let mut params = json!({ "name": "tools_call", "arguments": call });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    params
}

/// What a client of 2026-07-28 says with each request.
fn later(more: &Json) -> Json {
    let mut more = more.clone();
    more["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    note(&more)
}

fn left(board: &Board) -> Vec<Json> {
    board.0.lock().unwrap().clone()
}

#[tokio::test]
async fn a_user_is_asked_by_a_form_while_the_call_waits() {
    let (pack, board, model) = board(&Arc::new(MemoryStore::new()));
    let can = json!({ "elicitation": {} });
    let mut client = Client::over(vec![pack], model, MINUTE, &can).await;
    // A model that says yes itself is asked like one that does not: the user says it in the form.
    for (action, made, approved) in
        [("decline", 0, false), ("decline", 0, true), ("cancel", 0, true), ("accept", 1, false)]
    {
        client.ask(7, "tools/call", &note(&json!({ "approved": approved }))).await;
        let form = client.next().await;
        assert_eq!(form["method"], "elicitation/create", "{form}");
        let choices = &form["params"]["requestedSchema"]["properties"]["choice"]["enum"];
        assert_eq!(*choices, json!(["Yes", "No"]), "{form}");
        let said = json!({ "action": action, "content": { "choice": "Yes" } });
        client.say(&json!({ "jsonrpc": "2.0", "id": form["id"], "result": said })).await;
        let result = client.next().await["result"].clone();
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(left(&board).len(), made, "{result}");
        assert_ne!(result["structuredContent"]["mode"], "clarify", "{result}");
    }
    assert_eq!(left(&board), [json!({ "audience": "team" })]);
    // Nothing is open that words could answer.
    let yes = json!({ "text": "yes" });
    let result = client.result("router_answer", &yes).await;
    assert_eq!(left(&board).len(), 1, "{result}");
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn a_form_in_a_result_is_answered_where_the_key_is_the_same() {
    let store = Arc::new(MemoryStore::new());
    let (pack, asked, model) = board(&store);
    let mut client = Client::over(vec![pack], model, MINUTE, &json!({})).await;
    client.ask(7, "tools/call", &later(&json!({}))).await;
    let result = client.next().await["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let form = &result["inputRequests"]["choice"];
    assert_eq!(form["method"], "elicitation/create", "{result}");
    let state = result["requestState"].as_str().unwrap().to_owned();
    assert!(client.leave().await.is_empty());

    // Another process that has the key and the store.
    let (pack, board, model) = board(&store);
    let mut client = Client::over(vec![pack], model, MINUTE, &json!({})).await;
    let said = |state: &str, action: &str| {
        let response = json!({ "action": action, "content": { "choice": "Yes" } });
        later(&json!({ "requestState": state, "inputResponses": { "choice": response } }))
    };
    client.ask(8, "tools/call", &said(&format!("{state}x"), "accept")).await;
    let result = client.next().await["result"].clone();
    let error = &result["structuredContent"]["error"];
    assert_eq!((&result["isError"], &error["code"]), (&json!(true), &json!("INVALID_ARGUMENT")));
    client.ask(10, "tools/call", &later(&json!({ "requestState": state }))).await;
    let result = client.next().await["result"].clone();
    assert_eq!(result["resultType"], "input_required", "nothing was said: {result}");
    for made in [1, 1] {
        client.ask(11, "tools/call", &said(&state, "accept")).await;
        let result = client.next().await["result"].clone();
        assert_eq!(left(&board).len(), made, "a yes is for one call: {result}");
    }
    assert!(left(&asked).is_empty());
    // A no closes the question, and the yes to it answers no later one.
    let mut states = Vec::new();
    for _ in 0..2 {
        client.ask(12, "tools/call", &later(&json!({}))).await;
        let result = client.next().await["result"].clone();
        let state = result["requestState"].as_str().unwrap().to_owned();
        if states.is_empty() {
            client.ask(13, "tools/call", &said(&state, "decline")).await;
            let result = client.next().await["result"].clone();
            assert_ne!(result["structuredContent"]["mode"], "clarify", "{result}");
            client.ask(14, "tools/call", &said(&state, "accept")).await;
            let result = client.next().await["result"].clone();
            assert_eq!(left(&board).len(), 1, "it was declined: {result}");
        }
        states.push(state);
    }
    client.ask(15, "tools/call", &said(&states[0], "accept")).await;
    let result = client.next().await["result"].clone();
    assert_eq!(left(&board).len(), 1, "the yes to the first answers the second: {result}");
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn a_client_without_forms_gets_the_question_in_words() {
    let (pack, board, model) = board(&Arc::new(MemoryStore::new()));
    let mut client = Client::over(vec![pack], model, MINUTE, &json!({})).await;
    let mut arguments = json!({ "name": "note", "arguments": { "audience": "public" } });
    let result = client.result("tools_call", &arguments).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("\n1. Yes\n2. No"), "{text}");
    assert!(left(&board).is_empty());
    arguments["approved"] = json!(true);
    client.result("tools_call", &arguments).await;
    assert_eq!(left(&board), [json!({ "audience": "public" })]);
    assert!(client.leave().await.is_empty());
}

#[tokio::test]
async fn a_call_says_which_of_several_packs_it_asks() {
    let store = Arc::new(MemoryStore::new());
    let (pack, _, model) = board(&store);
    let store: Arc<dyn Store> = store;
    let (desk, _) = parts(Behavior::Talks, store);
    let desk = HostedPack::new(Arc::new(Router::new(desk)), None);
    let mut client = Client::over(vec![desk, pack], model, MINUTE, &json!({})).await;
    client.ask(5, "tools/list", &json!({})).await;
    let tools = client.next().await["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let packs = &tool["inputSchema"]["properties"]["pack"]["enum"];
        assert_eq!(*packs, json!(["desk", "board"]), "{tool}");
    }
    let names = |pack: Option<&str>| match pack {
        Some(pack) => json!({ "names": ["note"], "pack": pack }),
        None => json!({ "names": ["note"] }),
    };
    let result = client.result("tools_describe", &names(Some("board"))).await;
    assert_eq!(result["structuredContent"]["tools"][0]["name"], "note", "{result}");
    for (pack, told) in [
        (None, "INVALID_ARGUMENT: there is no tool `note`"),
        (Some("bord"), "NOT_FOUND: there is no pack `bord` (hint: did you mean `board`?)"),
    ] {
        let result = client.result("tools_describe", &names(pack)).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(told), "{text}");
    }
    assert!(client.leave().await.is_empty());
}
