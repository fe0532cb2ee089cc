//! The accelerator's tools as a caller sees them: arguments in, result and pictures or failure out.

use serde_json::{Value, json};

use super::channels::{self, Channel, Kind};
use super::shelf::Shelf;
use super::words;
use super::{PACK, expression, tools};
use crate::pack::{Context, Failure, Reply};
use crate::picture::fault_of;
use crate::{schema, server};

/// The largest picture that is still quick to look at, in bytes.
const LARGEST: usize = 200 * 1024;

/// A server at 09:00 of the site, seven hours after a fill.
fn context() -> Context {
    let now: jiff::Zoned = "2026-03-18T09:00:00[Asia/Taipei]".parse().expect("a moment");
    Context {
        today: now.date(),
        now,
        no_data: false,
        memory: std::sync::Arc::default(),
        ring: std::sync::Arc::default(),
    }
}

/// Calls a tool of a server; a result must fit the tool's output schema and say that it is
/// simulated, a picture must be one.
fn reply_in(name: &str, arguments: &Value, context: &Context) -> Result<Reply, Failure> {
    let tools = tools();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    let reply = server::call(tool, arguments.as_object().expect("an object"), context)?;
    let fits = schema::check(&tool.output, &reply.result, "result");
    assert_eq!(fits, Ok(()), "{name} {arguments}: {}", reply.result);
    assert_eq!(reply.result["simulated"], true);
    assert_eq!(reply.result["synthetic"], true);
    for picture in &reply.pictures {
        assert_eq!(fault_of(&picture.svg), None);
        assert!(picture.svg.len() < LARGEST && picture.svg.contains("Source: synthetic data"));
    }
    Ok(reply)
}

fn call_in(name: &str, arguments: &Value, context: &Context) -> Value {
    reply_in(name, arguments, context).expect("a result").result
}

fn call(name: &str, arguments: &Value) -> Value {
    call_in(name, arguments, &context())
}

fn refused(name: &str, arguments: &Value, context: &Context, code: &str, message: &str) {
    let failure = reply_in(name, arguments, context).expect_err("should be refused");
    assert_eq!(failure.code, code, "{}", failure.message);
    assert!(failure.message.contains(message), "{}", failure.message);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let entries = value.as_array().expect("a list").iter();
    entries.map(|entry| entry[key].as_str().expect("a text").to_owned()).collect()
}

/// The value of one channel now.
fn value(channel: &str, context: &Context) -> Value {
    call_in("channel_read", &json!({"channel": channel}), context)["values"][0]["value"].clone()
}

fn set(channel: &str, to: impl Into<Value>, context: &Context) -> Value {
    let to = to.into();
    let key = if to.is_string() { "state" } else { "value" };
    call_in("channel_write", &json!({"channel": channel, key: to}), context)
}

/// A call of each tool.
fn calls() -> Vec<(&'static str, Value)> {
    let day = json!({
        "channel": "RING:BEAM:CURRENT",
        "start": "2026-03-17T00:00:00+08:00",
        "end": "2026-03-17T23:59:00+08:00",
    });
    let data = json!([
        {"address": "A", "unit": "mA", "points": [
            ["2026-03-17T00:00:00+08:00", 1.0], ["2026-03-17T01:00:00+08:00", 3.0],
        ]},
        {"address": "B", "value": 2.5, "unit": "mm", "at": "2026-03-17T01:00:00+08:00"},
    ]);
    vec![
        ("channel_finding", json!({"task": "pressure of sector 3"})),
        ("time_range_parsing", json!({"task": "today"})),
        ("channel_read", json!({"addresses": ["RING:TUNE:X", "VAC:S1:VALVE"]})),
        ("archiver_retrieval", day),
        ("python", json!({"task": "plot it", "data": data})),
        ("channel_write", json!({"channel": "MAG:QF1:CURRENT", "value": 118.5})),
        ("memory", json!({"task": "save this: QF2 drifts", "user_id": "ana"})),
        ("logbook_search", json!({"task": "RF trip"})),
        ("current_weather", json!({"location": "Hsinchu"})),
        ("state_manager", json!({"task": "what have you gathered", "session_id": "s"})),
    ]
}

