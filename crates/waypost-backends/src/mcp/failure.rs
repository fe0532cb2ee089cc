//! Reads a tool's own failure: the canonical code that it names and its words, in any of the ways in which
//! servers write them.
//!
//! The sentence for people is ours. The server's words go into the detail, and where they say more than
//! a code, they are quoted beside the sentence.

use serde_json::Value;
use waypost_core::{Code, Error, Severity};

use super::said;
use crate::bounds::detail;

/// The most characters of a server's words that a user is shown.
const MAX_QUOTE: usize = 300;

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

/// The error of a result that is marked as an error. Its structured part counts before its text, which may be JSON as well.
pub(super) fn reported(tool: &str, structured: Option<&Value>, text: &str) -> Error {
    let own = structured.map(said::of).unwrap_or_default();
    let json = said::json_of(text);
    let (code, words) = match &json {
        Some(json) => {
            let said = said::of(json);
            (said.code, said.words)
        }
        None => (None, text.to_owned()),
    };
    // A code alone says less than a sentence beside it.
    let words = match own.is_label && !words.trim().is_empty() && !words.contains(&own.words) {
        true => [format!("{}: {words}", own.words), String::new()],
        false => [own.words, words],
    };
    let words = words.into_iter().find(|words| !words.trim().is_empty());
    // What has no words that are known is told as it is.
    let whole = || structured.or(json.as_ref()).filter(|value| !is_bare(value));
    let words = words.or_else(|| whole().map(Value::to_string)).unwrap_or_default();
    let code = own.code.or(code).unwrap_or_else(|| match text.trim().is_empty() {
        true => code_of(None, &words),
        false => code_of(None, text),
    });
    let error = error(tool, code, &words);
    match structured.or(json.as_ref()).and_then(severity) {
        Some(severity) => error.with_severity(severity),
        None => error,
    }
}

/// Returns whether a value says nothing beside a code.
fn is_bare(value: &Value) -> bool {
    let empty = value.as_object().is_some_and(serde_json::Map::is_empty);
    empty || value.as_array().is_some_and(Vec::is_empty) || said::of(value).code.is_some()
}

/// Turns an error of the protocol into the canonical one.
pub(super) fn protocol(tool: &str, number: i32, text: &str, data: Option<&Value>) -> Error {
    let more = data.map(said::of).unwrap_or_default();
    let json = said::json_of(text).map(|json| said::of(&json));
    let code = more.code.or_else(|| json.as_ref()?.code);
    let code = code.unwrap_or_else(|| code_of(Some(number), text));
    let words = match json.filter(|json| !json.words.is_empty()) {
        Some(json) => json.words,
        None if text.trim().is_empty() => more.words,
        None => text.to_owned(),
    };
    error(tool, code, &words).with_detail(detail(&format!("{number}: {text}")))
}

/// The error of a request that a server refused because its session has ended. The request was not run.
pub(super) fn session_ended(server: &str, words: &str) -> Error {
    Error::unavailable(format!("the tool server `{server}` has ended the session"))
        .with_hint("ask again")
        .with_detail(detail(words))
        .with_words(quote(words))
}

/// The error of a result that is larger than can be read; the conversation has ended with it.
pub(super) fn too_large(tool: &str) -> Error {
    Error::new(Code::ResourceExhausted, format!("the result of `{tool}` is too large"))
        .with_severity(Severity::Critical)
        .with_hint("ask for less at once")
}

/// The error of a tool that wants to be told more before it goes on, which nobody here can do.
pub(super) fn asks_back(tool: &str) -> Error {
    Error::new(Code::FailedPrecondition, format!("`{tool}` asks for more than its arguments"))
}

fn error(tool: &str, code: Code, words: &str) -> Error {
    let sentence = match code {
        Code::Cancelled => "stopped before it was done",
        Code::InvalidArgument => "does not accept these values",
        Code::DeadlineExceeded => "did not get its data in time",
        Code::NotFound => "found nothing",
        Code::PermissionDenied => "does not allow this",
        Code::ResourceExhausted => "has reached a limit",
        Code::FailedPrecondition => "needs something else to be done first",
        Code::Unimplemented => "is not offered by its server",
        Code::Internal => "failed",
        Code::Unavailable => "cannot reach its data now",
    };
    Error::new(code, format!("`{tool}` {sentence}"))
        .with_detail(detail(words))
        .with_words(quote(words))
}

