//! Tool servers in child processes, mode by mode.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use waypost_backends::mcp::{McpServer, StdioConfig};
use waypost_core::ports::tools::{Access, Progress, ProgressSink, ToolServer};
use waypost_core::{Code, Error};

fn config(mode: &str) -> StdioConfig {
    let mut config = StdioConfig::new("fake", env!("CARGO_BIN_EXE_fake-mcp"));
    config.args = vec![mode.into()];
    config
}

fn counted(mode: &str, file: &Path) -> StdioConfig {
    let mut config = config(mode);
    config.args.push(file.into());
    config
}

fn starts(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

async fn call(server: &McpServer, tool: &str, arguments: Value) -> Result<Value, Error> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    server.call(tool, &arguments, &CancellationToken::new()).await.map(|result| result.value)
}

async fn code(server: &McpServer, tool: &str) -> Code {
    call(server, tool, json!({})).await.unwrap_err().code()
}

#[tokio::test]
async fn a_tool_answers_with_an_object() {
    let server = McpServer::new(config("ok"));
    let asked = json!({"longitude": 121.5, "place": "花蓮"});
    assert_eq!(call(&server, "echo", asked.clone()).await.unwrap(), asked);
    assert_eq!(call(&server, "text", asked.clone()).await.unwrap(), asked);
    let prose = call(&server, "prose", json!({})).await.unwrap();
    assert_eq!(prose, json!({"text": "it is sunny"}));
    assert_eq!(code(&server, "no_such_tool").await, Code::InvalidArgument);
    let tools = server.list(&CancellationToken::new()).await.unwrap();
    assert_eq!(tools.len(), 6);
    assert_eq!(tools[0].name, "echo");
    assert_eq!(tools[0].output_schema, Some(json!({"type": "object"})));
    assert_eq!(tools[0].hints.access(), Access::Read);
    assert_eq!(tools[2].hints.access(), Access::Write, "a missing hint means a write");
}

