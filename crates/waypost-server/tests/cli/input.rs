//! Bad input: a clear error with a hint, the right status, nothing half-written.

use serde_json::Value as Json;
use waypost_testing::Script;

use crate::support::{Home, NOW};

#[test]
fn r0_2_text_without_content_is_asked_back() {
    let home = Home::new();
    for (text, words) in [
        ("", "請輸入問題"),
        ("   ", "請輸入問題"),
        ("a", "not understood"),
        ("哈哈哈哈哈哈", "看不懂"),
        ("？？？？", ""),
    ] {
        let run = home.ask(&[text]);
        run.ended(3);
        assert!(run.stdout.contains(words), "{text}: {run:?}");
    }
}

#[test]
fn a_megabyte_of_text_is_refused_before_any_work() {
    let home = Home::new();
    let run = home.run_with(&["ask"], "海溫".repeat(170_000).as_bytes());
    run.ended(2).told(&["longer than 65536 bytes", "hint: "]);
    assert_eq!(run.stdout, "");
    let run = home.run_with(&["ask"], &b"x".repeat(1 << 20));
    run.ended(2).told(&["longer than 65536 bytes"]);
}

#[test]
fn the_longest_text_is_decided_in_time() {
    let home = Home::new();
    for unit in ["台灣海溫 ", "121.5E 25N ", "((((", "2025-11-05 ", "ab "] {
        let text = unit.repeat(64 * 1024 / unit.len());
        let run = home.run_with(&["route", "--now", NOW], text.as_bytes());
        run.ended(0);
        assert!(run.json()["decision"].is_string(), "{unit}");
    }
}

