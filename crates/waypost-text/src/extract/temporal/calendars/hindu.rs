//! Feasts of the Hindu calendar, by where the Sun and the Moon stand over India.
//!
//! A lunar month begins with the new moon and is named by the sign that the Sun is in; it has 30
//! tithis, in each of which the Moon gains 12 degrees. A feast is on the day on which its tithi
//! holds at a certain hour. Positions: Meeus, Astronomical Algorithms, chapters 25 and 47, good to
//! a few minutes of time; the zodiac is Lahiri's.

use jiff::civil::Date;

use super::gregorian::days_after;

/// Julian day of 2000-01-01 12:00 UTC.
const EPOCH: f64 = 2_451_545.0;

/// The days by which India is ahead of Greenwich.
const AHEAD: f64 = 5.5 / 24.0;

/// The mean degrees a day that the Sun moves, and that the Moon gains on it.
const SUN: f64 = 0.985_6;
const GAIN: f64 = 12.190_7;

/// Days from one new moon to the next.
const MOON: f64 = 29.530_6;

/// The years for which the formulas were checked.
const YEARS: std::ops::Range<i16> = 1900..2100;

/// The day of a tithi of a month (Chaitra is 1) in a year of our calendar, by the tithi that holds
/// at an hour in India.
pub(crate) fn tithi(year: i16, month: i8, tithi: i8, hour: i8) -> Option<Date> {
    YEARS.contains(&year).then_some(())?;
    let days = [year - 1, year].into_iter().filter_map(|cycle| {
        let start = new_moon_before(entry(cycle, month));
        day_of(start, tithi, hour)
    });
    days.into_iter().find(|day| day.year() == year)
}

/// The day on which the Sun enters a sign (Aries is 1), the next one if it does so in the evening.
pub(crate) fn sign(year: i16, sign: i8) -> Option<Date> {
    /// The end of the day's light.
    const SUNSET: f64 = 18.0;
    YEARS.contains(&year).then_some(())?;
    let mut days = [year - 1, year].into_iter().filter_map(|cycle| {
        let at = entry(cycle, sign);
        let day = date(at)?;
        if at > instant(day, SUNSET) { days_after(day, 1) } else { Some(day) }
    });
    days.find(|day| day.year() == year)
}

/// Returns the instant at which the Sun enters a sign, in the cycle that begins in April of a year.
fn entry(year: i16, sign: i8) -> f64 {
    let before = f64::from(sign) - 1.0;
    let mut at = EPOCH + (f64::from(year) - 2000.0) * 365.2425 + 103.0 + before * 30.44;
    for _ in 0..6 {
        at -= nearest(sidereal(at) - 30.0 * before) / SUN;
    }
    at
}

/// The last new moon before an instant.
fn new_moon_before(end: f64) -> f64 {
    let settle = |mut at: f64| {
        for _ in 0..6 {
            at -= nearest(elongation(at)) / GAIN;
        }
        at
    };
    let found = settle(end - elongation(end) / GAIN);
    if found > end { settle(found - MOON) } else { found }
}

/// The first day after a new moon on which the tithi holds at the hour; if it does on none, the
/// last before it.
fn day_of(start: f64, tithi: i8, hour: i8) -> Option<Date> {
    let about = date(start + (f64::from(tithi) - 0.5) * MOON / 30.0)?;
    let days = (-2..=2).filter_map(|offset| days_after(about, offset));
    let holds: Vec<(Date, f64)> =
        days.map(|day| (day, number(start, instant(day, f64::from(hour))))).collect();
    let wanted = f64::from(tithi);
    let exact = holds.iter().find(|(_, number)| *number == wanted);
    exact.or_else(|| holds.iter().rfind(|(_, number)| *number < wanted)).map(|(day, _)| *day)
}

/// Returns the tithi that an instant lies in, of the month that began at `start`.
fn number(start: f64, at: f64) -> f64 {
    let age = at - start;
    let gained = elongation(at);
    let gained = match () {
        // The months before and after.
        () if age < 8.0 && gained > 250.0 => gained - 360.0,
        () if age > 20.0 && gained < 110.0 => gained + 360.0,
        () => gained,
    };
    (gained / 12.0).floor() + 1.0
}

/// The day in India.
fn date(at: f64) -> Option<Date> {
    let days = (at + AHEAD - (EPOCH - 0.5)).floor();
    days_after(Date::new(2000, 1, 1).ok()?, days as i32)
}

