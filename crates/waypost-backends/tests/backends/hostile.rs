//! Every tool server and every model of the catalogs of `waypost-testing` against a router: what each turn is
//! owed, whatever they do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost_backends::clock::SystemClock;
use waypost_backends::llm::{ModelConfig, OpenAiModel};
use waypost_backends::mcp::{McpServer, StdioConfig};
use waypost_core::ports::model::{Model, Slot};
use waypost_core::ports::tools::{ToolDescription, ToolResult, ToolServer};
use waypost_core::records::answer::Answer;
use waypost_core::records::request::Request;
use waypost_core::records::rollout::Rollout;
use waypost_core::{Code, Error, Result};
use waypost_testing::models::{Counts, models};
use waypost_testing::servers::{Hostile, Owed, servers};
use waypost_testing::{EmptyShelf, OneSession};

/// The number that is played at once.
const AT_ONCE: usize = 6;
/// The silence after which a call is late: long enough for a busy machine.
const SILENCE: Duration = Duration::from_secs(6);
/// A turn that takes as long hangs: its own limits are far below.
const HANGS: Duration = Duration::from_secs(120);
/// The longest text of an answer, in characters: what is shown of a result, and a sentence.
const LONGEST: usize = 4_400;
/// Words from inside, which no user reads.
const INSIDE: [&str; 7] =
    ["panicked", "rmcp", "serde", "src/", "sk-secret", "/secret", "TransportClosed"];

/// A pack with these tools, as YAML, and examples for `act` and `talk`.
fn pack(student: f64, tools: &str) -> Pack {
    let yaml = format!(
        "name: fake
summary: Does what a test says.
format: 1
languages: [en]
tz: UTC
fallback: talk
policy: {{ run: 0.3, ask: 0.2, student: {student}, max_tries: 1, backoff_ms: 1, llm_timeout_ms: 2000,
  turn_timeout_ms: 15000, longest_turn_ms: 18000 }}
routes:
  - {{ name: act, handler: tool, summary: The user wants something done. }}
  - {{ name: talk, handler: converse, summary: The user greets or thanks. }}
servers:
  - {{ name: fake, command: [fake] }}
tools:
{tools}"
    );
    let example = |text: &str, route: &str, tool: Option<&str>| {
        let tools: Vec<&str> = tool.into_iter().collect();
        format!("{}\n", json!({ "text": text, "lang": "en", "route": route, "tools": tools }))
    };
    let first = if tools.contains("look") { "look" } else { "act" };
    let act = ["do it now", "please act", "run the job", "carry it out"];
    let talk = ["hello there", "thanks a lot", "good morning", "how are you"];
    let examples = act.map(|text| example(text, "act", Some(first))).concat()
        + &talk.map(|text| example(text, "talk", None)).concat();
    let files = [("pack.yaml".to_owned(), yaml), ("examples.jsonl".to_owned(), examples)];
    Pack::load(&files.into()).unwrap()
}

fn router(pack: Pack, server: Arc<dyn ToolServer>, model: Option<Arc<dyn Model>>) -> Router {
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: model.into_iter().map(|model| (Slot::Main, model)).collect(),
        servers: BTreeMap::from([("fake".to_owned(), server)]),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::new(OneSession::default()),
        clock: Arc::new(SystemClock::new()),
        rollout: Rollout::default(),
        recall: None,
    })
}

async fn ask(router: &Router, request: &Request) -> Result<Answer> {
    let (out, mut pieces) = mpsc::channel(256);
    let drained = async { while pieces.recv().await.is_some() {} };
    let cancel = CancellationToken::new();
    let answer = async {
        let answer = router.answer(request, AnswerOptions { trace: true }, &out, &cancel).await;
        drop(out);
        answer
    };
    let both = async { tokio::join!(answer, drained).0 };
    tokio::time::timeout(HANGS, both).await.expect("the turn hangs")
}

fn request(route: Option<&str>) -> Request {
    Request {
        session: Some("s".to_owned()),
        now: Some("2025-11-06T09:00:00Z".to_owned()),
        route: route.map(str::to_owned),
        trusted: true,
        ..Request::new("do it now")
    }
}

