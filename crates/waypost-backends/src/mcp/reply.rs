//! Repairs replies that are almost JSON-RPC, so that a server is understood, or refused at once, where the protocol's
//! library would drop its reply and wait until the call is late.
//!
//! Only replies are repaired. Requests and notifications of the server pass as they are.

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::{Map, Value, json};

use super::{json, said};

/// The code of an error that has none: the first of the range that JSON-RPC leaves to servers.
const UNCODED: i32 = -32000;
/// The code by which a reply that cannot be read is refused here. No server uses it: the specification has no such number.
pub(super) const UNREADABLE: i32 = i32::MIN;

/// The request that a message would answer if it does not say which.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    /// None, or several wait.
    Unknown,
    /// It is the only one that waits. A message is its answer only if it says that it is JSON-RPC, because a
    /// server may write its log to the same stream.
    Likely(RequestId),
    /// The message came as its answer, in the body of that very response.
    Certain(RequestId),
}

impl Asked {
    /// The request, if a message with these keys is its answer.
    fn by(&self, message: &Map<String, Value>) -> Option<&RequestId> {
        match self {
            Self::Unknown => None,
            Self::Likely(id) => message.contains_key("jsonrpc").then_some(id),
            Self::Certain(id) => Some(id),
        }
    }

    fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Unknown => None,
            Self::Likely(id) | Self::Certain(id) => Some(id),
        }
    }
}

/// The messages of a text, each as JSON-RPC has it. A text that is no JSON but meant to be a reply is refused in the
/// name of the request that it would answer; any other holds none.
pub(super) fn messages(text: &[u8], asked: &Asked) -> Vec<ServerJsonRpcMessage> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let values = match json::read(text) {
        Some(Value::Array(batch)) => batch,
        Some(value) => vec![value],
        None if means_a_reply(text) => {
            let id = written_id(text).or_else(|| asked.id().cloned());
            return vec![refusal(id)];
        }
        None => Vec::new(),
    };
    values.into_iter().filter_map(|value| message(value, asked)).collect()
}

/// The number of the request that a reply that is no JSON answers, if it stands before what it says.
fn written_id(text: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(text);
    let end = ["\"result\"", "\"error\""].iter().filter_map(|key| text.find(key)).min();
    let (_, value) = text[..end.unwrap_or(text.len())].split_once("\"id\"")?;
    let value = value.trim_start().strip_prefix(':')?.trim_start_matches([' ', '"']);
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    value[..end].parse().ok().map(RequestId::Number)
}

/// Returns whether a text that is no JSON was to be a reply: it begins as an object, names the protocol and no method.
fn means_a_reply(text: &[u8]) -> bool {
    let names = |name: &[u8]| text.windows(name.len()).any(|window| window == name);
    text.trim_ascii_start().starts_with(b"{") && names(b"\"jsonrpc\"") && !names(b"\"method\"")
}

/// The message that says of a request that its reply cannot be read.
fn refusal(id: Option<RequestId>) -> ServerJsonRpcMessage {
    let error = rmcp::model::ErrorData::new(rmcp::model::ErrorCode(UNREADABLE), "", None);
    ServerJsonRpcMessage::error(error, id)
}

fn message(value: Value, asked: &Asked) -> Option<ServerJsonRpcMessage> {
    let Value::Object(message) = value else { return None };
    if !is_reply(&message) {
        return own(message);
    }
    let id = message.get("id").and_then(id_of).or_else(|| asked.by(&message).cloned());
    let is_error = message.get("error").is_some_and(|error| !is_nothing(error));
    // An error that does not say what it answers may be told apart by what else waits.
    if id.is_none() && !(is_error && message.contains_key("jsonrpc")) {
        return None;
    }
    serde_json::from_value(reply(message, id.as_ref())).ok().or_else(|| Some(refusal(id)))
}

/// A request or a notification of the server. A request whose parameters are not as its method wants them is read without
/// them, so that it is answered.
fn own(mut message: Map<String, Value>) -> Option<ServerJsonRpcMessage> {
    let wants_answer = message.get("id").is_some_and(|id| !id.is_null());
    let read = serde_json::from_value(Value::Object(message.clone())).ok();
    let is_request = matches!(read, Some(ServerJsonRpcMessage::Request(_)));
    if !wants_answer || is_request {
        return read;
    }
    message.remove("params");
    serde_json::from_value(Value::Object(message)).ok()
}