#[tokio::test]
async fn whatever_a_tool_answers_with_is_a_result() {
    let server = McpServer::new(config("ok"));
    for (answer, value) in [
        (json!({"content": [{"type": "text", "text": "committed"}]}), json!({"text": "committed"})),
        (json!({"content": []}), json!({})),
        (json!({}), json!({})),
        (json!("ok"), json!({"text": "ok"})),
        (json!({"content": "done"}), json!({"text": "done"})),
        (json!({"structuredContent": [1], "content": []}), json!({"items": [1]})),
        (
            json!({"content": [{"type": "hologram", "waves": 3}]}),
            json!({"content": [{"type": "hologram", "bytes": 29}]}),
        ),
        (
            json!({"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]}),
            json!({"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]}),
        ),
    ] {
        let given = call(&server, "give", json!({ "result": answer })).await;
        assert_eq!(given.unwrap(), value, "{answer}");
    }
}

#[tokio::test]
async fn a_result_that_breaks_its_own_promise_is_kept_with_the_fault() {
    let server = McpServer::new(config("ok"));
    let given = json!({"result": {"structuredContent": {"other": 1}}});
    let Value::Object(given) = given else { panic!("an object") };
    let result = server.call("promise", &given, &CancellationToken::new()).await.unwrap();
    assert_eq!(result.value, json!({"other": 1}));
    assert!(result.fault.unwrap().contains("kept"));
}

#[tokio::test]
async fn a_tool_that_fails_says_how() {
    let server = McpServer::new(config("ok"));
    let failed = async |content: Value| {
        let mut result = content;
        result["isError"] = json!(true);
        call(&server, "fail", json!({ "result": result })).await.unwrap_err()
    };
    let error = failed(json!({"content": [{"type": "text", "text": "NOT_FOUND: no tide"}]})).await;
    assert_eq!(error.code(), Code::NotFound);
    assert_eq!(error.message(), "`fail` found nothing");
    assert_eq!(error.detail(), Some("NOT_FOUND: no tide"));
    assert_eq!(error.words(), Some("no tide"));
    let structured = json!({"code": "PERMISSION_DENIED", "message": "no"});
    let error = failed(json!({"content": [], "structuredContent": structured})).await;
    assert_eq!(error.code(), Code::PermissionDenied);
    let error = failed(json!({"content": [{"type": "text", "text": "Data not exist"}]})).await;
    assert_eq!(error.code(), Code::NotFound);
    assert_eq!(failed(json!({"content": []})).await.code(), Code::Internal);
}

#[tokio::test]
async fn a_server_starts_once_for_all_calls() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let server = McpServer::new(counted("ok", &file));
    assert_eq!(starts(&file), 0);
    let calls = (0..8).map(|n| call(&server, "echo", json!({ "n": n })));
    for (n, outcome) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(outcome.unwrap(), json!({ "n": n }));
    }
    assert_eq!(starts(&file), 1);
}

#[tokio::test]
async fn a_server_that_crashed_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let mut config = counted("ok", &file);
    config.log = Some(Arc::new(move |line| sink.lock().unwrap().push(line.to_owned())));
    let server = McpServer::new(config);
    let error = call(&server, "crash", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
    let detail = error.detail().unwrap();
    assert!(detail.contains("out of cheese") && detail.contains("exit status: 7"), "{detail}");
    assert_eq!(call(&server, "echo", json!({"a": 1})).await.unwrap(), json!({"a": 1}));
    assert_eq!(starts(&file), 2);
    assert!(lines.lock().unwrap().contains(&"fatal: out of cheese".to_owned()));
}

#[tokio::test]
async fn a_program_that_is_missing_is_not_tried_for_ever() {
    let server = McpServer::new(StdioConfig::new("fake", "/no/such/program"));
    for _ in 0..5 {
        let error = call(&server, "echo", json!({})).await.unwrap_err();
        assert_eq!(error.code(), Code::Unavailable);
        assert_eq!(error.message(), "the tool server `fake` cannot be started");
        assert!(error.hint().unwrap().contains("`/no/such/program`"));
    }
}

#[tokio::test]
async fn after_three_failed_starts_calls_fail_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let server = McpServer::new(counted("exit", &file));
    for _ in 0..6 {
        assert_eq!(code(&server, "echo").await, Code::Unavailable);
    }
    assert_eq!(starts(&file), 3);
}

#[tokio::test]
async fn calls_that_wait_for_a_start_share_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let server = McpServer::new(counted("exit", &file));
    let calls = (0..8).map(|_| code(&server, "echo"));
    for code in futures_util::future::join_all(calls).await {
        assert_eq!(code, Code::Unavailable);
    }
    assert_eq!(starts(&file), 1);
}

#[tokio::test]
async fn a_server_that_does_not_shake_hands() {
    for (mode, limit, expected) in [
        ("silent", 300, Code::DeadlineExceeded),
        ("garbage", 1000, Code::Unavailable),
        ("noise", 9000, Code::Unavailable),
        ("refuse", 9000, Code::Unavailable),
        ("exit", 9000, Code::Unavailable),
    ] {
        let mut config = config(mode);
        config.start_timeout = Duration::from_millis(limit);
        let begin = Instant::now();
        assert_eq!(code(&McpServer::new(config), "echo").await, expected, "{mode}");
        assert!(begin.elapsed() < Duration::from_secs(8), "{mode} took {:?}", begin.elapsed());
    }
}

#[tokio::test]
async fn a_server_that_greets_is_understood() {
    let server = McpServer::new(config("greet"));
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
}

#[tokio::test]
async fn a_slow_tool_is_left_and_its_server_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let mut config = counted("ok", &file);
    config.call_timeout = Duration::from_millis(100);
    let server = McpServer::new(config);
    assert_eq!(code(&server, "slow").await, Code::DeadlineExceeded);
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
    assert_eq!(code(&server, "babble").await, Code::Unavailable);
    assert_eq!(starts(&file), 1);
}

