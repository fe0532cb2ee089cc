//! OpenAI's responses.

use serde_json::{Value, json};
use waypost::Error;

use super::super::problem::Problem;
use super::chat::Chat;
use super::count::of_request;
use super::{Asked, Cut, Dialect, Head, Piece, Said, at, chat, conversation, is_set};

#[derive(Debug)]
pub(super) struct Responses;

impl Dialect for Responses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn read(&self, body: &Value) -> Result<Asked, Problem> {
        let (before, text) = match &body["input"] {
            Value::String(text) if !text.trim().is_empty() => (Vec::new(), text.clone()),
            Value::Array(items) => {
                let messages: Vec<Value> = items
                    .iter()
                    .filter(|item| item["type"].as_str().is_none_or(|kind| kind == "message"))
                    .cloned()
                    .collect();
                conversation(&messages, "input")?
            }
            _ => {
                let error = Error::invalid("there is no `input`");
                return Err(at("/input", &error.with_hint("send a text, or a list of messages")));
            }
        };
        Ok(Asked {
            text,
            before,
            previous: previous(body)?,
            streams: is_set(body, "stream")?,
            counts: true,
            tokens: of_request(body),
        })
    }

    fn as_chat(&self, body: &Value) -> Value {
        let messages = match &body["input"] {
            Value::String(text) => json!([{ "role": "user", "content": text }]),
            Value::Array(items) => items.iter().map(message).collect(),
            _ => json!([]),
        };
        chat(&messages, tool, body)
    }

    fn tool_name<'a>(&self, tool: &'a Value) -> Option<&'a str> {
        tool["name"].as_str()
    }

    fn whole(&self, head: &Head, said: &Said) -> Value {
        let status = status(said);
        let mut response = response(head, status, &json!([item(head, said, status)]));
        response["incomplete_details"] = json!(said.cut.map(|cut| match cut {
            Cut::Length => json!({ "reason": "max_output_tokens" }),
            Cut::Filter => json!({ "reason": "content_filter" }),
        }));
        let (asked, answered) = (head.asked_tokens, said.tokens());
        response["usage"] = json!({
            "input_tokens": asked,
            "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens": answered,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": asked + answered,
        });
        response["waypost"] = json!(said.answer);
        response
    }

    fn begin(&self, head: &Head) -> Vec<Piece> {
        let begun = response(head, "in_progress", &json!([]));
        let item = json!({
            "id": format!("msg_{}", head.id), "type": "message", "role": "assistant", "status": "in_progress", "content": [],
        });
        let part = json!({ "type": "output_text", "text": "", "annotations": [] });
        let at =
            json!({ "item_id": format!("msg_{}", head.id), "output_index": 0, "content_index": 0 });
        vec![
            event("response.created", &json!({ "response": begun })),
            event("response.in_progress", &json!({ "response": begun })),
            event("response.output_item.added", &json!({ "output_index": 0, "item": item })),
            event("response.content_part.added", &with(&at, "part", &part)),
        ]
    }

    fn words(&self, head: &Head, words: &str) -> Vec<Piece> {
        let at = json!({ "item_id": format!("msg_{}", head.id), "output_index": 0, "content_index": 0, "logprobs": [] });
        vec![event("response.output_text.delta", &with(&at, "delta", &json!(words)))]
    }

    fn end(&self, head: &Head, said: &Said) -> Vec<Piece> {
        let at =
            json!({ "item_id": format!("msg_{}", head.id), "output_index": 0, "content_index": 0 });
        let part = json!({ "type": "output_text", "text": said.content, "annotations": [] });
        let ended = if said.cut.is_some() { "response.incomplete" } else { "response.completed" };
        let text = with(&with(&at, "text", &json!(said.content)), "logprobs", &json!([]));
        vec![
            event("response.output_text.done", &text),
            event("response.content_part.done", &with(&at, "part", &part)),
            event(
                "response.output_item.done",
                &json!({ "output_index": 0, "item": item(head, said, status(said)) }),
            ),
            event(ended, &json!({ "response": self.whole(head, said) })),
        ]
    }

    fn refusal(&self, problem: &Problem) -> Value {
        Chat.refusal(problem)
    }

    fn number(&self) -> Option<&'static str> {
        Some("sequence_number")
    }

    fn broken(&self, problem: &Problem) -> Vec<Piece> {
        let error = self.refusal(problem)["error"].take();
        vec![event(
            "error",
            &json!({ "code": error["code"], "message": error["message"], "param": error["param"] }),
        )]
    }
}

fn with(record: &Value, field: &str, value: &Value) -> Value {
    let mut record = record.clone();
    record[field] = value.clone();
    record
}

fn event(kind: &'static str, data: &Value) -> Piece {
    Piece::Named(kind, with(data, "type", &json!(kind)))
}

/// The answer that a request goes on from.
fn previous(body: &Value) -> Result<Option<String>, Problem> {
    match &body["previous_response_id"] {
        Value::Null => Ok(None),
        Value::String(id) => Ok(Some(id.clone())),
        _ => Err(at(
            "/previous_response_id",
            &Error::invalid("`previous_response_id` is not a text")
                .with_hint("send the `id` of a response, or leave it out"),
        )),
    }
}

/// The state of an answer that has ended.
fn status(said: &Said) -> &'static str {
    if said.cut.is_some() { "incomplete" } else { "completed" }
}

fn item(head: &Head, said: &Said, status: &str) -> Value {
    json!({
        "id": format!("msg_{}", head.id),
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [{ "type": "output_text", "text": said.content, "annotations": [] }],
    })
}

fn response(head: &Head, status: &str, output: &Value) -> Value {
    json!({
        "id": format!("resp_{}", head.id),
        "object": "response",
        "created_at": head.created,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "model": head.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": head.previous,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": null,
    })
}

/// An item of a conversation as a message of chat completions: calls and results name the tools that are in use.
fn message(item: &Value) -> Value {
    match item["type"].as_str() {
        Some("function_call") => json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{ "id": item["call_id"], "type": "function", "function": { "name": item["name"], "arguments": item["arguments"] } }],
        }),
        Some("function_call_output") => {
            json!({ "role": "tool", "tool_call_id": item["call_id"], "content": "" })
        }
        _ => item.clone(),
    }
}

/// A tool as chat completions have it; what is no function stays what it is.
fn tool(tool: &Value) -> Value {
    if tool["type"].as_str().unwrap_or("function") != "function" {
        return tool.clone();
    }
    json!({ "type": "function", "function": {
        "name": tool["name"], "description": tool["description"], "parameters": tool["parameters"],
    } })
}
