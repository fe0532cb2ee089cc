//! What can go wrong with a search server, as errors: nothing of its own words is in a message.

use std::error::Error as StdError;

use waypost::{Code, Error, Severity};

use crate::bounds::detail;

/// A fault on the way: refused, dropped, not resolved, too slow to connect.
pub(super) fn transport(error: &reqwest::Error) -> Error {
    let fault = if error.is_timeout() {
        late()
    } else {
        Error::unavailable("the search server cannot be reached")
            .with_hint("check that it runs and that its configured address is right")
    };
    fault.with_detail(chain(error))
}

/// The search took too long.
pub(super) fn late() -> Error {
    Error::new(Code::DeadlineExceeded, "the search server did not answer in time")
}

/// The answer is larger than anyone needs.
pub(super) fn too_long() -> Error {
    Error::unavailable("the search server sent more than an answer can be")
}

/// The answer is not what a search server sends.
pub(super) fn malformed(what: &str) -> Error {
    Error::unavailable("the search server sent something that is no answer")
        .with_hint("check that its configured address is that of Elasticsearch or OpenSearch")
        .with_detail(detail(what))
}

/// An answer whose status is not 200; `words` is its body.
pub(super) fn status(status: u16, words: &str) -> Error {
    let fault = match status {
        401 | 403 => Error::new(Code::PermissionDenied, "the search server refuses the key")
            .with_hint("check the key of `[retrieval]`"),
        404 => Error::new(Code::FailedPrecondition, "the search server has no such index")
            .with_hint("check `index` of `[retrieval]`")
            .with_severity(Severity::Critical),
        408 | 504 => late(),
        429 => Error::new(Code::ResourceExhausted, "the search server is at its limit")
            .with_hint("wait a little"),
        500.. => Error::unavailable("the search server failed"),
        _ => Error::unavailable("the search server does not accept the request")
            .with_hint("check `fields` of `[retrieval]`")
            .with_severity(Severity::Critical),
    };
    fault.with_detail(detail(&format!("status {status}: {words}")))
}

/// An error of the transport with its causes and without the address, which may be private.
pub(super) fn chain(error: &reqwest::Error) -> String {
    let mut text = String::from("request failed");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    detail(&text)
}
