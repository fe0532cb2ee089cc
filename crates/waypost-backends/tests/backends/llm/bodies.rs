//! Bodies that a server sends with status 200, as tables: what is read of each, or the code of the error.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use waypost_backends::llm::{ModelConfig, OpenAiModel};
use waypost_core::Code;
use waypost_core::ports::model::Model;

use super::transports::{DOWN, WORDS, says_nothing_of_the_server};
use super::{listen, prompt};
use crate::raw::{self, Play, RawServer};

/// The words that are read, and whether they were cut off.
type Read = Result<(&'static str, bool), Code>;

/// A reply whose message is this.
fn reply(message: &Value, finish: &str) -> String {
    json!({ "choices": [{ "index": 0, "message": message, "finish_reason": finish }] }).to_string()
}

/// A reply whose message has this content.
fn content(content: &Value) -> String {
    reply(&json!({ "role": "assistant", "content": content }), "stop")
}

fn bodies() -> Vec<(&'static str, String, Read)> {
    let page = format!("<html>{WORDS}</html>");
    let thought = json!({ "role": "assistant", "content": null, "reasoning_content": WORDS });
    let newer = json!({ "role": "assistant", "content": "", "reasoning": WORDS });
    let cut = json!({ "role": "assistant", "content": "{\"decision\":\"ti" });
    let odd = json!({
        "choices": [{ "message": { "content": "{}" }, "finish_reason": 7 }],
        "usage": { "prompt_tokens": "many", "completion_tokens": -1 },
        "warning": WORDS,
    });
    vec![
        ("nothing", String::new(), Err(DOWN)),
        ("words", WORDS.to_owned(), Err(DOWN)),
        ("a page", page, Err(DOWN)),
        ("half of a reply", content(&json!(WORDS))[..40].to_owned(), Err(DOWN)),
        ("null", "null".to_owned(), Err(DOWN)),
        ("a text", json!(WORDS).to_string(), Err(DOWN)),
        ("a list", json!([{ "choices": [] }]).to_string(), Err(DOWN)),
        ("no choices", json!({ "object": WORDS }).to_string(), Err(DOWN)),
        ("empty choices", json!({ "choices": [] }).to_string(), Err(DOWN)),
        ("choices of another type", json!({ "choices": WORDS }).to_string(), Err(DOWN)),
        ("no message", json!({ "choices": [{ "text": WORDS }] }).to_string(), Err(DOWN)),
        ("content that is null", content(&json!(null)), Ok(("", false))),
        ("no content", reply(&json!({ "role": "assistant" }), "stop"), Ok(("", false))),
        ("content that is a number", content(&json!(7)), Err(DOWN)),
        ("content that is an object", content(&json!({ "decision": "tide" })), Err(DOWN)),
        (
            "content in parts",
            content(&json!([{ "type": "text", "text": "tide" }])),
            Ok(("tide", false)),
        ),
        ("nothing but thoughts", reply(&thought, "stop"), Ok(("", false))),
        ("thoughts under another name", reply(&newer, "length"), Ok(("", true))),
        ("thoughts in the content", content(&json!(format!("<think>{WORDS}"))), Ok(("", false))),
        ("a reply that is cut off", reply(&cut, "length"), Ok(("{\"decision\":\"ti", true))),
        ("fields of other types", odd.to_string(), Ok(("{}", false))),
        ("five megabytes", content(&json!("x".repeat(5 * 1024 * 1024))), Err(DOWN)),
        ("an error", json!({ "error": { "message": WORDS } }).to_string(), Err(DOWN)),
        ("an error in a word", json!({ "error": WORDS }).to_string(), Err(DOWN)),
        ("brackets in brackets", "[".repeat(100_000), Err(DOWN)),
    ]
}

/// Opens a client of a server that answers once, with this body.
fn once(content_type: &str, body: &str) -> (RawServer, OpenAiModel) {
    let server = RawServer::start(vec![Play::bytes(raw::whole(200, content_type, body))]);
    let model = OpenAiModel::open(&ModelConfig::new(server.url(), "m")).unwrap();
    (server, model)
}

#[tokio::test]
async fn each_body_is_read_or_refused_after_one_request() {
    for (name, body, expected) in bodies() {
        let (server, model) = once("application/json", &body);
        let outcome = model.complete(&prompt(), &CancellationToken::new()).await;
        assert_eq!(server.finish().len(), 1, "{name}");
        if let Err(error) = &outcome {
            says_nothing_of_the_server(name, error);
        }
        let read = outcome.map(|reply| (reply.text, reply.truncated)).map_err(|error| error.code());
        assert_eq!(read, expected.map(|(text, cut)| (text.to_owned(), cut)), "{name}");
    }
}

/// An event with these words.
fn event(words: &str) -> String {
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": words }, "finish_reason": null }] });
    format!("data: {delta}\n\n")
}

/// Streams of a model that nobody has heard yet: what is heard of each, and the code of the error that ends it, if one does.
/// Until such a model has ended once, nothing tells that its words are no reasoning.
fn streams() -> Vec<(&'static str, String, &'static str, Option<Code>)> {
    const DONE: &str = "data: [DONE]\n\n";
    let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n";
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n";
    let fault = format!("data: {{\"error\":{{\"message\":\"{WORDS}\"}}}}\n\n");
    let (low, tide) = (event("low "), event("tide"));
    let parts = "data: {\"choices\":[{\"delta\":{\"content\":[{\"text\":\"x\"}]}}]}\n\n";
    vec![
        ("nothing", String::new(), "", Some(DOWN)),
        ("only the end", DONE.to_owned(), "", None),
        (
            "all that there may be",
            format!(": ping\n\n{role}{low}: ping\n\n{tide}{stop}{usage}{DONE}"),
            "low tide",
            None,
        ),
        ("no end mark", format!("{role}{low}{tide}{stop}"), "low tide", None),
        ("no end mark before the usage", format!("{low}{tide}{stop}{usage}"), "low tide", None),
        ("no reason and an end mark", format!("{low}{tide}{DONE}"), "low tide", None),
        ("words after the end", format!("{low}{DONE}{tide}"), "low ", None),
        ("no end", format!("{role}{low}{tide}"), "", Some(DOWN)),
        ("a fault in the middle", format!("{low}{fault}{tide}{DONE}"), "", Some(DOWN)),
        ("a fault at once", format!("{fault}{DONE}"), "", Some(DOWN)),
        ("an event that is no JSON", format!("{low}data: {WORDS}\n\n{DONE}"), "", Some(DOWN)),
        ("an event that is a list", format!("{low}data: []\n\n{DONE}"), "", Some(DOWN)),
        (
            "other fields of an event",
            format!("event: message\nid: 1\nretry: 5\n{low}{DONE}"),
            "low ",
            None,
        ),
        ("content in parts", format!("{parts}{low}{DONE}"), "xlow ", None),
        ("a whole reply instead", content(&json!("low tide")), "", Some(DOWN)),
        ("a page", format!("<html>{WORDS}</html>"), "", Some(DOWN)),
        ("a line without end", format!("{low}data: {}", "x".repeat(400_000)), "", Some(DOWN)),
    ]
}

#[tokio::test]
async fn each_stream_is_heard_as_far_as_it_goes_after_one_request() {
    for (name, body, expected, code) in streams() {
        let (server, model) = once("text/event-stream", &body);
        let (said, error) = listen(&model, &prompt()).await;
        assert_eq!(server.finish().len(), 1, "{name}");
        if let Some(error) = &error {
            says_nothing_of_the_server(name, error);
        }
        assert_eq!((said.as_str(), error.map(|error| error.code())), (expected, code), "{name}");
    }
}
