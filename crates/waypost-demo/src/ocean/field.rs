//! The synthetic sea surface temperature: a formula of position and day, the same on every run.
//!
//! ```text
//! sst     = max(climatology + noise, -1.8)
//! anomaly = sst - climatology
//!
//! climatology = max(zonal + currents + seasonal, -1.8)
//! zonal       = 30.0 * exp(-(|lat| / 45)^3.5) - 1.8          warm pool to cold poles
//! currents    = sum of bumps, each strength * exp(-(dlon / rx)^2 - (dlat / ry)^2)
//! seasonal    = amplitude * tanh(lat / 8) * cos(2 pi (day of year - 237) / 365.25)
//! amplitude   = 0.5 + 4.5 * exp(-((|lat| - 38) / 18)^2)      largest in the mid-latitudes
//! noise       = three octaves of smooth value noise in longitude, latitude and time
//! ```
//!
//! Temperatures are in °C, angles in degrees. The constants were set by eye so that the zonal
//! means, the Kuroshio, the Gulf Stream and the upwelling coasts look as an atlas shows them, and
//! a box around Taiwan has about 26.4 °C in early November. There is no land and no trend.

use jiff::civil::Date;

/// The freezing point of sea water in °C: nothing is colder.
const FREEZING: f64 = -1.8;

/// The day of the year when the northern ocean is warmest: late August.
const WARMEST_DAY: f64 = 237.0;

/// The length of the mean year in days.
const YEAR: f64 = 365.25;

/// Day zero of the noise.
const EPOCH: Date = Date::constant(2000, 1, 1);

/// The temperature of one place on one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Sea surface temperature in °C.
    pub(super) sst: f64,
    /// Difference to the climatology in °C.
    pub(super) anomaly: f64,
}

/// The field at a longitude and latitude in degrees.
pub(super) fn sample(longitude: f64, latitude: f64, day: Date) -> Sample {
    let climatology = climatology(longitude, latitude, day);
    let sst = (climatology + noise(longitude, latitude, day)).max(FREEZING);
    Sample { sst, anomaly: sst - climatology }
}

fn climatology(longitude: f64, latitude: f64, day: Date) -> f64 {
    let distance = latitude.abs();
    let zonal = 30.0 * (-(distance / 45.0).powf(3.5)).exp() - 1.8;
    let currents: f64 = CURRENTS.iter().map(|bump| bump.at(longitude, latitude)).sum();
    let amplitude = 0.5 + 4.5 * (-((distance - 38.0) / 18.0).powi(2)).exp();
    let angle = std::f64::consts::TAU * (f64::from(day.day_of_year()) - WARMEST_DAY) / YEAR;
    let seasonal = amplitude * (latitude / 8.0).tanh() * angle.cos();
    (zonal + currents + seasonal).max(FREEZING)
}

/// A warm or cold patch that a current keeps in its place.
struct Bump {
    longitude: f64,
    latitude: f64,
    /// Radii in degrees, along longitude and latitude.
    radii: (f64, f64),
    /// °C at the center.
    strength: f64,
}

const fn bump(longitude: f64, latitude: f64, radii: (f64, f64), strength: f64) -> Bump {
    Bump { longitude, latitude, radii, strength }
}

/// The warm pool, the western boundary currents, then the upwelling coasts and the cold tongue.
const CURRENTS: &[Bump] = &[
    bump(150.0, 2.0, (40.0, 9.0), 1.3),    // Indo-Pacific warm pool
    bump(128.0, 28.0, (10.0, 6.0), 1.0),   // Kuroshio
    bump(142.0, 35.0, (9.0, 3.0), 2.0),    // Kuroshio Extension
    bump(-72.0, 36.0, (10.0, 4.0), 4.0),   // Gulf Stream
    bump(-20.0, 58.0, (25.0, 10.0), 7.0),  // North Atlantic Drift
    bump(32.0, -33.0, (7.0, 5.0), 2.5),    // Agulhas
    bump(155.0, -32.0, (5.0, 6.0), 2.0),   // East Australian
    bump(-44.0, -28.0, (5.0, 6.0), 1.5),   // Brazil
    bump(-77.0, -15.0, (7.0, 11.0), -5.0), // Humboldt
    bump(12.0, -24.0, (6.0, 9.0), -5.0),   // Benguela
    bump(-122.0, 35.0, (6.0, 7.0), -3.5),  // California
    bump(-17.0, 24.0, (6.0, 8.0), -3.0),   // Canary
    bump(-100.0, 0.0, (25.0, 4.0), -3.0),  // Pacific cold tongue
];

impl Bump {
    fn at(&self, longitude: f64, latitude: f64) -> f64 {
        let east = (longitude - self.longitude + 180.0).rem_euclid(360.0) - 180.0;
        let x = east / self.radii.0;
        let y = (latitude - self.latitude) / self.radii.1;
        self.strength * (-x * x - y * y).exp()
    }
}

