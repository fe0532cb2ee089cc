//! Results of any tool server, from the child process to the words that a user reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost_backends::clock::SystemClock;
use waypost_backends::mcp::{McpServer, StdioConfig};
use waypost_core::ports::tools::ToolServer;
use waypost_core::records::answer::{Answer, Part};
use waypost_core::records::request::Request;
use waypost_core::records::rollout::Rollout;
use waypost_testing::{EmptyShelf, OneSession};

/// A pack with one tool, whose arguments all have defaults.
pub(crate) struct Case {
    /// The tool of the fake server.
    pub(crate) tool: &'static str,
    /// How the fake server behaves.
    mode: &'static str,
    /// More keys of the tool, as YAML in braces.
    keys: &'static str,
    /// More keys of the policy.
    policy: &'static str,
    arguments: Json,
}

impl Default for Case {
    fn default() -> Self {
        let (tool, mode) = ("give", "ok");
        Self { tool, mode, keys: "access: read", policy: "max_tries: 2", arguments: json!({}) }
    }
}

/// A tool that only reads and gives `result`.
#[expect(clippy::needless_pass_by_value, reason = "a result that is written where it is used")]
fn gives(result: Json) -> Case {
    Case { arguments: json!({ "result": result }), ..Case::default() }
}

/// A text for people, as most servers answer.
fn text(words: &str) -> Json {
    json!({ "content": [{ "type": "text", "text": words }] })
}

fn pack(case: &Case) -> Pack {
    let arguments = case.arguments.as_object().unwrap();
    let defaults: serde_json::Map<String, Json> =
        arguments.iter().map(|(name, value)| (name.clone(), json!({ "default": value }))).collect();
    let properties: serde_json::Map<String, Json> =
        arguments.keys().map(|name| (name.clone(), json!({}))).collect();
    let yaml = format!(
        "name: fake
summary: Does what a test says.
format: 1
languages: [en]
tz: UTC
fallback: talk
policy: {{ run: 0.3, ask: 0.2, student: 0.3, backoff_ms: 1, {} }}
routes:
  - {{ name: act, handler: tool, summary: The user wants something done. }}
  - {{ name: talk, handler: converse, summary: The user greets or thanks. }}
servers:
  - {{ name: fake, command: [fake] }}
tools:
  - {{ name: {}, server: fake, summary: Does it., schema: {{ type: object, properties: {} }},
      arguments: {}, {} }}
",
        case.policy,
        case.tool,
        Json::Object(properties),
        Json::Object(defaults),
        case.keys,
    );
    let tool = case.tool;
    let act = ["do it now", "please act", "run the job", "carry it out"];
    let talk = ["hello there", "thanks a lot", "good morning", "how are you"];
    let act =
        act.map(|text| json!({ "text": text, "lang": "en", "route": "act", "tools": [tool] }));
    let talk = talk.map(|text| json!({ "text": text, "lang": "en", "route": "talk" }));
    let examples: String = act.iter().chain(&talk).map(|line| format!("{line}\n")).collect();
    let files = [("pack.yaml".to_owned(), yaml), ("examples.jsonl".to_owned(), examples)];
    Pack::load(&files.into()).unwrap()
}

fn router(case: &Case) -> Router {
    let pack = pack(case);
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    let mut config = StdioConfig::new("fake", env!("CARGO_BIN_EXE_fake-mcp"));
    config.args = vec![case.mode.into()];
    let server: Arc<dyn ToolServer> = Arc::new(McpServer::new(config));
    Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::from([("fake".to_owned(), server)]),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::new(OneSession::default()),
        clock: Arc::new(SystemClock::new()),
        rollout: Rollout::default(),
        recall: None,
    })
}

/// Asks, and says yes to what is asked back; returns the answer and the parts on the way.
async fn ask(router: &Router) -> (Answer, Vec<Part>) {
    let mut request = Request {
        session: Some("s".to_owned()),
        now: Some("2025-11-06T09:00:00Z".to_owned()),
        route: Some("act".to_owned()),
        trusted: true,
        ..Request::new("do it now")
    };
    let cancel = CancellationToken::new();
    let (out, mut pieces) = mpsc::channel(256);
    let options = AnswerOptions { trace: true };
    let mut answer = router.answer(&request, options, &out, &cancel).await.unwrap();
    if answer.mode == "clarify" {
        request.route = None;
        request.text = answer.choices[0].label.clone();
        request.choice = Some(answer.choices[0].value.clone());
        answer = router.answer(&request, options, &out, &cancel).await.unwrap();
    }
    drop(out);
    let mut parts = Vec::new();
    while let Some(part) = pieces.recv().await {
        parts.push(part);
    }
    (answer, parts)
}

