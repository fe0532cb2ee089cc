//! Reads what a value says of a failure: its code and its words, whatever the fields are called in which a server keeps them.

use serde_json::{Map, Value};
use waypost_core::Code;

/// The fields that hold the whole of a failure, which may be an object or a text.
const WRAPPERS: [&str; 7] = ["error", "err", "errors", "failure", "fault", "problem", "exception"];
/// The fields that hold words about this very failure, the most telling first.
const WORDS: [&str; 7] =
    ["message", "msg", "error_description", "errorMessage", "error_message", "detail", "details"];
/// The fields that often hold words about failures of its kind.
const KIND_WORDS: [&str; 5] = ["reason", "description", "text", "title", "cause"];
/// The fields that hold a code.
const CODES: [&str; 3] = ["code", "errorCode", "error_code"];
/// The fields that may hold a canonical code, and hold something else as often.
const KINDS: [&str; 6] = ["status", "statusCode", "status_code", "type", "name", "kind"];
/// The levels of objects and lists that are looked through.
const DEPTH: usize = 4;
/// The most parts of a list whose words are told.
const PARTS: usize = 3;

/// The canonical codes by statuses of HTTP.
const STATUSES: [(i64, Code); 10] = [
    (400, Code::InvalidArgument),
    (401, Code::PermissionDenied),
    (403, Code::PermissionDenied),
    (404, Code::NotFound),
    (409, Code::FailedPrecondition),
    (412, Code::FailedPrecondition),
    (422, Code::InvalidArgument),
    (429, Code::ResourceExhausted),
    (503, Code::Unavailable),
    (504, Code::DeadlineExceeded),
];

/// The parts of a failure that a value names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    /// The canonical code.
    pub(super) code: Option<Code>,
    /// The words; empty if there are none.
    pub(super) words: String,
    /// True if the words are nothing but a code that is none of the canonical ones.
    pub(super) is_label: bool,
}

/// Reads a value. A code that is none of the canonical ones stands before the words, for whoever knows it.
pub(super) fn of(value: &Value) -> Said {
    let read = read(value, DEPTH);
    let is_label = read.label.is_some() && read.words.is_none();
    let words = match (read.label, read.words) {
        (Some(label), Some(words)) => format!("{label}: {words}"),
        (label, words) => words.or(label).unwrap_or_default(),
    };
    Said { code: read.code, words, is_label }
}

/// Reads a text that is an object or a list of JSON, alone or after the words that a library of a server puts before it.
pub(super) fn json_of(text: &str) -> Option<Value> {
    let text = text.trim();
    let begins = text.find(['{', '[']).filter(|_| text.ends_with(['}', ']']))?;
    let value: Value = serde_json::from_str(&text[begins..]).ok()?;
    // What stands behind words may belong to their sentence: `no berth with number [3]`.
    let says = || {
        let said = of(&value);
        said.code.is_some() || !said.words.is_empty()
    };
    let is_one = match begins {
        0 => value.is_object() || value.is_array(),
        _ => value.is_object() && says(),
    };
    is_one.then_some(value)
}

