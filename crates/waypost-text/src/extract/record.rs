//! A value as the outside sees it: the canonical forms of `waypost parse`.

use serde_json::{Map, Value as Json, json};

use super::value::{Fault, Interval, Moment, Reading, Recurrence, Value};

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
    record.insert("rule".into(), json!(value.rule.to_string()));
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
        Reading::Recurring(rhythm) => recurrence(rhythm),
        Reading::Duration(length) => json!(length.0.to_string()),
        Reading::Number(number) => json_number(*number),
        Reading::Ordinal(place) => json!(place),
        Reading::Step(offset) => json!({"offset": offset, "from": "current"}),
        Reading::Quantity { value, unit, dimension } => {
            json!({"value": json_number(*value), "unit": unit.to_string(), "dimension": dimension})
        }
        Reading::Money { value, currency } => {
            json!({"value": json_number(*value), "currency": currency})
        }
        Reading::Boolean(answer) => json!(answer),
        Reading::Point(point) => json!({
            "longitude": json_number(point.longitude),
            "latitude": json_number(point.latitude),
        }),
        Reading::Bbox(sides) => Json::Array(sides.iter().copied().map(json_number).collect()),
        Reading::Entity { gazetteer, key, relation } => {
            json!({"gazetteer": gazetteer, "key": key, "relation": relation})
        }
        Reading::Text(words) => json!(words),
        Reading::Interval(ends) => Json::Object(interval(ends)),
        Reading::QuantityInterval { ends, unit, dimension } => {
            let mut record = interval(ends);
            record.insert("unit".into(), json!(unit.to_string()));
            record.insert("dimension".into(), json!(dimension));
            Json::Object(record)
        }
        Reading::MoneyInterval { ends, currency } => {
            let mut record = interval(ends);
            record.insert("currency".into(), json!(currency));
            Json::Object(record)
        }
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
            Fault::BoxReversed => "box_reversed",
            Fault::RangeReversed => "range_reversed",
        }
    }
}

/// Writes the rhythm as the words say it: `{"every": 1, "unit": "week", "weekday": 1}`.
fn recurrence(rhythm: &Recurrence) -> Json {
    let (every, unit) = rhythm.every;
    let mut record = Map::new();
    record.insert("every".into(), json!(every));
    record.insert("unit".into(), json!(unit.to_string()));
    if let Some(weekday) = rhythm.weekday {
        record.insert("weekday".into(), json!(weekday));
    }
    if let Some(time) = rhythm.time {
        record.insert("time".into(), canonical(&Reading::Time(time)));
    }
    Json::Object(record)
}

fn moment(moment: &Moment) -> Json {
    match moment {
        Moment::Date(date) => json!(date.to_string()),
        Moment::Instant(instant) => json!(rfc3339(instant)),
        Moment::Open => Json::Null,
    }
}

fn interval(ends: &Interval) -> Map<String, Json> {
    let mut record = Map::new();
    record.insert("low".into(), json!(ends.low.map(json_number)));
    record.insert("low_included".into(), json!(ends.low_included));
    record.insert("high".into(), json!(ends.high.map(json_number)));
    record.insert("high_included".into(), json!(ends.high_included));
    record
}

fn rfc3339(instant: &jiff::Zoned) -> String {
    instant.timestamp().display_with_offset(instant.offset()).to_string()
}

/// Whole numbers are written without a fraction: 25, not 25.0.
fn json_number(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
