//! `POST /v1/messages/count_tokens`: how long a request is, estimated as the `usage` of every answer is. Programs of agents ask it
//! before they send a request.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Request as HttpRequest, State};
use serde_json::{Map, Value, json};
use waypost::{Error, tokens};

use super::super::Served;
use super::super::endpoints::Asking;
use super::super::problem::Problem;
use super::{at, list, model, models, no_model, received};
use crate::surfaces::caller::Caller;

/// The path.
pub(super) const PATH: &str = "/v1/messages/count_tokens";

/// The fields of a block that no model reads as words: what it is, and what proves that a model reasoned so.
const NO_WORDS: &[&str] = &["type", "role", "id", "tool_use_id", "cache_control", "signature"];
/// The fields in which the protocols have what a model is sent.
const READ: &[&str] = &["system", "instructions", "messages", "input"];

/// Counts what is sent to a model: its instructions, the conversation, and its tools.
pub(super) async fn count(
    State(served): State<Arc<Served>>,
    Extension(client): Asking,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
) -> Result<Json<Value>, Problem> {
    let (_, body) = received(&served, &client, &caller, request).await?;
    let model = model(&body)?;
    let known = models::names(&served, &caller);
    if !known.iter().any(|name| name == model) {
        return Err(no_model(model, &known));
    }
    check(list(&body, "messages")?)?;
    Ok(Json(json!({ "input_tokens": of_request(&body) })))
}

/// Checks that messages are ones, as a request that is sent afterwards would be checked. The last one may be the model's,
/// which is to go on from it.
fn check(messages: &[Value]) -> Result<(), Problem> {
    if messages.is_empty() {
        let hint = "send [{\"role\": \"user\", \"content\": \"…\"}]";
        return Err(at("/messages", &Error::invalid("`messages` is empty").with_hint(hint)));
    }
    for (index, message) in messages.iter().enumerate() {
        let is_role = matches!(message["role"].as_str(), Some("user" | "assistant" | "system"));
        if !is_role {
            let error = Error::invalid("the role of a message is `user` or `assistant`");
            return Err(at(&format!("/messages/{index}/role"), &error));
        }
        if !message["content"].is_string() && !message["content"].is_array() {
            let error =
                Error::invalid("the content of a message is neither a text nor a list of blocks");
            return Err(at(&format!("/messages/{index}/content"), &error));
        }
    }
    Ok(())
}

/// The tokens of a request of any protocol, estimated: the `usage` of its answer says the same.
pub(super) fn of_request(body: &Value) -> usize {
    // Models read the schemas of tools as they are written.
    let tools = body["tools"].as_array().into_iter().flatten();
    let tools: usize = tools.map(|tool| tokens::count(&tool.to_string())).sum();
    READ.iter().map(|field| words(&body[*field])).sum::<usize>() + tools
}

/// The tokens of all words in a value.
fn words(value: &Value) -> usize {
    match value {
        Value::String(text) => tokens::count(text),
        Value::Array(items) => items.iter().map(words).sum(),
        Value::Object(fields) => {
            let read = fields.iter().filter(|(name, _)| !NO_WORDS.contains(&name.as_str()));
            read.map(|(name, value)| field(fields, name, value)).sum()
        }
        _ => 0,
    }
}

/// The tokens of a field of a block.
fn field(block: &Map<String, Value>, name: &str, value: &Value) -> usize {
    let is = |kind: &str| block.get("type").is_some_and(|own| own == kind);
    match name {
        // The bytes of pictures and pages are no words, but a document may be a text.
        "source" if value["type"] == "text" => words(&value["data"]),
        "source" if value["type"] == "content" => words(&value["content"]),
        "source" | "image_url" | "file_data" => 0,
        // Models read the arguments of a call as JSON.
        "input" if is("tool_use") => tokens::count(&value.to_string()),
        _ => words(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_pictures_are_not() {
        let said = json!([
            { "role": "user", "content": "the tide at Keelung" },
            { "role": "user", "content": [
                { "type": "text", "text": "the tide at Keelung" },
                { "type": "image", "source": { "type": "base64", "data": "AAAA BBBB" } },
                { "type": "tool_result", "tool_use_id": "t1", "content": "the tide at Keelung" },
            ] },
        ]);
        assert_eq!(words(&said), 3 * tokens::count("the tide at Keelung"));
        let document = json!({ "type": "document", "source": { "type": "text", "data": "the tide at Keelung" } });
        assert_eq!(words(&document), tokens::count("the tide at Keelung"));
        let call =
            json!({ "type": "tool_use", "id": "t1", "name": "tide", "input": { "days": 3 } });
        assert_eq!(words(&call), tokens::count("tide") + tokens::count("{\"days\":3}"));
    }
}