#[test]
fn every_tool_answers_and_says_the_same_again() {
    let names: Vec<_> = tools().iter().map(|tool| tool.name).collect();
    let called: Vec<_> = calls().iter().map(|(name, _)| *name).collect();
    assert_eq!((PACK.name, PACK.writers), ("accelerator", &["channel_write"][..]));
    assert!(PACK.instructions.contains("simulated"));
    assert_eq!(called, names);
    for (name, arguments) in calls() {
        let first = reply_in(name, &arguments, &context());
        assert!(first.is_ok(), "{name}: {first:?}");
        assert_eq!(first, reply_in(name, &arguments, &context()), "{name}");
    }
}

#[test]
fn the_fault_not_found_leaves_no_ring() {
    let context = Context { no_data: true, ..context() };
    for (name, arguments) in calls() {
        let failed = reply_in(name, &arguments, &context).err().map(|failure| failure.code);
        let own = ["time_range_parsing", "python", "memory", "state_manager"].contains(&name);
        assert_eq!(failed, (!own).then_some("NOT_FOUND"), "{name}");
    }
}

/// The entries of the pack's file: a key, its unit, and what may be set of it without spaces and
/// quotes. The file has one of each on a line of its own.
fn entries_of_the_pack() -> Vec<(String, String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/accelerator/channels.yaml");
    let text = std::fs::read_to_string(path).expect("the pack's channels");
    let mut entries: Vec<(String, String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(unit) = line.strip_prefix("    unit: ") {
            entries.last_mut().expect("a key").1 = unit.trim_matches(['\'', '"']).to_owned();
        } else if let Some(settable) = line.strip_prefix("    settable: ") {
            entries.last_mut().expect("a key").2 = settable.replace([' ', '\'', '"'], "");
        } else if let Some(key) = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'))
            && !key.starts_with(' ')
        {
            entries.push((key.to_owned(), String::new(), String::new()));
        }
    }
    entries
}

/// The settings that a channel takes, as the pack's file has them.
fn settable(channel: &Channel) -> String {
    let lock = if channel.interlocked { ",locked_by:permit_missing" } else { "" };
    match channel.kind {
        Kind::Measured(_) => String::new(),
        Kind::Number { least, most, .. } => format!("{{least:{least},most:{most}{lock}}}"),
        Kind::Word([one, other]) => format!("{{words:[{one},{other}]{lock}}}"),
    }
}

#[test]
fn the_table_is_that_of_the_pack() {
    let entries = entries_of_the_pack();
    assert!(entries.len() > 100, "{}", entries.len());
    for (key, unit, limits) in &entries {
        let named = channels::named(key).expect("a channel");
        assert_eq!(named.len() > 1, key.contains('*'), "{key}");
        for channel in named {
            assert_eq!((channel.unit, &settable(channel)), (unit.as_str(), limits), "{key}");
        }
    }
    for channel in channels::all() {
        let address = &channel.address;
        assert!(entries.iter().any(|(key, ..)| key == address), "{address} is not in the pack");
    }
}

#[test]
fn every_setting_begins_within_its_limits_and_with_beam() {
    for channel in channels::all() {
        let reading = channel.initial().map(channels::Reading::json);
        if let (Kind::Number { least, most, .. }, Some(initial)) = (channel.kind, reading) {
            assert!((least..=most).contains(&number(&initial)), "{}", channel.address);
        }
    }
    let current = number(&value("RING:BEAM:CURRENT", &context()));
    assert!((80.0..140.0).contains(&current), "{current}");
    let lifetime = number(&value("RING:BEAM:LIFETIME", &context()));
    assert!((7.0..14.0).contains(&lifetime), "{lifetime}");
    let pressure = number(&value("VAC:S3:PRESSURE", &context()));
    assert!((5e-10..5e-9).contains(&pressure), "{pressure}");
    assert_eq!(value("SAFETY:PERMIT", &context()), "granted");
}

