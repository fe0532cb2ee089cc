//! The JSON of chat completions: the request that is sent, and the parts of the answer that are
//! trusted.

use serde_json::{Value, json};
use waypost_core::Result;
use waypost_core::ports::model::{Cut, Prompt, Usage};

use super::{ResponseFormat, fault};

/// The form in which a reply comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As a whole, with the count of its tokens.
    Whole,
    /// In pieces.
    Pieces,
    /// In pieces, and behind them the count of its tokens.
    CountedPieces,
}

/// The body of a request.
pub(super) fn body(model: &str, prompt: &Prompt, format: ResponseFormat, form: Form) -> Value {
    let mut body = json!({
        "model": model,
        "messages": prompt.messages,
        "temperature": prompt.temperature,
        "max_tokens": prompt.max_tokens,
        "stream": form != Form::Whole,
    });
    if form == Form::CountedPieces {
        body["stream_options"] = json!({ "include_usage": true });
    }
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

/// A whole reply as the server sent it.
#[derive(Debug)]
pub(super) struct Whole {
    /// The words, with the reasoning that is among them.
    pub(super) text: String,
    /// The tokens of the call, where the server counts them.
    pub(super) usage: Option<Usage>,
    /// The reason why the reply ends early, if it does.
    pub(super) cut: Option<Cut>,
}

/// Reads a whole reply.
///
/// `reasoning_content` is not read at all: a reply that is nothing but thinking has no words.
pub(super) fn whole(body: &[u8]) -> Result<Whole> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|_| fault::malformed(&String::from_utf8_lossy(&body[..body.len().min(2000)])))?;
    let choice = &body["choices"][0];
    let text = match &choice["message"]["content"] {
        Value::Null if choice["message"].is_object() => String::new(),
        content => words(content).ok_or_else(|| fault::malformed(&body.to_string()))?,
    };
    match end(choice) {
        End::Broken => Err(fault::broken_off()),
        end => Ok(Whole { text, usage: usage(&body), cut: end.cut() }),
    }
}

/// The words of a content: a text, or a list of parts. Parts of another type hold reasoning.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let is_words = |part: &&Value| {
                matches!(part["type"].as_str(), None | Some("text" | "output_text"))
            };
            Some(parts.iter().filter(is_words).filter_map(|part| part["text"].as_str()).collect())
        }
        _ => None,
    }
}

/// The end of a reply, as its server tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It has not ended.
    Open,
    /// The model was done.
    Whole,
    /// It ends early.
    Cut(Cut),
    /// The server failed.
    Broken,
}

impl End {
    /// The reason why the reply ends early, if it does.
    pub(super) fn cut(self) -> Option<Cut> {
        match self {
            End::Cut(cut) => Some(cut),
            End::Open | End::Whole | End::Broken => None,
        }
    }
}

/// Reads why a reply ended. The words are OpenAI's, and those that gateways pass on from other servers.
fn end(choice: &Value) -> End {
    let Some(reason) = choice["finish_reason"].as_str() else { return End::Open };
    let reason = reason.to_ascii_lowercase();
    let is = |parts: &[&str]| parts.iter().any(|part| reason.contains(part));
    if is(&["length", "max_tokens", "max_output_tokens", "context_window"]) {
        End::Cut(Cut::Length)
    } else if is(&["filter", "safety", "refusal", "prohibited", "blocklist", "recitation"]) {
        End::Cut(Cut::Filter)
    } else if is(&["error", "abort", "insufficient"]) {
        End::Broken
    } else {
        End::Whole
    }
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

/// The tokens of a call, where the server counts them.
///
/// OpenAI, vLLM and llama.cpp tell in `prompt_tokens_details` what they found in their cache; before it
/// had these, llama.cpp told it in `timings`.
fn usage(answer: &Value) -> Option<Usage> {
    // No call comes near four billion, so that what is larger is no count.
    let count = |value: &Value| value.as_u64().filter(|count| *count <= u64::from(u32::MAX));
    let told = &answer["usage"];
    let prompt = count(&told["prompt_tokens"])?;
    let cached = count(&told["prompt_tokens_details"]["cached_tokens"])
        .or_else(|| count(&answer["timings"]["cache_n"]));
    Some(Usage {
        prompt,
        cached: cached.unwrap_or_default().min(prompt),
        reply: count(&told["completion_tokens"])?,
    })
}

/// The content of one event of a streamed reply.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    /// The next words; often there are none.
    pub(super) text: String,
    /// Whether they are the last ones, and why.
    pub(super) end: End,
    /// The tokens of the call so far, where the event tells them.
    pub(super) usage: Option<Usage>,
}

