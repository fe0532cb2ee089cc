//! OpenAI's chat completions.

use serde_json::{Value, json};

use super::super::problem::Problem;
use super::count::of_request;
use super::{Asked, Cut, Dialect, Head, Piece, Said, at, conversation, is_set, list, sentence};

#[derive(Debug)]
pub(super) struct Chat;

impl Dialect for Chat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn read(&self, body: &Value) -> Result<Asked, Problem> {
        let (before, text) = conversation(list(body, "messages")?, "messages")?;
        if body["n"].as_u64().is_some_and(|count| count > 1) {
            let error = waypost::Error::invalid("a pack gives one answer");
            return Err(at("/n", &error.with_hint("leave `n` out")));
        }
        Ok(Asked {
            text,
            before,
            previous: None,
            streams: is_set(body, "stream")?,
            counts: body["stream_options"]["include_usage"] == true,
            tokens: of_request(body),
        })
    }

    fn as_chat(&self, body: &Value) -> Value {
        body.clone()
    }

    fn tool_name<'a>(&self, tool: &'a Value) -> Option<&'a str> {
        tool["function"]["name"].as_str()
    }

    fn whole(&self, head: &Head, said: &Said) -> Value {
        json!({
            "id": format!("chatcmpl-{}", head.id),
            "object": "chat.completion",
            "created": head.created,
            "model": head.model,
            "choices": [{
                "index": 0,
                "message": { "role": "assistant", "content": said.content, "refusal": null },
                "logprobs": null,
                "finish_reason": finish(said),
            }],
            "usage": usage(head, said),
            "waypost": said.answer,
        })
    }

    fn begin(&self, head: &Head) -> Vec<Piece> {
        vec![chunk(head, &json!({ "role": "assistant", "content": "" }), None, None)]
    }

    fn words(&self, head: &Head, words: &str) -> Vec<Piece> {
        vec![chunk(head, &json!({ "content": words }), None, None)]
    }

    fn end(&self, head: &Head, said: &Said) -> Vec<Piece> {
        let mut events = vec![chunk(head, &json!({}), Some(finish(said)), Some(said))];
        if head.counts {
            let mut last = record(head);
            last["choices"] = json!([]);
            last["usage"] = usage(head, said);
            events.push(Piece::Plain(last));
        }
        events.push(Piece::Done);
        events
    }

    fn refusal(&self, problem: &Problem) -> Value {
        let record = problem.record();
        let kind = match problem.status().as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        let code = record["code"].as_str().unwrap_or_default().to_lowercase();
        let code = match (problem.status().as_u16(), record["pointer"].as_str()) {
            (404, Some("/model")) => "model_not_found".to_owned(),
            (401, _) => "invalid_api_key".to_owned(),
            (400, Some("/previous_response_id")) => "previous_response_not_found".to_owned(),
            (429, _) => "rate_limit_exceeded".to_owned(),
            _ => code,
        };
        let parameter =
            record["pointer"].as_str().map(|at| at.trim_start_matches('/').replace('/', "."));
        json!({ "error": { "message": sentence(problem), "type": kind, "param": parameter, "code": code } })
    }

    fn broken(&self, problem: &Problem) -> Vec<Piece> {
        vec![Piece::Plain(self.refusal(problem)), Piece::Done]
    }
}

/// The reason why an answer ends.
fn finish(said: &Said) -> &'static str {
    match said.cut {
        None => "stop",
        Some(Cut::Length) => "length",
        Some(Cut::Filter) => "content_filter",
    }
}

fn usage(head: &Head, said: &Said) -> Value {
    let (asked, answered) = (head.asked_tokens, said.tokens());
    json!({ "prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered })
}

fn record(head: &Head) -> Value {
    json!({
        "id": format!("chatcmpl-{}", head.id),
        "object": "chat.completion.chunk",
        "created": head.created,
        "model": head.model,
    })
}

fn chunk(head: &Head, delta: &Value, finish: Option<&str>, said: Option<&Said>) -> Piece {
    let mut chunk = record(head);
    chunk["choices"] =
        json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
    if head.counts {
        chunk["usage"] = Value::Null;
    }
    if let Some(said) = said {
        chunk["waypost"] = json!(said.answer);
    }
    Piece::Plain(chunk)
}