#[test]
fn channels_are_found_by_a_star_and_by_words() {
    let found = |arguments: Value| {
        let result = call("channel_finding", &arguments);
        texts(&result["channels"], "address")
    };
    assert_eq!(found(json!({"channel": "BPM:*"})).len(), 16);
    assert_eq!(found(json!({"channel": "MAG:*C*:CURRENT"})).len(), 16);
    assert_eq!(found(json!({"channel": "ring:tune:*"})), ["RING:TUNE:X", "RING:TUNE:Y"]);
    assert_eq!(found(json!({"channel": "*"})).len(), channels::all().len());
    assert_eq!(found(json!({"task": "pressure of sector 3"})), ["VAC:S3:PRESSURE"]);
    assert_eq!(found(json!({"task": "horizontal correctors"})).len(), 8);
    assert_eq!(found(json!({"task": "the gate valves, please"})).len(), 8);
    assert_eq!(found(json!({"task": "第3區的真空壓力"})), ["VAC:S3:PRESSURE"]);
    assert_eq!(found(json!({"task": "nhiệt độ đường hầm"})), ["TUNNEL:TEMPERATURE"]);
    assert_eq!(found(json!({"task": "temperatura del túnel"})), ["TUNNEL:TEMPERATURE"]);
    let context = context();
    let task = json!({"task": "banana bread"});
    refused("channel_finding", &task, &context, "NOT_FOUND", "name a device");
    let channel = json!({"channel": "BPM:9:X"});
    refused("channel_finding", &channel, &context, "NOT_FOUND", "`BPM:9:X`");
    refused("channel_finding", &json!({}), &context, "INVALID_ARGUMENT", "missing");
}

#[test]
fn a_period_is_a_day_where_nothing_is_said() {
    let period = call("time_range_parsing", &json!({}));
    assert_eq!(period["start"], "2026-03-17T09:00:00+08:00");
    assert_eq!(period["end"], "2026-03-18T09:00:00+08:00");
    assert_eq!(period["assumed"], true);
    let given = json!({"start": "2026-03-17T00:00:00Z", "end": "2026-03-17T12:00:00"});
    let period = call("time_range_parsing", &given);
    assert_eq!(period["start"], "2026-03-17T08:00:00+08:00");
    assert_eq!(period["end"], "2026-03-17T12:00:00+08:00");
    assert_eq!(period["assumed"], false);
    let context = context();
    let turned = json!({"start": "2026-03-18T00:00:00Z", "end": "2026-03-17T00:00:00Z"});
    refused("time_range_parsing", &turned, &context, "INVALID_ARGUMENT", "is after");
    let wrong = json!({"start": "yesterday"});
    refused("time_range_parsing", &wrong, &context, "INVALID_ARGUMENT", "`yesterday`");
}

#[test]
fn the_channel_that_was_said_wins_over_addresses_that_were_found() {
    let both = json!({"channel": "WATER:FLOW", "addresses": ["RING:TUNE:X"]});
    assert_eq!(texts(&call("channel_read", &both)["values"], "address"), ["WATER:FLOW"]);
    let twice = json!({"addresses": ["RING:TUNE:X", "RING:TUNE:*", "safety:permit"]});
    let read = call("channel_read", &twice);
    let addresses = texts(&read["values"], "address");
    assert_eq!(addresses, ["RING:TUNE:X", "RING:TUNE:Y", "SAFETY:PERMIT"]);
    assert_eq!((&read["data"], &read["safety_permit"]), (&read["values"], &json!(true)));
    let context = context();
    refused("channel_read", &json!({}), &context, "INVALID_ARGUMENT", "`addresses` is missing");
    refused("channel_read", &json!({"channel": "X"}), &context, "NOT_FOUND", "channel_finding");
}

#[test]
fn what_is_read_follows_from_what_is_set() {
    let context = context();
    let read = |channel: &str| number(&value(channel, &context));
    let tunes = [read("RING:TUNE:X"), read("RING:TUNE:Y")];
    let written = set("MAG:QF2:CURRENT", 121.0, &context);
    assert_eq!((&written["value"], &written["readback"]), (&json!(121.0), &json!(121.0)));
    assert!(number(&written["before"]) < 120.0 && written["unit"] == "A");
    assert_eq!(read("MAG:QF2:CURRENT"), 121.0);
    assert!(read("RING:TUNE:X") > tunes[0] + 0.01);
    assert!((read("RING:TUNE:Y") - tunes[1]).abs() < 0.001);
    let orbit = [read("BPM:1:X"), read("BPM:1:Y")];
    set("MAG:VC3:CURRENT", 5.0, &context);
    assert!((read("BPM:1:Y") - orbit[1]).abs() > 0.05);
    assert!((read("BPM:1:X") - orbit[0]).abs() < 0.01);
    let warmth = read("RF:CAVITY:TEMPERATURE");
    set("RF:CAVITY:VOLTAGE", 850.0, &context);
    assert!(read("RF:CAVITY:TEMPERATURE") < warmth - 2.0);
    // A shutter stops light and no beam, a valve stops beam.
    let dose = read("RAD:HALL:DOSE");
    set("FE:2:SHUTTER", "closed", &context);
    assert!(read("RING:BEAM:CURRENT") > 50.0 && read("RAD:HALL:DOSE") < dose);
    let before = [read("VAC:S5:PRESSURE"), read("RING:BEAM:LIFETIME"), read("RING:BEAM:CURRENT")];
    set("VAC:S5:PUMP", "off", &context);
    assert!(read("VAC:S5:PRESSURE") > 20.0 * before[0]);
    assert!(read("RING:BEAM:LIFETIME") < before[1] / 2.0);
    assert!(read("RING:BEAM:CURRENT") < before[2] / 2.0);
    set("VAC:S1:VALVE", "closed", &context);
    assert_eq!((read("RING:BEAM:CURRENT"), read("RING:BEAM:LIFETIME")), (0.0, 0.0));
    assert_eq!((read("BPM:4:X"), read("RING:TUNE:X")), (0.0, 0.0));
    // Another server is another ring.
    assert_eq!(value("VAC:S1:VALVE", &self::context()), "open");
}

