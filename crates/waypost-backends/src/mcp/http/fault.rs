//! What can go wrong with an HTTP request to a tool server, as the error that its caller gets.

use std::fmt;

use waypost_core::Error;

/// A request that failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The answer is larger than is read.
    TooLarge,
    /// Anything else.
    Told {
        /// The error for the caller.
        error: Error,
        /// True if the server must be connected to anew.
        is_lost: bool,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooLarge => f.write_str("the answer is too large"),
            Fault::Told { error, .. } => f.write_str(error.message()),
        }
    }
}

impl std::error::Error for Fault {}
