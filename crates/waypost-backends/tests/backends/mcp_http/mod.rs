//! Tool servers at an address, in both revisions of the protocol, and what can go wrong with them.

mod replies;
mod server;
mod sessions;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use server::{HttpMcp, Play, wait_until};
use tokio_util::sync::CancellationToken;
use waypost_backends::llm::Secret;
use waypost_backends::mcp::{HeaderText, Health, HttpConfig, McpServer};
use waypost_core::ports::tools::{Access, Progress, ProgressSink, ToolServer};
use waypost_core::{Code, Error};

const OLD: Play = Play { modern: false, wants: None, status: None, hangs: false, ending: None };
const NEW: Play = Play { modern: true, ..OLD };

fn client(far: &HttpMcp) -> McpServer {
    McpServer::new(HttpConfig::new("far", far.url()))
}

async fn call(server: &McpServer, tool: &str, arguments: Value) -> Result<Value, Error> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    server.call(tool, &arguments, &CancellationToken::new()).await.map(|result| result.value)
}

async fn fault(server: &McpServer, tool: &str) -> Error {
    call(server, tool, json!({})).await.unwrap_err()
}

#[tokio::test]
async fn both_revisions_list_and_call() {
    for (play, revision) in [(OLD, "2025-11-25"), (NEW, "2026-07-28")] {
        let far = HttpMcp::start(play);
        let server = client(&far);
        let cancel = CancellationToken::new();
        assert_eq!(server.protocol(&cancel).await.unwrap(), revision);
        let tools = server.list(&cancel).await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["echo", "promise"], "{revision}: of both pages");
        assert_eq!(tools[0].hints.access(), Access::Read);
        let asked = json!({ "place": "花蓮" });
        assert_eq!(call(&server, "echo", asked.clone()).await.unwrap(), asked);
        let other = server.call("promise", &Map::new(), &cancel).await.unwrap();
        assert!(other.fault.unwrap().contains("kept"), "{revision}");
        assert_eq!(fault(&server, "fail").await.code(), Code::NotFound);
        assert_eq!(fault(&server, "no_such_tool").await.code(), Code::InvalidArgument);
        assert_eq!(server.health(), Health::Up);
        let handshakes = far.methods().iter().filter(|method| *method == "server/discover").count();
        assert_eq!(handshakes, 1, "{revision}: all calls share a connection");
    }
}

/// Keeps what was reported.
#[derive(Debug, Default)]
struct Reports(Mutex<Vec<Progress>>);

impl ProgressSink for Reports {
    fn report(&self, progress: Progress) {
        self.0.lock().unwrap().push(progress);
    }
}

#[tokio::test]
async fn a_streamed_answer_tells_how_far_it_is() {
    for play in [OLD, NEW] {
        let far = HttpMcp::start(play);
        let server = client(&far);
        let (reports, cancel) = (Reports::default(), CancellationToken::new());
        let nothing = Map::new();
        let result = server.call_reporting("steps", &nothing, &reports, &cancel).await.unwrap();
        assert_eq!(result.value, json!({}));
        let reports = reports.0.into_inner().unwrap();
        assert_eq!((reports.len(), reports[0].message.as_str()), (1, "half"));
    }
}

