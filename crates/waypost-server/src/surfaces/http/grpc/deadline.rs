//! The time that a client waits for a call: the header `grpc-timeout`, as the protocol of gRPC over HTTP/2 has it.

use std::time::Duration;

use axum::http::HeaderMap;
use tokio::time::Instant;
use waypost::{Code, Error};

use super::super::problem::Problem;

const GRPC_TIMEOUT: &str = "grpc-timeout";
/// The most digits of a timeout.
const MAX_DIGITS: usize = 8;

/// The instant until which a client waits; by default it waits for good.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline of a call that begins now. A timeout that cannot be read is none.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(GRPC_TIMEOUT).and_then(|value| value.to_str().ok());
        Self(given.and_then(timeout).and_then(|left| Instant::now().checked_add(left)))
    }

    /// Waits until it has passed.
    pub(super) async fn passed(self) {
        match self.0 {
            Some(instant) => tokio::time::sleep_until(instant).await,
            None => std::future::pending().await,
        }
    }

    /// What `work` comes to; work that is not done by then is dropped.
    ///
    /// # Errors
    ///
    /// `DEADLINE_EXCEEDED`.
    pub(super) async fn within<T>(self, work: impl Future<Output = T>) -> Result<T, Problem> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.passed() => Err(late()),
        }
    }
}

/// The problem of a call whose deadline has passed.
pub(super) fn late() -> Problem {
    let error = Error::new(Code::DeadlineExceeded, "the deadline of the call has passed")
        .with_hint("ask again with a later one");
    Problem::from(&error)
}

fn timeout(value: &str) -> Option<Duration> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.len() > MAX_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 60 * 60)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_a_number_with_a_unit() {
        for (value, read) in [
            ("2H", Some(Duration::from_secs(7_200))),
            ("3M", Some(Duration::from_secs(180))),
            ("10S", Some(Duration::from_secs(10))),
            ("250m", Some(Duration::from_millis(250))),
            ("99999999u", Some(Duration::from_micros(99_999_999))),
            ("7n", Some(Duration::from_nanos(7))),
            ("", None),
            ("S", None),
            ("10", None),
            ("+1S", None),
            ("1.5S", None),
            ("123456789S", None),
            ("1秒", None),
        ] {
            assert_eq!(timeout(value), read, "{value}");
        }
    }
}