#[tokio::test]
async fn a_server_that_is_stuck_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let mut config = counted("ok", &file);
    config.call_timeout = Duration::from_millis(20);
    let server = McpServer::new(config);
    for _ in 0..3 {
        assert_eq!(code(&server, "slow").await, Code::DeadlineExceeded);
    }
    assert_eq!(code(&server, "slow").await, Code::DeadlineExceeded);
    assert_eq!(starts(&file), 2);
}

#[tokio::test]
async fn of_a_large_result_the_beginning_is_kept() {
    let server = McpServer::new(config("ok"));
    let Value::Object(ten) = json!({"megabytes": 10}) else { panic!("an object") };
    let result = server.call("large", &ten, &CancellationToken::new()).await.unwrap();
    let kept = result.value["text"].as_str().unwrap().len();
    assert!(kept <= 4 * 1024 * 1024, "{kept}");
    assert_eq!(kept + result.left_out, 10 * 1024 * 1024);
}

#[tokio::test]
async fn a_result_that_is_too_large_to_read_is_refused() {
    let server = McpServer::new(config("ok"));
    let error = call(&server, "large", json!({"megabytes": 17})).await.unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
    assert_eq!(call(&server, "echo", json!({})).await.unwrap(), json!({}));
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
async fn progress_is_passed_on_and_keeps_a_call_alive() {
    let mut config = config("ok");
    config.call_timeout = Duration::from_millis(400);
    let server = McpServer::new(config);
    let (reports, cancel) = (Reports::default(), CancellationToken::new());
    let arguments = |steps: u64, wait: u64| {
        Map::from_iter([("steps".to_owned(), json!(steps)), ("wait".to_owned(), json!(wait))])
    };
    let begin = Instant::now();
    let result = server.call_reporting("steps", &arguments(6, 100), &reports, &cancel).await;
    assert_eq!(result.unwrap().value, json!({"text": "all steps done"}));
    assert!(begin.elapsed() > Duration::from_millis(500), "it took longer than the limit");
    let reports = reports.0.into_inner().unwrap();
    let done: Vec<f64> = reports.iter().map(|report| report.done).collect();
    assert_eq!(done, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((reports[0].total, reports[0].message.as_str()), (Some(6.0), "step 1 of work"));
    let (silent, reports) = (arguments(1, 900), Reports::default());
    let late = server.call_reporting("steps", &silent, &reports, &cancel).await;
    assert_eq!(late.unwrap_err().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_caller_may_stop_a_call() {
    let cancel = CancellationToken::new();
    let server = McpServer::new(config("ok"));
    assert!(call(&server, "echo", json!({})).await.is_ok());
    let stop = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let nothing = Map::new();
    let (outcome, ()) = tokio::join!(server.call("slow", &nothing, &cancel), stop);
    assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
    let silent = McpServer::new(config("silent"));
    let outcome = silent.call("echo", &Map::new(), &cancel).await;
    assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
}

#[tokio::test]
async fn keys_in_our_environment_stay_here() {
    let mut config = config("ok");
    config.env.insert("ASKED_FOR".to_owned(), "1".to_owned());
    let told = call(&McpServer::new(config), "environment", json!({})).await.unwrap();
    let names: Vec<&str> =
        told["names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"PATH") && names.contains(&"ASKED_FOR"));
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_ends_with_its_server() {
    let server = McpServer::new(config("ok"));
    let told = call(&server, "pid", json!({})).await.unwrap();
    let process = format!("/proc/{}/exe", told["pid"]);
    assert!(std::fs::read_link(&process).is_ok());
    drop(server);
    let begin = Instant::now();
    while std::fs::read_link(&process).is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(5), "the child is still there");
        tokio::task::yield_now().await;
    }
}
