//! Arithmetic on days: weeks begin on Monday, and ends are the first day that no longer counts.

use jiff::Span;
use jiff::civil::{Date, DateTime};

use crate::extract::grammar::term::Unit;

/// Lengths above this are no lengths of days but other numbers.
const LONGEST: f64 = 100_000.0;

/// `count` units as a span; `None` for a fraction or an absurd number.
pub(crate) fn length(count: f64, unit: Unit) -> Option<Span> {
    add(Span::new(), count, unit)
}

/// Adds `count` units to a span, field by field.
pub(crate) fn add(span: Span, count: f64, unit: Unit) -> Option<Span> {
    if count.fract() != 0.0 || count.abs() > LONGEST {
        return None;
    }
    let count = count as i64;
    match unit {
        Unit::Second => span.try_seconds(span.get_seconds() + count),
        Unit::Minute => span.try_minutes(span.get_minutes() + count),
        Unit::Hour => span.try_hours(i64::from(span.get_hours()) + count),
        Unit::Day => span.try_days(i64::from(span.get_days()) + count),
        Unit::Week => span.try_weeks(i64::from(span.get_weeks()) + count),
        Unit::Month => span.try_months(i64::from(span.get_months()) + count),
        Unit::Quarter => span.try_months(i64::from(span.get_months()) + 3 * count),
        Unit::Year => span.try_years(i64::from(span.get_years()) + count),
        Unit::Decade => span.try_years(i64::from(span.get_years()) + 10 * count),
        Unit::Century => span.try_years(i64::from(span.get_years()) + 100 * count),
    }
    .ok()
}

/// The day `count` units after `date`; units below a day give `None`.
pub(crate) fn shift(date: Date, count: f64, unit: Unit) -> Option<Date> {
    if matches!(unit, Unit::Second | Unit::Minute | Unit::Hour) {
        return None;
    }
    date.checked_add(length(count, unit)?).ok()
}

/// The day `count` days after `date`.
pub(crate) fn days_after(date: Date, count: i32) -> Option<Date> {
    date.checked_add(Span::new().try_days(count).ok()?).ok()
}

/// The first day of the week, month, quarter or year of `date`.
pub(crate) fn start_of(date: Date, unit: Unit) -> Option<Date> {
    match unit {
        Unit::Week => days_after(date, -i32::from(date.weekday().to_monday_zero_offset())),
        Unit::Month => Some(date.first_of_month()),
        Unit::Quarter => Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok(),
        Unit::Year => Some(date.first_of_year()),
        Unit::Decade => Date::new(date.year() / 10 * 10, 1, 1).ok(),
        Unit::Century => Date::new((date.year() - 1) / 100 * 100 + 1, 1, 1).ok(),
        Unit::Day => Some(date),
        Unit::Second | Unit::Minute | Unit::Hour => None,
    }
}

/// The beginning of the second, minute, hour, day, week, month or year of an instant.
pub(crate) fn floor(at: DateTime, unit: Unit) -> Option<DateTime> {
    if let Some(day) = start_of(at.date(), unit) {
        return Some(day.at(0, 0, 0, 0));
    }
    let minute = if unit < Unit::Hour { at.minute() } else { 0 };
    let second = if unit < Unit::Minute { at.second() } else { 0 };
    Some(at.date().at(at.hour(), minute, second, 0))
}

/// The whole week, month or year that lies `offset` of them from the one of `date`.
pub(crate) fn period(date: Date, offset: i32, unit: Unit) -> Option<(Date, Date)> {
    let start = shift(start_of(date, unit)?, f64::from(offset), unit)?;
    Some((start, shift(start, 1.0, unit)?))
}

/// The nearest such day that is not after `today`, and the nearest that is.
///
/// A missing year is searched over eight years, the longest wait between two 29ths of February.
pub(crate) fn nearest(month: i8, day: i8, today: Date) -> (Option<Date>, Option<Date>) {
    let year = today.year();
    let past =
        (0..=8).find_map(|back| Date::new(year - back, month, day).ok().filter(|d| *d <= today));
    let future =
        (0..=8).find_map(|on| Date::new(year + on, month, day).ok().filter(|d| *d > today));
    (past, future)
}

/// The day with ISO weekday `weekday` (Monday is 1) in the week of `date`.
pub(crate) fn weekday_of_week(date: Date, weekday: i8) -> Option<Date> {
    days_after(start_of(date, Unit::Week)?, i32::from(weekday) - 1)
}

/// Returns the number of days since the last `weekday`: 0 if `date` is one.
pub(crate) fn days_since(date: Date, weekday: i8) -> i32 {
    i32::from((date.weekday().to_monday_one_offset() - weekday).rem_euclid(7))
}