#[test]
fn nul_bytes_are_no_harm() {
    let home = Home::new();
    let run = home.run_with(&["ask", "--now", NOW], "現在台灣\0周遭海溫多少？\0".as_bytes());
    assert!([0, 3].contains(&run.status), "{run:?}");
    let run = home.run_with(&["ask", "--session", "s"], b"\0\0\0");
    assert!([0, 3].contains(&run.status), "{run:?}");
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_place() {
    let home = Home::new();
    for command in ["ask", "route", "parse"] {
        let run = home.run_with(&[command], b"SST \xff near Hawaii");
        run.ended(2).told(&["not UTF-8: byte 4", "hint: "]);
        assert_eq!(run.stdout, "");
    }
    assert_eq!(home.files(), Vec::<String>::new(), "nothing is half-written");
}

#[test]
fn an_unknown_route_names_those_there_are() {
    let run = Home::new().ask(&["--route", "tol", "海溫"]);
    run.ended(2).told(&["tol", "hint: ", "tool"]);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_declared_route_asks_no_classifier() {
    let decision = Home::new().decision(&["--route", "explain", "現在台灣周遭海溫多少？"]);
    assert_eq!(
        (decision["layer"].as_str(), decision["route"].as_str()),
        (Some("declared"), Some("explain"))
    );
}

#[test]
fn a_broken_instant_or_zone_is_a_fault_of_the_caller() {
    let home = Home::new();
    home.run(&["ask", "--now", "soon", "海溫"]).ended(2).told(&["`soon`", "hint: write RFC 3339"]);
    home.ask(&["--tz", "Mars/Base", "海溫"])
        .ended(2)
        .told(&["`Mars/Base`", "hint: use an IANA name"]);
    home.run(&["parse", "--now", "2025-13-01", "今天"]).ended(2).told(&["`2025-13-01`"]);
}

#[test]
fn r0_4_impossible_values_become_a_question() {
    let home = Home::new();
    for (text, fault) in [("2025-02-30 台灣周遭海溫", "「2025-02-30」"), ("121.5E 95N 海溫", "95N")]
    {
        let answer = home.envelope(&[text]);
        assert!(answer["text"].as_str().unwrap().contains(fault), "{answer}");
        assert_eq!(answer["mode"], "clarify", "{answer}");
        assert!(answer["raw"].get("tool_result").is_none(), "{answer}");
    }
}

#[test]
fn half_a_model_slot_is_told_with_what_is_missing() {
    let home = Home::new().set("WAYPOST_MAIN_URL", "http://localhost:1/v1");
    home.ask(&["海溫"]).ended(2).told(&["`main` is half configured", "`WAYPOST_MAIN_MODEL`"]);
    let home = Home::new().set("WAYPOST_LIGHT_MODEL", "m");
    home.ask(&["海溫"]).ended(2).told(&["`light` is half configured", "`WAYPOST_LIGHT_URL`"]);
}

#[test]
fn a_broken_configuration_is_told_with_its_place() {
    for (text, words) in [
        ("[cascade\n", "waypost.toml:1:"),
        ("\n[cascade]\nlayers = [\"liner\"]\n", "waypost.toml:3:"),
        ("\n[cascade]\nlayers = [\"liner\"]\n", "did you mean `linear`?"),
        ("[model.main]\nurl = \"x\"\n", "unknown field `model`"),
        ("[model.main]\nurl = \"x\"\n", "did you mean `models`?"),
        ("[models.main]\nurl = \"x\"\n", "missing field `model`"),
        ("[servers.ocean]\ncommand = \"x\"\n", "waypost.toml:2:"),
    ] {
        let home = Home::with_config(text);
        let run = home.ask(&["海溫"]);
        run.ended(2).told(&[words, "hint: "]);
        assert_eq!(run.stdout, "");
        assert_eq!(home.files(), ["waypost.toml"], "nothing is half-written");
    }
}

#[test]
fn a_server_that_cannot_be_started_is_told_to_whoever_can_mend_it() {
    let home = Home::with_config("[servers.ocean]\ncommand = [\"no-such-program\"]\n");
    let run = home.ask(&["tides at Keelung tomorrow"]);
    run.ended(4).told(&["hint: `waypost doctor --pack ocean`"]);
    assert!(run.stdout.contains("cannot be reached"), "{run:?}");
    home.run(&["doctor"]).ended(4);
}

#[test]
fn names_that_nobody_reads_are_told_with_the_nearest() {
    let home = Home::with_config("[servers.oceon]\ncommand = [\"x\"]\n")
        .set("WAYPOST_MAIN_MODLE", "secret");
    let told = [
        "no server for `[servers.oceon]`; did you mean `ocean`?",
        "nothing reads the variable `WAYPOST_MAIN_MODLE`; did you mean `WAYPOST_MAIN_MODEL`?",
    ];
    let run = home.run(&["route", "tides at Keelung"]);
    run.ended(0).told(&told);
    assert!(!run.stderr.contains("secret"), "{run:?}");
    let doctor = home.run(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let warned = checks.iter().filter(|c| c["what"] == "configuration" && c["state"] == "warn");
    assert_eq!(warned.count(), 2, "{doctor}");
}

#[test]
fn a_name_given_to_a_command_is_told_with_the_nearest() {
    let home = Home::new();
    home.run(&["demo", "oceon"]).ended(2).told(&["did you mean `ocean`?"]);
    home.run(&["parse", "--kind", "dat", "x"]).ended(2).told(&["did you mean `date`?"]);
    let id = home.envelope(&["tides at Keelung"])["id"].as_str().unwrap().to_owned();
    let wrong = ["feedback", &id, "--wrong"];
    let run = home.run(&[&wrong[..], &["--tool", "tide.forcast"]].concat());
    run.told(&["did you mean `tide.forecast`?"]);
    let run = home.run(&[&wrong[..], &["--route", "explian"]].concat());
    run.told(&["did you mean `explain`?"]);
}

#[test]
fn a_configuration_that_is_named_must_be_there() {
    Home::new()
        .run(&["--config", "/nonexistent.toml", "ask", "海溫"])
        .ended(2)
        .told(&["cannot read `/nonexistent.toml`: No such file or directory\n"]);
    for wrong in [&["students", "x"][..], &["train", "--seed", "x"], &["replay", "--limit", "x"]] {
        let run = Home::new().run(wrong);
        run.ended(2).told(&["give a whole number"]);
    }
}

#[test]
fn an_empty_command_of_a_server_is_a_fault_of_the_configuration() {
    let run = Home::with_config("[servers.ocean]\ncommand = []\n").ask(&["海溫"]);
    run.ended(2).told(&["server `ocean` needs exactly one of `demo`, `command` and `url`"]);
}

#[test]
fn the_key_of_a_model_is_sent_and_never_shown() {
    let script = Script::new().reply("[1] 說明").start();
    let home = Home::new().model(&script).set("WAYPOST_MAIN_KEY", "sk-very-secret");
    let run = home.set("RUST_LOG", "trace").ask(&["--json", "--debug", "GHRSST 是什麼？"]);
    assert_eq!(script.keys(), [Some("sk-very-secret".to_owned())]);
    assert!(!run.stdout.contains("very-secret") && !run.stderr.contains("very-secret"));
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    use std::process::Stdio;
    let mut command = Home::new().command(&["tools", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"", "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn parse_takes_a_line_a_record() {
    let input = "{\"text\":\"今天\",\"now\":\"2025-11-06\"}\nnot json\n{\"text\":\"x\",\"tz\":\"No/Where\"}\n{\"text\":\"\"}\n";
    let run = Home::new().run_with(&["parse", "--jsonl"], input.as_bytes());
    assert_eq!(run.status, 2, "{run:?}");
    let records: Vec<Json> = run.records();
    assert_eq!(records[0]["values"][0]["value"], "2025-11-06");
    assert_eq!((&records[1]["line"], &records[2]["line"]), (&2.into(), &3.into()));
    assert_eq!(records[1]["error"]["code"], "INVALID_ARGUMENT");
    assert_eq!(records[3]["values"], serde_json::json!([]));
}
