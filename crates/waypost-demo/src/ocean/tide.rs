//! A synthetic tide: four real constituents with made-up amplitudes and lags.
//!
//! The height is the sum over M2, S2, K1 and O1 of `amplitude * cos(speed * t + v0 - lag)`. The
//! speeds and the equilibrium arguments `v0` are real, so that spring tides come with the new and
//! the full moon; amplitudes and lags are smooth functions of position that resemble no real sea.
//! The semidiurnal pair always outweighs the diurnal one, so highs and lows alternate about 6.2
//! hours apart everywhere.

/// Noon of 2000-01-01 UTC in Unix seconds: the time zero of the constituents.
const EPOCH: f64 = 946_728_000.0;

/// The mean longitudes of sun and moon at [`EPOCH`], in degrees. Source: Meeus, "Astronomical
/// Algorithms", chapters 25 and 47.
const SUN: f64 = 280.466;
const MOON: f64 = 218.316;

/// The step of the search for extremes, in seconds: far shorter than half a tide.
const STEP: f64 = 600.0;

/// One term of the sum.
#[derive(Debug, Clone, Copy)]
struct Wave {
    /// Centimeters.
    amplitude: f64,
    /// Degrees per hour.
    speed: f64,
    /// Degrees at [`EPOCH`].
    phase: f64,
}

/// The tide at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tide([Wave; 4]);

/// A high or a low water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extreme {
    /// Unix seconds.
    pub(super) time: f64,
    /// Centimeters above mean sea level.
    pub(super) height: f64,
    pub(super) high: bool,
}

/// The tide at a longitude and latitude in degrees.
pub(super) fn at(longitude: f64, latitude: f64) -> Tide {
    let (x, y) = (longitude.to_radians(), latitude.to_radians());
    let swell = (2.0 * x + 0.7).sin() * (3.0 * y + 0.4).cos();
    let tilt = (x - 1.1).cos() * (2.0 * y).cos();
    let m2 = 60.0 + 22.0 * swell;
    let k1 = 14.0 + 6.0 * tilt;
    let lag = 150.0 * (2.0 * x).cos() + 90.0 * (3.0 * y).sin();
    // Speeds: Schureman 1958, "Manual of Harmonic Analysis and Prediction of Tides", table 2.
    Tide([
        Wave { amplitude: m2, speed: 28.984_104_2, phase: 2.0 * (SUN - MOON) - lag },
        Wave { amplitude: 0.38 * m2, speed: 30.0, phase: -lag - 30.0 },
        Wave { amplitude: k1, speed: 15.041_068_6, phase: SUN - 90.0 - 0.6 * lag },
        Wave {
            amplitude: 0.75 * k1,
            speed: 13.943_035_6,
            phase: SUN - 2.0 * MOON + 90.0 - 0.5 * lag,
        },
    ])
}

impl Tide {
    /// The height above mean sea level in cm at a moment in Unix seconds.
    fn height(&self, time: f64) -> f64 {
        self.0.iter().map(|wave| wave.amplitude * wave.angle(time).cos()).sum()
    }

    /// The rate of rise, in no particular unit: only its sign is used.
    fn slope(&self, time: f64) -> f64 {
        self.0.iter().map(|wave| -wave.amplitude * wave.speed * wave.angle(time).sin()).sum()
    }

    /// The high and low waters from `from` until before `to` (Unix seconds), in order.
    pub(super) fn extremes(&self, from: f64, to: f64) -> Vec<Extreme> {
        let steps = ((to - from) / STEP).ceil().max(0.0) as u32;
        let edges = (0..steps).map(|step| from + f64::from(step) * STEP);
        edges.filter_map(|start| self.extreme(start, (start + STEP).min(to))).collect()
    }

    /// The extreme between two moments that are less than half a tide apart, if there is one.
    fn extreme(&self, mut start: f64, mut end: f64) -> Option<Extreme> {
        let high = self.slope(start) > 0.0;
        if (self.slope(end) > 0.0) == high {
            return None;
        }
        while end - start > 0.5 {
            let middle = f64::midpoint(start, end);
            if (self.slope(middle) > 0.0) == high {
                start = middle;
            } else {
                end = middle;
            }
        }
        Some(Extreme { time: end, height: self.height(end), high })
    }
}

impl Wave {
    /// The angle at a moment, in radians.
    fn angle(&self, time: f64) -> f64 {
        (self.speed * (time - EPOCH) / 3600.0 + self.phase).to_radians()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2025-11-05 00:00 UTC, the day of a full moon.
    const FULL_MOON: f64 = 1_762_300_800.0;
    const DAY: f64 = 86_400.0;

    #[test]
    fn highs_and_lows_alternate_about_six_hours_apart() {
        for (longitude, latitude) in [(121.4, 25.2), (-162.5, 18.5), (0.0, 0.0), (30.0, -60.0)] {
            let extremes = at(longitude, latitude).extremes(FULL_MOON, FULL_MOON + 60.0 * DAY);
            for pair in extremes.windows(2) {
                let hours = (pair[1].time - pair[0].time) / 3600.0;
                assert_ne!(pair[0].high, pair[1].high, "{longitude} {latitude}");
                assert!((3.5..9.5).contains(&hours), "{hours} h at {longitude} {latitude}");
                assert_eq!(pair[0].high, pair[0].height > pair[1].height);
            }
            let mean = 60.0 * 24.0 / extremes.len() as f64;
            assert!((6.1..6.35).contains(&mean), "{mean} h at {longitude} {latitude}");
        }
    }

    #[test]
    fn tides_are_larger_at_full_moon_than_at_quarter_moon() {
        let tide = at(121.4, 25.2);
        let range = |from: f64| {
            let extremes = tide.extremes(from, from + 2.0 * DAY);
            let heights = || extremes.iter().map(|extreme| extreme.height);
            heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min)
        };
        let (spring, neap) = (range(FULL_MOON + DAY), range(FULL_MOON + 8.0 * DAY));
        assert!(spring > 1.3 * neap, "{spring} {neap}");
    }
}
