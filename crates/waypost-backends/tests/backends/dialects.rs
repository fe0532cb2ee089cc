//! The client and four servers that speak OpenAI's chat completions, each in its own dialect.
//!
//! A file under `dialects/` is one server. Its talks are played in their order, each with a client of its own, so that an
//! exchange shows what the one before has taught. Those of llama.cpp were recorded; the others are written by hand after
//! the sources of their servers, which were not at hand.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use waypost_backends::llm::{ModelConfig, OpenAiModel, ResponseFormat};
use waypost_core::ports::model::{Message, Model, Prompt, Speaker, Usage};
use waypost_core::{Code, Error, Severity};

use super::llm::heard;
use super::raw::{self, Play, RawServer};

/// What a server says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialect {
    /// Its name.
    server: String,
    /// What this follows: a recording, or documents and their version.
    after: String,
    talks: Vec<Talk>,
}

/// Exchanges of one client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Talk {
    about: String,
    /// The configured format.
    #[serde(default)]
    response_format: ResponseFormat,
    exchanges: Vec<Exchange>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    about: String,
    #[serde(default)]
    streamed: bool,
    /// The format that the request asks for.
    asks: ResponseFormat,
    answer: Answer,
    expect: Expected,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The whole answer, or else [`Answer::events`].
    #[serde(default)]
    body: Value,
    /// The events of a stream: objects, or lines as they are.
    #[serde(default)]
    events: Vec<Value>,
    #[serde(default = "line_feed")]
    line_end: String,
}

fn line_feed() -> String {
    "\n".to_owned()
}

/// What the caller has then.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The words; of a stream, those before an error too.
    #[serde(default)]
    text: String,
    #[serde(default)]
    truncated: bool,
    /// Tokens: `prompt`, `cached` of them, `reply`. Of a stream they are what the server counted.
    #[serde(default)]
    usage: Value,
    error: Option<Code>,
    severity: Option<Severity>,
    message: Option<String>,
    hint: Option<String>,
}

impl Answer {
    /// The answer as it stands on the wire.
    fn bytes(&self) -> Vec<u8> {
        let is_stream = !self.events.is_empty();
        let body = match is_stream {
            true => raw::chunked(self.lines().as_bytes()),
            false => self.body.to_string().into_bytes(),
        };
        let length = body.len().to_string();
        let framing = match is_stream {
            true => [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")],
            false => [("content-type", "application/json"), ("content-length", length.as_str())],
        };
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<(&str, &str)> = own.chain(framing).collect();
        let mut bytes = raw::head(self.status, &headers).into_bytes();
        bytes.extend(body);
        bytes
    }

    /// The lines of its stream.
    fn lines(&self) -> String {
        let end = &self.line_end;
        let line = |event: &Value| match event {
            Value::String(line) => format!("{line}{end}{end}"),
            event => format!("data: {event}{end}{end}"),
        };
        self.events.iter().map(line).collect()
    }
}

/// What a caller heard.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    truncated: bool,
    usage: Value,
    error: Option<Error>,
}

impl Exchange {
    fn check(&self, place: &str, heard: &Heard) {
        let expected = &self.expect;
        let code = heard.error.as_ref().map(Error::code);
        assert_eq!(
            (heard.text.as_str(), code),
            (expected.text.as_str(), expected.error),
            "{place}: {heard:?}"
        );
        if let Some(error) = &heard.error {
            assert_eq!(Some(error.message()), expected.message.as_deref(), "{place}");
            assert_eq!(
                Some(error.severity()),
                expected.severity.or(Some(error.severity())),
                "{place}"
            );
            assert_eq!(error.hint(), expected.hint.as_deref().or(error.hint()), "{place}");
        }
        // A stream does not tell that it was cut off.
        if !self.streamed {
            assert_eq!(heard.truncated, expected.truncated, "{place}");
        }
        assert_eq!(heard.usage.is_null(), expected.usage.is_null(), "{place}");
        for (name, count) in heard.usage.as_object().into_iter().flatten() {
            let told = expected.usage[name.as_str()].as_u64().unwrap_or_default();
            assert_eq!(count.as_u64(), Some(told), "{place}: {name}");
        }
    }