/// An hour in India as a Julian day.
fn instant(day: Date, hour: f64) -> f64 {
    let start = Date::new(2000, 1, 1).map_or(0, |epoch| (day - epoch).get_days());
    EPOCH - 0.5 + f64::from(start) + hour / 24.0 - AHEAD
}

/// An angle between -180 and 180 degrees.
fn nearest(degrees: f64) -> f64 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

fn elongation(at: f64) -> f64 {
    (moon(at) - sun(at)).rem_euclid(360.0)
}

/// The Sun in the zodiac of the stars.
fn sidereal(at: f64) -> f64 {
    sun(at) - 23.853 - 1.396_86 * centuries(at)
}

fn centuries(at: f64) -> f64 {
    (at - EPOCH) / 36_525.0
}

fn sine(degrees: f64) -> f64 {
    degrees.to_radians().sin()
}

fn sun(at: f64) -> f64 {
    let t = centuries(at);
    let anomaly = 357.529_11 + 35_999.050_29 * t;
    280.466_46
        + 36_000.769_83 * t
        + (1.914_602 - 0.004_817 * t) * sine(anomaly)
        + 0.019_993 * sine(2.0 * anomaly)
        + 0.000_289 * sine(3.0 * anomaly)
}

fn moon(at: f64) -> f64 {
    /// Multiples of the elongation, the Sun's anomaly, the Moon's, its latitude; the size.
    const TERMS: [([f64; 4], f64); 16] = [
        ([0.0, 0.0, 1.0, 0.0], 6.288_774),
        ([2.0, 0.0, -1.0, 0.0], 1.274_027),
        ([2.0, 0.0, 0.0, 0.0], 0.658_314),
        ([0.0, 0.0, 2.0, 0.0], 0.213_618),
        ([0.0, 1.0, 0.0, 0.0], -0.185_116),
        ([0.0, 0.0, 0.0, 2.0], -0.114_332),
        ([2.0, 0.0, -2.0, 0.0], 0.058_793),
        ([2.0, -1.0, -1.0, 0.0], 0.057_066),
        ([2.0, 0.0, 1.0, 0.0], 0.053_322),
        ([2.0, -1.0, 0.0, 0.0], 0.045_758),
        ([0.0, 1.0, -1.0, 0.0], -0.040_923),
        ([1.0, 0.0, 0.0, 0.0], -0.034_720),
        ([0.0, 1.0, 1.0, 0.0], -0.030_383),
        ([2.0, 0.0, 0.0, -2.0], 0.015_327),
        ([0.0, 0.0, 1.0, 2.0], -0.012_528),
        ([0.0, 0.0, 1.0, -2.0], 0.010_980),
    ];
    let t = centuries(at);
    let arguments = [
        297.850_192_1 + 445_267.111_403_4 * t,
        357.529_109_2 + 35_999.050_290_9 * t,
        134.963_396_4 + 477_198.867_505_5 * t,
        93.272_095 + 483_202.017_523_3 * t,
    ];
    let angle = |multiples: &[f64; 4]| -> f64 {
        multiples.iter().zip(&arguments).map(|(many, argument)| many * argument).sum()
    };
    let waves: f64 = TERMS.iter().map(|(multiples, size)| size * sine(angle(multiples))).sum();
    218.316_447_7 + 481_267.881_234_21 * t + waves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasts_of_known_years() {
        // Diwali, Holi's eve, Ganesh Chaturthi, Rama Navami, Ugadi.
        for ((month, day, hour), (year, m, d)) in [
            ((7, 30, 18), (2013, 11, 3)),
            ((7, 30, 18), (2019, 10, 27)),
            ((12, 15, 18), (2013, 3, 26)),
            ((12, 15, 18), (2019, 3, 20)),
            ((6, 4, 12), (2019, 9, 2)),
            ((1, 9, 12), (2020, 4, 2)),
            ((1, 1, 6), (2018, 3, 18)),
        ] {
            assert_eq!(tithi(year, month, day, hour), Date::new(year, m, d).ok());
        }
        assert_eq!(sign(2018, 10), Date::new(2018, 1, 14).ok());
        assert_eq!(sign(2019, 10), Date::new(2019, 1, 15).ok());
        assert_eq!(sign(2018, 1), Date::new(2018, 4, 14).ok());
        assert_eq!(tithi(-9999, 1, 1, 6), None);
    }
}