async fn answer(case: Case) -> Answer {
    ask(&router(&case)).await.0
}

#[tokio::test]
async fn plain_text_is_an_answer() {
    let said = answer(gives(text("On branch main\nnothing to commit"))).await;
    assert_eq!(
        (said.mode.as_str(), said.text.as_str()),
        ("act", "On branch main\nnothing to commit")
    );
    assert_eq!(said.raw.tool_result, Some(json!({ "text": "On branch main\nnothing to commit" })));
    let table = json!([{ "zone": "Asia/Taipei", "offset": 8 }]).to_string();
    let said = answer(gives(text(&table))).await;
    assert!(said.text.starts_with("| zone        | offset |\n"), "{}", said.text);
}

#[tokio::test]
async fn a_template_that_finds_nothing_in_a_text_gives_way_to_the_text() {
    let keys = "access: read, answer: { en: '{{ result.cm }} cm' }";
    let said = answer(Case { keys, ..gives(text("forty-two")) }).await;
    assert_eq!(said.text, "forty-two");
    let structured = json!({ "structuredContent": { "cm": 42 }, "content": [] });
    assert_eq!(answer(Case { keys, ..gives(structured) }).await.text, "42 cm");
    let keys = "access: read, answer: { en: 'It says {{ result.text }}.' }";
    assert_eq!(answer(Case { keys, ..gives(text("hi")) }).await.text, "It says hi.");
}

#[tokio::test]
async fn a_servers_own_words_reach_the_user_as_its_words() {
    let mut failed = text("fatal: bad revision 'main~99'\nuse --");
    failed["isError"] = json!(true);
    let said = answer(gives(failed)).await;
    assert_eq!(said.mode, "error");
    let expected = "“give” failed. The server says: “fatal: bad revision 'main~99' use --”";
    assert_eq!(said.text, expected);
    assert_eq!(said.error.unwrap().message, expected);
}

#[tokio::test]
async fn a_write_is_told_as_done_whatever_it_answers() {
    let write = |tool, result| Case {
        tool,
        keys: "access: write, answer: { en: '{{ result.id | fixed(1) }}' }",
        ..gives(result)
    };
    let done = answer(write("give", text("Created note 7"))).await;
    assert_eq!((done.mode.as_str(), done.text.as_str()), ("act", "Created note 7"));
    let silent = answer(write("give", json!({ "content": [] }))).await;
    assert_eq!(silent.text, "“give” is done.");
    let odd = answer(write("give", json!({ "structuredContent": { "id": "seven" } }))).await;
    assert_eq!(
        odd.text,
        "“give” is done. The answer of “give” has a form that was not expected:\nid: seven"
    );
    let broken = answer(write("promise", json!({ "structuredContent": { "id": 7 } }))).await;
    assert_eq!(broken.mode, "act", "{broken:?}");
    assert!(broken.text.starts_with("“promise” is done."), "{broken:?}");
    assert_eq!(broken.raw.plan["degraded"], json!(["result:UNAVAILABLE"]));
}

#[tokio::test]
async fn a_reading_that_breaks_its_promise_is_shown_with_a_word_of_warning() {
    let odd = json!({ "structuredContent": { "id": 7 } });
    let said = answer(Case { tool: "promise", ..gives(odd) }).await;
    assert_eq!(said.text, "The answer of “promise” has a form that was not expected:\nid: 7");
}

