//! A model client and its server: what is sent, what is read, and what is kept of it.

mod bodies;
mod forwarding;
mod transports;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use waypost_backends::llm::{ModelConfig, OpenAiModel, ResponseFormat, Secret};
use waypost_core::ports::model::{Message, Model, Piece, Prompt, Reply, Speaker, Usage};
use waypost_core::{Code, Error, Severity};
use waypost_testing::{Fault, Script, Scripted};

fn model(server: &Scripted) -> OpenAiModel {
    OpenAiModel::open(&ModelConfig::new(server.url(), "m")).unwrap()
}

fn prompt() -> Prompt {
    Prompt {
        messages: vec![Message { role: Speaker::User, content: "潮汐?".to_owned() }],
        schema: Some(("route".to_owned(), json!({"type": "object"}))),
        tool_tokens: 0,
        max_tokens: 64,
        temperature: 0.0,
        timeout: Duration::from_secs(5),
    }
}

async fn ask(model: &OpenAiModel) -> Result<Reply, Error> {
    model.complete(&prompt(), &CancellationToken::new()).await
}

/// The words of a streamed reply, and the error that ended it.
pub(crate) async fn listen(model: &OpenAiModel, prompt: &Prompt) -> (String, Option<Error>) {
    let (said, _, error) = heard(model, prompt).await;
    (said, error)
}

/// The words of a streamed reply, its tokens, and its fault.
pub(crate) async fn heard(
    model: &OpenAiModel,
    prompt: &Prompt,
) -> (String, Option<Usage>, Option<Error>) {
    let cancel = CancellationToken::new();
    let mut pieces = match model.stream(prompt, &cancel).await {
        Ok(pieces) => pieces,
        Err(error) => return (String::new(), None, Some(error)),
    };
    let (mut said, mut usage) = (String::new(), None);
    while let Some(piece) = pieces.next().await {
        assert_eq!(usage, None, "the tokens come last");
        match piece {
            Ok(Piece::Words(words)) => said.push_str(&words),
            Ok(Piece::Cut(_)) => {}
            Ok(Piece::Usage(tokens)) => usage = Some(tokens),
            Err(error) => {
                assert!(pieces.next().await.is_none(), "an error ends the stream");
                return (said, usage, Some(error));
            }
        }
    }
    (said, usage, None)
}

/// Both ways of asking must see the same fault.
async fn check_fault(fault: Fault, code: Code) -> Error {
    let script = Script::new().fault(fault.clone());
    let server = if fault == Fault::Refuse { script } else { script.fault(fault) }.start();
    let model = model(&server);
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
    let (_, streamed) = listen(&model, &prompt()).await;
    assert_eq!(streamed.expect("the same fault").code(), code);
    server.finish();
    error
}

#[tokio::test]
async fn a_reply_is_asked_for_once_and_read_whole() {
    let server = Script::new().reply(r#"{"route":"platform"}"#).start();
    let reply = ask(&model(&server)).await.unwrap();
    assert_eq!(reply.text, r#"{"route":"platform"}"#);
    assert_eq!(reply.usage, Some(Usage { prompt: 10, cached: 4, reply: 20 }));
    assert!(!reply.truncated);
    assert_eq!(
        server.requests(),
        [json!({
            "model": "m",
            "messages": [{"role": "user", "content": "潮汐?"}],
            "temperature": 0.0,
            "max_tokens": 64,
            "stream": false,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "route", "strict": true, "schema": {"type": "object"}},
            },
        })]
    );
    server.finish();
}

#[tokio::test]
async fn a_streamed_reply_is_the_same_words() {
    let words = "<think>想一想</think>潮汐表 – 明天 14:30, “ok”\n";
    let server = Script::new().reply(words).start();
    let (said, error) = listen(&model(&server), &prompt()).await;
    assert_eq!((said.as_str(), error), ("潮汐表 – 明天 14:30, “ok”\n", None));
    server.finish();
}

#[tokio::test]
async fn the_tokens_of_a_stream_come_behind_its_words() {
    let server = Script::new().reply("four").start();
    let usage = Some(Usage { prompt: 10, cached: 4, reply: 4 });
    assert_eq!(heard(&model(&server), &prompt()).await, ("four".to_owned(), usage, None));
    assert_eq!(server.requests()[0]["stream_options"], json!({ "include_usage": true }));
    server.finish();
}

