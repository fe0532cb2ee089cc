//! Reads a tool's own failure: the canonical code that it names, in any of the ways in which
//! servers name one.
//!
//! The server's words go into the detail; the sentence for people is ours.

use serde_json::Value;
use waypost_core::{Code, Error, Severity};

use crate::bounds::detail;

/// A way in which servers say what happened, where they do not use the canonical names.
enum Sign {
    /// An error code of JSON-RPC or of MCP.
    Number(i32),
    /// Words somewhere in the text.
    Words(&'static str),
}

/// The first sign that fits decides.
const SIGNS: &[(Sign, Code)] = &[
    // Source: the ocean data API of the first deployment answers so for a day without data.
    (Sign::Words("Data not exist"), Code::NotFound),
    (Sign::Number(-32602), Code::InvalidArgument),
    (Sign::Number(-32601), Code::Unimplemented),
    (Sign::Number(-32002), Code::NotFound),
];

/// The error of a result that is marked as an error.
pub(super) fn reported(tool: &str, structured: Option<&Value>, text: &str) -> Error {
    let (code, words) = match structured.and_then(named) {
        Some((code, words)) => (code, words.to_owned()),
        None => (code_of(None, text), text.to_owned()),
    };
    error(tool, code, &words)
}

/// Turns an error of the protocol into the canonical one.
pub(super) fn protocol(tool: &str, number: i32, text: &str, data: Option<&Value>) -> Error {
    let code = data.and_then(named).map(|(code, _)| code);
    let code = code.unwrap_or_else(|| code_of(Some(number), text));
    error(tool, code, &format!("{number}: {text}"))
}

/// The error of a result that is larger than anyone needs.
pub(super) fn too_large(tool: &str) -> Error {
    Error::new(Code::ResourceExhausted, format!("the result of `{tool}` is too large"))
        .with_severity(Severity::Critical)
        .with_hint("ask for less at once")
}

/// The error of a result that is not what the tool promises; asking again gives the same.
pub(super) fn unusable(tool: &str, fault: &str) -> Error {
    Error::unavailable(format!("`{tool}` answered with something else than it promises"))
        .with_severity(Severity::Critical)
        .with_detail(detail(fault))
}

/// The error of a result that is no object.
pub(super) fn malformed(tool: &str, text: &str) -> Error {
    Error::new(Code::Internal, format!("`{tool}` answered with something that is no object"))
        .with_detail(detail(text))
}

fn error(tool: &str, code: Code, words: &str) -> Error {
    let sentence = match code {
        Code::Cancelled => "stopped before it was done",
        Code::InvalidArgument => "does not accept these values",
        Code::DeadlineExceeded => "did not get its data in time",
        Code::NotFound => "has no data for this",
        Code::PermissionDenied => "does not allow this",
        Code::ResourceExhausted => "has reached a limit",
        Code::FailedPrecondition => "needs something else to be done first",
        Code::Unimplemented => "is not offered by its server",
        Code::Internal => "failed",
        Code::Unavailable => "cannot reach its data now",
    };
    Error::new(code, format!("`{tool}` {sentence}")).with_detail(detail(words))
}

/// The canonical code of an object `{"code", "message"}`, itself or under `error`.
fn named(object: &Value) -> Option<(Code, &str)> {
    let object = object.get("error").filter(|error| error.is_object()).unwrap_or(object);
    let code = Code::from_name(object.get("code")?.as_str()?)?;
    Some((code, object.get("message").and_then(Value::as_str).unwrap_or_default()))
}

fn code_of(number: Option<i32>, text: &str) -> Code {
    let first = text.trim_start().split(|c: char| !(c.is_ascii_uppercase() || c == '_')).next();
    if let Some(code) = first.and_then(Code::from_name) {
        return code;
    }
    let fits = |sign: &Sign| match sign {
        Sign::Number(sign) => number == Some(*sign) || text.contains(&sign.to_string()),
        Sign::Words(words) => text.contains(words),
    };
    SIGNS.iter().find(|(sign, _)| fits(sign)).map_or(Code::Internal, |(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_code_that_a_tool_names_is_found() {
        let told = |text| reported("t", None, text).code();
        assert_eq!(told("NOT_FOUND: no tide on that day"), Code::NotFound);
        assert_eq!(told("PERMISSION_DENIED"), Code::PermissionDenied);
        assert_eq!(told("NOT_FOUNDED: x"), Code::Internal);
        assert_eq!(told("error: Data not exist (2025-11-06)"), Code::NotFound);
        assert_eq!(told("MCP error -32602: bad"), Code::InvalidArgument);
        assert_eq!(told("boom"), Code::Internal);
        assert_eq!(told(""), Code::Internal);
    }

    #[test]
    fn structure_goes_before_text() {
        let structured = json!({"code": "FAILED_PRECONDITION", "message": "no plan yet"});
        let error = reported("t", Some(&structured), "NOT_FOUND: x");
        assert_eq!(error.code(), Code::FailedPrecondition);
        assert_eq!(error.detail(), Some("no plan yet"));
        assert_eq!(error.message(), "`t` needs something else to be done first");
        let nested = json!({"error": {"code": "UNAVAILABLE"}});
        assert_eq!(reported("t", Some(&nested), "").code(), Code::Unavailable);
        assert_eq!(reported("t", Some(&json!({"code": 5})), "boom").code(), Code::Internal);
    }

    #[test]
    fn errors_of_the_protocol_are_mapped() {
        let told = |number| protocol("t", number, "x", None).code();
        assert_eq!(told(-32602), Code::InvalidArgument);
        assert_eq!(told(-32601), Code::Unimplemented);
        assert_eq!(told(-32603), Code::Internal);
        assert_eq!(protocol("t", -32603, "NOT_FOUND: x", None).code(), Code::NotFound);
    }
}
