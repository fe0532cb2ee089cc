//! The program's words about itself: help, versions, the schema of packs, the extractors.

use std::path::Path;

use serde_json::json;

use crate::support::{Home, NOW};

#[test]
fn help_names_every_command_and_status() {
    let run = Home::new().run(&["--help"]);
    run.ended(0);
    for word in [
        "ask",
        "route",
        "why",
        "lint",
        "doctor",
        "parse",
        "chat",
        "mcp",
        "serve",
        "tools",
        "train",
        "students",
        "promote",
        "rollback",
        "eval",
        "encoder",
        "events",
        "replay",
        "prune",
        "feedback",
        "forget",
        "schema",
        "demo",
        "Examples:",
        "Exit status: 0 done, 2 wrong use",
        "WAYPOST_HOME",
    ] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
}

#[test]
fn every_command_has_help_of_its_own() {
    let home = Home::new();
    for command in [
        "ask", "route", "why", "lint", "doctor", "parse", "chat", "mcp", "serve", "tools", "train",
        "students", "promote", "rollback", "eval", "encoder", "events", "replay", "prune",
        "feedback", "forget", "schema", "demo",
    ] {
        let run = home.run(&[command, "--help"]);
        run.ended(0);
        assert!(run.stdout.contains("Usage: waypost"), "{command}: {}", run.stdout);
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 120), "{}", run.stdout);
    }
    assert_eq!(home.files(), Vec::<String>::new());
}

#[test]
fn a_wrong_command_is_a_wrong_use() {
    let run = Home::new().run(&["tool", "海溫"]);
    run.ended(2).told(&["'tool'", "'tools'"]);
    Home::new().run(&["ask", "--sesion", "s", "海溫"]).ended(2).told(&["--session"]);
    Home::new().run(&[]).ended(2).told(&["Usage: waypost"]);
}

#[test]
fn the_schema_of_packs_accepts_the_ocean() {
    let run = Home::new().run(&["schema"]);
    run.ended(0);
    let schema = run.json();
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/ocean/pack.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut pack: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let faults: Vec<String> = validator.iter_errors(&pack).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    pack["falback"] = json!("explain");
    assert!(!validator.is_valid(&pack), "unknown keys are errors");
}

#[test]
fn parse_marks_and_names_what_it_finds() {
    let run = Home::new().run(&["parse", "--now", NOW, "昨天 台灣周遭 121.5E,25N"]);
    run.ended(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "[昨天] [台灣周遭] [121.5E,25N]");
    assert!(lines[1].contains("date") && lines[1].contains("\"2025-11-05\""), "{lines:?}");
    assert!(lines[2].contains("taiwan_nearby"), "{lines:?}");
    assert!(lines[3].contains("121.5"), "{lines:?}");
}

#[test]
fn parse_prints_the_record_of_the_contract() {
    let run =
        Home::new().run(&["parse", "--json", "--now", NOW, "--kind", "date", "海溫 昨天 25N 121E"]);
    let value = &run.json()["values"][0];
    assert_eq!(value["kind"], "date");
    assert_eq!((&value["start"], &value["end"]), (&json!(3), &json!(5)));
    assert_eq!((&value["text"], &value["value"]), (&json!("昨天"), &json!("2025-11-05")));
    let none = Home::new().run(&["parse", "nothing here"]);
    none.ended(0).told(&["no dates, numbers, coordinates or names"]);
}
