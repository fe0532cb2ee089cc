//! A value as the outside sees it: the canonical forms of `waypost parse`.

use serde_json::{Map, Value as Json, json};

use super::value::{Fault, Moment, Reading, Value};

/// The record of a value: kind, words, position, canonical value, rule.
///
/// A value that cannot be (February 30th) has `"value": null` and a `"fault"` that says why.
pub fn record(value: &Value) -> Json {
    let mut record = Map::new();
    record.insert("kind".into(), json!(value.kind.name()));
    record.insert("text".into(), json!(value.text));
    record.insert("start".into(), json!(value.span.start));
    record.insert("end".into(), json!(value.span.end));
    record.insert("value".into(), canonical(&value.reading));
    if let Reading::Fault(fault) = &value.reading {
        record.insert("fault".into(), json!(fault.name()));
    }
    if !value.alternatives.is_empty() {
        let others: Vec<Json> = value.alternatives.iter().map(canonical).collect();
        record.insert("alternatives".into(), Json::Array(others));
    }
    record.insert("rule".into(), json!(value.rule));
    Json::Object(record)
}

/// The canonical form of a reading; a fault has none.
pub fn canonical(reading: &Reading) -> Json {
    match reading {
        Reading::Date(date) => json!(date.to_string()),
        Reading::Time(time) if time.second() == 0 => json!(time.strftime("%H:%M").to_string()),
        Reading::Time(time) => json!(time.to_string()),
        Reading::Datetime(instant) => json!(rfc3339(instant)),
        Reading::Range(start, end) => json!({"start": moment(start), "end": moment(end)}),
        Reading::Duration(length) => json!(length.0.to_string()),
        Reading::Number(number) => json_number(*number),
        Reading::Ordinal(place) => json!(place),
        Reading::Boolean(answer) => json!(answer),
        Reading::Point(point) => json!({
            "longitude": json_number(point.longitude),
            "latitude": json_number(point.latitude),
        }),
        Reading::Bbox(sides) => Json::Array(sides.iter().copied().map(json_number).collect()),
        Reading::Entity { gazetteer, key, relation } => {
            json!({"gazetteer": gazetteer, "key": key, "relation": relation})
        }
        Reading::Quoted(words) => json!(words),
        Reading::Fault(_) => Json::Null,
    }
}

impl Fault {
    /// The name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Fault::NoSuchDate => "no_such_date",
            Fault::NoSuchTime => "no_such_time",
            Fault::LongitudeRange => "longitude_range",
            Fault::LatitudeRange => "latitude_range",
            Fault::EmptyBox => "empty_box",
            Fault::RangeReversed => "range_reversed",
        }
    }
}

fn moment(moment: &Moment) -> String {
    match moment {
        Moment::Date(date) => date.to_string(),
        Moment::Instant(instant) => rfc3339(instant),
    }
}

fn rfc3339(instant: &jiff::Zoned) -> String {
    instant.timestamp().display_with_offset(instant.offset()).to_string()
}

/// Whole numbers are written without a fraction: 25, not 25.0.
fn json_number(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
