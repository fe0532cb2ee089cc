//! The JSON Schemas of the ocean tools.
//!
//! Every object is closed (`additionalProperties: false`), so that a misspelled argument is
//! refused instead of ignored.

use serde_json::{Map, Value, json};

pub(super) fn point_value_input() -> Value {
    let properties = json!({
        "longitude": longitude(),
        "latitude": latitude(),
        "date": day("The day, `YYYY-MM-DD`. Absent: the latest day with data."),
        "fields": fields(),
        "method": method(),
    });
    closed(properties, &["longitude", "latitude"])
}

pub(super) fn point_value_output() -> Value {
    let properties = json!({
        "region": position(),
        "date": day("The day the values are of."),
        "sst": celsius("Sea surface temperature in °C, if asked for."),
        "sst_anomaly": celsius("Difference to the climatology in °C, if asked for."),
        "requested_date": day("The day asked for, if `nearest` moved it."),
        "method": {"const": "nearest", "description": "Present if `nearest` moved the day."},
    });
    synthetic(properties, &["region", "date"])
}

pub(super) fn bbox_mean_input() -> Value {
    let properties = json!({
        "bbox": bbox(),
        "date": day("The day, `YYYY-MM-DD`. Absent: the latest day with data."),
        "fields": fields(),
        "method": method(),
    });
    closed(properties, &["bbox"])
}

pub(super) fn bbox_mean_output() -> Value {
    let properties = json!({
        "region": bbox(),
        "date": day("The day the values are of."),
        "sst": celsius("Mean sea surface temperature in °C, if asked for."),
        "sst_anomaly": celsius("Mean difference to the climatology in °C, if asked for."),
        "sample": sample(),
        "requested_date": day("The day asked for, if `nearest` moved it."),
        "method": {"const": "nearest", "description": "Present if `nearest` moved the day."},
    });
    synthetic(properties, &["region", "date", "sample"])
}

pub(super) fn timeseries_input() -> Value {
    let properties = json!({
        "bbox": bbox(),
        "start": day("The first day, `YYYY-MM-DD`, included."),
        "end": day("The last day, `YYYY-MM-DD`, included; at most 366 days in all."),
        "stat": {
            "type": "string",
            "enum": ["mean", "min", "max"],
            "default": "mean",
            "description": "What `sst` and `sst_anomaly` say about the daily means.",
        },
        "fields": fields(),
    });
    closed(properties, &["bbox", "start", "end"])
}

pub(super) fn timeseries_output() -> Value {
    let one_day = json!({
        "date": day("The day."),
        "sst": celsius("The box mean of that day in °C."),
        "sst_anomaly": celsius("The box mean of that day's anomaly in °C."),
    });
    let properties = json!({
        "region": bbox(),
        "start": day("The first day of the series."),
        "end": day("The last day of the series."),
        "stat": {"type": "string", "enum": ["mean", "min", "max"]},
        "series": {"type": "array", "items": closed(one_day, &["date"]), "minItems": 1},
        "sst": celsius("The statistic of the daily means in °C, if asked for."),
        "sst_anomaly": celsius("The statistic of the daily anomalies in °C, if asked for."),
        "sample": sample(),
        "requested_start": day("The start asked for, if the data begin later."),
        "requested_end": day("The end asked for, if the data end earlier."),
    });
    synthetic(properties, &["region", "start", "end", "stat", "series", "sample"])
}

pub(super) fn tide_input() -> Value {
    let properties = json!({
        "longitude": longitude(),
        "latitude": latitude(),
        "tz": {
            "type": ["string", "number"],
            "minLength": 1,
            "description": "Time zone of the answer: an IANA name, an offset such as `+08:00`, \
                            hours such as 8 or -5.5, or `Z`.",
        },
        "date": day("The local day, `YYYY-MM-DD`. Absent: the day of `query_time`."),
        "query_time": {
            "type": "string",
            "minLength": 1,
            "description": "The moment of the question in ISO 8601, in `tz` if it has no \
                            offset. Absent: now.",
        },
        "station_id": {
            "type": "string",
            "description": "Accepted for compatibility; the position decides.",
        },
    });
    closed(properties, &["longitude", "latitude", "tz"])
}

