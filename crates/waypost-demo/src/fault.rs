//! The faults a sample server can play, so that a caller's recovery can be watched.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The codes that `error:CODE` may name: gRPC's canonical codes other than `OK`.
const CODES: [&str; 16] = [
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// One way in which a sample server misbehaves on purpose.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use waypost_demo::Fault;
///
/// assert_eq!("delay:250".parse(), Ok(Fault::Delay(Duration::from_millis(250))));
/// assert!("smoke".parse::<Fault>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// `delay:MS`: every call waits that many milliseconds, then is answered.
    Delay(Duration),
    /// `steps:MS`: every call reports [`Fault::STEPS`] steps, each after that many milliseconds, then
    /// is answered.
    Steps(Duration),
    /// `error:CODE`: every call fails with that canonical code.
    Error(&'static str),
    /// `third:CODE`: every third call fails with that canonical code.
    Third(&'static str),
    /// `crash`: the process exits in the middle of the first call.
    Crash,
    /// `garbage`: every reply, the handshake's too, is bytes that are not JSON-RPC.
    Garbage,
    /// `garbage-result`: a well-formed reply whose result fails the tool's output schema.
    GarbageResult,
    /// `not-found`: there are no data for any date.
    NotFound,
    /// `hang`: no call is ever answered.
    Hang,
}

impl Fault {
    /// The number of steps that `steps:MS` reports.
    pub const STEPS: u32 = 5;
}

/// The error of a text that names no [`Fault`]; its message lists the choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFaultError {
    message: String,
}

impl fmt::Display for ParseFaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseFaultError {}

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        match (name, value) {
            ("delay", Some(value)) => milliseconds(name, value).map(Fault::Delay),
            ("steps", Some(value)) => milliseconds(name, value).map(Fault::Steps),
            ("error", Some(value)) => code(name, value).map(Fault::Error),
            ("third", Some(value)) => code(name, value).map(Fault::Third),
            ("crash", None) => Ok(Fault::Crash),
            ("garbage", None) => Ok(Fault::Garbage),
            ("garbage-result", None) => Ok(Fault::GarbageResult),
            ("not-found", None) => Ok(Fault::NotFound),
            ("hang", None) => Ok(Fault::Hang),
            _ => Err(ParseFaultError {
                message: format!(
                    "`{text}` is no fault; choose `delay:MS`, `steps:MS`, `error:CODE`, `third:CODE`, `crash`, \
                     `garbage`, `garbage-result`, `not-found` or `hang`"
                ),
            }),
        }
    }
}

fn milliseconds(name: &str, value: &str) -> Result<Duration, ParseFaultError> {
    value.parse().map(Duration::from_millis).map_err(|_| ParseFaultError {
        message: format!(
            "`{name}:{value}` needs whole milliseconds after the colon, such as `{name}:250`"
        ),
    })
}

fn code(name: &str, value: &str) -> Result<&'static str, ParseFaultError> {
    CODES.iter().find(|code| **code == value).copied().ok_or_else(|| ParseFaultError {
        message: format!(
            "`{name}:{value}` names no canonical code; choose one of {}",
            CODES.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got = match text.parse::<Fault>() {
            Ok(fault) => format!("{fault:?}"),
            Err(error) => error.to_string(),
        };
        assert!(got.contains(expected), "{text}: {got}");
    }

    #[test]
    fn faults_are_read_from_text() {
        check("delay:1500", "Delay(1.5s)");
        check("steps:10", "Steps(10ms)");
        check("error:UNAVAILABLE", "Error(\"UNAVAILABLE\")");
        check("third:INTERNAL", "Third(\"INTERNAL\")");
        check("crash", "Crash");
        check("garbage", "Garbage");
        check("garbage-result", "GarbageResult");
        check("not-found", "NotFound");
        check("hang", "Hang");
    }

    #[test]
    fn a_wrong_fault_lists_the_choices() {
        check("smoke", "choose `delay:MS`, `steps:MS`, `error:CODE`, `third:CODE`");
        check("crash:now", "choose `delay:MS`");
        check("steps:soon", "such as `steps:250`");
        check("delay", "choose `delay:MS`");
        check("delay:soon", "whole milliseconds");
        check("error:OOPS", "INVALID_ARGUMENT");
    }
}
