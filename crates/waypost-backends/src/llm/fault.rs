//! The faults of a model server as errors: the code and the sentence for each.

use waypost_core::{Code, Error, Severity};

use crate::bounds::detail;
use crate::http::Upstream;

/// The server as errors speak of it.
pub(super) const SERVER: Upstream = Upstream { name: "the language model", runs: "its server" };

/// The statuses with which servers refuse a request that they do not understand. 404 is none of them: it is said of a
/// path or of a model, and an address that is wrong would cost the format too.
const REFUSALS: [u16; 3] = [400, 422, 501];

/// The error of an answer that an OpenAI-compatible server would not send.
pub(super) fn malformed(what: &str) -> Error {
    Error::unavailable("the language model sent something that is no answer")
        .with_hint("check that its configured address is that of an OpenAI-compatible server")
        .with_detail(detail(what))
}

/// The error of a connection that ended in the middle of an answer.
pub(super) fn broken_off() -> Error {
    Error::unavailable("the language model broke off in the middle of its answer")
}

/// The error of an answer whose status is not 200; `words` is its body.
pub(super) fn status(status: u16, words: &str, model: &str) -> Error {
    let fault = match status {
        401 | 403 => Error::new(Code::PermissionDenied, "the language model refuses the key")
            .with_hint("check the key of the model"),
        408 | 504 => SERVER.late(),
        429 => Error::new(Code::ResourceExhausted, "the language model is at its limit")
            .with_hint("wait a little"),
        // llama-cpp-python says so with 400.
        400 | 404 if misses_model(words) => {
            Error::unavailable(format!("the model `{model}` is not on its server"))
                .with_hint("load it there, or configure the name of one that is")
                .with_severity(Severity::Critical)
        }
        413 => no_room(),
        400 if misses_room(words) => no_room(),
        500.. => Error::unavailable("the language model failed"),
        _ => Error::unavailable("the language model does not accept the request")
            .with_hint("check that its configured address is that of an OpenAI-compatible server")
            .with_severity(Severity::Critical),
    };
    fault.with_detail(detail(&format!("status {status}: {words}")))
}

/// The error of a prompt that is too long.
fn no_room() -> Error {
    Error::new(Code::ResourceExhausted, "the prompt is longer than the model can read")
        .with_severity(Severity::Critical)
}

/// Statuses with which servers fail over a format that they do not know.
const FAILURES: [u16; 2] = [500, 501];

/// Returns whether an answer says that the reply format is not understood: it refuses the request, or fails and names the
/// format, as llama-cpp-python and Ollama (`invalid JSON schema in format`) do with 500. A server that `took` the format
/// before refuses something else, such as a text that it filters, unless it names the format.
pub(super) fn refuses_format(status: u16, words: &str, took: bool) -> bool {
    let names = names_format(words);
    // A gateway that fails may repeat what the user wrote, whatever that names.
    let refuses =
        REFUSALS.contains(&status) && (names || !took) || FAILURES.contains(&status) && names;
    refuses && !misses_model(words) && !misses_room(words)
}

/// Returns whether words are about the format of replies.
fn names_format(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["response_format", "json_schema", "json schema", "json_object", "grammar"]
        .iter()
        .any(|name| words.contains(name))
}

/// The error of a refused reply format; the next call will ask for `simpler`.
pub(super) fn format_refused(status: u16, words: &str, simpler: &str) -> Error {
    Error::unavailable("the language model does not know the reply format that it was asked for")
        .with_severity(Severity::Retriable)
        .with_hint(format!("try again: from now on it is asked for `{simpler}`"))
        .with_detail(detail(&format!("status {status}: {words}")))
}

/// Returns whether an answer says that a stream cannot end with the count of its tokens.
pub(super) fn refuses_usage(status: u16, words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let named = ["stream_options", "include_usage"].iter().any(|name| words.contains(name));
    REFUSALS.contains(&status) && named
}

/// The error of a refused count of tokens; the next call will not ask for it.
pub(super) fn usage_refused(status: u16, words: &str) -> Error {
    Error::unavailable("the language model does not count the tokens of a stream")
        .with_severity(Severity::Retriable)
        .with_hint("try again: from now on it is not asked to")
        .with_detail(detail(&format!("status {status}: {words}")))
}

/// Recognizes Ollama's `model "x" not found, try pulling it first` and vLLM's ``The model `x` does
/// not exist.``
fn misses_model(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    words.contains("model") && (words.contains("not found") || words.contains("does not exist"))
}

/// Recognizes llama.cpp's `exceed_context_size_error` and vLLM's `maximum context length is 4096
/// tokens`.
fn misses_room(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    words.contains("context") && (words.contains("length") || words.contains("size"))
}
