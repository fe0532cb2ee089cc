//! Keeps away from a server that fails again and again: whoever asks it meanwhile is told at once.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use waypost_core::{Error, Result};

/// The failures in a row after which nobody asks any more: more than a server gives that fails over each form of a reply.
const FAILURES: u32 = 8;
/// The first pause; each that follows without a success is twice as long, up to the longest.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);

/// Counts the failures of a server.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// The end of the pause, and how long it is.
    pause: Option<(Instant, Duration)>,
}

impl Breaker {
    /// Lets a request through: always, until the server failed often; then one after each pause.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` during a pause.
    pub(super) fn pass(&self, now: Instant) -> Result<()> {
        let mut state = self.state();
        let Some((until, pause)) = state.pause else { return Ok(()) };
        if now < until {
            let seconds = (until - now).as_secs() + 1;
            return Err(Error::unavailable(
                "the language model failed several times, and is left alone for a while",
            )
            .with_hint(format!("ask again in {seconds} s")));
        }
        // One tries; the others wait for what comes of it.
        state.pause = Some((now + pause, pause));
        Ok(())
    }

    /// Notes how a request ended.
    pub(super) fn note(&self, succeeded: bool, now: Instant) {
        let mut state = self.state();
        if succeeded {
            *state = State::default();
            return;
        }
        state.failures += 1;
        if state.failures >= FAILURES {
            let pause = state.pause.map_or(PAUSE, |(_, pause)| (pause * 2).min(LONGEST));
            state.pause = Some((now + pause, pause));
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_some_failures_one_may_try_now_and_then_and_a_success_lets_all_in() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..FAILURES {
            assert!(breaker.pass(at(0)).is_ok());
            breaker.note(false, at(0));
        }
        assert_eq!(breaker.pass(at(4)).unwrap_err().hint(), Some("ask again in 2 s"));
        assert!(breaker.pass(at(5)).is_ok());
        assert!(breaker.pass(at(5)).is_err(), "one at a time");
        breaker.note(false, at(6));
        assert!(breaker.pass(at(15)).is_err());
        assert!(breaker.pass(at(16)).is_ok());
        breaker.note(true, at(17));
        assert!(breaker.pass(at(17)).is_ok() && breaker.pass(at(17)).is_ok());
    }
}
