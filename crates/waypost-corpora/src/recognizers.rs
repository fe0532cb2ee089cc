//! Reads Recognizers-Text.
//!
//! Conventions of this corpus, as its rows show them:
//!
//! - Only the models that end users see count (`MODELS`): no row of a Mode, of Suppress, Complex,
//!   Extended or Split variants, no IP addresses, GUIDs, hashtags, mentions, quotations. Rows of
//!   `en-others` are English with the day before the month, `es-mx` is Spanish.
//! - Parts of a day last as `hours` says; what begins at 4 pm is the evening, and so are the
//!   "tarde" in Spanish and 晚上 in Chinese. A weekend is Saturday and Sunday.
//! - The reference time is local; it is taken as UTC. Without one it is 2016-11-07 00:00.
//! - Of several `values` of a result any one is right: mostly the last and the next such day.
//! - A `daterange`, `timerange`, `datetimerange` ends before its `end`, as ours do; 23:59:59 as an
//!   end is midnight. A range of times without a day is ours on the reference day, or on the next.
//! - Where the words name both ends ("from July 2nd to 10th") the last one named is the `end`, left
//!   out by the letter; ours includes it. Such a range of ours, known by its rule, is right if it
//!   ends a day, a month, a quarter or a year after the `end`, as that was one.
//! - `Mod` before, after, since, until leave an end open. A day after which something is ("after
//!   January 7th") is given as that day: ours begins on the day after it; and a day until which
//!   something lasts is within: ours ends with the day after it. Since the corpus marks "starting
//!   January 7th" as `after` in places, the day itself is right as well.
//! - `Mod` approx on a time or a day is the time or day. `Mod` less and more on a duration is the
//!   length itself.
//! - A duration is in seconds, with months of 30 days and years of 365; a broken number of years,
//!   told by its `timex`, is so many months.
//! - A `set` is compared by its `timex`, as `rhythm` says; it has no other value.
//! - `not resolved` leaves the value open: any reading of that kind of result is right. Such are
//!   seasons, fiscal years, and days that do not exist.
//! - Numbers are strings; in Spanish the comma is the decimal mark, whatever the text used.
//! - A number range is `[low,high)`; empty is open. Whether an end is included does not count,
//!   since ours do not tell.
//! - An age is a duration or a quantity of that unit. A dollar without a country is a US dollar or
//!   one left open. A unit without a number (`null`) is right whatever the number.
//! - An ordinal relative to the end: `end+0` is the last, -1. Those relative to the current one
//!   (next, previous) are only found where ordinals are asked for alone.
//! - Negative are rows without results: nothing of the model's own kinds may be found.

use jiff::civil::{Date, DateTime, Time};
use serde_json::Value as Json;
use waypost_text::extract::{Conventions, Hours};
use waypost_text::language::Language;

use crate::case::{Case, Corpus, Expectation, Wanted, language, utc};
use crate::expected::Expected;
use crate::units;

/// The models, the kind that a row counts under, and what a row without results rules out.
const MODELS: &[(&str, &str, &[&str])] = &[
    ("DateTimeModel", "datetime", TIMES),
    ("NumberModel", "number", &["number"]),
    ("OrdinalModel", "ordinal", &["ordinal"]),
    ("PercentModel", "percentage", &["percentage"]),
    ("NumberRangeModel", "number range", &["numberrange", "number_range", "interval"]),
    ("AgeModel", "age", &["age"]),
    ("CurrencyModel", "money", &["money"]),
    ("DimensionModel", "quantity", &["quantity"]),
    ("TemperatureModel", "temperature", &["temperature"]),
    ("BooleanModel", "boolean", &["boolean"]),
    ("EmailModel", "email", &["email"]),
    ("URLModel", "url", &["url"]),
    ("PhoneNumberModel", "phone", &["phone"]),
];

const TIMES: &[&str] = &["date", "time", "datetime", "range", "duration", "recurring"];