    /// Checks that the request holds what it has to hold and nothing that a server might stumble over.
    fn check_request(&self, place: &str, request: &Value) {
        let prompt = prompt();
        assert_eq!(request["model"], "m", "{place}");
        assert_eq!(request["messages"], json!(prompt.messages), "{place}");
        assert_eq!(request["max_tokens"], json!(prompt.max_tokens), "{place}");
        assert_eq!(request["temperature"], json!(prompt.temperature), "{place}");
        assert_eq!(request["stream"], json!(self.streamed), "{place}");
        assert_eq!(request.get("response_format"), form(self.asks).as_ref(), "{place}");
        for field in ["tools", "functions", "grammar", "json_schema", "format"] {
            assert_eq!(request.get(field), None, "{place}: {field}");
        }
    }
}

/// The format as it stands in a request.
fn form(format: ResponseFormat) -> Option<Value> {
    let schema = schema();
    match format {
        ResponseFormat::Auto | ResponseFormat::JsonSchema => Some(json!({
            "type": "json_schema",
            "json_schema": { "name": "decision", "strict": true, "schema": schema },
        })),
        ResponseFormat::JsonObjectSchema => {
            Some(json!({ "type": "json_object", "schema": schema }))
        }
        ResponseFormat::JsonObject => Some(json!({ "type": "json_object" })),
        ResponseFormat::Text => None,
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "decision": { "type": "string", "enum": ["tide", "weather", "out_of_scope"] } },
        "required": ["decision"],
        "additionalProperties": false,
    })
}

/// The prompt with which llama.cpp was recorded.
fn prompt() -> Prompt {
    let said = |role, content: &str| Message { role, content: content.to_owned() };
    Prompt {
        messages: vec![
            said(
                Speaker::System,
                "Say what the text asks for. Reply with JSON like {\"decision\": NAME} and nothing else. \
                 NAME is one of: tide, weather, out_of_scope.",
            ),
            said(Speaker::User, "when is high water?"),
        ],
        schema: Some(("decision".to_owned(), schema())),
        tool_tokens: 0,
        max_tokens: 64,
        temperature: 0.0,
        timeout: Duration::from_secs(5),
    }
}

/// The tokens that the client counted, by the names of the files; `null` where it counted none.
fn counted(usage: Option<Usage>) -> Value {
    usage.map_or(Value::Null, |usage| json!(usage))
}

async fn hear(model: &OpenAiModel, streamed: bool) -> Heard {
    if streamed {
        let (text, usage, error) = heard(model, &prompt()).await;
        return Heard { text, usage: counted(usage), truncated: false, error };
    }
    match model.complete(&prompt(), &CancellationToken::new()).await {
        Ok(reply) => Heard {
            usage: counted(reply.usage),
            truncated: reply.truncated,
            text: reply.text,
            error: None,
        },
        Err(error) => Heard { error: Some(error), ..Heard::default() },
    }
}

/// Plays all talks of a file.
async fn play(file: &str) {
    let Dialect { server, after, talks } = serde_json::from_str(file).unwrap();
    assert!(!after.is_empty() && !talks.is_empty(), "{server}");
    for talk in &talks {
        let place = |exchange: &Exchange| format!("{server}, {}: {}", talk.about, exchange.about);
        let plays = talk.exchanges.iter().map(|exchange| Play::bytes(exchange.answer.bytes()));
        let raw = RawServer::start(plays.collect());
        let mut config = ModelConfig::new(raw.url(), "m");
        config.response_format = talk.response_format;
        let model = OpenAiModel::open(&config).unwrap();
        for exchange in &talk.exchanges {
            exchange.check(&place(exchange), &hear(&model, exchange.streamed).await);
        }
        let requests = raw.finish();
        assert_eq!(requests.len(), talk.exchanges.len(), "{server}, {}", talk.about);
        for (exchange, request) in talk.exchanges.iter().zip(&requests) {
            exchange.check_request(&place(exchange), request);
        }
    }
}

#[tokio::test]
async fn llama_cpp_is_understood_as_it_was_recorded() {
    play(include_str!("dialects/llama_cpp.json")).await;
}

#[tokio::test]
async fn llama_cpp_python_is_understood_after_its_sources() {
    play(include_str!("dialects/llama_cpp_python.json")).await;
}

#[tokio::test]
async fn ollama_is_understood_after_its_sources() {
    play(include_str!("dialects/ollama.json")).await;
}

#[tokio::test]
async fn vllm_is_understood_after_its_sources() {
    play(include_str!("dialects/vllm.json")).await;
}
