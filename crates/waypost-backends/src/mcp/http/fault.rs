//! What can go wrong with an HTTP request to a tool server, as the error that its caller gets.

use std::fmt;

use waypost_core::Error;

use super::super::connection::Lost;

/// A request that failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The answer is larger than is read.
    TooLarge,
    /// Anything else.
    Told {
        /// The error for the caller.
        error: Error,
        /// The reason why the server must be connected to anew, if it must.
        lost: Option<Lost>,
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
