//! Reads Duckling's test corpora.
//!
//! Conventions of this corpus, as its rows show them:
//!
//! - The expression is the whole text. Latent rows, credit cards and rows whose value could not be
//!   read from the Haskell source do not count.
//! - The zone is two hours behind UTC. Rows of `any` language are read as English.
//! - The region says which of day and month comes first, and which dollar is meant.
//! - The morning begins at midnight in English and at 4 in the other languages, the afternoon lasts
//!   from 12 to 19, evening and night from 18 to 24, lunch from 12 to 14. A weekend begins on
//!   Friday at 18.
//! - There are only instants, each with a grain. Of grain day it is our day; of grain week, month,
//!   quarter or year our range of exactly that length; of a smaller grain our moment, our range of
//!   that grain, or, on the reference day or the next, our time of day.
//! - What is counted in days from now has the hour of now as its grain, and what is counted in years
//!   the month: our day so many days or years from now is right.
//! - Intervals are half-open, but an end that was named as a time of day is included with its
//!   grain: "1pm to 2pm" ends at 3pm. Since ours ends at 2pm, both are right where the grain is
//!   below a day.
//! - A month or day of 0 is the first (the Haskell library clips it).
//! - An open interval after a moment begins there; one before it ends there.
//! - A duration of months or years is compared in months, others in seconds; where it is of both,
//!   the corpus has added it up in seconds or days, with months of 30 days and years of 365.
//! - `Pound` and others are currencies of several countries; `Degree` is one left open; `M` is a
//!   metre or a mile; `Unnamed` is any currency. Masses are in grams: ours in kilograms is the
//!   same. Cents are a hundredth. The product of an amount does not count.
//! - The text of a phone number is compared without spaces and punctuation.
//! - Negative rows: nothing of the dimension's own kinds may be found anywhere in the text; for
//!   Time that is any date, time, range or repetition, but not a duration, which is a dimension of
//!   its own there.

use jiff::civil::{Date, DateTime};
use jiff::{Span, Zoned};
use serde_json::Value as Json;
use waypost_text::extract::{Conventions, Hours};

use crate::case::{Case, Corpus, Expectation, Wanted, language};
use crate::expected::{Expected, Units};
use crate::units;

/// The dimensions, the kind that a row counts under, and what a negative row rules out.
const DIMENSIONS: &[(&str, &str, &[&str])] = &[
    ("Time", "datetime", &["date", "time", "datetime", "range", "recurring"]),
    ("Numeral", "number", &["number"]),
    ("Ordinal", "ordinal", &["ordinal"]),
    ("Duration", "duration", &["duration"]),
    ("AmountOfMoney", "money", &["money"]),
    ("Distance", "quantity", &["quantity"]),
    ("Volume", "quantity", &["quantity"]),
    ("Quantity", "quantity", &["quantity"]),
    ("Temperature", "temperature", &["temperature"]),
    ("Email", "email", &["email"]),
    ("PhoneNumber", "phone", &["phone"]),
    ("Url", "url", &["url"]),
];

/// The reference time of a row that gives none, since its dimension does not depend on it.
const REFERENCE: &str = "2013-02-12T04:30:00-02:00";

/// The zone that all times of this corpus are written in, in seconds from Greenwich.
const ZONE: i32 = -7200;

/// Regions: whether the day comes first, and the dollar.
const REGIONS: &[(&str, bool, Option<&str>)] = &[
    ("US", false, Some("USD")),
    ("CA", false, Some("CAD")),
    ("PH", false, None),
    ("AU", true, Some("AUD")),
    ("BZ", true, Some("BZD")),
    ("GB", true, None),
    ("IE", true, None),
    ("IN", true, None),
    ("JM", true, Some("JMD")),
    ("NZ", true, Some("NZD")),
    ("TT", true, Some("TTD")),
    ("ZA", true, None),
];

