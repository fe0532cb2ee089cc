//! `waypost events export --format parquet`: decisions as a table that other programs read.

use std::collections::BTreeMap;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::Value as Json;

use crate::support::Home;

/// The rows of a Parquet table, each by the names of its columns.
fn rows(path: &std::path::Path) -> Vec<BTreeMap<String, Field>> {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let row = |row: Result<Row, ParquetError>| row.unwrap().into_columns().into_iter().collect();
    rows.map(row).collect()
}

fn say(home: &Home, text: &str) {
    home.envelope(&["--session", "s", text]);
}

/// The events of the decisions.
fn decisions(home: &Home) -> Vec<Json> {
    home.run(&["events", "export", "--type", "router_event"]).records()
}

#[test]
fn s4_28_decisions_are_exported_as_a_table_that_other_programs_read() {
    let home = Home::new();
    say(&home, "現在台灣海峽海溫多少？");
    say(&home, "海溫多少");
    home.ask(&["sing me a song"]);
    let file = home.path("decisions.parquet");
    let export = |more: &[&str]| {
        let out = file.to_string_lossy();
        home.run(&[&["events", "export", "--format", "parquet", "--out", &out], more].concat())
    };
    export(&[]).ended(0).told(&["wrote 3 to "]);
    let events = decisions(&home);
    let text =
        |value: &Json| value.as_str().map_or(Field::Null, |text| Field::Str(text.to_owned()));
    let rows_of = rows(&file);
    assert_eq!((rows_of.len(), events.len()), (3, 3));
    for (row, event) in rows_of.iter().zip(&events) {
        for name in ["decision_id", "session_id", "pack", "text", "layer"] {
            assert_eq!(row[name], text(&event[name]), "{name}");
        }
        for name in ["route", "decision", "reason", "bundle", "language"] {
            assert_eq!(row[name], text(&event["decision"][name]), "{name}");
        }
        assert_eq!(row["confidence"], Field::Double(event["confidence"].as_f64().unwrap()));
        // 2025-11-06T01:00:00Z
        assert_eq!(row["at"], Field::TimestampMicros(1_762_390_800_000_000));
        assert_eq!((&row["llm_calls"], &row["label"]), (&Field::Long(0), &Field::Null));
    }
    assert_eq!(rows_of[0]["tools"], Field::Str("ghrsst.bbox_mean".to_owned()));
    export(&["--type", "tool_event"]).ended(2).told(&["decisions alone"]);
    // A table without rows is a table all the same.
    export(&["--session", "nobody"]).ended(0).told(&["there are no events"]);
    assert_eq!(rows(&file), []);
}
