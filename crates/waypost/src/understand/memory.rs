//! Reads the place and the time of an earlier call back from its arguments, and the meaning of a
//! word such as "there".

use jiff::civil::Date;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use serde_json::Value as Json;
use waypost_core::records::request::PastCall;
use waypost_text::extract::{self, Kind, Moment, Point, Reading, Value};
use waypost_text::language::Language;
use waypost_text::text::{Span, Text};

use crate::pack::Pack;
use crate::pack::places;
use crate::pack::spec::Part;

/// The rule of a value that a word of reference stands for.
pub const REFERENCE: &str = "reference";

/// The place and the time that a call was about.
pub fn recalled(pack: &Pack, past: &PastCall) -> Vec<Reading> {
    let mut readings = recalled_places(pack, past);
    readings.extend(recalled_times(pack, past));
    readings
}

/// The value of the argument of a call that is this part of such a kind.
fn part<'a>(pack: &Pack, past: &'a PastCall, kind: Kind, part: Option<Part>) -> Option<&'a Json> {
    let mut notes = pack.tool(&past.tool)?.annotations();
    let (name, _) = notes.find(|(_, note)| note.kind == Some(kind) && note.part == part)?;
    past.arguments.get(name)
}

/// The place that a call was about. All entries of the pack are looked at for its name.
pub(crate) fn recalled_places(pack: &Pack, past: &PastCall) -> Vec<Reading> {
    let number = |of| part(pack, past, Kind::Point, Some(of)).and_then(Json::as_f64);
    let mut readings = Vec::new();
    if let (Some(longitude), Some(latitude)) = (number(Part::Longitude), number(Part::Latitude)) {
        readings.push(places::named(pack, Reading::Point(Point { longitude, latitude })));
    }
    if let Some(area) = part(pack, past, Kind::Bbox, None).and_then(four) {
        readings.push(places::named(pack, Reading::Bbox(area)));
    }
    readings
}

/// The time that a call was about.
pub(crate) fn recalled_times(pack: &Pack, past: &PastCall) -> Vec<Reading> {
    let part = |kind, of| part(pack, past, kind, of);
    let day = |kind, of| -> Option<Date> { part(kind, of)?.as_str()?.parse().ok() };
    let mut readings = Vec::new();
    if let Some(date) = day(Kind::Date, None) {
        readings.push(Reading::Date(date));
    }
    if let (Some(start), Some(end)) =
        (day(Kind::Range, Some(Part::Start)), day(Kind::Range, Some(Part::End)))
        && let Ok(end) = end.tomorrow()
    {
        readings.push(Reading::Range(Moment::Date(start), Moment::Date(end)));
    }
    if let (Some(start), Some(end)) = (
        part(Kind::Range, Some(Part::Start)).and_then(instant),
        part(Kind::Range, Some(Part::End)).and_then(instant),
    ) {
        readings.retain(|reading| !matches!(reading, Reading::Range(..)));
        readings.push(Reading::Range(Moment::Instant(start), Moment::Instant(end)));
    }
    readings
}

/// An instant in RFC 3339, in its own offset.
fn instant(value: &Json) -> Option<Zoned> {
    let text = value.as_str()?;
    let pieces = DateTimeParser::new().parse_pieces(text).ok()?;
    let zone = TimeZone::fixed(pieces.to_numeric_offset()?);
    Some(text.parse::<Timestamp>().ok()?.to_zoned(zone))
}

/// A box, where a value is one.
pub(crate) fn four(value: &Json) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Json::as_f64).collect();
    numbers.try_into().ok()
}

/// The values that words of reference stand for: the place of the last call, where the words name
/// none themselves, and a day counted from its day. A conversation adds nothing else to the text
/// that is classified.
pub(crate) fn referred(
    pack: &Pack,
    text: &Text,
    values: &[Value],
    language: Language,
    past: &[PastCall],
) -> Vec<Value> {
    let Some(last) = past.last() else { return Vec::new() };
    let place = referred_place(text, values, language, || recalled_places(pack, last));
    let day = referred_day(text, values, language, || recalled_times(pack, last));
    place
        .into_iter()
        .chain(day)
        .chain(referred_period(pack, text, values, language, past))
        .collect()
}

/// "The same period": the stretch of time of the latest call that was about one.
fn referred_period(
    pack: &Pack,
    text: &Text,
    values: &[Value],
    language: Language,
    past: &[PastCall],
) -> Option<Value> {
    let span = *extract::same_periods(text, values, language).first()?;
    let reading = past.iter().rev().find_map(|past| {
        let readings = recalled_times(pack, past).into_iter();
        readings.rev().find(|reading| matches!(reading, Reading::Range(..)))
    })?;
    Some(value(text, span, Kind::Range, reading))
}

fn referred_place(
    text: &Text,
    values: &[Value],
    language: Language,
    recalled: impl FnOnce() -> Vec<Reading>,
) -> Option<Value> {
    let is_place = |reading: &Reading| {
        matches!(reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
    };
    if values.iter().any(|value| is_place(&value.reading)) {
        return None;
    }
    // "And the tides?" goes on about the same place.
    let pointed = extract::references(text, values, language).first().copied();
    let span = pointed.or_else(|| extract::goes_on(text, language))?;
    let reading = recalled().into_iter().next()?;
    let kind = match reading {
        Reading::Point(_) => Kind::Point,
        Reading::Bbox(_) => Kind::Bbox,
        _ => Kind::Entity,
    };
    Some(value(text, span, kind, reading))
}

/// "The day before": counted from the day of the last call.
fn referred_day(
    text: &Text,
    values: &[Value],
    language: Language,
    recalled: impl FnOnce() -> Vec<Reading>,
) -> Option<Value> {
    let (span, days) = *extract::day_shifts(text, values, language).first()?;
    let day = recalled().into_iter().find_map(|reading| match reading {
        Reading::Date(day) => Some(day),
        _ => None,
    })?;
    let day = day.checked_add(i64::from(days).days()).ok()?;
    Some(value(text, span, Kind::Date, Reading::Date(day)))
}

fn value(text: &Text, span: Span, kind: Kind, reading: Reading) -> Value {
    let words = text.slice(span).to_owned();
    Value { kind, span, text: words, rule: REFERENCE.into(), reading, alternatives: Vec::new() }
}