/// Checks what every answer is owed.
fn is_fit_for_people(name: &str, answer: &Answer) {
    assert!(!answer.text.trim().is_empty(), "{name}: {answer:?}");
    let length = answer.text.chars().count();
    assert!(length <= LONGEST, "{name}: {length} characters");
    let error = answer.error.as_ref();
    let message = error.map(|error| error.message.as_str()).unwrap_or_default();
    for inside in INSIDE {
        assert!(!answer.text.contains(inside) && !message.contains(inside), "{name}: {answer:?}");
    }
    assert!(!message.chars().any(char::is_control), "{name}: {message:?}");
}

async fn play(hostile: Hostile) {
    let name = hostile.name;
    let mut config = StdioConfig::new("fake", env!("CARGO_BIN_EXE_fake-mcp"));
    // Larger than an argument may be.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("play.json");
    std::fs::write(&file, hostile.play.to_string()).unwrap();
    config.args = vec![format!("play:{}", file.display()).into()];
    (config.call_timeout, config.start_timeout) = (SILENCE, SILENCE);
    config.keeper = Some(env!("CARGO_BIN_EXE_fake-mcp").into());
    let pack = pack(
        0.3,
        "  - { name: act, server: fake, summary: Does it., access: read, schema: { type: object } }\n",
    );
    let router = router(pack, Arc::new(McpServer::new(config)), None);
    let answer = ask(&router, &request(Some("act")))
        .await
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    is_fit_for_people(name, &answer);
    let failed = answer.error.as_ref().map(|error| error.code);
    let warned =
        answer.raw.plan["degraded"].as_array().is_some_and(|degraded| !degraded.is_empty());
    match hostile.owed {
        Owed::Answer | Owed::Warned => {
            assert_eq!((answer.mode.as_str(), failed), ("act", None), "{name}: {answer:?}");
            assert_eq!(warned, hostile.owed == Owed::Warned, "{name}: {answer:?}");
        }
        Owed::Fails(code) => assert_eq!(failed, Code::from_name(code), "{name}: {answer:?}"),
        Owed::Either => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_hostile_tool_server_costs_its_call_and_no_more() {
    let table = servers();
    assert!(table.len() >= 40, "{}", table.len());
    let played = stream::iter(table).map(|hostile| async move {
        let name = hostile.name;
        tokio::spawn(play(hostile)).await.is_err().then_some(name)
    });
    let failed: Vec<Option<&str>> = played.buffer_unordered(AT_ONCE).collect().await;
    let failed: Vec<&str> = failed.into_iter().flatten().collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// A tool server in this process, which counts what would be destroyed.
#[derive(Debug, Default)]
struct Counting {
    wiped: AtomicUsize,
}

#[async_trait]
impl ToolServer for Counting {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Err(Error::new(Code::Unimplemented, "it has no list"))
    }

    async fn call(
        &self,
        tool: &str,
        _: &Map<String, Value>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        self.wiped.fetch_add(usize::from(tool == "wipe"), Ordering::Relaxed);
        Ok(ToolResult::from(json!({ "seen": 1 })))
    }
}

/// Tools that read and destroy something of a name, which is never in the words.
const TOOLS: &str = "
  - { name: look, server: fake, summary: Looks at something., access: read,
      schema: { type: object, properties: { name: { type: string, enum: [red, blue] } }, required: [name] } }
  - { name: wipe, server: fake, summary: Destroys something., access: destructive,
      schema: { type: object, properties: { name: { type: string } }, required: [name] } }
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_unruly_model_is_asked_once_and_writes_nothing() {
    let table = models();
    assert!(table.len() >= 30, "{}", table.len());
    for unruly in table {
        let name = unruly.name;
        let scripted = unruly.script.start();
        let model: Arc<dyn Model> =
            Arc::new(OpenAiModel::open(&ModelConfig::new(scripted.url(), "m")).unwrap());
        let server = Arc::new(Counting::default());
        // A student that is never sure.
        let router =
            router(pack(1.0, TOOLS), Arc::clone(&server) as Arc<dyn ToolServer>, Some(model));
        let answer =
            ask(&router, &request(None)).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        is_fit_for_people(name, &answer);
        assert_eq!(server.wiped.load(Ordering::Relaxed), 0, "{name}: {answer:?}");
        let degraded = answer.raw.plan["degraded"].as_array().map_or(0, Vec::len);
        if unruly.counts == Counts::Not {
            assert!(degraded > 0, "{name}: {answer:?}");
        }
        // Fails where it was asked once more or once less.
        scripted.finish();
    }
}
