//! The ocean tools as a caller sees them: arguments in, result or failure out.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{PACK, tools};
use crate::pack::{Context, Failure};
use crate::{schema, server};

const TAIWAN: [f64; 4] = [118.0, 20.0, 123.5, 26.5];

fn context() -> Context {
    Context {
        today: Date::constant(2025, 11, 6),
        now: "2025-11-06T10:30:00[Asia/Taipei]".parse().expect("a moment"),
        no_data: false,
        memory: Default::default(),
        ring: Default::default(),
    }
}

/// Calls a tool; a result must fit the tool's output schema.
fn call(name: &str, arguments: &Value) -> Result<Value, Failure> {
    call_in(name, arguments, &context())
}

fn call_in(name: &str, arguments: &Value, context: &Context) -> Result<Value, Failure> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    let result = server::call(tool, arguments.as_object().expect("an object"), context)?.result;
    schema::check(&tool.output, &result, "result").expect("should fit the output schema");
    Ok(result)
}

fn refused(name: &str, arguments: &Value, code: &str, message: &str) {
    let failure = call(name, arguments).expect_err("should be refused");
    assert_eq!(failure.code, code, "{}", failure.message);
    assert!(failure.message.contains(message), "{}", failure.message);
}

#[test]
fn the_pack_names_its_tools() {
    let names: Vec<_> = tools().iter().map(|tool| tool.name).collect();
    assert_eq!(PACK.name, "ocean");
    assert_eq!(
        names,
        ["ghrsst.point_value", "ghrsst.bbox_mean", "ghrsst.bbox_mean_timeseries", "tide.forecast"]
    );
}

#[test]
fn taiwan_is_warm_in_november() {
    let arguments = json!({"bbox": TAIWAN, "date": "2025-11-05", "fields": ["sst", "sst_anomaly"]});
    let result = call("ghrsst.bbox_mean", &arguments).expect("a result");
    let sst = result["sst"].as_f64().expect("a number");
    assert!((25.9..26.9).contains(&sst), "{sst}");
    assert!(result["sst_anomaly"].as_f64().expect("a number").abs() < 2.0);
    assert_eq!(result["date"], "2025-11-05");
    assert_eq!(result["synthetic"], true);
    assert_eq!(result["region"], json!(TAIWAN));
}

#[test]
fn today_has_no_data_yet() {
    let message = "Data not exist, available date is 2002-06-01/2025-11-05";
    let arguments = json!({"bbox": TAIWAN, "date": "2025-11-06"});
    refused("ghrsst.bbox_mean", &arguments, "NOT_FOUND", message);
    let arguments = json!({"longitude": 121.7, "latitude": 24.0, "date": "2001-01-01"});
    refused("ghrsst.point_value", &arguments, "NOT_FOUND", message);
    let arguments = json!({"bbox": TAIWAN, "start": "2025-11-06", "end": "2025-11-08"});
    refused("ghrsst.bbox_mean_timeseries", &arguments, "NOT_FOUND", message);
}

#[test]
fn no_day_means_the_latest() {
    let result = call("ghrsst.point_value", &json!({"longitude": 121.7, "latitude": 24}));
    let result = result.expect("a result");
    assert_eq!(result["date"], "2025-11-05");
    assert!(result.get("sst").is_some() && result.get("sst_anomaly").is_none());
}

#[test]
fn nearest_moves_the_day_by_up_to_a_week() {
    let ask = |date: &str| {
        let arguments =
            json!({"longitude": 123, "latitude": 23, "date": date, "method": "nearest"});
        call("ghrsst.point_value", &arguments)
    };
    let moved = ask("2025-11-12").expect("a result");
    assert_eq!(moved["date"], "2025-11-05");
    assert_eq!(moved["requested_date"], "2025-11-12");
    assert_eq!(moved["method"], "nearest");
    let kept = ask("2025-11-05").expect("a result");
    assert!(kept.get("requested_date").is_none() && kept.get("method").is_none());
    assert_eq!(ask("2025-11-13").expect_err("too far").code, "NOT_FOUND");
    assert_eq!(ask("2002-05-28").expect("a result")["date"], "2002-06-01");
}

