//! Decisions of earlier runs, made again by another one.

use std::fs;

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::support::{Home, UNSURE};

const QUESTION: &str = "現在台灣海峽海溫多少？";

/// A home in which a conversation was had.
fn talked() -> Home {
    let home = Home::new();
    for text in [QUESTION, "那昨天呢", "海溫多少", "2", "what is GHRSST", "sing me a song"]
    {
        home.envelope(&["--session", "s", text]);
    }
    home
}

#[test]
fn a_conversation_comes_out_the_same_in_another_process() {
    let home = talked();
    let run = home.run(&["replay", "--json"]);
    run.ended(0);
    let report = run.json();
    assert_eq!(
        (&report["replayed"], &report["same"], &report["differ"], &report["left_out"]),
        (&json!(6), &json!(6), &json!(0), &json!({}))
    );
    let run = home.run(&["replay", "--session", "nobody"]);
    run.ended(0);
    assert!(run.stdout.starts_with("0 decisions replayed"), "{run:?}");
    // Without a store there is nothing to replay.
    Home::new().run(&["replay"]).ended(0).told(&["there are no events"]);
}

#[test]
fn a_models_reply_is_in_the_record_and_nobody_is_asked_again() {
    let reply = json!({
        "decision": "tool", "confidence": 0.97, "rationale": "stated",
        "tool": { "name": "ghrsst.bbox_mean", "arguments": { "date": "2025-11-05" } },
    });
    let script = Script::new().reply(reply).start();
    let home = Home::new().model(&script);
    let pack = home.pack(&[UNSURE]);
    let answer = home.envelope(&["--pack", &pack, QUESTION]);
    assert_eq!(answer["raw"]["plan"]["layer"], "llm", "{answer}");
    // One more request would be a fault of the script.
    let run = home.run(&["replay", "--pack", &pack, "--json"]);
    run.ended(0);
    assert_eq!(run.json()["same"], 1, "{run:?}");
    script.finish();
}

#[test]
fn a_version_that_is_damaged_costs_its_own_decisions_alone() {
    let home = talked();
    home.run(&["train", "--save", "--seed", "1"]).ended(0);
    home.run(&["promote", "1", "--force", "--because", "a test"]).ended(0);
    home.envelope(&["--session", "t", QUESTION]);
    home.run(&["rollback"]).ended(0);
    home.run(&["replay"]).ended(0);
    fs::write(home.path("students/ocean/1.bundle"), "damaged").unwrap();
    let run = home.run(&["replay", "--json"]);
    let report = run.ended(0).json();
    assert_eq!((&report["replayed"], &report["same"]), (&json!(6), &json!(6)), "{report}");
    let left_out = report["left_out"].as_object().unwrap();
    assert_eq!(left_out.values().collect::<Vec<_>>(), [&json!(1)], "{report}");
    assert!(left_out.keys().all(|why| why.contains("cannot be read")), "{report}");
    home.run(&["replay", "--strict"]).ended(1);
}

#[test]
fn a_decision_that_differs_is_told_field_by_field() {
    let home = talked();
    // Forgetting writes everything into the one file.
    home.envelope(&["--session", "gone", "sing me a song"]);
    home.run(&["forget", "gone", "--yes"]).ended(0);
    let file = home.path("waypost.db");
    let bytes = fs::read(&file).unwrap();
    let (from, to) = (b"\"layer\":\"linear\"", b"\"layer\":\"recall\"");
    let mut changed = bytes.clone();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            changed[at..at + to.len()].copy_from_slice(to);
        }
    }
    fs::write(&file, changed).unwrap();
    let run = home.run(&["replay"]);
    run.ended(1);
    assert!(run.stdout.contains("    layer: \"recall\" → \"linear\""), "{run:?}");
    let records = home.run(&["events", "export", "--type", "router_event"]).records();
    let is_changed = |record: &&Json| record["decision"]["layer"] == "recall";
    let changed = records.iter().find(is_changed).expect("a record on one page of the file");
    let id = changed["decision_id"].as_str().unwrap();
    let run = home.run(&["replay", id, "--json"]);
    assert_eq!((run.status, &run.json()["differs"][0]["field"]), (1, &json!("layer")), "{run:?}");
    home.run(&["replay", "0123"]).ended(4).told(&["there is no decision `0123`"]);
}