#[test]
fn writes_are_held_to_limits_and_interlocks() {
    let context = context();
    let no = |arguments: Value, code: &str, message: &str| {
        refused("channel_write", &arguments, &context, code, message);
    };
    let invalid = "INVALID_ARGUMENT";
    no(json!({"value": 1}), invalid, "`channel` is missing");
    no(json!({"channel": "MAG:QF1:CURRENT"}), invalid, "0 to 300 A");
    no(json!({"channel": "MAG:QF1:CURRENT", "value": 300.5}), invalid, "outside");
    no(json!({"channel": "MAG:QF1:CURRENT", "value": -0.5}), invalid, "outside");
    no(json!({"channel": "MAG:QF1:CURRENT", "state": "on"}), invalid, "`value` is missing");
    no(json!({"channel": "MAG:QF*:CURRENT", "value": 1}), invalid, "is 4 channels");
    no(json!({"channel": "VAC:S1:VALVE", "state": "on"}), invalid, "no state");
    no(json!({"channel": "VAC:S1:VALVE", "value": 1}), invalid, "`state` is missing");
    no(json!({"channel": "FE:1:SHUTTER", "state": "ajar"}), invalid, "one of");
    no(json!({"channel": "MAG:QF9:CURRENT", "value": 1}), "NOT_FOUND", "`MAG:QF9:CURRENT`");
    let precondition = "FAILED_PRECONDITION";
    no(json!({"channel": "RING:BEAM:CURRENT", "value": 100}), precondition, "cannot be set");
    no(json!({"channel": "SAFETY:PERMIT", "state": "on"}), precondition, "cannot be set");

    set("INJ:GUN:VOLTAGE", 91.0, &context);
    set("WATER:TEMPERATURE", 38.0, &context);
    let read = call_in("channel_read", &json!({"channel": "SAFETY:*"}), &context);
    assert_eq!(read["safety_permit"], false);
    assert_eq!(value("RING:BEAM:CURRENT", &context), 0.0);
    no(json!({"channel": "INJ:GUN:VOLTAGE", "value": 90}), precondition, "interlocked");
    assert_eq!(value("INJ:GUN:VOLTAGE", &context), 91.0);
    set("WATER:TEMPERATURE", 25.0, &context);
    assert_eq!(set("INJ:GUN:VOLTAGE", 90.0, &context)["before"], 91.0);
}