#[test]
fn wrong_arguments_are_refused() {
    let invalid = "INVALID_ARGUMENT";
    let point = "ghrsst.point_value";
    refused(point, &json!({"longitude": 1, "latitude": 2, "depth": 3}), invalid, "key `depth`");
    refused(point, &json!({"longitude": 1}), invalid, "lacks `latitude`");
    refused(point, &json!({"longitude": 1, "latitude": 95.2}), invalid, "above 90");
    for date in ["20251105", "2025-02-30", "yesterday", "2025-11-5", "2025-11-05T00:00"] {
        let arguments = json!({"longitude": 1, "latitude": 2, "date": date});
        refused(point, &arguments, invalid, "`YYYY-MM-DD`");
    }
    let bbox = "ghrsst.bbox_mean";
    refused(bbox, &json!({"bbox": "taiwan_nearby"}), invalid, "must be array");
    refused(bbox, &json!({"bbox": [118, 20, 123]}), invalid, "4 items");
    refused(bbox, &json!({"bbox": [118, 20, 118, 26]}), invalid, "cover an area");
    refused(bbox, &json!({"bbox": [118, 20, 119, 20]}), invalid, "cover an area");
    refused(bbox, &json!({"bbox": [20, 118, 26, 123]}), invalid, "latitude `118`");
    refused(bbox, &json!({"bbox": [170, -20, -170, -10]}), invalid, "antimeridian");
    refused(bbox, &json!({"bbox": TAIWAN, "fields": ["salinity"]}), invalid, "fields[0]");
    let series = "ghrsst.bbox_mean_timeseries";
    let span = |start: &str, end: &str| json!({"bbox": TAIWAN, "start": start, "end": end});
    refused(series, &span("2025-11-05", "2025-11-04"), invalid, "is after");
    refused(series, &span("2024-01-01", "2025-01-01"), invalid, "367 days");
}

#[test]
fn south_and_north_may_come_in_either_order() {
    let upside_down = json!({"bbox": [118.0, 26.5, 123.5, 20.0], "date": "2025-11-05"});
    let upright = json!({"bbox": TAIWAN, "date": "2025-11-05"});
    assert_eq!(call("ghrsst.bbox_mean", &upside_down), call("ghrsst.bbox_mean", &upright));
}

#[test]
fn large_and_thin_boxes_are_sampled() {
    let stride = |bbox: [f64; 4]| {
        let result = call("ghrsst.bbox_mean", &json!({"bbox": bbox})).expect("a result");
        result["sample"].as_u64().expect("a number")
    };
    assert_eq!(stride([121.0, 24.0, 121.2, 24.2]), 1);
    assert_eq!(stride(TAIWAN), 12);
    assert!(stride([-180.0, -90.0, 180.0, 90.0]) >= 500);
    assert!(stride([-180.0, 0.0, 180.0, 0.005]) >= 14);
}

#[test]
fn a_series_has_each_day_and_its_statistic() {
    let ask = |stat: &str| {
        let arguments = json!({
            "bbox": TAIWAN, "start": "2025-11-03", "end": "2025-11-09", "stat": stat,
            "fields": ["sst", "sst_anomaly"],
        });
        call("ghrsst.bbox_mean_timeseries", &arguments).expect("a result")
    };
    let result = ask("max");
    let series = result["series"].as_array().expect("a list");
    let days: Vec<_> = series.iter().map(|day| day["date"].as_str().expect("a day")).collect();
    assert_eq!(days, ["2025-11-03", "2025-11-04", "2025-11-05"]);
    assert_eq!(
        (&result["end"], &result["requested_end"]),
        (&json!("2025-11-05"), &json!("2025-11-09"))
    );
    assert!(result.get("requested_start").is_none());
    let values = || series.iter().map(|day| day["sst"].as_f64().expect("a number"));
    let largest = values().fold(f64::MIN, f64::max);
    assert_eq!(result["sst"].as_f64(), Some(largest));
    let mean = ask("mean")["sst"].as_f64().expect("a number");
    assert!((mean - values().sum::<f64>() / 3.0).abs() < 0.002);
    assert!(ask("min")["sst"].as_f64().expect("a number") <= mean);
    let day = call("ghrsst.bbox_mean", &json!({"bbox": TAIWAN, "date": "2025-11-03"}));
    assert_eq!(day.expect("a result")["sst"], series[0]["sst"]);
}