/// One scale of weather in the sea.
struct Octave {
    /// Cell size in degrees; it divides 360, so that the noise meets itself at the antimeridian.
    degrees: f64,
    /// Cell size in days.
    days: f64,
    /// The largest deviation in °C.
    amplitude: f64,
}

/// Basin weather, eddies, fronts. The amplitudes add up to 1.6, so an anomaly is within ±2 °C.
const OCTAVES: [Octave; 3] = [
    Octave { degrees: 8.0, days: 20.0, amplitude: 1.1 },
    Octave { degrees: 2.5, days: 6.0, amplitude: 0.35 },
    Octave { degrees: 0.5, days: 2.0, amplitude: 0.15 },
];

fn noise(longitude: f64, latitude: f64, day: Date) -> f64 {
    let days = f64::from((day - EPOCH).get_days());
    let deviation = |(seed, octave): (u64, &Octave)| {
        let x = (longitude + 180.0) / octave.degrees;
        let y = (latitude + 90.0) / octave.degrees;
        let round = (360.0 / octave.degrees).round();
        octave.amplitude * value_noise(seed, [x, y, days / octave.days], round)
    };
    (0..).zip(&OCTAVES).map(deviation).sum()
}

/// Random values in -1..=1 at the corners of unit cells, blended smoothly between them. `round`
/// is the number of cells after which `x` comes around again.
fn value_noise(seed: u64, [x, y, t]: [f64; 3], round: f64) -> f64 {
    let corner = |dx: f64, dy: f64, dt: f64| {
        let column = (x.floor() + dx).rem_euclid(round);
        random([seed, key(column), key(y.floor() + dy), key(t.floor() + dt)])
    };
    let (u, v, w) = (ease(x - x.floor()), ease(y - y.floor()), ease(t - t.floor()));
    let plane = |dt: f64| {
        let south = mix(corner(0.0, 0.0, dt), corner(1.0, 0.0, dt), u);
        let north = mix(corner(0.0, 1.0, dt), corner(1.0, 1.0, dt), u);
        mix(south, north, v)
    };
    mix(plane(0.0), plane(1.0), w)
}

fn mix(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// Hermite's cubic: flat at both ends, so that cells join without a crease.
fn ease(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

/// A whole number (a cell's index) as the bits that are hashed.
fn key(index: f64) -> u64 {
    (index as i64).cast_unsigned()
}

/// A value in -1..=1 that depends on `words` alone: splitmix64 (Steele et al. 2014), chained.
fn random(words: [u64; 4]) -> f64 {
    let hash = words.iter().fold(0, |hash: u64, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    // The upper 53 bits fill an f64's mantissa.
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn the_field_is_the_same_each_time() {
        let day = Date::constant(2025, 11, 5);
        assert_eq!(sample(121.7, 24.0, day), sample(121.7, 24.0, day));
        assert_ne!(sample(121.7, 24.0, day), sample(121.7, 24.0, Date::constant(2025, 11, 6)));
    }

    #[test]
    fn the_field_is_plausible_everywhere_all_year() {
        for week in 0..53 {
            let day = Date::constant(2025, 1, 1) + (7 * week).days();
            for x in -36..=36 {
                for y in -18..=18 {
                    let (longitude, latitude) = (f64::from(x) * 5.0, f64::from(y) * 5.0);
                    let Sample { sst, anomaly } = sample(longitude, latitude, day);
                    assert!((-1.8..=33.0).contains(&sst), "{sst} at {longitude} {latitude} {day}");
                    assert!(anomaly.abs() <= 2.0, "{anomaly} at {longitude} {latitude} {day}");
                }
            }
        }
    }

    #[test]
    fn the_seas_around_taiwan_stay_between_18_and_30() {
        for days in 0..366 {
            let day = Date::constant(2025, 1, 1) + days.days();
            for x in 0..=11 {
                for y in 0..=13 {
                    let (longitude, latitude) =
                        (118.0 + f64::from(x) * 0.5, 20.0 + f64::from(y) * 0.5);
                    let sst = sample(longitude, latitude, day).sst;
                    assert!((18.0..=30.0).contains(&sst), "{sst} at {longitude} {latitude} {day}");
                }
            }
        }
    }

    #[test]
    fn summer_is_in_august_in_the_north_and_in_february_in_the_south() {
        let (february, august) = (Date::constant(2025, 2, 24), Date::constant(2025, 8, 25));
        assert!(climatology(150.0, 35.0, august) > climatology(150.0, 35.0, february) + 5.0);
        assert!(climatology(150.0, -35.0, february) > climatology(150.0, -35.0, august) + 5.0);
    }

    #[test]
    fn the_field_has_no_seam_at_the_antimeridian() {
        let day = Date::constant(2025, 11, 5);
        let (west, east) = (sample(-180.0, 12.3, day), sample(180.0, 12.3, day));
        assert!((west.sst - east.sst).abs() < 1e-9, "{west:?} {east:?}");
    }
}