/// The case of a row; `None` where it does not count.
pub(crate) fn case(row: &Json) -> Option<Case> {
    let text_of = |key: &str| row.get(key).and_then(Json::as_str);
    let is = |key: &str| row.get(key).and_then(Json::as_bool).unwrap_or(false);
    let (_, kind, ruled_out) = DIMENSIONS.iter().find(|known| Some(known.0) == text_of("dim"))?;
    if is("latent") {
        return None;
    }
    let tag = text_of("lang")?;
    let text = text_of("text")?;
    let now = zoned(text_of("ref").unwrap_or(REFERENCE))?;
    let mut kind = *kind;
    let expectation = if is("negative") {
        Expectation::Nothing(ruled_out)
    } else {
        let value = row.get("value").filter(|value| value.is_object())?;
        if kind == "datetime" {
            kind = time_kind(value);
        }
        let values = match text_of("raw").and_then(spelled) {
            Some(number) if kind == "number" => vec![Expected::Number(number)],
            _ => expected(kind, value, &now),
        };
        let shown = value.to_string();
        Expectation::Find(vec![Wanted { text: Some(text.to_owned()), values, shown }])
    };
    Some(Case {
        corpus: Corpus::Duckling,
        lang: tag.to_owned(),
        language: language(tag)?,
        kind,
        text: text.to_owned(),
        now,
        conventions: conventions(text_of("region"), tag == "en"),
        expectation,
    })
}

fn conventions(region: Option<&str>, english: bool) -> Conventions {
    let morning = if english { 0 } else { 4 };
    let known = REGIONS.iter().find(|known| Some(known.0) == region);
    let mut habits = Conventions::STANDARD;
    habits.day_first = known.map(|known| known.1);
    habits.currency = known.and_then(|known| known.2);
    habits.weekend_from_friday = Some(18);
    habits.hours = Hours {
        early_morning: (morning, 9),
        morning: (morning, 12),
        lunch: (12, 14),
        afternoon: (12, 19),
        evening: (18, 24),
        night: (18, 24),
        late_night: (21, 24),
        ..habits.hours
    };
    habits
}

/// The reference time in a zone of a fixed offset.
fn zoned(text: &str) -> Option<Zoned> {
    let pieces = jiff::fmt::temporal::DateTimeParser::new().parse_pieces(text).ok()?;
    let offset = pieces.to_numeric_offset()?;
    let zone = jiff::tz::TimeZone::fixed(offset);
    pieces.date().to_datetime(pieces.time()?).to_zoned(zone).ok()
}

fn time_kind(value: &Json) -> &'static str {
    let grain = value.get("grain").and_then(Json::as_str).unwrap_or_default();
    match value.get("kind").and_then(Json::as_str) {
        Some("instant") if grain == "day" => "date",
        Some("instant") if matches!(grain, "hour" | "minute" | "second") => "datetime",
        _ => "range",
    }
}

fn expected(kind: &str, value: &Json, now: &Zoned) -> Vec<Expected> {
    let text_of = |key: &str| value.get(key).and_then(Json::as_str);
    let number = value.get("value").and_then(number);
    let one = |expected: Option<Expected>| expected.into_iter().collect();
    match kind {
        "number" => one(number.map(Expected::Number)),
        "ordinal" => one(value.get("value").and_then(Json::as_i64).map(Expected::Ordinal)),
        "duration" => {
            one(number.zip(text_of("unit")).and_then(|(number, unit)| duration(number, unit)))
        }
        "money" => one(measured(value, units::currency(text_of("unit").unwrap_or_default()), true)),
        "quantity" | "temperature" => {
            one(measured(value, units::unit(text_of("unit").unwrap_or_default()), false))
        }
        "email" => one(text_of("value").map(|text| Expected::Text("email", text.to_owned()))),
        "phone" => one(text_of("value").map(|text| Expected::Text("phone", text.to_owned()))),
        "url" => {
            let first = value.pointer("/value/0").and_then(Json::as_str);
            one(first.map(|text| Expected::Text("url", text.to_owned())))
        }
        _ => times(value, now),
    }
}

/// The number of an expression such as `(NumeralValue 100_000)`, of which the conversion of the
/// corpus kept the digits before the first underscore.
fn spelled(raw: &str) -> Option<f64> {
    let digits = raw.strip_prefix("(NumeralValue ")?.trim_matches(['(', ')', ' ']);
    digits.contains('_').then(|| digits.replace('_', "").parse().ok()).flatten()
}