#[test]
fn what_another_pack_decided_is_left_out_and_named() {
    let home = talked();
    let pack = home.pack(&[UNSURE]);
    let run = home.run(&["replay", "--pack", &pack]);
    run.ended(0);
    assert!(run.stdout.contains("left out 6: of another version of the pack"), "{run:?}");
}

#[test]
fn what_another_pack_would_change_is_shown_by_route() {
    let home = talked();
    // A pack in which nothing is sure enough to run.
    let pack = home.pack(&[("  max_calls: 6\n", "  max_calls: 6\n  run: 1.0\n")]);
    let week = ["--since", "2025-11-01"];
    let run = home.run(&[&["replay", "--with", &pack, "--json"], &week[..]].concat());
    run.ended(0);
    let report = run.json();
    assert_eq!(report["turns"], 6);
    let count = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(count("same") + count("changed") + count("unknown"), 6, "{report}");
    assert!(count("changed") >= 1, "{report}");
    let pairs = report["routes"].as_array().unwrap();
    let sum: u64 = pairs.iter().map(|pair| pair["count"].as_u64().unwrap()).sum();
    assert_eq!(sum, count("changed") + count("unknown"));
    assert_eq!(report["examples"].as_array().unwrap().len() as u64, count("changed"));
    let run = home.run(&[&["replay", "--with", &pack], &week[..]].concat());
    run.ended(0);
    assert!(run.stdout.contains("from → to") && run.stdout.contains("    then run "), "{run:?}");
    // The same pack changes nothing.
    let run = home.run(&[&["replay", "--with", "ocean", "--json"], &week[..]].concat());
    assert_eq!((&run.json()["same"], &run.json()["changed"]), (&json!(6), &json!(0)), "{run:?}");
}

#[test]
fn a_new_student_takes_over_from_the_model_or_would_ask_it() {
    let script = Script::new().reply(json!({ "decision": "ghrsst.bbox_mean" })).start();
    let home = Home::new().model(&script);
    let unsure = home.pack(&[UNSURE]);
    home.envelope(&["--pack", &unsure, QUESTION]);
    script.finish();
    let run = home.run(&["replay", "--with", "ocean", "--since", "2025-11-01", "--json"]);
    let report = run.json();
    assert_eq!(report["llm"]["before"], 1, "{report}");
    assert_eq!(report["llm"]["after"], 0, "{report}");
    assert_eq!(report["taken_over"], json!({ "turns": 1, "agree": 1 }), "{report}");

    // The other way round: an unsure student asks a model about what the sure one decided.
    let script = Script::new().start();
    let home = Home::new().model(&script);
    let unsure = home.pack(&[UNSURE]);
    home.envelope(&[QUESTION]);
    let run = home.run(&["replay", "--with", &unsure, "--since", "2025-11-01", "--json"]);
    let report = run.json();
    assert_eq!((&report["unknown"], &report["llm"]["after"]), (&json!(1), &json!(1)), "{report}");
    assert_eq!(report["routes"][0]["to"], "(asks a model)", "{report}");
    script.finish();
}

#[test]
fn what_with_names_must_be_there() {
    let home = talked();
    home.run(&["replay", "--with", "oceam"]).ended(2).told(&["`oceam` is no bundle", "ocean"]);
    home.write("other.bundle", "no bundle");
    let file = home.path("other.bundle");
    home.run(&["replay", "--with", &file.to_string_lossy()]).ended(2).told(&["other.bundle"]);
    home.run(&["replay", "--now", "soon", "--since", "7d"]).ended(2).told(&["is no instant"]);
}
