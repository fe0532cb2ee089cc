//! The one error: a code for programs, a sentence for people, a hint that can be followed, and a
//! severity that tells the router how to recover.
//!
//! A user may see `message` and `hint`; `detail` is for logs and never leaves the process. `words` are
//! those of a tool's server: a user sees them in quotation marks, as the words of somebody else.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of an error, in the canonical names of gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The caller went away or stopped the work.
    Cancelled,
    /// A value is malformed or out of range.
    InvalidArgument,
    /// The upstream did not answer in time.
    DeadlineExceeded,
    /// A thing that was asked for does not exist.
    NotFound,
    /// The caller may not do this.
    PermissionDenied,
    /// A limit, quota or bound is reached.
    ResourceExhausted,
    /// A condition that must come first is not met.
    FailedPrecondition,
    /// Nothing here serves this.
    Unimplemented,
    /// A fault of this program.
    Internal,
    /// The upstream cannot be reached or is broken.
    Unavailable,
}

/// The public face of each code: one row a code, so that surfaces cannot drift apart.
const CODES: &[(Code, &str, u16, u8)] = &[
    (Code::Cancelled, "CANCELLED", 499, 1),
    (Code::InvalidArgument, "INVALID_ARGUMENT", 400, 2),
    (Code::DeadlineExceeded, "DEADLINE_EXCEEDED", 504, 4),
    (Code::NotFound, "NOT_FOUND", 404, 4),
    (Code::PermissionDenied, "PERMISSION_DENIED", 403, 3),
    (Code::ResourceExhausted, "RESOURCE_EXHAUSTED", 429, 4),
    (Code::FailedPrecondition, "FAILED_PRECONDITION", 412, 3),
    (Code::Unimplemented, "UNIMPLEMENTED", 501, 3),
    (Code::Internal, "INTERNAL", 500, 1),
    (Code::Unavailable, "UNAVAILABLE", 503, 4),
];

impl Code {
    fn row(self) -> &'static (Code, &'static str, u16, u8) {
        CODES.iter().find(|row| row.0 == self).unwrap_or(&CODES[8])
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Code> {
        CODES.iter().map(|row| row.0)
    }

    /// The canonical name, such as `NOT_FOUND`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The code whose canonical name is `name`.
    pub fn from_name(name: &str) -> Option<Code> {
        CODES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The HTTP status of an answer that fails with this code.
    pub fn http_status(self) -> u16 {
        self.row().2
    }

    /// The exit status of a command that fails with this code.
    pub fn exit_status(self) -> u8 {
        self.row().3
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The way in which the router recovers from an error, whatever its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The same call may succeed if it is made again.
    Retriable,
    /// Another plan may succeed.
    #[serde(alias = "replanning")]
    Replan,
    /// Another route may succeed.
    #[serde(alias = "reclassification")]
    Reclassify,
    /// This turn ends.
    Critical,
    /// The process cannot go on.
    Fatal,
}

/// An error: a code, a severity, a message for people, and perhaps a hint and a detail.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    code: Code,
    severity: Severity,
    message: String,
    hint: Option<String>,
    detail: Option<String>,
    words: Option<String>,
}

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that ends the turn; `message` is shown to people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let severity = match code {
            Code::Unavailable | Code::DeadlineExceeded | Code::ResourceExhausted => {
                Severity::Retriable
            }
            _ => Severity::Critical,
        };
        Self { code, severity, message: message.into(), hint: None, detail: None, words: None }
    }

    /// A value that is malformed or out of range.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// An upstream that cannot be reached or is broken.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, message)
    }

    /// A fault of this program.
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::new(Code::Internal, "something went wrong inside waypost").with_detail(detail)
    }

    /// The same error with advice that can be followed.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with a cause for the log, never shown to a user.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same error with what the tool's server said about it, in one bounded line.
    #[must_use]
    pub fn with_words(mut self, words: impl Into<String>) -> Self {
        self.words = Some(words.into()).filter(|words| !words.is_empty());
        self
    }

    /// The same error with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The severity, by which the router recovers.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The sentence for people: lower case, no final stop, values in backticks.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Advice that can be followed.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What the tool's server said about it; it is quoted where a user sees it.
    pub fn words(&self) -> Option<&str> {
        self.words.as_deref()
    }

    /// The cause, for logs alone.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