/// The words of a server, in one line; nothing where it says no more than a code.
fn quote(words: &str) -> String {
    let words = words.trim();
    let words = match words.split_once(':') {
        Some((code, rest)) if Code::from_name(code).is_some() => rest,
        None if Code::from_name(words).is_some() => "",
        _ => words,
    };
    let plain: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = plain.char_indices().nth(MAX_QUOTE) {
        plain.truncate(end);
        plain.push('…');
    }
    plain
}

/// The severity of a failure, where the server says it, in letters of either case.
fn severity(object: &Value) -> Option<Severity> {
    let object = object.get("error").filter(|error| error.is_object()).unwrap_or(object);
    let said = object.get("severity")?.as_str()?.to_ascii_lowercase();
    match serde_json::from_value(Value::from(said)).ok()? {
        // No tool ends the process.
        Severity::Fatal => Some(Severity::Critical),
        other => Some(other),
    }
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
    fn what_a_server_says_beyond_its_code_is_quoted() {
        let said = |text: &str| reported("t", None, text).words().map(str::to_owned);
        assert_eq!(
            said("NOT_FOUND: no tide\n on that day").as_deref(),
            Some("no tide on that day")
        );
        assert_eq!(
            said("fatal: no such ref \u{1b}[31m").as_deref(),
            Some("fatal: no such ref [31m")
        );
        assert_eq!(said("PERMISSION_DENIED"), None);
        assert_eq!(said("  "), None);
        assert_eq!(said(&"水".repeat(1000)).unwrap().chars().count(), MAX_QUOTE + 1);
        assert_eq!(protocol("t", -32602, "no tool `x`", None).words(), Some("no tool `x`"));
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
    fn s3_21_a_severity_counts_by_either_name_and_in_letters_of_either_case() {
        for (said, wanted) in [
            ("RETRIABLE", Severity::Retriable),
            ("REPLANNING", Severity::Replan),
            ("replan", Severity::Replan),
            ("RECLASSIFICATION", Severity::Reclassify),
            ("Critical", Severity::Critical),
            ("FATAL", Severity::Critical),
        ] {
            let structured = json!({ "code": "INTERNAL", "severity": said });
            assert_eq!(reported("t", Some(&structured), "").severity(), wanted, "{said}");
        }
        let odd = json!({ "code": "UNAVAILABLE", "severity": "dire" });
        assert_eq!(reported("t", Some(&odd), "").severity(), Severity::Retriable);
    }

    #[test]
    fn a_structured_failure_is_told_in_its_words() {
        let told = |structured: Option<Value>, text: &str| {
            let error = reported("t", structured.as_ref(), text);
            (error.code(), error.words().unwrap_or_default().to_owned())
        };
        let of = |code, words: &str| (code, words.to_owned());
        let err = json!({ "err": { "code": "E42", "message": "the log was rotated away" } });
        assert_eq!(told(Some(err), ""), of(Code::Internal, "E42: the log was rotated away"));
        let text = r#"{"error":{"code":"NOT_FOUND","message":"rope shed is closed"}}"#;
        assert_eq!(told(None, text), of(Code::NotFound, "rope shed is closed"));
        let text = r#"Error executing tool rope: {"detail":"the shed is shut","status":429}"#;
        assert_eq!(told(None, text), of(Code::ResourceExhausted, "the shed is shut"));
        for text in ["no berth with number [3]", "one of [\"a\",\"b\"]", "nothing matches {}"] {
            assert_eq!(told(None, text), of(Code::Internal, text));
        }
        let code = json!({ "code": "E42" });
        assert_eq!(
            told(Some(code), "the winch is stuck"),
            of(Code::Internal, "E42: the winch is stuck")
        );
        let reason = json!({ "reason": "no oar", "retry": false });
        assert_eq!(told(Some(reason), "NOT_FOUND: x"), of(Code::NotFound, "no oar"));
        let odd = json!({ "oar": "lost" });
        assert_eq!(told(Some(odd), ""), of(Code::Internal, r#"{"oar":"lost"}"#));
        assert_eq!(told(None, "NOT_FOUND"), of(Code::NotFound, ""));
        assert_eq!(
            told(None, "NOT_FOUND: no boat is called Ana"),
            of(Code::NotFound, "no boat is called Ana")
        );
        assert_eq!(told(Some(json!({})), ""), of(Code::Internal, ""));
        let data = json!({ "message": "the oar is lost" });
        let error = protocol("t", -32000, "", Some(&data));
        assert_eq!(error.words(), Some("the oar is lost"));
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