#[tokio::test]
async fn a_server_that_never_tells_the_tokens_spoils_no_answer() {
    let server = Script::new().fault(Fault::NeverDone("four".to_owned())).start();
    let patient = Prompt { timeout: Duration::from_secs(60), ..prompt() };
    let began = std::time::Instant::now();
    assert_eq!(heard(&model(&server), &patient).await, ("four".to_owned(), None, None));
    assert!(began.elapsed() < Duration::from_secs(5), "it is not waited for");
    server.finish();
}

#[tokio::test]
async fn a_server_that_cannot_count_is_not_asked_to_from_the_next_call_on() {
    let unknown = r#"{"detail":"extra fields not permitted: stream_options"}"#.to_owned();
    let server =
        Script::new().fault(Fault::StatusWith(422, unknown)).reply("four").reply("five").start();
    let model = model(&server);
    let (_, error) = listen(&model, &prompt()).await;
    let error = error.unwrap();
    assert_eq!((error.code(), error.severity()), (Code::Unavailable, Severity::Retriable));
    assert_eq!(heard(&model, &prompt()).await, ("four".to_owned(), None, None));
    // A reply as a whole is counted all the same.
    assert_eq!(ask(&model).await.unwrap().usage.map(|usage| usage.reply), Some(4));
    let asked: Vec<bool> =
        server.requests().iter().map(|body| body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
    server.finish();
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let error = check_fault(Fault::Refuse, Code::Unavailable).await;
    assert_eq!(error.message(), "the language model cannot be reached");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_refusal_says_what_can_be_done() {
    let error = check_fault(Fault::Status(403), Code::PermissionDenied).await;
    assert_eq!(error.hint(), Some("check the key of the model"));
    let missing = r#"{"error":{"message":"model \"m\" not found, try pulling it first"}}"#;
    for status in [400, 404] {
        let fault = Fault::StatusWith(status, missing.to_owned());
        let error = check_fault(fault, Code::Unavailable).await;
        assert_eq!(error.message(), "the model `m` is not on its server");
    }
    let long = r#"{"error":{"type":"exceed_context_size_error"}}"#;
    let error = check_fault(Fault::StatusWith(400, long.to_owned()), Code::ResourceExhausted).await;
    assert_eq!(error.message(), "the prompt is longer than the model can read");
}

#[tokio::test]
async fn a_slow_server_is_left() {
    let late = Fault::Delay(Duration::from_millis(200));
    let server =
        Script::new().fault(late.clone()).reply("x").fault(late.clone()).reply("x").start();
    let model = model(&server);
    let hurried = Prompt { timeout: Duration::from_millis(50), ..prompt() };
    let error = model.complete(&hurried, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    let (_, error) = listen(&model, &hurried).await;
    assert_eq!(error.unwrap().code(), Code::DeadlineExceeded);
    server.finish();
}

#[tokio::test]
async fn configuration_can_shorten_the_wait() {
    let server = Script::new().fault(Fault::Delay(Duration::from_millis(200))).reply("x").start();
    let mut config = ModelConfig::new(server.url(), "m");
    config.timeout = Some(Duration::from_millis(50));
    let error = ask(&OpenAiModel::open(&config).unwrap()).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_caller_may_stop_a_call() {
    let late = Fault::Delay(Duration::from_millis(200));
    let server = Script::new().fault(late).reply("x").start();
    let model = model(&server);
    let cancel = CancellationToken::new();
    let stop = async {
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let prompt = prompt();
    let (outcome, ()) = tokio::join!(model.complete(&prompt, &cancel), stop);
    assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
    let outcome = model.stream(&prompt, &cancel).await;
    assert_eq!(outcome.err().unwrap().code(), Code::Cancelled);
    server.finish();
}

#[tokio::test]
async fn what_the_model_says_is_returned_as_it_is() {
    let json = r#"{"route":"platform"}"#;
    let server = Script::new()
        .fault(Fault::TruncatedJson)
        .fault(Fault::ProseAroundJson(json.to_owned()))
        .reply(r#"{"route":"platform","tool":"no_such_tool"}"#)
        .reply(r#"{"route":7}"#)
        .start();
    let model = model(&server);
    let reply = ask(&model).await.unwrap();
    assert!(reply.truncated && serde_json::from_str::<Value>(&reply.text).is_err());
    let reply = ask(&model).await.unwrap();
    assert!(!reply.truncated && reply.text.contains(json) && reply.text.starts_with("Sure!"));
    assert_eq!(ask(&model).await.unwrap().text, r#"{"route":"platform","tool":"no_such_tool"}"#);
    assert_eq!(ask(&model).await.unwrap().text, r#"{"route":7}"#);
    server.finish();
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_for_less_from_the_next_call_on() {
    let unknown = r#"{"error":"unknown response_format"}"#.to_owned();
    let server = Script::new()
        .fault(Fault::StatusWith(400, unknown.clone()))
        .fault(Fault::StatusWith(422, unknown.clone()))
        .fault(Fault::StatusWith(500, unknown))
        .reply("{}")
        .reply("{}")
        .start();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&kept);
    let model = model(&server).remembering(None, Arc::new(move |f| keep.lock().unwrap().push(f)));
    for _ in 0..3 {
        let error = ask(&model).await.unwrap_err();
        assert_eq!((error.code(), error.severity()), (Code::Unavailable, Severity::Retriable));
    }
    ask(&model).await.unwrap();
    ask(&model).await.unwrap();
    let form = |body: &Value| {
        let format = &body["response_format"];
        (format["type"].as_str().unwrap_or_default().to_owned(), format.get("schema").is_some())
    };
    let formats: Vec<(String, bool)> = server.requests().iter().map(form).collect();
    let (object, none) = (|schema| ("json_object".to_owned(), schema), (String::new(), false));
    let strictest = ("json_schema".to_owned(), false);
    assert_eq!(formats, [strictest, object(true), object(false), none.clone(), none]);
    assert_eq!(*kept.lock().unwrap(), [ResponseFormat::Text], "what it took, and no other");
    server.finish();
}

#[tokio::test]
async fn what_is_refused_for_something_else_costs_no_form_that_was_taken() {
    let filtered = Fault::StatusWith(400, r#"{"error":{"code":"content_filter"}}"#.to_owned());
    let server = Script::new().reply("{}").fault(filtered).reply("{}").start();
    let model = model(&server);
    ask(&model).await.unwrap();
    ask(&model).await.unwrap_err();
    ask(&model).await.unwrap();
    for body in server.requests() {
        assert_eq!(body["response_format"]["type"], "json_schema");
    }
    server.finish();
}

#[tokio::test]
async fn a_form_that_a_server_took_before_is_asked_for_at_once() {
    let server = Script::new().reply("{}").start();
    let known = Some(ResponseFormat::JsonObject);
    let model = model(&server).remembering(known, Arc::new(|_| {}));
    ask(&model).await.unwrap();
    assert_eq!(server.requests()[0]["response_format"], json!({"type": "json_object"}));
    server.finish();
}

#[tokio::test]
async fn a_wrong_address_says_nothing_of_the_format() {
    let nowhere = Fault::StatusWith(404, "404 page not found".to_owned());
    let server = Script::new().fault(nowhere).reply("{}").start();
    let model = model(&server);
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.message(), "the language model does not accept the request");
    ask(&model).await.unwrap();
    for body in server.requests() {
        assert_eq!(body["response_format"]["type"], "json_schema");
    }
    server.finish();
}

#[tokio::test]
async fn a_configured_format_is_kept() {
    let server = Script::new().fault(Fault::Status(400)).reply("{}").start();
    let mut config = ModelConfig::new(server.url(), "m");
    config.response_format = ResponseFormat::JsonObject;
    let model = OpenAiModel::open(&config).unwrap();
    let error = ask(&model).await.unwrap_err();
    assert_eq!((error.code(), error.severity()), (Code::Unavailable, Severity::Critical));
    ask(&model).await.unwrap();
    for body in server.requests() {
        assert_eq!(body["response_format"], json!({"type": "json_object"}));
    }
    server.finish();
}

#[tokio::test]
async fn the_key_is_sent_and_never_told() {
    let echo = Fault::StatusWith(500, format!("bad key sk-secret {}", "x".repeat(5000)));
    let server = Script::new().fault(echo).start();
    let mut config = ModelConfig::new(server.url(), "m");
    config.key = Some(Secret::new("sk-secret"));
    let model = OpenAiModel::open(&config).unwrap();
    let error = ask(&model).await.unwrap_err();
    assert_eq!(server.keys(), [Some("sk-secret".to_owned())]);
    assert!(!format!("{error:?}{model:?}{config:?}").contains("sk-secret"));
    let detail = error.detail().unwrap();
    assert!(detail.contains("bad key [key]") && detail.chars().count() <= 500, "{detail}");
    assert!(!error.message().contains("bad"));
    server.finish();
}
