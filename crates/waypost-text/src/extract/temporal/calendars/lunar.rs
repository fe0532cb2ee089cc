//! The Chinese calendar from 1950 to 2060, for holidays that follow the moon.

use jiff::civil::Date;

use super::gregorian::days_after;

/// The first year of the table.
const FIRST: i16 = 1950;

/// The day of the lunar month `month` in the lunar year that begins in the year `year`. Day 0 is
/// the day before the month, so that (1, 0) is New Year's Eve.
pub(crate) fn date(year: i16, month: i8, day: i8) -> Option<Date> {
    let row = *YEARS.get(usize::try_from(year.checked_sub(FIRST)?).ok()?)?;
    let leap = (row >> 16) & 0xf;
    let month = u32::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    // The leap month follows the month whose number it bears.
    let before = if leap > 0 && month > leap { month } else { month - 1 };
    let long = (row & ((1 << before) - 1)).count_ones();
    let days = (row >> 20) + 29 * before + long;
    days_after(Date::new(year, 1, 1).ok()?, i32::try_from(days).ok()? + i32::from(day) - 1)
}

/// A year a number: from bit 20 the days from January 1st to the first day of the first month,
/// from bit 16 the month that is doubled (0 for none), below it one bit a month, set for 30 days.
const YEARS: [u32; 111] = [
    0x2f00536, 0x2400aad, 0x1a515aa, 0x2c005b2, 0x2100ba5, 0x1731d4a, 0x2a00d4a, 0x1e80a95,
    0x3000a97, 0x2600556, 0x1b60ab5, 0x2d00ad5, 0x23006d2, 0x1840ea5, 0x2b00ea5, 0x200064a,
    0x1430c97, 0x2700a9b, 0x1d7155a, 0x2f0056a, 0x2400b69, 0x1a51752, 0x2d00b52, 0x2100b25,
    0x164164b, 0x2900a4b, 0x1e814ab, 0x30002ad, 0x25005ad, 0x1b60b69, 0x2e00da9, 0x2300d92,
    0x1841d25, 0x2b00d25, 0x20a1a4d, 0x3200a56, 0x27002b6, 0x1c605b5, 0x2f006d5, 0x2400ea9,
    0x1a51e92, 0x2d00e92, 0x2200d26, 0x1630a56, 0x2800a57, 0x1e814d6, 0x310035a, 0x25006d5,
    0x1b516c9, 0x2e00749, 0x2300693, 0x174152b, 0x2a0052b, 0x1f00a5b, 0x152155a, 0x270056a,
    0x1c71b55, 0x3000ba4, 0x2500b49, 0x1951a93, 0x2c00a95, 0x210052d, 0x1640aad, 0x2800ab5,
    0x1e915aa, 0x31005d2, 0x2600da5, 0x1b61d4a, 0x2e00d4a, 0x2300c95, 0x184152e, 0x2a00556,
    0x1f00ab5, 0x15215b2, 0x28006d2, 0x1c60ea5, 0x2f00725, 0x240064b, 0x1950c97, 0x2b00cab,
    0x210055a, 0x1630ad6, 0x2900b69, 0x1eb1752, 0x3100b52, 0x2600b25, 0x1b61a4b, 0x2d00a4b,
    0x22004ab, 0x175055b, 0x2a005ad, 0x1f00b6a, 0x1521b52, 0x2800d92, 0x1d71d25, 0x2f00d25,
    0x2400a55, 0x19514ad, 0x2c004b6, 0x20005b5, 0x1630daa, 0x2900ec9, 0x1f81e92, 0x3100e92,
    0x2600d26, 0x1b60a56, 0x2d00a57, 0x2200556, 0x17406d5, 0x2a00755, 0x2000749,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_year_and_the_feasts_of_known_years() {
        for (year, month, day, expected) in [
            (2013, 1, 1, (2013, 2, 10)),
            (2020, 1, 1, (2020, 1, 25)),
            (2020, 5, 5, (2020, 6, 25)),
            (2020, 8, 15, (2020, 10, 1)),
            (2023, 5, 5, (2023, 6, 22)),
            (2025, 1, 1, (2025, 1, 29)),
            (2025, 1, 0, (2025, 1, 28)),
            (2025, 8, 15, (2025, 10, 6)),
        ] {
            let (y, m, d) = expected;
            assert_eq!(date(year, month, day), Date::new(y, m, d).ok(), "{year} {month} {day}");
        }
        assert_eq!(date(1900, 1, 1), None);
    }
}
