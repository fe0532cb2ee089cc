//! Decides whether a server that failed to start may be tried again: after several failures in a row it is
//! down, answers at once for a pause that doubles up to a bound, and is then given one trial. One that was not ready in time is
//! down at once, because the same turn would wait as long again.
//!
//! The instant is a value, so that nobody waits in a test.

use std::fmt;
use std::time::{Duration, Instant};

/// The number of starts that may fail in a row before a server is down.
const MOST_FAILURES: u32 = 3;
/// The first pause of a server that is down.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause: a server that came back is noticed within a minute.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The state of a tool server, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It started when it was last tried, or was not tried yet.
    Up,
    /// It failed to start so many times in a row, and is tried with the next call.
    Failing(u32),
    /// It failed to start too often, and calls fail at once until it is tried again.
    Down {
        /// The failures in a row.
        failures: u32,
        /// The time until the next trial.
        wait: Duration,
    },
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Health::Up => f.write_str("up"),
            Health::Failing(failures) => write!(f, "failing, {failures} times in a row"),
            Health::Down { failures, wait } => {
                let wait = wait.as_secs_f64().ceil();
                write!(
                    f,
                    "down, failed to start {failures} times in a row; tried again in {wait} s"
                )
            }
        }
    }
}

/// The failures of a server in a row. Whoever starts it sees to it that only one start is under way, so that
/// what a pause is followed by is one trial.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    latest: Option<Instant>,
    /// True if the latest start was not ready in time.
    is_late: bool,
}

impl Breaker {
    /// Returns how the server is at `now`; it may be started unless it is down.
    pub(super) fn health(&self, now: Instant) -> Health {
        let Some(latest) = self.latest else { return Health::Up };
        let since = now.saturating_duration_since(latest);
        match self.pause().checked_sub(since).filter(|wait| !wait.is_zero()) {
            Some(wait) => Health::Down { failures: self.failures, wait },
            None => Health::Failing(self.failures),
        }
    }

    /// Notes that a start failed at `now`, or was given up.
    pub(super) fn failed(&mut self, now: Instant, is_late: bool) {
        self.failures = self.failures.saturating_add(1);
        self.latest = Some(now);
        self.is_late = is_late;
    }

    /// Notes that a start succeeded.
    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// The pause after the latest failure.
    fn pause(&self) -> Duration {
        let doublings = match self.failures.checked_sub(MOST_FAILURES) {
            Some(doublings) => doublings,
            None if self.is_late => 0,
            None => return Duration::ZERO,
        };
        let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The health right after each of so many failures, and after its pause.
    #[test]
    fn pauses_double_up_to_a_bound() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        assert_eq!(breaker.health(now), Health::Up);
        for (failures, pause) in
            [(1, 0), (2, 0), (3, 5), (4, 10), (5, 20), (6, 40), (7, 60), (8, 60), (9, 60)]
        {
            breaker.failed(now, false);
            let (failing, wait) = (Health::Failing(failures), Duration::from_secs(pause));
            let down = if pause == 0 { failing } else { Health::Down { failures, wait } };
            assert_eq!(breaker.health(now), down, "after {failures}");
            assert_eq!(breaker.health(now + wait), failing, "after the pause of {failures}");
        }
        breaker.failures = u32::MAX - 1;
        breaker.failed(now, false);
        breaker.failed(now, false);
        assert_eq!(breaker.pause(), LONGEST_PAUSE);
    }

    #[test]
    fn the_wait_shrinks_and_a_trial_that_fails_begins_a_longer_one() {
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        let mut breaker = Breaker::default();
        (0..3).for_each(|_| breaker.failed(now, false));
        let down = |failures, wait| Health::Down { failures, wait: Duration::from_secs(wait) };
        assert_eq!(breaker.health(at(2)), down(3, 3));
        assert_eq!(breaker.health(at(5)), Health::Failing(3));
        breaker.failed(at(5), false);
        assert_eq!(breaker.health(at(6)), down(4, 9));
        breaker.succeeded();
        assert_eq!(breaker.health(at(6)), Health::Up);
        breaker.failed(at(7), false);
        assert_eq!(breaker.health(at(7)), Health::Failing(1));
        breaker.failed(at(7), true);
        assert_eq!(breaker.health(at(7)), down(2, 5), "nobody waits twice");
    }

    #[test]
    fn people_are_told_when_it_is_tried_again() {
        let told = Health::Down { failures: 3, wait: Duration::from_millis(4200) }.to_string();
        assert_eq!(told, "down, failed to start 3 times in a row; tried again in 5 s");
        assert_eq!(
            (Health::Up.to_string(), Health::Failing(1).to_string()),
            ("up".to_owned(), "failing, 1 times in a row".to_owned())
        );
    }
}
