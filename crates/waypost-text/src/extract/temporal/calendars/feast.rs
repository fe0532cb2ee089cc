//! The days of a holiday in a year: fixed, by weekday, by Easter, by the moon.

use jiff::civil::Date;

use crate::extract::grammar::term::Holiday;

use super::gregorian::days_after;
use super::hindu;
use super::lunar;
use super::moon;

/// The days of a holiday in a year of our calendar, the likeliest first. Where days begin at
/// sunset, or where the moon must be seen, there is more than one.
pub(crate) fn days_in(holiday: Holiday, year: i16) -> Vec<Date> {
    match holiday {
        Holiday::Islamic(month, day) => moon::islamic(year, month, day),
        Holiday::Hebrew(month, day) => {
            let days = moon::hebrew(year, month, day).into_iter();
            days.flat_map(|day| [Some(day), days_after(day, -1)]).flatten().collect()
        }
        Holiday::Listed(days) => {
            let there = days.iter().filter(|day| day.0 == year);
            there.filter_map(|&(year, month, day)| Date::new(year, month, day).ok()).collect()
        }
        _ => day_in(holiday, year).into_iter().collect(),
    }
}

fn day_in(holiday: Holiday, year: i16) -> Option<Date> {
    match holiday {
        Holiday::Fixed(month, day) => Date::new(year, month, day).ok(),
        Holiday::Nth(place, weekday, month) => nth_weekday(year, month, weekday, place),
        Holiday::NthPlus(place, weekday, month, days) => {
            days_after(nth_weekday(year, month, weekday, place)?, i32::from(days))
        }
        Holiday::Shifted(month, day, shifts) => {
            let date = Date::new(year, month, day).ok()?;
            let weekday = usize::try_from(date.weekday().to_monday_zero_offset()).ok()?;
            days_after(date, i32::from(*shifts.get(weekday)?))
        }
        Holiday::Easter(offset) => days_after(easter(year)?, i32::from(offset)),
        Holiday::Orthodox(offset) => days_after(julian_easter(year)?, i32::from(offset)),
        Holiday::Lunar(month, day) => lunar::date(year, month, day),
        Holiday::Hindu(month, day, hour) => hindu::tithi(year, month, day, hour),
        Holiday::HinduSun(sign, days) => days_after(hindu::sign(year, sign)?, i32::from(days)),
        Holiday::Islamic(..) | Holiday::Hebrew(..) | Holiday::Listed(_) => None,
    }
}

fn nth_weekday(year: i16, month: i8, weekday: i8, place: i8) -> Option<Date> {
    let weekday = jiff::civil::Weekday::from_monday_one_offset(weekday).ok()?;
    Date::new(year, month, 1).ok()?.nth_weekday_of_month(place, weekday).ok()
}

/// Easter Sunday by the anonymous Gregorian computus (Meeus, Astronomical Algorithms, ch. 8).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 19 * l) / 433;
    let month = (h + l - 7 * m + 90) / 25;
    let day = (h + l - 7 * m + 33 * month + 19) % 32;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Easter Sunday of the eastern churches, in our calendar (Meeus, ch. 8).
fn julian_easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 4, y % 7, y % 19);
    let d = (19 * c + 15) % 30;
    let e = (2 * a + 4 * b - d + 34) % 7;
    let (month, day) = ((d + e + 114) / 31, (d + e + 114) % 31 + 1);
    let julian = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    days_after(julian, y / 100 - y / 400 - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_of_known_years() {
        for (year, month, day) in
            [(2000, 4, 23), (2013, 3, 31), (2019, 4, 21), (2024, 3, 31), (2025, 4, 20)]
        {
            assert_eq!(easter(year), Date::new(year, month, day).ok());
        }
        for (year, month, day) in [(2018, 4, 8), (2020, 4, 19), (2024, 5, 5)] {
            assert_eq!(julian_easter(year), Date::new(year, month, day).ok());
        }
    }
}
