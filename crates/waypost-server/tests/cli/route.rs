//! `waypost route`: decides only, one record a line, in order; runs nothing and keeps nothing of it.

use serde_json::{Value as Json, json};

use crate::support::{Home, NOW};

#[test]
fn route_keeps_nothing_of_a_question_and_calls_no_tool() {
    let home = Home::untrained();
    home.write("waypost.toml", "[servers.ocean]\ncommand = [\"/nonexistent\"]\n");
    let decision = home.decision(&["現在台灣周遭海溫多少？"]);
    assert_eq!(decision["decision"], "run");
    assert_eq!(decision["calls"][0]["tool"], "ghrsst.bbox_mean");
    // The pack came with its student, so not even that is kept.
    assert_eq!(home.files(), ["waypost.toml"]);
}

#[test]
fn three_hundred_lines_come_back_in_order() {
    let home = Home::untrained();
    let line = |index: usize| match index {
        150 => "{\"text\": ".to_owned(),
        _ => {
            let day = index % 28 + 1;
            let request = json!({ "text": format!("2025-10-{day:02} 台灣周遭海溫"), "now": NOW });
            request.to_string()
        }
    };
    let input: String = (0..300).map(|index| line(index) + "\n").collect();
    let run = home.run_with(&["route", "--jsonl"], input.as_bytes());
    assert_eq!(run.status, 2, "{}", run.stderr);
    let records = run.records();
    assert_eq!(records.len(), 300);
    for (index, record) in records.iter().enumerate() {
        if index == 150 {
            assert_eq!(record["line"], 151);
            assert_eq!(record["error"]["code"], "INVALID_ARGUMENT");
            assert!(record["error"]["hint"].is_string(), "{record}");
        } else {
            let day = format!("2025-10-{:02}", index % 28 + 1);
            assert_eq!(record["calls"][0]["arguments"]["date"], day, "line {index}");
        }
    }
    assert_eq!(home.files(), Vec::<String>::new());
}

#[test]
fn a_bad_line_of_bytes_is_one_bad_record() {
    let good = json!({ "text": "台灣周遭海溫", "now": NOW }).to_string();
    let mut input = Vec::new();
    for line in [good.as_bytes(), b"\xff\xfe", b"[]", b"{\"text\": 5}", b"", good.as_bytes()] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let run = Home::new().run_with(&["route", "--jsonl"], &input);
    assert_eq!(run.status, 2);
    let kinds: Vec<bool> = run.records().iter().map(|r| r.get("error").is_some()).collect();
    assert_eq!(kinds, [false, true, true, true, false]);
}

#[test]
fn the_record_has_what_the_contract_says() {
    let decision = Home::new().decision(&["現在台灣周遭海溫多少？"]);
    for key in [
        "id",
        "pack",
        "bundle",
        "decision",
        "route",
        "calls",
        "confidence",
        "layer",
        "alternatives",
        "selected",
        "rationale",
        "retrieval",
        "model_slot",
        "complexity",
        "strategy",
        "llm_calls",
        "degraded",
    ] {
        assert!(decision.get(key).is_some(), "{key} is missing: {decision}");
    }
    let call = &decision["calls"][0];
    for name in call["arguments"].as_object().unwrap().keys() {
        assert!(call["evidence"][name]["source"].is_string(), "{name} has no evidence: {call}");
    }
}

#[test]
fn the_same_request_gives_the_same_record() {
    let home = Home::new();
    let decide = || home.decision(&["基隆今天的潮汐與海溫"]);
    assert_eq!(decide(), decide());
}

#[test]
fn only_the_context_of_the_request_counts() {
    let request = json!({
        "text": "那昨天呢",
        "session": "s",
        "now": NOW,
        "context": { "last_calls": [{
            "tool": "ghrsst.bbox_mean",
            "arguments": { "bbox": [118.0, 21.5, 121.5, 26.0], "date": "2025-11-06" },
        }] },
    });
    let home = Home::new();
    home.envelope(&["--session", "s", "墾丁今天的潮汐"]);
    let run = home.run_with(&["route", "--jsonl"], request.to_string().as_bytes());
    let record: &Json = &run.records()[0];
    assert_eq!(record["calls"][0]["tool"], "ghrsst.bbox_mean", "{record}");
    assert_eq!(record["calls"][0]["arguments"]["date"], "2025-11-05");
}

#[test]
fn options_are_those_of_ask_and_stand_where_one_likes() {
    let home = Home::new();
    let plain = home.decision(&["tides at Keelung tomorrow"]);
    assert_eq!(home.decision(&["--json", "tides at Keelung tomorrow"]), plain);
    assert_eq!(home.decision(&["tides", "at", "Keelung", "tomorrow", "--json"]), plain);
    let declared = home.decision(&["tides", "tomorrow", "--route", "explain"]);
    assert_eq!((&declared["route"], &declared["layer"]), (&"explain".into(), &"declared".into()));
    // What stands behind `--` is a text.
    let text = home.run(&["route", "--now", NOW, "--", "--json"]);
    text.ended(0);
    let cold = home.decision(&["sea", "temperature", "at", "-121.5", "25"]);
    assert_eq!(cold["pack"], plain["pack"]);
    home.run(&["route", "--session", "s", "--jsonl"]).ended(2).told(&["--jsonl"]);
}

#[test]
fn a_conversation_is_read_and_not_changed() {
    let home = Home::new();
    home.ask(&["--session", "s", "tides at Keelung"]).ended(0);
    let follow_up = ["and in Hualien?", "--session", "s"];
    let first = home.decision(&follow_up);
    assert_eq!(first["calls"][0]["tool"], "tide.forecast", "{first}");
    assert_eq!(home.decision(&follow_up), first);
    // Another conversation remembers nothing of it.
    let other = home.decision(&["and in Hualien?", "--session", "other"]);
    assert_eq!(first["decision"], "run", "{first}");
    assert_ne!(other["decision"], "run", "{other}");
}
