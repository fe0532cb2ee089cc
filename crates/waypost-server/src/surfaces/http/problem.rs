//! The problem of a request that was not served, as RFC 9457 has it, with Waypost's code and hint.

use std::time::Duration;

use axum::Json;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use waypost::{Code, Error};

/// The seconds after which a client that met a full server may come again.
const RETRY_AFTER_SECONDS: u64 = 1;

/// A request that was not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    status: StatusCode,
    /// A sentence for people.
    detail: String,
    code: Code,
    hint: Option<String>,
    /// The place of the fault in the body, as RFC 6901 has it.
    pointer: Option<String>,
    allow: Option<&'static str>,
    /// The seconds after which the client may come again, where it is known.
    after: Option<u64>,
}

impl Problem {
    /// Makes a problem with a status of HTTP that says more than the code of the error does.
    pub(super) fn new(status: StatusCode, error: &Error) -> Self {
        Self {
            status,
            detail: error.message().to_owned(),
            code: error.code(),
            hint: error.hint().map(str::to_owned),
            pointer: None,
            allow: None,
            after: None,
        }
    }

    /// Returns it as it is sent. There is no page about each kind: RFC 9457 then has `about:blank`,
    /// and the title of the status.
    pub(super) fn record(&self) -> Value {
        let mut record = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Client Closed Request"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
        });
        for (name, value) in [("hint", &self.hint), ("pointer", &self.pointer)] {
            if let Some(value) = value {
                record[name] = json!(value);
            }
        }
        record
    }

    /// The problem of a server whose connections are all at work.
    pub(super) fn crowded(limit: usize) -> Self {
        let message = format!("the server works on {limit} connections, the limit");
        Self::from(&Error::unavailable(message).with_hint("ask again in a second"))
    }

    /// Adds the place of the fault in the body.
    #[must_use]
    pub(super) fn at(mut self, pointer: Option<String>) -> Self {
        self.pointer = pointer;
        self
    }

    /// The place of the fault in the body.
    pub(super) fn place(&self) -> Option<&str> {
        self.pointer.as_deref()
    }

    /// The same where the record stands under a field of another one.
    #[must_use]
    pub(super) fn within(self, field: &str) -> Self {
        let pointer = self.pointer.as_ref().map(|pointer| format!("{field}{pointer}"));
        Self { pointer, ..self }
    }

    /// Adds the time after which the client may come again.
    #[must_use]
    pub(super) fn after(mut self, wait: Duration) -> Self {
        self.after = Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        self
    }

    /// Its status.
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// Adds the methods that the path takes.
    #[must_use]
    pub(super) fn allowing(mut self, methods: &'static str) -> Self {
        self.allow = Some(methods);
        self
    }
}

/// Hides a fault of the home, whose words name files: they go to the log, and a client gets this
/// `message` and the command of Waypost that says more.
pub(super) fn hidden(error: &Error, message: &str, command: &str) -> Error {
    let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
    tracing::warn!("{message}: {}{hint}", error.message());
    let hint = format!("`waypost {command}` says why, where the server runs");
    Error::unavailable(message).with_hint(hint)
}

impl From<&Error> for Problem {
    /// The cause of a fault of this program goes to the log: a client sees none of it.
    fn from(error: &Error) -> Self {
        if error.code() == Code::Internal {
            let detail = error.detail().unwrap_or(error.message());
            tracing::error!("a request failed inside: {detail}");
        }
        let status = StatusCode::from_u16(error.code().http_status());
        Self::new(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.record())).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        let busy = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS];
        let busy = busy.contains(&self.status);
        if let Some(seconds) = self.after.or(busy.then_some(RETRY_AFTER_SECONDS)) {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        // A path that has errors of another shape writes it anew.
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_no_place_of_a_file() {
        let error = Error::unavailable("cannot read `/srv/ada/x`").with_hint("mend `/srv/ada/x`");
        let record = Problem::from(&hidden(&error, "the store cannot be used", "doctor")).record();
        assert!(!record.to_string().contains("ada"), "{record}");
        assert_eq!(record["status"], 503);
        assert_eq!(record["hint"], "`waypost doctor` says why, where the server runs");
    }
}
