//! The failure of a command: the message that people read and the status it exits with.

use std::fmt;

use waypost::{Code, Error};

use crate::output::{self, Shown};

/// The status of a wrong use or a bad configuration.
pub(crate) const USAGE: u8 = 2;
/// The status of a request that was refused or not understood.
pub(crate) const REFUSED: u8 = 3;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Error,
    status: u8,
}

impl Failure {
    /// A wrong use or a bad configuration.
    pub(crate) fn usage(error: Error) -> Self {
        Self { error, status: USAGE }
    }

    /// A failure that ends with this status.
    pub(crate) fn with_status(error: Error, status: u8) -> Self {
        Self { error, status }
    }

    /// Returns the error behind it.
    pub(crate) fn error(&self) -> &Error {
        &self.error
    }

    /// Returns it as people read it: a message may have several lines, a hint has one.
    pub(crate) fn shown(&self) -> Shown {
        Shown::text(&self.to_string())
    }

    /// Tells people of it, unless there is nobody to tell, and returns its status.
    pub(crate) fn told(&self) -> u8 {
        if self.status != 0 {
            output::note(self.shown());
        }
        self.status
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = error.code().exit_status();
        Self { error, status }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        // A reader that has gone (`| head`) is no fault of ours.
        let status = if error.kind() == std::io::ErrorKind::BrokenPipe { 0 } else { 1 };
        Self { error: Error::new(Code::Internal, error.to_string()), status }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", without_numbers(self.error.message()))?;
        if let Some(hint) = self.error.hint() {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// A message without the numbers of the system's errors, which say nothing to people.
pub(crate) fn without_numbers(message: &str) -> String {
    const MARK: &str = " (os error ";
    let mut left = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(MARK) {
        left.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = rest.strip_prefix(')').unwrap_or(rest);
    }
    left.push_str(rest);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_has_no_number() {
        let error = std::io::Error::from_raw_os_error(2);
        let told = Failure::usage(Error::invalid(format!("cannot read `x`: {error}, nor `y`")));
        assert_eq!(
            told.to_string(),
            format!("error: cannot read `x`: {}, nor `y`", without_numbers(&error.to_string()))
        );
        assert!(!told.to_string().contains("os error"), "{told}");
    }
}