#[tokio::test]
async fn a_server_is_told_what_the_configuration_says_and_nobody_else_is() {
    let far = HttpMcp::start(Play { wants: Some("Bearer hush-hush"), ..OLD });
    let token = |value: Option<&str>| HeaderText::Variable {
        name: "FAR_TOKEN".to_owned(),
        value: value.map(Secret::new),
    };
    let mut config = HttpConfig::new("far", far.url());
    config.token = Some(token(Some("hush-hush")));
    config.headers.insert("X-Team".to_owned(), HeaderText::Literal(Secret::new("sea")));
    let server = McpServer::new(config.clone());
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
    assert!(far.header("x-team").iter().all(|value| value.as_deref() == Some("sea")));
    assert!(!format!("{server:?}").contains("hush-hush"));

    config.token = Some(token(Some("out-of-date")));
    let error = fault(&McpServer::new(config.clone()), "echo").await;
    assert_eq!(error.code(), Code::PermissionDenied);
    assert_eq!(error.message(), "the tool server `far` does not let us in");
    assert_eq!(error.hint(), Some("check the value of the environment variable `FAR_TOKEN`"));
    assert!(!format!("{error:?}").contains("out-of-date"), "{error:?}");

    config.token = Some(token(None));
    let error = fault(&McpServer::new(config), "echo").await;
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert_eq!(error.hint(), Some("set the environment variable `FAR_TOKEN`"));

    let error = fault(&client(&far), "echo").await;
    assert_eq!(error.hint(), Some("configure `token_env` or `headers` of the server"));
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    for play in [OLD, NEW] {
        let far = HttpMcp::start(play);
        let server = client(&far);
        for tool in ["large", "large_event"] {
            let error = fault(&server, tool).await;
            assert_eq!(error.code(), Code::ResourceExhausted, "{tool}: {error:?}");
            assert_eq!(error.message(), format!("the result of `{tool}` is too large"));
        }
        assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
        let starts = far.methods().iter().filter(|method| *method == "server/discover").count();
        assert_eq!(starts, 1, "the connection is kept");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_told() {
    let far = HttpMcp::start(NEW);
    let server = client(&far);
    for (tool, code, message) in [
        ("html", Code::Unavailable, "the tool server `far` does not speak MCP"),
        ("half", Code::Unavailable, "the tool server `far` answers with something that is no MCP"),
        ("cut_off", Code::Unavailable, "the tool server `far` stopped in the middle of its work"),
        ("limited", Code::ResourceExhausted, "the tool server `far` has reached a limit"),
        ("moved", Code::Unavailable, "the tool server `far` is at another address"),
    ] {
        let error = fault(&server, tool).await;
        assert_eq!((error.code(), error.message()), (code, message), "{tool}: {error:?}");
        assert!(!format!("{error:?}").contains(&far.address.to_string()), "{error:?}");
    }
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
}

#[tokio::test]
async fn a_page_that_is_no_server_is_told() {
    for (status, code) in
        [(404, Code::Unavailable), (500, Code::Unavailable), (403, Code::PermissionDenied)]
    {
        let far = HttpMcp::start(Play { status: Some(status), ..OLD });
        let error = fault(&client(&far), "echo").await;
        assert_eq!(error.code(), code, "{status}: {error:?}");
        assert!(error.hint().is_some(), "{status}");
    }
}

#[tokio::test]
async fn a_handshake_and_a_call_that_hang_are_left() {
    let far = HttpMcp::start(Play { hangs: true, ..OLD });
    let mut config = HttpConfig::new("far", far.url());
    config.start_timeout = Duration::from_millis(100);
    assert_eq!(fault(&McpServer::new(config), "echo").await.code(), Code::DeadlineExceeded);

    for play in [OLD, NEW] {
        let far = HttpMcp::start(play);
        let mut config = HttpConfig::new("far", far.url());
        config.call_timeout = Duration::from_millis(100);
        let server = McpServer::new(config);
        assert_eq!(fault(&server, "hang").await.code(), Code::DeadlineExceeded);
    }
}

#[tokio::test]
async fn a_caller_may_stop_a_call_and_the_server_is_told() {
    let far = HttpMcp::start(OLD);
    let server = client(&far);
    let cancel = CancellationToken::new();
    let stop = async {
        wait_until(|| far.methods().iter().any(|method| method == "tools/call")).await;
        cancel.cancel();
    };
    let nothing = Map::new();
    let (outcome, ()) = tokio::join!(server.call("hang", &nothing, &cancel), stop);
    assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
    wait_until(|| far.methods().iter().any(|method| method == "notifications/cancelled")).await;
}

#[tokio::test]
async fn word_of_a_change_is_counted() {
    for play in [OLD, NEW] {
        let far = HttpMcp::start(play);
        let server = client(&far);
        let cancel = CancellationToken::new();
        call(&server, "echo", json!({})).await.unwrap();
        server.list(&cancel).await.unwrap();
        assert_eq!(server.changes(), 0);
        far.change().await;
        wait_until(|| server.changes() == 1).await;
        let lists = || far.methods().iter().filter(|method| *method == "tools/list").count();
        let before = lists();
        server.list(&cancel).await.unwrap();
        assert_eq!(lists(), before + 2, "both pages are asked for anew");
        let before = lists();
        call(&server, "echo", json!({})).await.unwrap();
        server.list_lately(&cancel).await.unwrap();
        assert_eq!(
            lists(),
            before,
            "the promises are of that list, and so is what was listed lately"
        );
        far.change().await;
        wait_until(|| server.changes() == 2).await;
        server.list_lately(&cancel).await.unwrap();
        assert_eq!(lists(), before + 2, "what changed is asked for");
    }
}

#[tokio::test]
async fn a_server_that_died_is_connected_to_when_it_is_back() {
    let far = HttpMcp::start(OLD);
    let (address, server) = (far.address, client(&far));
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
    drop(far);
    let error = fault(&server, "echo").await;
    assert_eq!(error.code(), Code::Unavailable, "{error:?}");
    let error = fault(&server, "echo").await;
    assert_eq!(error.message(), "the tool server `far` cannot be reached");
    assert_eq!(server.health(), Health::Failing(1));
    let before = server.changes();
    let far = HttpMcp::start_at(address, NEW);
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
    assert_eq!(far.methods()[0], "server/discover");
    assert_eq!((server.health(), server.changes()), (Health::Up, before + 1));
}

#[tokio::test]
async fn a_server_that_stays_dead_is_down() {
    let far = HttpMcp::start(OLD);
    let (address, server) = (far.address, client(&far));
    drop(far);
    for _ in 0..3 {
        assert_eq!(fault(&server, "echo").await.code(), Code::Unavailable);
    }
    assert!(matches!(server.health(), Health::Down { failures: 3, .. }), "{}", server.health());
    let far = HttpMcp::start_at(address, OLD);
    let begin = Instant::now();
    let error = fault(&server, "echo").await;
    assert!(begin.elapsed() < Duration::from_secs(4), "at once");
    assert_eq!(error.code(), Code::Unavailable);
    assert!(error.detail().unwrap().starts_with("down, failed to start 3 times"), "{error:?}");
    assert_eq!(far.methods(), Vec::<String>::new());
}