/// The kinds of date-time results.
const DATETIME_KINDS: &[(&str, &str, &[&str])] = &[
    ("date", "date", &["date"]),
    ("time", "time", &["time"]),
    ("datetime", "datetime", &["datetime", "date"]),
    ("daterange", "range", &["range", "date"]),
    ("timerange", "range", &["range"]),
    ("datetimerange", "range", &["range"]),
    ("duration", "duration", &["duration"]),
    ("set", "recurring", &["recurring"]),
];

/// The case of a row; `None` where it does not count.
pub(crate) fn case(row: &Json) -> Option<Case> {
    let text_of = |key: &str| row.get(key).and_then(Json::as_str);
    let (_, kind, ruled_out) = MODELS.iter().find(|known| Some(known.0) == text_of("model"))?;
    let tag = text_of("lang")?;
    let language = language(tag)?;
    let reference = text_of("ref").and_then(|local| local.parse::<DateTime>().ok());
    let local = reference.unwrap_or_else(|| DateTime::constant(2016, 11, 7, 0, 0, 0, 0));
    let results = row.get("results").and_then(Json::as_array)?;
    let mut kind = *kind;
    let expectation = if results.is_empty() {
        Expectation::Nothing(ruled_out)
    } else {
        if kind == "datetime" {
            kind = datetime_kind(type_name(&results[0]))?.1;
        }
        Expectation::Find(results.iter().filter_map(|one| wanted(one, tag, local)).collect())
    };
    let day_first = (tag == "en-others").then_some(true);
    Some(Case {
        corpus: Corpus::Recognizers,
        lang: tag.split('-').next().unwrap_or(tag).to_owned(),
        language,
        kind,
        text: text_of("text")?.to_owned(),
        now: utc(local)?,
        conventions: Conventions { day_first, hours: hours(language), ..Conventions::STANDARD },
        expectation,
    })
}

fn hours(language: Language) -> Hours {
    let standard = Hours {
        dawn: (4, 8),
        early_morning: (8, 10),
        morning: (8, 12),
        breakfast: (8, 12),
        late_morning: (10, 12),
        lunch: (11, 13),
        early_afternoon: (12, 14),
        afternoon: (12, 16),
        late_afternoon: (14, 16),
        evening: (16, 20),
        dinner: (16, 20),
        night: (20, 24),
        late_night: (22, 24),
        daytime: (8, 18),
    };
    if language == Language::Es {
        // The "tarde" lasts until 20.
        let (early_afternoon, afternoon, late_afternoon) = ((16, 18), (16, 20), (18, 20));
        return Hours { early_afternoon, afternoon, late_afternoon, ..standard };
    }
    if language.is_chinese() {
        // 晚上 is the evening.
        return Hours { night: standard.evening, ..standard };
    }
    standard
}

fn type_name(result: &Json) -> &str {
    let name = result.get("TypeName").or_else(|| result.get("Typename"));
    name.and_then(Json::as_str).unwrap_or_default()
}

fn datetime_kind(
    name: &str,
) -> Option<&'static (&'static str, &'static str, &'static [&'static str])> {
    let name = name.strip_prefix("datetimeV2.")?;
    DATETIME_KINDS.iter().find(|known| known.0 == name)
}

/// The value that a result wants; `None` for a time zone alone, for which we have no kind.
fn wanted(result: &Json, tag: &str, now: DateTime) -> Option<Wanted> {
    let name = type_name(result);
    let resolution = result.get("Resolution").unwrap_or(&Json::Null);
    let values = if name.starts_with("datetimeV2.") {
        datetime_kind(name)?;
        let listed = resolution.get("values").and_then(Json::as_array);
        listed.into_iter().flatten().flat_map(|value| times(value, now)).collect()
    } else {
        others(name, resolution, tag)
    };
    let text = result.get("Text").and_then(Json::as_str).map(str::to_owned);
    Some(Wanted { text, values, shown: shown(resolution) })
}