#[test]
fn the_fault_not_found_leaves_no_day() {
    let context = Context { no_data: true, ..context() };
    let arguments = json!({"longitude": 121.7, "latitude": 24, "date": "2025-11-01"});
    let failure = call_in("ghrsst.point_value", &arguments, &context).expect_err("no data");
    assert_eq!(failure.code, "NOT_FOUND");
}

#[test]
fn a_tide_forecast_for_today_says_where_the_tide_stands() {
    let arguments = json!({"longitude": 121.5, "latitude": 25.0, "tz": "Asia/Taipei"});
    let result = call("tide.forecast", &arguments).expect("a result");
    assert_eq!(result["date"], "2025-11-06");
    assert_eq!(result["timezone"], "+08:00");
    assert_eq!(result["tz_name"], "Asia/Taipei");
    let tide = &result["tide"];
    let (last, next) = (&tide["last_extreme"], &tide["next_extreme"]);
    let rising = tide["state_now"] == "rising";
    assert_eq!(next["type"], if rising { "HIGH" } else { "LOW" });
    assert_eq!(last["type"], if rising { "LOW" } else { "HIGH" });
    assert!(last["time"].as_str() < Some("2025-11-06T10:30:00+08:00"));
    assert!(next["time"].as_str() > Some("2025-11-06T10:30:00+08:00"));
    for time in [&result["sun"]["rise"], &tide["highs"][0]["time"], &tide["lows"][0]["time"]] {
        let time = time.as_str().expect("a time");
        assert!(time.starts_with("2025-11-06T") && time.ends_with("+08:00"), "{time}");
    }
    assert_eq!(result["moonphase"]["current"], "Waning Gibbous");
    assert_eq!(result["moonphase"]["closest"]["phase"], "Full Moon");
    assert_eq!(result["messages"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_tide_forecast_for_another_day_has_no_now() {
    let arguments = json!({
        "longitude": 121.428_611_5, "latitude": 25.207_957_7, "tz": "+08:00", "date": "2025-11-25",
        "query_time": "2025-11-06T02:30:00Z",
    });
    let result = call("tide.forecast", &arguments).expect("a result");
    assert_eq!(result["date"], "2025-11-25");
    assert!(result["tide"].get("state_now").is_none() && result.get("tz_name").is_none());
}

#[test]
fn the_day_of_a_tide_forecast_is_the_local_day_of_the_question() {
    let ask = |tz: Value, query_time: &str| {
        let arguments = json!({"longitude": 0, "latitude": 0, "tz": tz, "query_time": query_time});
        call("tide.forecast", &arguments).expect("a result")
    };
    assert_eq!(ask(json!(8), "2025-11-05T20:00:00Z")["date"], "2025-11-06");
    assert_eq!(ask(json!(-5.5), "2025-11-06T02:00:00Z")["date"], "2025-11-05");
    assert_eq!(ask(json!("America/New_York"), "2025-11-06T02:00")["date"], "2025-11-06");
    let utc = ask(json!("Z"), "2025-11-06T02:00:00Z");
    assert!(utc["messages"][0].as_str().expect("text").contains("UTC"));
}

#[test]
fn a_polar_day_has_no_sunrise() {
    let arguments = json!({
        "longitude": 15.65, "latitude": 78.22, "tz": "Arctic/Longyearbyen", "date": "2025-06-21",
    });
    let sun = &call("tide.forecast", &arguments).expect("a result")["sun"];
    assert_eq!((&sun["rise"], &sun["set"]), (&Value::Null, &Value::Null));
    assert_eq!(sun["begin_civil_twilight"], Value::Null);
    assert!(sun["transit"].is_string());
}

#[test]
fn wrong_tide_arguments_are_refused() {
    let invalid = "INVALID_ARGUMENT";
    let refused = |extra: (&str, Value), message: &str| {
        let mut arguments = json!({"longitude": 121.5, "latitude": 25.0, "tz": "Z"});
        arguments[extra.0] = extra.1;
        refused("tide.forecast", &arguments, invalid, message);
    };
    refused(("tz", json!("Mars/Olympus")), "`tz`");
    refused(("query_time", json!("soon")), "`query_time`");
    refused(("date", json!("0001-01-01")), "outside the years");
    refused(("place", json!("Taipei")), "key `place`");
}