#[tokio::test]
async fn ten_megabytes_neither_hang_nor_flood() {
    let case = Case { tool: "large", arguments: json!({ "megabytes": 10 }), ..Case::default() };
    let said = answer(case).await;
    assert_eq!(said.mode, "act");
    assert!(said.text.chars().count() < 4_300, "{}", said.text.len());
    assert!(said.text.ends_with("\n… 10,481,760 more characters are left out"), "{}", said.text);
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_may_have_been_made() {
    let case = Case { tool: "crash", keys: "access: write", ..Case::default() };
    let said = answer(case).await;
    assert_eq!(said.mode, "error");
    assert!(said.text.contains("not certain whether “crash”"), "{}", said.text);
    assert_eq!(said.raw.trace.unwrap()["events"][0]["tries"], 1, "a write is not tried again");
}

fn tries(answer: &Answer) -> Option<u64> {
    let events = answer.raw.trace.as_ref()?.get("events")?.as_array()?;
    events.iter().find_map(|event| event.get("tries")?.as_u64())
}

#[tokio::test]
async fn only_what_may_be_made_twice_is_tried_again() {
    let mut failed = text("UNAVAILABLE: busy");
    failed["isError"] = json!(true);
    for (mode, keys, expected) in [
        ("ok", "access: write", 1),
        ("idempotent", "access: write", 2),
        ("ok", "access: read", 2),
        ("idempotent", "run: 0.1", 2),
    ] {
        let case = Case { mode, keys, ..gives(failed.clone()) };
        let said = answer(case).await;
        assert_eq!(tries(&said), Some(expected), "{mode} {keys} {said:?}");
    }
}

#[tokio::test]
async fn where_the_pack_says_nothing_the_servers_hints_count() {
    // No key says what the tool does.
    let unsaid = |mode| Case { mode, keys: "run: 0.1", ..gives(text("done")) };
    for (mode, asked) in [("reads", false), ("ok", true), ("idempotent", true), ("destroys", true)]
    {
        let router = router(&unsaid(mode));
        let (answer, parts) = ask(&router).await;
        assert_eq!((answer.mode.as_str(), answer.text.as_str()), ("act", "done"), "{mode}");
        let decided = parts.iter().filter(|part| matches!(part, Part::Decided(_))).count();
        assert_eq!(decided == 2, asked, "{mode}");
    }
    // The pack's word goes over the hints.
    let said = Case { mode: "destroys", ..gives(text("done")) };
    let (answer, parts) = ask(&router(&said)).await;
    assert_eq!(answer.text, "done");
    assert_eq!(parts.iter().filter(|part| matches!(part, Part::Decided(_))).count(), 1);
}

#[tokio::test]
async fn a_tool_whose_hints_became_stronger_is_stopped() {
    // A call that changes something is looked up before it is made, whenever its server was listed last.
    let keys = "access: write";
    let router = router(&Case { mode: "turning", keys, ..gives(text("done")) });
    assert_eq!(ask(&router).await.0.text, "done");
    let (stopped, _) = ask(&router).await;
    assert_eq!(stopped.mode, "error", "{stopped:?}");
    assert_eq!(
        stopped.text,
        "“give” was not run: its server now says that it may destroy something."
    );
    assert!(stopped.raw.tool_result.is_none());
}

#[tokio::test]
async fn progress_keeps_a_turn_alive_and_is_told_on_the_way() {
    let steps = |policy, arguments| Case {
        tool: "steps",
        keys: "access: read, timeout_ms: 400",
        policy,
        arguments,
        ..Case::default()
    };
    let policy = "turn_timeout_ms: 500";
    let case = steps(policy, json!({ "steps": 10, "wait": 100 }));
    let (answer, parts) = ask(&router(&case)).await;
    assert_eq!(answer.text, "all steps done", "it took twice as long as a silent turn may");
    let told: Vec<f64> = parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolProgress { tool, progress } if tool == "steps" => Some(progress.done),
            _ => None,
        })
        .collect();
    // The last one comes with the result, and may be read after it.
    let told: Vec<f64> = told.into_iter().take(9).collect();
    assert_eq!(told, (1..=9).map(f64::from).collect::<Vec<_>>());
    // Silence ends the call, and the longest turn ends all of it.
    let silent = steps("max_tries: 1", json!({ "steps": 1, "wait": 700 }));
    let late = ask(&router(&silent)).await.0;
    assert_eq!(late.error.unwrap().code, waypost_core::Code::DeadlineExceeded);
    let policy = "turn_timeout_ms: 300, longest_turn_ms: 600";
    let endless = steps(policy, json!({ "steps": 50, "wait": 50 }));
    let late = ask(&router(&endless)).await.0;
    assert_eq!(late.error.unwrap().code, waypost_core::Code::DeadlineExceeded);
}