/// Reads one event of a streamed reply.
pub(super) fn piece(data: &str) -> Result<Piece> {
    let event: Value = serde_json::from_str(data).map_err(|_| fault::malformed(data))?;
    if event.get("error").is_some_and(|error| !error.is_null()) || !event.is_object() {
        return Err(fault::malformed(data));
    }
    let choice = &event["choices"][0];
    Ok(Piece {
        text: words(&choice["delta"]["content"]).unwrap_or_default(),
        end: end(choice),
        usage: usage(&event),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_each_server_tells_them() {
        let check = |answer: Value, told: Option<(u64, u64, u64)>| {
            let usage = usage(&answer).map(|it| (it.prompt, it.cached, it.reply));
            assert_eq!(usage, told, "{answer}");
        };
        let counts = json!({ "prompt_tokens": 10, "completion_tokens": 2 });
        check(json!({ "usage": counts }), Some((10, 0, 2)));
        let detailed = json!({ "prompt_tokens": 10, "completion_tokens": 2,
            "prompt_tokens_details": { "cached_tokens": 8 } });
        check(json!({ "usage": detailed }), Some((10, 8, 2)));
        check(json!({ "usage": detailed, "timings": { "cache_n": 3 } }), Some((10, 8, 2)));
        check(json!({ "usage": counts, "timings": { "cache_n": 3 } }), Some((10, 3, 2)));
        let none = json!({ "prompt_tokens": 10, "completion_tokens": 2,
            "prompt_tokens_details": null });
        check(json!({ "usage": none }), Some((10, 0, 2)));
        // More cannot be cached than was asked.
        check(json!({ "usage": counts, "timings": { "cache_n": 99 } }), Some((10, 10, 2)));
        check(json!({ "usage": { "prompt_tokens": 10 } }), None);
        check(json!({ "usage": { "prompt_tokens": -1, "completion_tokens": u64::MAX } }), None);
        check(json!({ "usage": null }), None);
        check(json!({}), None);
    }

    #[test]
    fn the_event_with_the_tokens_has_no_words() {
        let event =
            json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 2 } });
        let usage = Some(Usage { prompt: 1, cached: 0, reply: 2 });
        let read = piece(&event.to_string()).unwrap();
        assert_eq!(read, Piece { text: String::new(), end: End::Open, usage });
    }

    #[test]
    fn parts_of_a_content_that_are_no_words_are_reasoning() {
        let content = json!([
            { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
            { "type": "text", "text": "A tide " },
            { "type": "reasoning", "text": "hm" },
            { "type": "text", "text": "is water." },
        ]);
        assert_eq!(words(&content).as_deref(), Some("A tide is water."));
        let body =
            json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] });
        assert_eq!(whole(body.to_string().as_bytes()).unwrap().text, "A tide is water.");
        assert_eq!(words(&json!(7)), None);
    }

    #[test]
    fn a_reply_says_why_it_ended() {
        for (reason, wanted) in [
            (json!(null), End::Open),
            (json!("stop"), End::Whole),
            (json!("tool_calls"), End::Whole),
            (json!("length"), End::Cut(Cut::Length)),
            (json!("MAX_TOKENS"), End::Cut(Cut::Length)),
            (json!("content_filter"), End::Cut(Cut::Filter)),
            (json!("error"), End::Broken),
        ] {
            assert_eq!(end(&json!({ "finish_reason": reason })), wanted, "{reason}");
        }
    }
}
