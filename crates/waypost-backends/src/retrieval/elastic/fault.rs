//! The faults of a search server as errors, none of whose messages has the server's own words.

use waypost_core::{Code, Error, Severity};

use crate::bounds::detail;
use crate::http::Upstream;

/// The server as errors speak of it.
pub(super) const SERVER: Upstream = Upstream { name: "the search server", runs: "it" };

/// The error of an answer that a search server would not send.
pub(super) fn malformed(what: &str) -> Error {
    Error::unavailable("the search server sent something that is no answer")
        .with_hint("check that its configured address is that of Elasticsearch or OpenSearch")
        .with_detail(detail(what))
}

/// The error of an answer whose status is not 200; `words` is its body.
pub(super) fn status(status: u16, words: &str) -> Error {
    let fault = match status {
        401 | 403 => Error::new(Code::PermissionDenied, "the search server refuses the key")
            .with_hint("check the key of `[retrieval]`"),
        404 => Error::new(Code::FailedPrecondition, "the search server has no such index")
            .with_hint("check `index` of `[retrieval]`")
            .with_severity(Severity::Critical),
        408 | 504 => SERVER.late(),
        429 => Error::new(Code::ResourceExhausted, "the search server is at its limit")
            .with_hint("wait a little"),
        500.. => Error::unavailable("the search server failed"),
        _ => Error::unavailable("the search server does not accept the request")
            .with_hint("check `fields` of `[retrieval]`")
            .with_severity(Severity::Critical),
    };
    fault.with_detail(detail(&format!("status {status}: {words}")))
}