fn shown(resolution: &Json) -> String {
    let Some(values) = resolution.get("values").and_then(Json::as_array) else {
        return resolution.to_string();
    };
    let values: Vec<String> = values.iter().map(Json::to_string).collect();
    values.join(" or ")
}

/// The values that one of the `values` of a date-time result may mean.
fn times(value: &Json, now: DateTime) -> Vec<Expected> {
    let text_of = |key: &str| value.get(key).and_then(Json::as_str);
    let kind = text_of("type").unwrap_or_default();
    if text_of("value") == Some("not resolved") && kind != "set" {
        let known = DATETIME_KINDS.iter().find(|known| known.0 == kind);
        return known.map(|known| Expected::Any(known.2)).into_iter().collect();
    }
    match kind {
        "duration" => {
            let length = text_of("timex").and_then(broken_length);
            seconds(text_of("value")).map(Expected::Duration).into_iter().chain(length).collect()
        }
        "set" => text_of("timex")
            .map(|timex| Expected::Recurring(timex.to_owned()))
            .into_iter()
            .collect(),
        _ => match text_of("value") {
            Some(value) => point(value).into_iter().collect(),
            None => ranges(value, kind == "timerange", now),
        },
    }
}

/// A broken number of years or months, which is a whole one of months or days: P3.5Y.
fn broken_length(timex: &str) -> Option<Expected> {
    let count = timex.strip_prefix('P')?;
    let years = count.strip_suffix('Y')?;
    let months = years.contains('.').then(|| years.parse::<f64>().ok())?? * 12.0;
    (months.fract() == 0.0).then_some(Expected::Length { months, seconds: 0.0 })
}

fn seconds(value: Option<&str>) -> Option<f64> {
    value?.parse().ok()
}

/// A day, a time, or both.
fn point(value: &str) -> Option<Expected> {
    if let Ok(time) = value.parse::<Time>()
        && value.len() == 8
    {
        return Some(Expected::Time(time));
    }
    if let Ok(date) = value.parse::<Date>()
        && value.len() == 10
    {
        return Some(Expected::Date(date));
    }
    value.parse().ok().map(|local| Expected::Datetime(local, None))
}

fn ranges(value: &Json, without_day: bool, now: DateTime) -> Vec<Expected> {
    let text_of = |key: &str| value.get(key).and_then(Json::as_str);
    let today = now.date();
    if without_day {
        return [Some(today), today.tomorrow().ok()]
            .into_iter()
            .flatten()
            .filter_map(|day| {
                let start = text_of("start").and_then(|time| on(day, time));
                let end = text_of("end").and_then(|time| on(day, time));
                let turned = matches!((start, end), (Some(start), Some(end)) if end <= start);
                let end = if turned { end.and_then(after_a_day) } else { end };
                (start.is_some() || end.is_some()).then_some(Expected::Range(start, end))
            })
            .collect();
    }
    let (start, end) = (text_of("start").and_then(local), text_of("end").and_then(local));
    if start.is_none() && end.is_none() {
        return Vec::new();
    }
    let mut all = vec![Expected::Range(start, end)];
    if let (Some(start), Some(end)) = (start, end) {
        all.push(Expected::Named(start, end));
    }
    let mode = text_of("Mod").unwrap_or_default();
    let is_day = text_of("start").or_else(|| text_of("end")).is_some_and(|text| text.len() == 10);
    if is_day && text_of("sourceEntity") != Some("datetimerange") {
        if mode.starts_with("after") {
            all.push(Expected::Range(start.and_then(after_a_day), end));
        } else if mode.starts_with("until") {
            all.push(Expected::Range(start, end.and_then(after_a_day)));
        }
    }
    all
}

fn after_a_day(moment: DateTime) -> Option<DateTime> {
    moment.checked_add(jiff::Span::new().days(1)).ok()
}

