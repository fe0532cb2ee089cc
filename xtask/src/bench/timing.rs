//! Times a piece of work many times over and says how the times are spread.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The number of rounds of each piece of work; the quietest counts, because whatever else the
/// machine does can only add time.
const ROUNDS: usize = 5;
/// The time for one round of one piece of work.
const ROUND: Duration = Duration::from_millis(300);
/// Enough for a 99th percentile that is more than one outlier.
const LEAST: usize = 5;
/// More than this many samples say nothing more.
const MOST: usize = 20_000;

/// The time that a piece of work takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) p50: Duration,
    pub(crate) p90: Duration,
    pub(crate) p99: Duration,
}

/// Times `work`, one call a sample, after a round to warm up.
pub(crate) fn spread<T>(mut work: impl FnMut() -> T) -> Spread {
    round(&mut work);
    let rounds = (0..ROUNDS).map(|_| percentiles(round(&mut work)));
    rounds.min_by_key(|spread| spread.p50).unwrap_or_else(|| percentiles(Vec::new()))
}

fn round<T>(work: &mut impl FnMut() -> T) -> Vec<Duration> {
    let mut samples = Vec::new();
    let started = Instant::now();
    while samples.len() < LEAST || (samples.len() < MOST && started.elapsed() < ROUND) {
        let start = Instant::now();
        black_box(work());
        samples.push(start.elapsed());
    }
    samples
}

/// The percentiles of some samples; zeros for none.
pub(crate) fn percentiles(mut samples: Vec<Duration>) -> Spread {
    samples.sort_unstable();
    let at = |percent: usize| {
        let last = samples.len().saturating_sub(1);
        samples.get(last * percent / 100).copied().unwrap_or_default()
    };
    Spread { p50: at(50), p90: at(90), p99: at(99) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let spread = percentiles((0..101).rev().map(Duration::from_micros).collect());
        let micros = [spread.p50, spread.p90, spread.p99].map(|time| time.as_micros());
        assert_eq!(micros, [50, 90, 99]);
        assert_eq!(percentiles(Vec::new()).p99, Duration::ZERO);
    }
}