pub(super) fn tide_output() -> Value {
    let properties = json!({
        "region": position(),
        "date": day("The local day."),
        "timezone": {"type": "string", "description": "The offset from UTC at noon of the day."},
        "tz_name": {"type": "string", "description": "The IANA name, if one was given."},
        "reference": {"type": "string", "description": "Where the tide comes from."},
        "sun": times(&["rise", "set", "transit", "begin_civil_twilight", "end_civil_twilight"]),
        "moon": times(&["rise", "set", "transit"]),
        "moonphase": moonphase(),
        "tide": tide(),
        "messages": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "backend": closed(
            json!({"usno_status": {"type": "string"}, "tide_api_status": {"type": "string"}}),
            &["usno_status", "tide_api_status"],
        ),
    });
    let required = [
        "region",
        "date",
        "timezone",
        "reference",
        "sun",
        "moon",
        "moonphase",
        "tide",
        "messages",
        "backend",
    ];
    synthetic(properties, &required)
}

fn tide() -> Value {
    let height = json!({"type": "number", "description": "Height above mean sea level in cm."});
    let extreme = closed(json!({"time": time(), "height_cm": height}), &["time", "height_cm"]);
    let named = closed(
        json!({"type": {"enum": ["HIGH", "LOW"]}, "time": time(), "height_cm": height}),
        &["type", "time", "height_cm"],
    );
    let duration = json!({"type": "string", "description": "`HH:MM:SS`."});
    let properties = json!({
        "highs": {"type": "array", "items": extreme},
        "lows": {"type": "array", "items": extreme},
        "state_now": {"type": "string", "enum": ["rising", "falling"]},
        "since_extreme": duration,
        "until_extreme": duration,
        "last_extreme": named,
        "next_extreme": named,
    });
    closed(properties, &["highs", "lows"])
}

fn moonphase() -> Value {
    let phase = json!({"type": "string", "description": "Such as `Waning Gibbous`."});
    let closest = closed(json!({"phase": phase, "time": time()}), &["phase", "time"]);
    let properties = json!({
        "current": phase,
        "illumination": {"type": "string", "description": "The lit part of the disk, such as `98%`."},
        "closest": closest,
    });
    closed(properties, &["current", "illumination", "closest"])
}

/// An object of times that may be null: the sun does not rise every day everywhere.
fn times(names: &[&str]) -> Value {
    let one = json!({
        "type": ["string", "null"],
        "description": "Local time in ISO 8601 with its offset; null if it does not happen that day.",
    });
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), one.clone())).collect();
    closed(Value::Object(properties), names)
}

fn time() -> Value {
    json!({"type": "string", "description": "Local time in ISO 8601 with its offset."})
}

fn longitude() -> Value {
    json!({"type": "number", "minimum": -180, "maximum": 180, "description": "Degrees, east positive."})
}

fn latitude() -> Value {
    json!({"type": "number", "minimum": -90, "maximum": 90, "description": "Degrees, north positive."})
}

fn position() -> Value {
    json!({
        "type": "array",
        "items": {"type": "number"},
        "minItems": 2,
        "maxItems": 2,
        "description": "[longitude, latitude] in degrees.",
    })
}

fn bbox() -> Value {
    json!({
        "type": "array",
        "items": {"type": "number", "minimum": -180, "maximum": 180},
        "minItems": 4,
        "maxItems": 4,
        "description": "[west, south, east, north] in degrees. A box across the antimeridian must \
                        be asked for in two halves.",
    })
}

fn day(description: &str) -> Value {
    json!({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "description": description})
}

fn celsius(description: &str) -> Value {
    json!({"type": ["number", "null"], "description": description})
}

fn sample() -> Value {
    json!({
        "type": "integer",
        "minimum": 1,
        "description": "Every how many cells of the 0.01° grid one was read, in each direction.",
    })
}

fn fields() -> Value {
    json!({
        "type": "array",
        "items": {"type": "string", "enum": ["sst", "sst_anomaly"]},
        "minItems": 1,
        "uniqueItems": true,
        "default": ["sst"],
        "description": "Which values to return.",
    })
}

fn method() -> Value {
    json!({
        "type": "string",
        "enum": ["exact", "nearest"],
        "default": "exact",
        "description": "`nearest` takes the nearest day with data, up to 7 days away.",
    })
}

/// A closed result object that says it is synthetic.
fn synthetic(mut properties: Value, required: &[&str]) -> Value {
    properties["synthetic"] = json!({"const": true});
    properties["note"] = json!({"type": "string"});
    closed(properties, &[required, &["synthetic", "note"]].concat())
}

#[expect(clippy::needless_pass_by_value, reason = "`json!` would only copy it")]
fn closed(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