/// A number; a negative one with underscores was left unread as a call of -1.
fn number(value: &Json) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(number);
    }
    let sign = value.get("fn")?.as_i64()?;
    let digits = value.pointer("/args/0")?.as_str()?.replace('_', "");
    format!("{sign}{digits}").parse().ok()
}

fn duration(number: f64, unit: &str) -> Option<Expected> {
    const MINUTE: f64 = 60.0;
    let (months, seconds) = match unit {
        "second" => (0.0, 1.0),
        "minute" => (0.0, MINUTE),
        "hour" => (0.0, 60.0 * MINUTE),
        "day" => (0.0, 24.0 * 60.0 * MINUTE),
        "week" => (0.0, 7.0 * 24.0 * 60.0 * MINUTE),
        "month" => (1.0, 0.0),
        "quarter" => (3.0, 0.0),
        "year" => (12.0, 0.0),
        _ => return None,
    };
    Some(Expected::Length { months: number * months, seconds: number * seconds })
}

fn measured(value: &Json, units: Units, money: bool) -> Option<Expected> {
    let number_of = |key: &str| value.get(key).and_then(number);
    let interval = |low, high, units| Some(Expected::Interval { low, high, units });
    match value.get("kind").and_then(Json::as_str)? {
        "interval" => interval(number_of("from"), number_of("to"), units),
        "open_interval" if value.get("op").and_then(Json::as_str) == Some("above") => {
            interval(number_of("value"), None, units)
        }
        "open_interval" => interval(None, number_of("value"), units),
        _ if money => Some(Expected::Money(number_of("value"), units)),
        _ => Some(Expected::Quantity(number_of("value"), units)),
    }
}

fn times(value: &Json, now: &Zoned) -> Vec<Expected> {
    let moment = |key: &str| value.get(key).and_then(Json::as_str).and_then(local);
    let grain = value.get("grain").and_then(Json::as_str).unwrap_or_default();
    match value.get("kind").and_then(Json::as_str) {
        Some("instant") => moment("value").map(|at| instant(at, grain, now)).unwrap_or_default(),
        Some("interval") => {
            let (start, end) = (moment("from"), moment("to"));
            let mut all = vec![Expected::Range(start, end)];
            let within = end.filter(|_| matches!(grain, "hour" | "minute" | "second"));
            if let Some(end) = within.and_then(|end| end.checked_sub(grain_span(grain)).ok())
                && Some(end) != start
            {
                all.push(Expected::Range(start, Some(end)));
            }
            all
        }
        Some("open_interval") => vec![Expected::Range(moment("from"), moment("to"))],
        _ => Vec::new(),
    }
}

fn instant(at: DateTime, grain: &str, now: &Zoned) -> Vec<Expected> {
    let mut all = Vec::new();
    if let Ok(end) = at.checked_add(grain_span(grain)) {
        all.push(Expected::Range(Some(at), Some(end)));
    }
    match grain {
        "day" => all.push(Expected::Date(at.date())),
        "hour" | "minute" | "second" => {
            all.push(Expected::Datetime(at, Some(ZONE)));
            let days = at.date().since(now.date()).map_or(-1, |away| away.get_days());
            if (0..=1).contains(&days) {
                all.push(Expected::Time(at.time()));
            }
        }
        _ => {}
    }
    all.extend(counted(at, grain, now.datetime()).map(Expected::Date));
    all
}

/// The day that lies whole days or years from now.
fn counted(at: DateTime, grain: &str, now: DateTime) -> Option<Date> {
    match grain {
        "hour" => {
            let is_counted = at.hour() == now.hour() && at.minute() == 0 && at.date() != now.date();
            is_counted.then_some(at.date())
        }
        "month" if at.month() == now.month() && at.year() != now.year() => {
            Date::new(at.year(), at.month(), now.day()).ok()
        }
        _ => None,
    }
}

fn grain_span(grain: &str) -> Span {
    match grain {
        "second" => Span::new().seconds(1),
        "minute" => Span::new().minutes(1),
        "hour" => Span::new().hours(1),
        "day" => Span::new().days(1),
        "week" => Span::new().weeks(1),
        "month" => Span::new().months(1),
        "quarter" => Span::new().months(3),
        _ => Span::new().years(1),
    }
}

