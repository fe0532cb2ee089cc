//! The archive: values of the past of any channel, as the ring was that nobody had set anything of.
//!
//! Nothing is stored. A value is a function of its channel and its moment, so a series is the same
//! whenever it is asked for; an RF trip and a burst of gas are in every day of it.

use super::channels::{Channel, Reading};
use super::clock::Period;
use super::machine::Machine;

/// The most points of a series.
pub(super) const MOST_POINTS: i64 = 500;

/// The most points of all series of a call: more would be a result of megabytes.
const MOST_IN_ALL: i64 = 4000;

/// The shortest step between two points, in seconds.
const LEAST_STEP: i64 = 10;

/// The recorded values of a channel, a second with each, the oldest first.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) channel: &'static Channel,
    pub(super) points: Vec<(i64, f64)>,
}

/// The series of channels over a period, all at the same moments.
pub(super) fn series(channels: &[&'static Channel], period: Period) -> Vec<Series> {
    let machine = Machine::usual();
    let moments = moments(period, channels.len());
    let of = |channel: &'static Channel| {
        let point = |second: &i64| {
            let reading = machine.past(*second).reading(channel);
            (*second, number(channel, reading))
        };
        Series { channel, points: moments.iter().map(point).collect() }
    };
    channels.iter().copied().map(of).collect()
}

/// The moments of a period that have a point, at equal steps from its start.
fn moments(period: Period, channels: usize) -> Vec<i64> {
    let share = MOST_IN_ALL / i64::try_from(channels.max(1)).unwrap_or(MOST_IN_ALL);
    let steps = share.clamp(2, MOST_POINTS) - 1;
    let step = ((period.end - period.start + steps - 1) / steps).max(LEAST_STEP);
    let count = (period.end - period.start) / step;
    (0..=count).map(|index| period.start + index * step).collect()
}

/// A value as a number: of two words, 1 is the one as a ring runs.
fn number(channel: &Channel, reading: Reading) -> f64 {
    match reading {
        Reading::Number(value) => value,
        Reading::Word(word) => {
            let runs = channel.states().is_some_and(|[first, _]| first == word);
            f64::from(u8::from(runs))
        }
    }
}
