//! Why an encoder could not be opened or used: a kind for programs, a sentence for people, a hint.

use std::fmt;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A file or a tensor is not there.
    NotFound,
    /// The system would not let a file be read.
    Unreadable,
    /// What is there is damaged, or does not fit together.
    Invalid,
    /// It is sound, and of a kind that this crate does not know.
    Unsupported,
}

/// Why something did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What went wrong, for programs.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The sentence for people: lower case, no final stop, values in backticks.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Advice that can be followed.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