/// The local time of an instant whose year may be below 0, and whose month and day may be 0.
fn local(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_once('T')?;
    let mut parts = date.rsplitn(3, '-').map(|part| part.parse::<i16>().ok());
    let (day, month, year) = (parts.next()??, parts.next()??, parts.next()??);
    let narrow = |part: i16| i8::try_from(part.max(1)).ok();
    let date = Date::new(year, narrow(month)?, narrow(day)?).ok()?;
    Some(date.to_datetime(time.get(..8)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::score::{Selection, score};

    fn is_right(dim: &str, text: &str, value: &Json) -> Option<bool> {
        let row = json!({"lang": "en", "region": null, "dim": dim, "text": text, "value": value,
            "negative": false, "latent": false, "ref": "2013-02-12T04:30:00-02:00"});
        let cases = [case(&row)?];
        Some(score(&cases, &Selection::default())[0].right)
    }

    #[test]
    fn a_grain_is_a_day_or_a_range() {
        let instant =
            |value: &str, grain: &str| json!({"kind": "instant", "value": value, "grain": grain});
        let day = instant("2013-02-13T00:00:00-02:00", "day");
        assert_eq!(is_right("Time", "tomorrow", &day), Some(true));
        let month = instant("2013-02-13T00:00:00-02:00", "month");
        assert_eq!(is_right("Time", "tomorrow", &month), Some(false));
        let year = instant("2011-00-00T00:00:00-02:00", "year");
        assert_eq!(is_right("Time", "the year 2011", &year), Some(true));
        let hour = instant("2013-02-12T15:00:00-02:00", "hour");
        assert_eq!(is_right("Time", "3 pm", &hour), Some(true));
        let other_day = instant("2013-02-15T15:00:00-02:00", "hour");
        assert_eq!(is_right("Time", "3 pm", &other_day), Some(false));
    }

    #[test]
    fn the_grain_of_a_named_end_may_be_included() {
        let (from, to) = ("2013-02-12T15:00:00-02:00", "2013-02-12T18:00:00-02:00");
        let value = json!({"kind": "interval", "from": from, "to": to, "grain": "hour"});
        assert_eq!(is_right("Time", "from 3 pm to 5 pm", &value), Some(true));
        assert_eq!(is_right("Time", "from 3 pm to 6 pm", &value), Some(true));
        assert_eq!(is_right("Time", "from 3 pm to 7 pm", &value), Some(false));
    }

    #[test]
    fn what_is_counted_from_now_is_a_day() {
        let hour =
            json!({"kind": "instant", "value": "2013-02-22T04:00:00-02:00", "grain": "hour"});
        assert_eq!(is_right("Time", "in 10 days", &hour), Some(true));
        let hour =
            json!({"kind": "instant", "value": "2013-02-22T05:00:00-02:00", "grain": "hour"});
        assert_eq!(is_right("Time", "in 10 days", &hour), Some(false));
        let length = json!({"kind": "duration", "value": 15, "unit": "month"});
        assert_eq!(is_right("Duration", "1 year 3 months", &length), Some(true));
    }

    #[test]
    fn the_whole_text_must_be_found() {
        let value = json!({"kind": "number", "value": {"fn": -1, "args": ["_000"]}});
        assert_eq!(is_right("Numeral", "-1000", &value), Some(true));
        assert_eq!(is_right("Numeral", "-1000 of them", &value), Some(false));
    }

    #[test]
    fn the_region_says_what_comes_first() {
        assert_eq!(conventions(Some("GB"), true).day_first, Some(true));
        assert_eq!(conventions(Some("US"), true).day_first, Some(false));
        assert_eq!(conventions(Some("AU"), true).currency, Some("AUD"));
        assert_eq!(conventions(None, true).day_first, None);
    }

    #[test]
    fn latent_rows_do_not_count() {
        let row = json!({"lang": "en", "dim": "Time", "text": "five", "latent": true,
            "value": {"kind": "instant", "value": "2013-02-12T05:00:00-02:00", "grain": "hour"}});
        assert!(case(&row).is_none());
    }
}