#[test]
fn the_archive_is_bounded_and_has_a_trip_and_a_burst_in_a_day() {
    let context = context();
    let ask = |channel: &str, start: &str, end: &str| {
        let arguments = json!({"channel": channel, "start": start, "end": end});
        reply_in("archiver_retrieval", &arguments, &context)
    };
    let (start, end) = ("2026-03-10T00:00:00+08:00", "2026-03-11T00:00:00+08:00");
    let current = ask("RING:BEAM:CURRENT", start, end).expect("a series");
    let series = &current.result["series"][0];
    let points = series["points"].as_array().expect("points");
    assert!((400..=500).contains(&points.len()), "{}", points.len());
    assert_eq!(current.result["data"], current.result["series"]);
    assert_eq!(series["least"], 0.0);
    assert!(number(&series["most"]) > 190.0 && number(&series["mean"]) > 100.0);
    assert_eq!(current.pictures.len(), 1);
    let pressure = ask("VAC:S3:PRESSURE", start, end).expect("a series").result;
    let figures = &pressure["series"][0];
    assert!(number(&figures["most"]) > 20.0 * number(&figures["least"]), "{figures}");
    let valve = ask("VAC:S3:VALVE", start, end).expect("a series").result;
    assert_eq!(valve["series"][0]["meaning"], "1 is open, 0 is closed");
    assert_eq!(valve["series"][0]["mean"], 1.0);

    // All channels together are no more than a result can hold.
    let all = ask("*", start, end).expect("all series").result;
    let count = |one: &Value| one["points"].as_array().map_or(0, Vec::len);
    let counts: Vec<usize> = all["series"].as_array().expect("series").iter().map(count).collect();
    assert!(counts.len() == channels::all().len() && counts.iter().sum::<usize>() <= 4000);

    let year = ask("RING:BEAM:CURRENT", "2025-03-18T00:00:00Z", "2026-03-18T00:00:00Z");
    let year = year.expect("a year").result;
    assert!(year["series"][0]["points"].as_array().map_or(0, Vec::len) <= 500);
    let moment = ask("RING:BEAM:CURRENT", start, start).expect("a moment").result;
    assert_eq!(moment["series"][0]["points"].as_array().map_or(0, Vec::len), 1);
    let cut = ask("WATER:FLOW", "2026-03-18T08:00:00+08:00", "2026-03-19T00:00:00+08:00");
    assert_eq!(cut.expect("the part until now").result["end"], "2026-03-18T09:00:00+08:00");
    let failed = |start: &str, end: &str| ask("WATER:FLOW", start, end).expect_err("refused").code;
    assert_eq!(failed("2026-03-19T00:00:00Z", "2026-03-20T00:00:00Z"), "NOT_FOUND");
    assert_eq!(failed("2024-03-18T00:00:00Z", "2026-03-18T00:00:00Z"), "INVALID_ARGUMENT");
}

#[test]
fn what_is_set_now_does_not_change_the_past() {
    let context = context();
    let ask = json!({
        "channel": "MAG:QF1:CURRENT",
        "start": "2026-03-10T00:00:00Z",
        "end": "2026-03-11T00:00:00Z",
    });
    let before = call_in("archiver_retrieval", &ask, &context);
    set("MAG:QF1:CURRENT", 100.0, &context);
    assert_eq!(call_in("archiver_retrieval", &ask, &context), before);
}

/// A series of the given values, an hour apart.
fn series(address: &str, unit: &str, values: &[f64]) -> Value {
    let time = |hour: usize| format!("2026-03-17T{hour:02}:00:00Z");
    let point = |(hour, value): (usize, &f64)| json!([time(hour), value]);
    let points: Vec<Value> = values.iter().enumerate().map(point).collect();
    json!({"address": address, "unit": unit, "points": points})
}

#[test]
fn series_are_computed_and_drawn() {
    let one = series("RING:BEAM:CURRENT", "mA", &[1.0, 2.0, 3.0, 4.0]);
    let other = series("VAC:S1:PRESSURE", "mbar", &[8e-9, 6e-9, 4e-9, 2e-9]);
    let ask = json!({"task": "plot both", "data": [one, other]});
    let reply = reply_in("python", &ask, &context()).expect("figures");
    let result = &reply.result;
    let first = &result["statistics"][0];
    assert_eq!((&first["count"], &first["mean"]), (&json!(4), &json!(2.5)));
    assert_eq!(first["deviation"], 1.29099);
    assert_eq!(first["slope_per_hour"], 1.0);
    assert_eq!(result["correlation"], -1.0);
    let summary = result["summary"].as_str().expect("a sentence");
    assert!(summary.contains("mean 2.5 mA") && summary.contains("without running Python"));
    assert_eq!(reply.pictures.len(), 2);
    assert!(reply.pictures[1].svg.contains("1e-9 mbar"));
    let script = result["script"].as_str().expect("a script");
    assert!(script.contains("[\"RING:BEAM:CURRENT\", \"VAC:S1:PRESSURE\"]"));
    assert!(!script.contains("caput"));
    for task in ["histogram please", "畫直方圖", "vẽ phân bố", "un histograma"] {
        let ask = json!({"task": task, "data": [series("WATER:FLOW", "L/min", &[1.0, 2.0, 2.0])]});
        let reply = reply_in("python", &ask, &context()).expect("a histogram");
        assert!(reply.pictures[0].svg.contains("number of points by value"), "{task}");
    }
}

