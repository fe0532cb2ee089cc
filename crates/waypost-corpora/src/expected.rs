//! The values that a corpus expects, in our terms, and the readings that are one of them.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};
use serde_json::Value as Json;
use waypost_text::extract::{Kind, Moment, Reading, Value, canonical};

use crate::chrono::Parts;
use crate::units::ANY;
use crate::{interval, rhythm};

/// The codes that a unit may be written as, each with the value of the corpus's unit in it.
pub(crate) type Units = Vec<(String, f64)>;

/// A value that a corpus expects.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Expected {
    Date(Date),
    Time(Time),
    /// A local time in the zone of the reference time, or with an own offset in seconds.
    Datetime(DateTime, Option<i32>),
    /// Half-open; `None` is an end that was left open.
    Range(Option<DateTime>, Option<DateTime>),
    /// A range whose ends were both named, half-open, where the corpus leaves out the last that
    /// was named and we include it: ours ends a day, a month, a quarter or a year later.
    Named(DateTime, DateTime),
    /// In seconds, with months of 30 days and years of 365.
    Duration(f64),
    /// Months, with years of twelve, and what is shorter in seconds.
    Length {
        months: f64,
        seconds: f64,
    },
    Number(f64),
    Ordinal(i64),
    /// So many places from the current one.
    Step(i64),
    Percentage(f64),
    Boolean(bool),
    /// A number (`None`: any) of one of these units.
    Quantity(Option<f64>, Vec<(String, f64)>),
    /// An amount of one of these currencies.
    Money(Option<f64>, Vec<(String, f64)>),
    /// A range of numbers, in one of these units if there are any.
    Interval {
        low: Option<f64>,
        high: Option<f64>,
        units: Vec<(String, f64)>,
    },
    /// A repetition, as a TIMEX expression.
    Recurring(String),
    /// A text of this kind; spaces and punctuation of phone numbers do not count.
    Text(&'static str, String),
    /// The parts of a moment that chrono asserts.
    Parts(Box<Parts>),
    /// Any reading of these kinds: the corpus leaves the value open.
    Any(&'static [&'static str]),
}

impl Expected {
    /// Returns whether `reading` of `value` means the same.
    pub fn is(&self, value: &Value, reading: &Reading) -> bool {
        match (self, reading) {
            (Expected::Any(kinds), _) => kinds.contains(&value.kind.name()),
            (Expected::Parts(parts), _) => parts.are(reading),
            (Expected::Date(date), Reading::Date(found)) => date == found,
            (Expected::Time(time), Reading::Time(found)) => time == found,
            (Expected::Datetime(local, None), Reading::Datetime(found)) => {
                found.datetime() == *local
            }
            (Expected::Datetime(local, Some(offset)), Reading::Datetime(found)) => {
                instant(*local, *offset) == Some(found.timestamp())
            }
            (Expected::Range(start, end), Reading::Range(first, last)) => {
                bound(first) == *start && bound(last) == *end
            }
            (Expected::Named(start, end), Reading::Range(first, last)) => {
                value.rule.to_string().ends_with("between")
                    && bound(first) == Some(*start)
                    && bound(last).is_some_and(|last| is_a_unit_later(*end, last))
            }
            (Expected::Duration(seconds), Reading::Duration(length)) => {
                close(*seconds, seconds_of(&length.0))
            }
            (Expected::Number(number), Reading::Number(found)) => {
                value.kind == Kind::Number && close(*number, *found)
            }
            (Expected::Percentage(share), Reading::Number(found)) => {
                value.kind == Kind::Percentage && close(*share, *found)
            }
            (Expected::Length { months, seconds }, Reading::Duration(length)) => {
                let both = months_of(&length.0) != 0.0 && short_seconds_of(&length.0) != 0.0;
                (close(*months, months_of(&length.0))
                    && close(*seconds, short_seconds_of(&length.0)))
                    || (both && *months == 0.0 && close(*seconds, seconds_of(&length.0)))
            }
            (Expected::Ordinal(place), Reading::Ordinal(found)) => place == found,
            (Expected::Step(offset), Reading::Step(found)) => offset == found,
            (Expected::Boolean(answer), Reading::Boolean(found)) => answer == found,
            (Expected::Recurring(timex), _) => {
                value.kind.name() == "recurring" && rhythm::is(timex, &canonical(reading))
            }
            (Expected::Interval { low, high, units }, _) => {
                interval::is(*low, *high, units, &canonical(reading))
            }
            (Expected::Text(kind, words), _) => {
                value.kind.name() == *kind && same_text(kind, words, reading)
            }
            (Expected::Quantity(number, units), _) => {
                measured(value, reading, "quantity", "unit", *number, units)
            }
            (Expected::Money(number, units), _) => {
                measured(value, reading, "money", "currency", *number, units)
            }
            _ => false,
        }
    }
}

