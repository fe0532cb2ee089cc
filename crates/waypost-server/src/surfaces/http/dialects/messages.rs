//! Anthropic's messages.

use serde_json::{Value, json};

use super::super::problem::Problem;
use super::count::of_request;
use super::{Asked, Cut, Dialect, Head, Piece, Said, chat, conversation, is_set, list, sentence};

#[derive(Debug)]
pub(super) struct Messages;

impl Dialect for Messages {
    fn path(&self) -> &'static str {
        "/messages"
    }

    fn read(&self, body: &Value) -> Result<Asked, Problem> {
        let (before, text) = conversation(list(body, "messages")?, "messages")?;
        let (streams, tokens) = (is_set(body, "stream")?, of_request(body));
        Ok(Asked { text, before, previous: None, streams, counts: true, tokens })
    }

    fn as_chat(&self, body: &Value) -> Value {
        let messages = body["messages"].as_array().into_iter().flatten();
        let messages: Value = messages.flat_map(message).collect();
        chat(&messages, tool, body)
    }

    fn tool_name<'a>(&self, tool: &'a Value) -> Option<&'a str> {
        tool["name"].as_str()
    }

    fn whole(&self, head: &Head, said: &Said) -> Value {
        let mut record = begun(head);
        record["content"] = json!([{ "type": "text", "text": said.content }]);
        record["stop_reason"] = json!(stop_reason(said));
        record["usage"] =
            json!({ "input_tokens": head.asked_tokens, "output_tokens": said.tokens() });
        record["waypost"] = json!(said.answer);
        record
    }

    fn begin(&self, head: &Head) -> Vec<Piece> {
        let block = json!({ "type": "text", "text": "" });
        vec![
            event("message_start", json!({ "message": begun(head) })),
            event("content_block_start", json!({ "index": 0, "content_block": block })),
        ]
    }

    fn words(&self, _: &Head, words: &str) -> Vec<Piece> {
        let delta = json!({ "type": "text_delta", "text": words });
        vec![event("content_block_delta", json!({ "index": 0, "delta": delta }))]
    }

    fn end(&self, _: &Head, said: &Said) -> Vec<Piece> {
        let delta = json!({ "stop_reason": stop_reason(said), "stop_sequence": null });
        let usage = json!({ "output_tokens": said.tokens() });
        vec![
            event("content_block_stop", json!({ "index": 0 })),
            event(
                "message_delta",
                json!({ "delta": delta, "usage": usage, "waypost": said.answer }),
            ),
            event("message_stop", json!({})),
        ]
    }

    fn request_id(&self) -> Option<&'static str> {
        Some("request-id")
    }

    fn refusal(&self, problem: &Problem) -> Value {
        let kind = match problem.status().as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            503 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        json!({ "type": "error", "error": { "type": kind, "message": sentence(problem) } })
    }
}

/// The reason why an answer ends.
fn stop_reason(said: &Said) -> &'static str {
    match said.cut {
        None => "end_turn",
        Some(Cut::Length) => "max_tokens",
        Some(Cut::Filter) => "refusal",
    }
}

fn event(kind: &'static str, mut data: Value) -> Piece {
    data["type"] = json!(kind);
    Piece::Named(kind, data)
}

fn begun(head: &Head) -> Value {
    json!({
        "id": format!("msg_{}", head.id),
        "type": "message",
        "role": "assistant",
        "model": head.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": { "input_tokens": head.asked_tokens, "output_tokens": 0 },
    })
}

/// A message as chat completions have it: its words, then the calls of tools in it.
fn message(message: &Value) -> Vec<Value> {
    let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let results_alone =
        !blocks.is_empty() && blocks.iter().all(|block| block["type"] == "tool_result");
    if results_alone {
        // The results of tools are no words of the user, though they come in a user's message.
        return vec![json!({ "role": "tool", "content": "" })];
    }
    let calls: Vec<Value> = blocks
        .iter()
        .filter(|block| block["type"] == "tool_use")
        .map(|block| json!({ "id": block["id"], "type": "function", "function": { "name": block["name"] } }))
        .collect();
    let mut chat = json!({ "role": message["role"], "content": message["content"] });
    if !calls.is_empty() {
        chat["tool_calls"] = json!(calls);
    }
    vec![chat]
}

/// A tool as chat completions have it. One with a `type` of its own is no function, and stays.
fn tool(tool: &Value) -> Value {
    match tool["type"].as_str() {
        None | Some("custom") => json!({ "type": "function", "function": {
            "name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"],
        } }),
        Some(_) => tool.clone(),
    }
}