/// The canonical code of a name, in whatever case it is written: `NOT_FOUND`, `not-found`, `NotFoundError`.
fn canonical(name: &str) -> Option<Code> {
    let mut plain = String::new();
    let mut was_lower = false;
    for c in name.trim().chars() {
        if c.is_ascii_uppercase() && was_lower {
            plain.push('_');
        }
        was_lower = c.is_ascii_lowercase();
        plain.push(if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    }
    let plain = plain.trim_end_matches("_ERROR").trim_end_matches("_EXCEPTION");
    Code::from_name(plain)
}

#[derive(Debug, Default)]
struct Read {
    code: Option<Code>,
    /// A code that is none of the canonical ones.
    label: Option<String>,
    words: Option<String>,
}

fn read(value: &Value, depth: usize) -> Read {
    match value {
        Value::String(text) => match canonical(text) {
            Some(code) => Read { code: Some(code), ..Read::default() },
            None => Read { words: some(text), ..Read::default() },
        },
        Value::Bool(_) | Value::Number(_) => {
            Read { words: Some(value.to_string()), ..Read::default() }
        }
        Value::Object(object) if depth > 0 => of_object(object, depth - 1),
        Value::Array(parts) if depth > 0 => of_list(parts, depth - 1),
        _ => Read::default(),
    }
}

fn some(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What lies within is more telling than what lies around it, and fills in what is missing.
fn of_object(object: &Map<String, Value>, depth: usize) -> Read {
    let found = |keys: &'static [&'static str]| {
        keys.iter().filter_map(|key| object.get(*key)).filter(|value| !value.is_null())
    };
    let wrapped = found(&WRAPPERS).filter(|value| value.is_object() || value.is_array());
    let mut all = wrapped.map(|value| read(value, depth)).fold(Read::default(), Read::or);
    for value in found(&CODES) {
        all = all.or(code(value));
    }
    let status = || found(&KINDS).find_map(|value| code(value).code);
    all.code = all.code.or_else(status);
    // A single word, such as in `{"error": "invalid_grant", "reason": "…"}`, is a name of the failure.
    let plain = |is_name| {
        let of_kind = move |value: &&Value| {
            value.as_str().is_some_and(|text| text.trim().contains(char::is_whitespace) != is_name)
        };
        found(&WRAPPERS).filter(of_kind)
    };
    let words = found(&WORDS).chain(plain(false)).chain(found(&KIND_WORDS)).chain(plain(true));
    words.map(|value| read(value, depth)).fold(all, Read::or)
}

fn of_list(parts: &[Value], depth: usize) -> Read {
    let read: Vec<Read> = parts.iter().take(PARTS).map(|part| read(part, depth)).collect();
    let words: Vec<&str> = read.iter().filter_map(|read| read.words.as_deref()).collect();
    let words = some(&words.join("; "));
    let first = read.into_iter().fold(Read::default(), Read::or);
    Read { words, ..first }
}

/// The code that a field holds.
fn code(value: &Value) -> Read {
    let status = |number: i64| STATUSES.iter().find(|(status, _)| *status == number);
    let known = match value {
        Value::String(text) => {
            canonical(text).or_else(|| status(text.trim().parse().ok()?).map(|(_, code)| *code))
        }
        _ => value.as_i64().and_then(|number| status(number).map(|(_, code)| *code)),
    };
    let label = value.as_str().filter(|_| known.is_none()).and_then(some);
    Read { code: known, label, words: None }
}

impl Read {
    /// The same, with what it lacks from another.
    fn or(self, other: Self) -> Self {
        Self {
            code: self.code.or(other.code),
            label: self.label.or(other.label),
            words: self.words.or(other.words),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fields_of_many_servers_are_read() {
        for (value, code, words) in [
            (json!({ "code": "NOT_FOUND", "message": "gone" }), Some(Code::NotFound), "gone"),
            (
                json!({ "error": { "code": "NOT_FOUND", "message": "gone" } }),
                Some(Code::NotFound),
                "gone",
            ),
            (json!({ "err": { "code": "E42", "message": "rotated" } }), None, "E42: rotated"),
            (json!({ "error": "gone", "reason": "the tide" }), None, "the tide"),
            (json!({ "error": "invalid_grant" }), None, "invalid_grant"),
            (json!({ "error": "the shed is shut", "title": "Conflict" }), None, "the shed is shut"),
            (
                json!({ "status": 404, "error": "Not Found", "message": "no boat Ana" }),
                Some(Code::NotFound),
                "no boat Ana",
            ),
            (json!({ "message": "Bad", "error": { "detail": "no oar" } }), None, "no oar"),
            (
                json!({ "title": "Not here", "status": 404, "detail": "no berth 9" }),
                Some(Code::NotFound),
                "no berth 9",
            ),
            (
                json!({ "detail": [{ "loc": ["id"], "msg": "field required" }, { "msg": "too long" }] }),
                None,
                "field required; too long",
            ),
            (json!({ "errors": [{ "message": "no such field" }] }), None, "no such field"),
            (json!({ "type": "NotFoundError", "message": "gone" }), Some(Code::NotFound), "gone"),
            (
                json!({ "code": "permission-denied", "reason": "not yours" }),
                Some(Code::PermissionDenied),
                "not yours",
            ),
            (json!({ "code": 5 }), None, ""),
            (json!({ "status": "failed" }), None, ""),
            (json!({ "rows": [1, 2] }), None, ""),
            (json!("boom"), None, "boom"),
            (json!(null), None, ""),
        ] {
            let said = of(&value);
            assert_eq!((said.code, said.words.as_str()), (code, words), "{value}");
        }
    }

    #[test]
    fn a_failure_that_is_nested_without_end_is_looked_through_to_a_bound() {
        let deep =
            (0..100).fold(json!({ "message": "deep" }), |inner, _| json!({ "error": inner }));
        assert_eq!(of(&deep), Said::default());
    }

    #[test]
    fn a_text_is_json_alone_or_behind_a_few_words() {
        let value = json!({ "message": "gone" });
        assert_eq!(json_of(r#" {"message":"gone"} "#), Some(value.clone()));
        assert_eq!(json_of(r#"Error executing tool x: {"message":"gone"}"#), Some(value));
        for text in ["gone", "7", "set {a} to {b}", "{", ""] {
            assert_eq!(json_of(text), None, "{text}");
        }
    }
}