#[test]
fn single_values_are_compared() {
    let value = |name: &str, value: f64| json!({"address": name, "unit": "A", "value": value});
    let two = json!([value("MAG:QF1:CURRENT", 110.0), value("MAG:QF3:CURRENT", 100.0)]);
    let result = call("python", &json!({"task": "difference in percent", "data": two}));
    assert!(result["summary"].as_str().is_some_and(|text| text.contains("= 10 A (10 %)")));
    let data = json!([value("X", 3.0), series("X", "A", &[1.0, 2.0])]);
    let result = call("python", &json!({"data": data}));
    assert!(result["summary"].as_str().is_some_and(|text| text.contains("X − its mean = 1.5 A")));
    let odd = json!([{"points": "none"}, 7, null, {"address": "Y", "value": "open"}]);
    assert_eq!(call("python", &json!({"data": odd}))["statistics"], json!([]));
}

#[test]
fn expressions_are_computed_and_no_text_is_run() {
    let computed = |task: &str| expression::find(task).map(|found| found.value);
    assert_eq!(computed("what is 2.5 * (3 + 4)?"), Some(17.5));
    assert_eq!(computed("-2^2 + 1e3/4"), Some(246.0));
    assert_eq!(computed("根號 1764 是多少"), Some(42.0));
    assert_eq!(computed("算一下 3×4−2"), Some(10.0));
    assert_eq!(computed("sqrt(16) and 2**3**2"), Some(512.0));
    for none in ["1/0", "2026-03-18", "QF1-QF2", "set it to 5", "3 +", "((2)", "import os"] {
        assert_eq!(computed(none), None, "{none}");
    }
    let deep = "(".repeat(3000) + "1+1" + &")".repeat(3000);
    assert_eq!(computed(&deep), None);
    assert_eq!(call("python", &json!({"task": "compute 2.998e8 / 499.65e6"}))["value"], 0.60002);
    let numbers = call("python", &json!({"task": "幫我算 3.2、3.5、3.1、3.9、3.3 的平均跟標準差"}));
    assert_eq!(numbers["statistics"][0]["mean"], 3.4);
    let nothing = call("python", &json!({"task": "__import__('os').system('ls')"}));
    assert_eq!((&nothing["value"], &nothing["statistics"]), (&Value::Null, &json!([])));
}

#[test]
fn notes_are_kept_for_each_user_and_found_again() {
    let context = context();
    let notes = |user: &str, task: &str, data: Value| {
        let arguments = json!({"task": task, "user_id": user, "data": data});
        call_in("memory", &arguments, &context)
    };
    let values = json!([{"address": "RING:BEAM:CURRENT", "unit": "mA", "value": 200.0, "at": ""}]);
    let saved = notes("ana", "read the current and keep it as a note", values);
    let text = "read the current and keep it as a note (RING:BEAM:CURRENT = 200 mA)";
    assert_eq!(saved["saved"], text);
    for task in ["記住 QF2 暖機後會漂移", "Ghi nhớ giúp: BPM 2", "apunta que U2 salta", "Note: x"]
    {
        assert_eq!(notes("ana", task, json!([]))["saved"], task);
    }
    for task in [
        "what did I ask you to remember about the current?",
        "show all my saved notes",
        "我之前存過哪些筆記？",
        "toi da luu nhung ghi chu gi",
        "¿qué notas guardé?",
    ] {
        let shown = notes("ana", task, json!([]));
        assert_eq!((&shown["saved"], &shown["count"]), (&Value::Null, &json!(5)), "{task}");
    }
    let found = notes("ana", "which notes speak of the beam current", json!([]));
    assert_eq!(found["notes"], json!([text]));
    assert_eq!(notes("ben", "show my notes", json!([]))["notes"], json!([]));
}

#[test]
fn what_is_kept_is_bounded() {
    let shelf = Shelf::new(3, 2);
    for line in ["one", "two", "three"] {
        shelf.add("ana", line.to_owned());
    }
    assert_eq!(shelf.lines("ana"), ["two", "three"]);
    for owner in ["ben", "eva"] {
        shelf.add(owner, "hers".to_owned());
    }
    shelf.add("ana", "four".to_owned());
    assert!(shelf.lines("who only looks").is_empty());
    shelf.add("zoe", "hers".to_owned());
    assert_eq!(shelf.lines("ben"), Vec::<String>::new(), "who had not written the longest");
    assert_eq!(shelf.lines("ana"), ["three", "four"]);
    shelf.clear("ana");
    assert!(shelf.lines("ana").is_empty());

    let context = context();
    for number in 0..101 {
        call_in("memory", &json!({"task": format!("save number {number}")}), &context);
    }
    let notes = call_in("memory", &json!({"task": "show my notes"}), &context);
    assert_eq!((&notes["count"], &notes["notes"][99]), (&json!(100), &json!("save number 1")));
}

