//! `POST /v1/messages/count_tokens`: how long a request is, estimated as the `usage` of every answer is. Programs of agents ask it
//! before they send a request.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Request as HttpRequest, State};
use serde_json::{Value, json};
use waypost::tokens;

use super::super::Served;
use super::super::endpoints::Asking;
use super::super::problem::Problem;
use super::{model, models, no_model, received};
use crate::surfaces::caller::Caller;

/// The path.
pub(super) const PATH: &str = "/v1/messages/count_tokens";

/// The fields of a block that no model reads as words: what it is, and the bytes of pictures.
const NO_WORDS: &[&str] = &["type", "role", "id", "tool_use_id", "cache_control", "source"];

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
    // Models read the schemas of tools as they are written.
    let tools = body["tools"].as_array().into_iter().flatten();
    let tools: usize = tools.map(|tool| tokens::count(&tool.to_string())).sum();
    Ok(Json(json!({ "input_tokens": words(&body["system"]) + words(&body["messages"]) + tools })))
}

/// The tokens of all words in a value.
fn words(value: &Value) -> usize {
    match value {
        Value::String(text) => tokens::count(text),
        Value::Array(items) => items.iter().map(words).sum(),
        Value::Object(fields) => {
            let read = fields.iter().filter(|(name, _)| !NO_WORDS.contains(&name.as_str()));
            read.map(|(_, value)| words(value)).sum()
        }
        _ => 0,
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
    }
}
