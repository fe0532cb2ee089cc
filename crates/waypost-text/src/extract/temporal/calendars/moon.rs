//! The Islamic and the Hebrew calendar by their arithmetic (Dershowitz and Reingold, Calendrical
//! Calculations).
//!
//! The Islamic month begins when the new moon is seen, which no arithmetic knows: its two usual
//! epochs give the two days that it can be.

use jiff::civil::Date;

use super::gregorian::days_after;

/// The 16th of July 622 of the Julian calendar, in our calendar.
const HEGIRA: (i16, i8, i8) = (622, 7, 19);

/// The 7th of October 3761 BC of the Julian calendar, in our calendar.
const CREATION: (i16, i8, i8) = (-3760, 9, 7);

/// A day of the Islamic calendar in a year of ours, by either epoch.
pub(crate) fn islamic(year: i16, month: i8, day: i8) -> Vec<Date> {
    let about = (i32::from(year) - 622) * 33 / 32;
    // Neither calendar counts the years before its first.
    let found = (about - 1..=about + 2)
        .filter(|islamic| *islamic > 0)
        .filter_map(|islamic| islamic_date(islamic, month, day))
        .find(|date| date.year() == year);
    let other = found.and_then(|date| days_after(date, -1));
    other.into_iter().chain(found).collect()
}

fn islamic_date(year: i32, month: i8, day: i8) -> Option<Date> {
    (year > 0).then_some(())?;
    let before = i32::from(month) - 1;
    let months = 29 * before + (6 * before + 5) / 11;
    let days = (year - 1) * 354 + (3 + 11 * year) / 30 + months + i32::from(day) - 1;
    let (year, month, day) = HEGIRA;
    days_after(Date::new(year, month, day).ok()?, days)
}

/// A day of the Hebrew calendar in a year of ours. Nisan is month 1; Adar, 12, is the second one
/// of a leap year.
pub(crate) fn hebrew(year: i16, month: i8, day: i8) -> Option<Date> {
    let about = i32::from(year) + 3760;
    [about, about + 1]
        .into_iter()
        .filter(|hebrew| *hebrew > 0)
        .filter_map(|hebrew| hebrew_date(hebrew, month, day))
        .find(|date| date.year() == year)
}

fn hebrew_date(year: i32, month: i8, day: i8) -> Option<Date> {
    (year > 0).then_some(())?;
    let (start, next) = (new_year(year), new_year(year + 1));
    let length = next - start;
    let leap = is_leap(year);
    // From Tishri on: 30, 29 or 30, 29 or 30, 29, 30, (30), 29, 30, 29, 30, 29, 30, 29.
    let long_marheshvan = length % 10 == 5;
    let short_kislev = length % 10 == 3;
    let mut lengths =
        vec![30, 29 + i32::from(long_marheshvan), 30 - i32::from(short_kislev), 29, 30];
    if leap {
        lengths.push(30);
    }
    lengths.extend([29, 30, 29, 30, 29, 30, 29]);
    let place = match month {
        7..=11 => i32::from(month) - 7,
        12 => 5 + i32::from(leap),
        _ => 5 + i32::from(leap) + i32::from(month),
    };
    let before: i32 = lengths.iter().take(usize::try_from(place).ok()?).sum();
    let (year, month, first) = CREATION;
    days_after(Date::new(year, month, first).ok()?, start + before + i32::from(day) - 1)
}

fn is_leap(year: i32) -> bool {
    (7 * year + 1).rem_euclid(19) < 7
}

/// The days from the epoch to the first of Tishri, with the postponements.
fn new_year(year: i32) -> i32 {
    let (before, here, after) = (molad(year - 1), molad(year), molad(year + 1));
    let postponed = if after - here == 356 { 2 } else { i32::from(here - before == 382) };
    here + postponed
}

/// The day of the mean new moon of Tishri, moved off Sunday, Wednesday and Friday.
fn molad(year: i32) -> i32 {
    let months = i64::from((235 * year - 234).div_euclid(19));
    let parts = 12_084 + 13_753 * months;
    let day = 29 * months + parts.div_euclid(25_920);
    let moved = if (3 * (day + 1)).rem_euclid(7) < 3 { day + 1 } else { day };
    i32::try_from(moved).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        let date = |year, month, day| Date::new(year, month, day).ok();
        assert_eq!(hebrew(2018, 7, 1), date(2018, 9, 10));
        assert_eq!(hebrew(2018, 1, 15), date(2018, 3, 31));
        assert_eq!(hebrew(2018, 9, 25), date(2018, 12, 3));
        assert_eq!(hebrew(2013, 12, 14), date(2013, 2, 24));
        assert_eq!(islamic(2018, 10, 1).last().copied(), date(2018, 6, 15));
        // No year is too far off to be asked for.
        for year in [-9999, 9999] {
            assert!(hebrew(year, 1, 1).is_none_or(|day| day.year() == year));
            assert!(islamic(year, 1, 1).last().is_none_or(|day| day.year() == year));
        }
    }
}
