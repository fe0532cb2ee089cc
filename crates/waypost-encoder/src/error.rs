//! The errors of opening or using an encoder: a kind for programs, a sentence for people, a hint.

use std::fmt;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A file or a tensor is missing.
    NotFound,
    /// The system would not let a file be read.
    Unreadable,
    /// A file or a tensor is damaged, or does not fit together with another.
    Invalid,
    /// The folder is sound, and of a kind that this crate does not know.
    Unsupported,
}

/// The reason why something failed.
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

    /// Returns the kind of the error, for programs.
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