#[test]
fn the_logbook_is_searched_by_words_and_period() {
    let search = |arguments: Value| call("logbook_search", &arguments);
    let trips = search(json!({"task": "when did the RF last trip"}));
    let entries = trips["entries"].as_array().expect("entries");
    assert!(entries.len() > 3 && entries.len() <= 20);
    // The trip of today is still to come at 09:00.
    assert!(entries.iter().all(|one| one["at"].as_str() < Some("2026-03-18T09:00:01+08:00")));
    assert!(entries[0]["text"].as_str().is_some_and(|text| text.contains("trip")));
    let first = |task: &str| search(json!({"task": task}))["entries"][0]["text"].to_string();
    assert!(first("how to recover when a valve closed by itself").contains("do not open it"));
    assert!(first("water leak").contains("Water leak"));
    assert!(first("找一下水冷漏水的日誌").contains("Water leak"));
    assert!(first("ai đã ghi báo động bức xạ").contains("Radiation alarm"));
    assert!(first("alarma de radiación").contains("Radiation alarm"));
    let (start, end) = ("2026-03-12T00:00:00+08:00", "2026-03-13T00:00:00+08:00");
    let day = search(json!({"task": "what did the operators write", "start": start, "end": end}));
    assert_eq!(day["count"], 3);
    assert!(texts(&day["entries"], "at").iter().all(|at| at.starts_with("2026-03-12")));
    assert_eq!(search(json!({"task": "unicorns"}))["entries"], json!([]));
    let context = context();
    let turned = json!({"start": end, "end": start});
    refused("logbook_search", &turned, &context, "INVALID_ARGUMENT", "is after");
}

#[test]
fn the_weather_is_that_of_a_place_and_an_hour() {
    let weather = |arguments: Value| call("current_weather", &arguments);
    let place = |task: &str| weather(json!({"task": task}))["location"].clone();
    assert_eq!(place("how hot is it in Santa Cruz, right now"), "Santa Cruz");
    assert_eq!(place("Ngoài trời ở Hà Nội đang bao nhiêu độ?"), "Hà Nội");
    assert_eq!(place("qué tiempo hace en Barcelona en este momento"), "Barcelona");
    assert_eq!(place("is it raining at the moment"), "the site");
    let given = json!({"task": "weather in Rome", "location": "Hsinchu"});
    assert_eq!(weather(given.clone())["location"], "Hsinchu");
    assert_eq!(weather(given.clone()), weather(given));
    let [rome, oslo] = ["Rome", "Oslo"].map(|place| weather(json!({"location": place})));
    assert_ne!(rome["temperature"], oslo["temperature"]);
    assert_eq!(rome["data"][0]["value"], rome["temperature"]);
}

#[test]
fn what_was_gathered_is_told_and_cleared() {
    let context = context();
    let state = |session: &str, task: &str| {
        call_in("state_manager", &json!({"task": task, "session_id": session}), &context)
    };
    let line = "remember that the orbit was loaded";
    assert_eq!(state("s", line)["gathered"], json!([line]));
    assert_eq!(state("s", "what have you gathered so far?")["gathered"], json!([line]));
    assert_eq!(state("other", "what have you gathered so far?")["gathered"], json!([]));
    assert_eq!(state("s", "don't forget, the tune is loaded")["cleared"], false);
    for task in ["clear the context", "清空目前收集的", "xoa het di", "borra todo", "reset this"]
    {
        let cleared = state("s", task);
        assert_eq!((&cleared["cleared"], &cleared["gathered"]), (&json!(true), &json!([])));
    }
}

#[test]
fn accents_do_not_count() {
    assert_eq!(words::folded("Đường HẦM, túnel e\u{301}"), "duong ham, tunel e");
    assert!(words::Text::new("¡Recuérdalo!").says("recuerd*"));
    assert!(!words::Text::new("notes").says("note"));
}