/// Returns whether a message answers something: it has a result or an error, or nothing at all but the number of a request.
fn is_reply(message: &Map<String, Value>) -> bool {
    let says = |key: &&str| message.get(*key).is_some_and(|value| !value.is_null());
    let is_said = ["result", "error"].iter().any(|key| message.contains_key(*key));
    let asks = message.get("method").is_some_and(Value::is_string);
    if asks {
        return ["result", "error"].iter().any(says);
    }
    is_said || says(&"id") && message.contains_key("jsonrpc")
}

/// The id of a reply. Our ids are numbers; one that comes back as text or as a fraction is the same number.
fn id_of(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => match text.trim().parse() {
            Ok(number) => Some(RequestId::Number(number)),
            Err(_) => Some(RequestId::String(text.as_str().into())),
        },
        Value::Number(_) => whole(id).map(RequestId::Number),
        _ => None,
    }
}

/// A number without a fraction.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: f64| number.fract() == 0.0 && number.abs() < 9e15;
    let number = || value.as_f64().filter(|number| exact(*number));
    value.as_i64().or_else(|| number().map(|number| number as i64))
}

/// A reply as JSON-RPC has it. An error counts before a result, because a change that failed must not be told as done.
fn reply(mut message: Map<String, Value>, id: Option<&RequestId>) -> Value {
    let error = message.remove("error").filter(|error| !is_nothing(error));
    let (key, value) = match (error, message.remove("result")) {
        (Some(error), result) if !(is_empty(&error) && result.is_some()) => {
            ("error", error_of(error))
        }
        (_, Some(Value::Null)) => ("result", json!({})),
        (_, Some(result)) => ("result", result),
        (_, None) => ("error", json!({ "code": UNREADABLE, "message": "" })),
    };
    let id = id.map(|id| ("id", id.clone().into_json_value()));
    let fields = [("jsonrpc", "2.0".into()), (key, value)].into_iter().chain(id);
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Returns whether an `error` says that there is none.
fn is_nothing(error: &Value) -> bool {
    matches!(error, Value::Null | Value::Bool(false)) || error.as_str() == Some("")
}

fn is_empty(error: &Value) -> bool {
    error.as_object().is_some_and(Map::is_empty) || error.as_array().is_some_and(Vec::is_empty)
}

/// An error with a number and a message, whatever the server wrote. A code that is a name goes into the data, where it is
/// looked for.
fn error_of(error: Value) -> Value {
    let Value::Object(mut error) = error else {
        let words = said::of(&error).words;
        return json!({ "code": UNCODED, "message": words });
    };
    let message = match error.get("message") {
        Some(Value::String(message)) => message.clone(),
        _ => said::of(&Value::Object(error.clone())).words,
    };
    let code = error.remove("code").unwrap_or_default();
    let number = whole(&code).or_else(|| code.as_str()?.trim().parse().ok());
    let number = number.and_then(|number| i32::try_from(number).ok());
    let named = code.as_str().filter(|_| number.is_none()).map(|name| json!({ "code": name }));
    let data = error.remove("data").filter(|data| !data.is_null()).or(named);
    let mut own = json!({ "code": number.unwrap_or(UNCODED), "message": message });
    if let Some(data) = data {
        own["data"] = data;
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, asked: &Asked) -> Vec<Value> {
        let messages = messages(text.as_bytes(), asked);
        messages.iter().map(|message| serde_json::to_value(message).unwrap()).collect()
    }

    #[test]
    fn what_is_almost_a_reply_is_read() {
        let result = json!({ "jsonrpc": "2.0", "id": 3, "result": { "x": 1 } });
        for text in [
            r#"{"jsonrpc":"2.0","id":3,"result":{"x":1},"error":null}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"x":1},"error":false}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"x":1},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":"3","result":{"x":1}}"#,
            r#"{"jsonrpc":"2.0","id":3.0,"result":{"x":1}}"#,
            r#"{"id":3,"result":{"x":1}}"#,
            r#"{"jsonrpc":"1.0","id":3,"result":{"x":1}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{"x":1}}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"result\":{\"x\":1}}",
            r#"[{"jsonrpc":"2.0","id":3,"result":{"x":1}}]"#,
            r#"{"jsonrpc":"2.0","id":3,"method":null,"params":null,"result":{"x":1}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","result":{"x":1}}"#,
        ] {
            assert_eq!(
                read(text, &Asked::Likely(RequestId::Number(3))),
                std::slice::from_ref(&result),
                "{text}"
            );
        }
        let nothing = r#"{"jsonrpc":"2.0","id":3,"result":null}"#;
        assert_eq!(read(nothing, &Asked::Unknown)[0]["result"], json!({}));
        let batch = r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},
            {"jsonrpc":"2.0","id":3,"result":{"x":1}},7]"#;
        assert_eq!(read(batch, &Asked::Unknown).len(), 2);
    }

    #[test]
    fn an_error_in_any_form_is_one() {
        for (error, code, words) in [
            (r#"{"message":"boom: no boats today"}"#, UNCODED, "boom: no boats today"),
            (r#""boom""#, UNCODED, "boom"),
            (r#"{"code":"-32602","message":"boom"}"#, -32602, "boom"),
            (r#"{"code":-32602.0,"message":"boom"}"#, -32602, "boom"),
            (r#"{"code":4294967296,"message":"boom"}"#, UNCODED, "boom"),
            (r#"{"code":"NOT_FOUND","message":"boom"}"#, UNCODED, "boom"),
            (r#"{"code":1,"detail":"boom"}"#, 1, "boom"),
            (r#"{"code":1,"message":{"text":"boom"}}"#, 1, "boom"),
            (r#"["boom"]"#, UNCODED, "boom"),
            ("{}", UNCODED, ""),
            ("true", UNCODED, "true"),
        ] {
            for result in ["", r#","result":null"#] {
                let text = format!(r#"{{"jsonrpc":"2.0","id":3,"error":{error}{result}}}"#);
                if error == "{}" && !result.is_empty() {
                    continue;
                }
                let read = read(&text, &Asked::Unknown);
                let said = &read[0]["error"];
                assert_eq!(
                    (&said["code"], &said["message"]),
                    (&json!(code), &json!(words)),
                    "{text}"
                );
            }
        }
        let named = r#"{"jsonrpc":"2.0","id":3,"error":{"code":"NOT_FOUND","message":"boom"}}"#;
        assert_eq!(read(named, &Asked::Unknown)[0]["error"]["data"]["code"], "NOT_FOUND");
        let both =
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]},"error":{"code":1,"message":"no"}}"#;
        assert_eq!(read(both, &Asked::Unknown)[0]["error"]["message"], "no");
    }

    #[test]
    fn what_cannot_be_read_is_refused_at_once_and_a_log_is_no_reply() {
        let id = RequestId::Number(3);
        for text in [
            r#"{"jsonrpc":"2.0","id":3}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"n":1,}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"x":1}"#,
            r#"{"jsonrpc":"2.0","result":{"x":1}"#,
        ] {
            let read = read(text, &Asked::Likely(id.clone()));
            assert_eq!(read[0]["error"]["code"], UNREADABLE, "{text}");
            assert_eq!(read[0]["id"], 3, "{text}");
        }
        let among_others = r#"{"jsonrpc":"2.0","id":"5","result":{"id":7"#;
        assert_eq!(read(among_others, &Asked::Unknown)[0]["id"], 5);
        for text in [
            r#"{"level":"error","error":"no tide","time":1}"#,
            r#"{"level":"info"}"#,
            "[INFO] started",
            "{ not json }",
            "7",
            "",
        ] {
            assert_eq!(read(text, &Asked::Likely(id.clone())), Vec::<Value>::new(), "{text}");
        }
        // What came as the answer is one if it says anything. A stream has other events beside its answer.
        let certain = Asked::Certain(id);
        assert_eq!(read(r#"{"error":"no tide"}"#, &certain)[0]["error"]["message"], "no tide");
        for text in ["{}", r#"{"type":"ping"}"#] {
            assert_eq!(read(text, &certain), Vec::<Value>::new(), "{text}");
        }
        let progress =
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":NaN}}"#;
        assert_eq!(read(progress, &certain)[0].get("id"), None);
    }

    #[test]
    fn requests_and_notifications_of_a_server_pass() {
        for text in [
            r#"{"jsonrpc":"2.0","id":"theirs","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        ] {
            let read = read(text, &Asked::Certain(RequestId::Number(3)));
            assert!(read[0].get("method").is_some() && read[0].get("error").is_none(), "{text}");
        }
    }

    #[test]
    fn a_request_of_a_server_with_odd_parameters_is_one_all_the_same() {
        for (method, params) in [
            ("roots/list", "[1]"),
            ("sampling/createMessage", "{}"),
            ("elicitation/create", "7"),
            ("ping", "\"x\""),
            ("no/such", "[]"),
        ] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":"x","method":"{method}","params":{params}}}"#);
            let messages = messages(text.as_bytes(), &Asked::Unknown);
            assert!(
                matches!(messages[..], [ServerJsonRpcMessage::Request(_)]),
                "{text}: {messages:?}"
            );
        }
    }
}
