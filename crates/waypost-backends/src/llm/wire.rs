//! The JSON of chat completions: the request that is sent, and the parts of the answer that are
//! trusted.

use serde_json::{Value, json};
use waypost_core::Result;
use waypost_core::ports::model::{Prompt, Reply};

use super::{ResponseFormat, fault, reasoning};

/// The body of a request.
pub(super) fn body(model: &str, prompt: &Prompt, format: ResponseFormat, streamed: bool) -> Value {
    let mut body = json!({
        "model": model,
        "messages": prompt.messages,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "stream": streamed,
    });
    if let Some((name, schema)) = &prompt.schema
        && let Some(format) = response_format(format, name, schema)
    {
        body["response_format"] = format;
    }
    body
}

fn response_format(format: ResponseFormat, name: &str, schema: &Value) -> Option<Value> {
    match format {
        ResponseFormat::Auto | ResponseFormat::JsonSchema => Some(json!({
            "type": "json_schema",
            "json_schema": { "name": name, "strict": true, "schema": schema },
        })),
        ResponseFormat::JsonObjectSchema => {
            Some(json!({ "type": "json_object", "schema": schema }))
        }
        ResponseFormat::JsonObject => Some(json!({ "type": "json_object" })),
        ResponseFormat::Text => None,
    }
}

/// Reads a whole reply.
///
/// `reasoning_content` is not read at all: a reply that is nothing but thinking has no words.
pub(super) fn reply(body: &[u8]) -> Result<Reply> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|_| fault::malformed(&String::from_utf8_lossy(&body[..body.len().min(2000)])))?;
    let choice = &body["choices"][0];
    let text = match &choice["message"]["content"] {
        Value::String(text) => reasoning::strip(text),
        Value::Null if choice["message"].is_object() => String::new(),
        _ => return Err(fault::malformed(&body.to_string())),
    };
    Ok(Reply {
        text,
        tokens: tokens(&body["usage"]),
        truncated: choice["finish_reason"] == "length",
    })
}

/// The most names of models that are read: far more than a server has.
const MOST_MODELS: usize = 1000;

/// Reads a list of models.
pub(super) fn models(body: &[u8]) -> Result<Vec<String>> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|_| fault::malformed(&String::from_utf8_lossy(&body[..body.len().min(2000)])))?;
    let Some(list) = body["data"].as_array() else {
        return Err(fault::malformed(&body.to_string()));
    };
    let names = list.iter().filter_map(|model| model["id"].as_str().map(str::to_owned));
    Ok(names.take(MOST_MODELS).collect())
}

fn tokens(usage: &Value) -> Option<(u32, u32)> {
    let count = |field: &str| usage[field].as_u64().and_then(|n| u32::try_from(n).ok());
    Some((count("prompt_tokens")?, count("completion_tokens")?))
}

/// The content of one event of a streamed reply.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    /// The next words; often there are none.
    pub(super) text: String,
    /// True if they are the last ones.
    pub(super) last: bool,
}

/// Reads one event of a streamed reply.
pub(super) fn piece(data: &str) -> Result<Piece> {
    let event: Value = serde_json::from_str(data).map_err(|_| fault::malformed(data))?;
    if event.get("error").is_some_and(|error| !error.is_null()) || !event.is_object() {
        return Err(fault::malformed(data));
    }
    let choice = &event["choices"][0];
    Ok(Piece {
        text: choice["delta"]["content"].as_str().unwrap_or_default().to_owned(),
        last: choice["finish_reason"].is_string(),
    })
}