/// Returns whether two numbers are the same but for the digits that a corpus cut off.
pub(crate) fn close(wanted: f64, found: f64) -> bool {
    (wanted - found).abs() <= 1e-9 * wanted.abs().max(found.abs()) || wanted == found
}

fn instant(local: DateTime, offset: i32) -> Option<jiff::Timestamp> {
    jiff::tz::Offset::from_seconds(offset).ok()?.to_timestamp(local).ok()
}

/// The local time of an end; `None` where it is open.
pub(crate) fn bound(moment: &Moment) -> Option<DateTime> {
    match moment {
        Moment::Date(date) => Some(date.to_datetime(Time::midnight())),
        Moment::Instant(instant) => Some(instant.datetime()),
        Moment::Open => None,
    }
}

/// Returns whether `last` is the end of the day, month, quarter or year that begins at `end`.
fn is_a_unit_later(end: DateTime, last: DateTime) -> bool {
    let after = |unit: Span| end.checked_add(unit).is_ok_and(|after| after == last);
    end.time() == Time::midnight()
        && (after(Span::new().days(1))
            || (end.day() == 1 && after(Span::new().months(1)))
            || (end.day() == 1 && end.month() % 3 == 1 && after(Span::new().months(3)))
            || (end.day() == 1 && end.month() == 1 && after(Span::new().years(1))))
}

const DAY: f64 = 86_400.0;

fn seconds_of(span: &Span) -> f64 {
    let (days, years) = (30.0 * f64::from(span.get_months()), 365.0 * f64::from(span.get_years()));
    (days + years) * DAY + short_seconds_of(span)
}

fn months_of(span: &Span) -> f64 {
    f64::from(span.get_months()) + 12.0 * f64::from(span.get_years())
}

/// The seconds of a span without its months and years.
fn short_seconds_of(span: &Span) -> f64 {
    let days = f64::from(span.get_days()) + 7.0 * f64::from(span.get_weeks());
    days * DAY
        + f64::from(span.get_hours()) * 3600.0
        + span.get_minutes() as f64 * 60.0
        + span.get_seconds() as f64
        + span.get_milliseconds() as f64 / 1e3
        + span.get_microseconds() as f64 / 1e6
        + span.get_nanoseconds() as f64 / 1e9
}

fn same_text(kind: &str, words: &str, reading: &Reading) -> bool {
    let found = canonical(reading);
    let Some(found) = found.as_str() else { return false };
    let plain = |text: &str| -> String {
        let text = text.to_lowercase();
        if kind == "phone" { text.chars().filter(|c| c.is_alphanumeric()).collect() } else { text }
    };
    plain(words) == plain(found)
}

/// Returns whether the reading is `number` of one of `units`.
fn measured(
    value: &Value,
    reading: &Reading,
    kind: &str,
    key: &str,
    number: Option<f64>,
    units: &[(String, f64)],
) -> bool {
    if value.kind.name() != kind {
        return false;
    }
    let found = canonical(reading);
    let Some(unit) = found.get(key).and_then(Json::as_str) else { return false };
    let amount = found.get("value").and_then(Json::as_f64);
    units.iter().any(|(code, factor)| {
        (code == unit || code == ANY)
            && match (number, amount) {
                (None, _) => true,
                (Some(number), Some(amount)) => close(number * factor, amount),
                (Some(_), None) => false,
            }
    })
}
