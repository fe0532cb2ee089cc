//! `waypost eval` and `waypost train`: what the ocean pack promises, and what the figures mean.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::support::Home;

/// A file of the repository.
fn file(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).display().to_string()
}

fn figures(home: &Home, args: &[&str]) -> Json {
    let run = home.run(&[&["eval", "--json"], args].concat());
    assert_eq!(run.status, 0, "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// Checks that every case is right; the wrong ones are printed by name.
fn all_right(pack: &str, cases: &str) {
    let args = ["eval", "--pack", pack, "--wrong", "--min-accuracy", "100", &file(cases)];
    let run = Home::new().run(&args);
    assert_eq!(run.status, 0, "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn r0_4_every_bug_of_the_original_comes_out_right() {
    all_right("ocean", "spec/routing/r0_4_ocean_bugs.jsonl");
}

#[test]
fn s0_1_s0_6_the_queries_of_the_seed_are_routed() {
    all_right("ocean", "spec/routing/s0_ocean_queries.jsonl");
}

#[test]
fn s1_5_s1_25_r1_4_every_bug_of_the_parsers_before_comes_out_right() {
    all_right("malaria", "spec/arguments/r1_4_malaria_bugs.jsonl");
}

#[test]
fn s1_29_malaria_cases_are_right_and_rarely_asked_back() {
    let cases = file("packs/malaria/cases.jsonl");
    let floors = ["--pack", "malaria", "--min-accuracy", "95", "--max-asked", "10"];
    let figures = figures(&Home::new(), &[&floors[..], &[&cases]].concat());
    assert!(figures["n"].as_u64().unwrap() >= 250, "{figures}");
}

#[test]
fn s2_30_nineteen_of_twenty_cases_of_finance_have_the_right_tools() {
    let cases = file("packs/finance/cases.jsonl");
    let figures = figures(&Home::new(), &["--pack", "finance", &cases]);
    assert!(figures["tools_exact"].as_f64().unwrap() >= 0.95, "{figures}");
}

#[test]
fn s4_3_s4_4_s4_17_s4_18_platform_cases_are_right() {
    let cases = file("packs/platform/cases.jsonl");
    let floors = ["--pack", "platform", "--min-accuracy", "95", "--max-asked", "10"];
    let figures = figures(&Home::new(), &[&floors[..], &[&cases]].concat());
    assert!(figures["n"].as_u64().unwrap() >= 150, "{figures}");
}

#[test]
fn ocean_cases_by_others_are_right_and_rarely_asked_back() {
    let cases = file("packs/ocean/cases.jsonl");
    let floors = ["--min-accuracy", "95", "--max-asked", "10"];
    let figures = figures(&Home::new(), &[&floors[..], &[&cases]].concat());
    assert!(figures["n"].as_u64().unwrap() >= 150, "{figures}");
}

#[test]
fn labels_of_any_name_are_learned_and_measured() {
    let home = Home::new();
    let line = |text: &str, label: &str| json!({ "text": text, "label": label }).to_string();
    let mut lines = Vec::new();
    for minute in 0..12 {
        lines.push(line(&format!("wake me up in {minute} minutes please"), "alarm/set"));
        lines.push(line(&format!("play song number {minute} by the beatles"), "music/play"));
        lines.push(line(&format!("how cold is it in town {minute}"), "weather/now"));
    }
    home.write("train.jsonl", &lines.join("\n"));
    let cases = [
        line("wake me up please", "alarm/set"),
        line("play the beatles", "music/play"),
        line("xyzzy plugh", "oos"),
    ];
    home.write("cases.jsonl", &cases.join("\n"));
    let path = |name: &str| home.path(name).display().to_string();
    let (examples, bundle) = (path("train.jsonl"), path("student.bundle"));
    let run = home.run(&["train", "--examples", &examples, "--out", &bundle]);
    assert_eq!(run.status, 0, "{run:?}");
    let figures = figures(&home, &["--student", &bundle, &path("cases.jsonl")]);
    assert_eq!(figures["n"], 3, "{figures}");
    // The text that belongs nowhere counts for the detector alone.
    assert_eq!(figures["accuracy"], 1.0, "{figures}");
    assert_eq!(figures["auroc_oos"], 1.0, "{figures}");
}

#[test]
fn a_floor_that_is_missed_fails_the_command() {
    let home = Home::new();
    let case = json!({ "text": "What is GHRSST?", "expect": { "route": "code" } });
    home.write("cases.jsonl", &case.to_string());
    let cases = home.path("cases.jsonl").display().to_string();
    let run = home.run(&["eval", "--min-accuracy", "50", &cases]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stderr.contains("50% are wanted"), "{run:?}");
}

#[test]
fn broken_lines_are_named_and_nothing_is_written() {
    let home = Home::new();
    home.write("bad.jsonl", "{\"text\": \"a\", \"label\": \"b\"}\n{\"text\": 3}\n");
    let bad = home.path("bad.jsonl").display().to_string();
    let out = home.path("student.bundle").display().to_string();
    let run = home.run(&["train", "--examples", &bad, "--out", &out]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("bad.jsonl:2"), "{run:?}");
    assert!(!home.path("student.bundle").exists());
    let run = home.run(&["eval", "--student", &bad, &bad]);
    assert_eq!(run.status, 2, "{run:?}");
}

#[test]
fn the_same_text_under_two_labels_is_told_and_a_strict_training_refuses_it() {
    let home = Home::new();
    let line = |text: &str, label: &str| json!({ "text": text, "label": label }).to_string();
    let lines = [
        line("wake me up", "alarm"),
        line("set an alarm", "alarm"),
        line("play a song", "music"),
        line("some music please", "music"),
        line("same", "alarm"),
        line("Same", "music"),
    ];
    home.write("torn.jsonl", &lines.join("\n"));
    let file = home.path("torn.jsonl").display().to_string();
    let told = ["1 text has several routes", "`same` is `alarm` and `same` is `music`"];
    let run = home.run(&["train", "--json", "--examples", &file]);
    run.ended(0).told(&told);
    let report = run.json();
    assert_eq!((&report["examples"], &report["texts"]), (&6.into(), &4.into()), "{report}");
    assert_eq!(report["contradictions"]["count"], 1, "{report}");
    home.run(&["train", "--strict", "--examples", &file]).ended(2).told(&told);
    let nothing = [line("same", "a"), line("same", "b")];
    home.write("torn.jsonl", &nothing.join("\n"));
    home.run(&["train", "--examples", &file]).ended(2).told(&["have the same examples: `same`"]);
}

#[test]
fn doctor_train_and_eval_count_the_same() {
    let home = Home::new();
    for pack in ["ocean", "malaria"] {
        let cases = file(&format!("packs/{pack}/cases.jsonl"));
        let doctor = home.run(&["doctor", "--json", "--pack", pack]).json();
        let checks = doctor["checks"].as_array().unwrap();
        let says = checks.iter().find(|check| check["what"] == "pack").unwrap()["says"].clone();
        let train = home.run(&["train", "--json", "--pack", pack]).json();
        let numbers = ["routes", "tools", "examples"];
        let counts = numbers.map(|name| format!("{} {name}", train[name])).join(", ");
        assert!(says.as_str().unwrap().contains(&format!(": {counts}, ")), "{says}: {counts}");
        let report = figures(&home, &["--pack", pack, &cases]);
        assert!(says.as_str().unwrap().contains(&format!(", {} cases, ", report["n"])), "{says}");
    }
}