/// A local time; the last second of a day is its end.
fn local(text: &str) -> Option<DateTime> {
    let local: DateTime = match text.parse::<Date>() {
        Ok(date) if text.len() == 10 => date.to_datetime(Time::midnight()),
        _ => text.parse().ok()?,
    };
    Some(midnight(local))
}

fn on(day: Date, time: &str) -> Option<DateTime> {
    time.parse::<Time>().ok().map(|time| midnight(day.to_datetime(time)))
}

fn midnight(local: DateTime) -> DateTime {
    if local.time() != Time::constant(23, 59, 59, 0) {
        return local;
    }
    local.checked_add(jiff::Span::new().seconds(1)).unwrap_or(local)
}

/// The values that a result of the other models may mean.
fn others(name: &str, resolution: &Json, tag: &str) -> Vec<Expected> {
    let value = resolution.get("value");
    let text = value.and_then(Json::as_str).unwrap_or_default();
    let number = number(text, tag);
    let unit = resolution.get("unit").and_then(Json::as_str).unwrap_or_default();
    let one = |expected: Option<Expected>| expected.into_iter().collect();
    match name {
        "number" => one(number.map(Expected::Number)),
        "ordinal" => one(text.parse().ok().map(Expected::Ordinal)),
        "ordinal.relative" => one(relative(resolution)),
        "percentage" => {
            one(self::number(text.trim_end_matches('%'), tag).map(Expected::Percentage))
        }
        "numberrange" => one(interval(text, tag)),
        "boolean" => one(value.and_then(Json::as_bool).map(Expected::Boolean)),
        "email" => one(Some(Expected::Text("email", text.to_owned()))),
        "url" => one(Some(Expected::Text("url", text.to_owned()))),
        "phonenumber" => one(Some(Expected::Text("phone", text.to_owned()))),
        "age" => ages(number, unit),
        "currency" => {
            let iso = resolution.get("isoCurrency").and_then(Json::as_str);
            one(Some(Expected::Money(number, units::currency(iso.unwrap_or(unit)))))
        }
        "dimension" | "temperature" => one(Some(Expected::Quantity(number, units::unit(unit)))),
        _ => Vec::new(),
    }
}

fn number(text: &str, tag: &str) -> Option<f64> {
    let text = if tag == "es" { text.replace('.', "").replace(',', ".") } else { text.to_owned() };
    text.parse().ok()
}

/// The place counted from the end, or from the current one.
fn relative(resolution: &Json) -> Option<Expected> {
    let offset: i64 = resolution.get("offset").and_then(Json::as_str)?.parse().ok()?;
    match resolution.get("relativeTo").and_then(Json::as_str)? {
        "end" => Some(Expected::Ordinal(offset - 1)),
        "current" => Some(Expected::Step(offset)),
        _ => None,
    }
}

fn interval(text: &str, tag: &str) -> Option<Expected> {
    let inner = text.trim_matches(['[', ']', '(', ')']);
    let (low, high) =
        inner.split_once(if tag == "es" && inner.contains(';') { ';' } else { ',' })?;
    let (low, high) = (low.trim().parse().ok(), high.trim().parse().ok());
    Some(Expected::Interval { low, high, units: Vec::new() })
}

fn ages(number: Option<f64>, unit: &str) -> Vec<Expected> {
    const DAYS: &[(&str, f64)] = &[("a", 365.0), ("mo", 30.0), ("wk", 7.0), ("d", 1.0)];
    let units = units::unit(unit);
    let days = DAYS.iter().find(|known| units.first().is_some_and(|unit| unit.0 == known.0));
    let length =
        number.zip(days).map(|(number, days)| Expected::Duration(number * days.1 * 86_400.0));
    let mut all = vec![Expected::Quantity(number, units)];
    all.extend(length);
    all
}

#[cfg(test)]
mod tests;
