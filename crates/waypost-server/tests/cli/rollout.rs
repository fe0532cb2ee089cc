//! Layers, matchers and handlers off, in shadow, for a share and on, seen from outside.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::support::{Home, NOW, UNSURE, WAYPOST};

const QUESTION: &str = "昨天台灣海峽海溫多少？";

fn reply() -> Json {
    json!({
        "decision": "tool",
        "confidence": 0.9,
        "tool": { "name": "ghrsst.bbox_mean", "arguments": { "bbox": "taiwan_strait" } },
    })
}

fn rollout(line: &str) -> String {
    format!("[rollout]\n{line}\n")
}

fn shadows(home: &Home) -> Vec<Json> {
    home.run(&["events", "export", "--type", "shadow_event"]).records()
}

/// A home whose tool server writes down every message that it is sent.
#[cfg(unix)]
fn watched(config: &str) -> Home {
    let home = Home::new();
    let log = home.path("sent.jsonl").to_string_lossy().into_owned();
    let script = format!("/usr/bin/tee -a '{log}' | '{WAYPOST}' demo ocean --now {NOW}");
    let server = crate::support::server(&["/bin/sh", "-c", &script]);
    home.write("waypost.toml", &format!("{config}{server}"));
    home
}

#[cfg(unix)]
fn tool_calls(home: &Home) -> usize {
    let sent = std::fs::read_to_string(home.path("sent.jsonl")).unwrap_or_default();
    sent.lines().filter(|line| line.contains("\"tools/call\"")).count()
}

#[cfg(unix)]
#[test]
fn a_shadow_runs_nothing() {
    // The shadow would have run a tool; the decision that stands does not.
    let home = watched(&rollout("\"layer.linear\" = \"shadow\""));
    home.ask(&[QUESTION]).ended(3);
    assert_eq!(tool_calls(&home), 0);
    let events = shadows(&home);
    let event = &events[0];
    assert_eq!((events.len(), &event["key"]), (1, &json!("layer.linear")));
    assert_eq!(event["standing"]["decision"], "rephrase", "{event}");
    assert_eq!(event["shadow"]["decision"], "run", "{event}");
    assert_eq!(event["shadow"]["layer"], "linear");
    assert_eq!(event["shadow"]["calls"][0]["tool"], "ghrsst.bbox_mean");
    assert_eq!(event["differs"], json!(["decision", "route", "calls", "reason"]));
    // Both would have run it.
    let home = watched(&rollout("\"matcher.memory\" = \"shadow\""));
    home.ask(&[QUESTION]).ended(0);
    assert_eq!(tool_calls(&home), 1);
    assert_eq!(shadows(&home)[0]["differs"], json!([]));
}

#[test]
fn compare_shows_where_they_differ_side_by_side() {
    let home = Home::with_config(&rollout("\"layer.linear\" = \"shadow\""));
    home.ask(&[QUESTION]).ended(3);
    home.ask(&["?"]);
    let run = home.run(&["events", "compare"]);
    run.ended(0);
    for words in [
        "layer.linear: 1 of 2 turns differ (50.0%)",
        "in: calls 1, decision 1, reason 1, route 1",
        "“昨天台灣海峽海溫多少？”",
        "stands  rephrase out_of_scope (unclear) by rules",
        "shadow  run tool by linear",
        "ghrsst.bbox_mean{\"bbox\"",
    ] {
        assert!(run.stdout.contains(words), "`{words}` is missing: {}", run.stdout);
    }
    let json = home.run(&["events", "compare", "--json", "--key", "layer.linear"]).json();
    let compared = &json["layer.linear"];
    assert_eq!((&compared["turns"], &compared["differ"]), (&json!(2), &json!(1)));
    assert_eq!(compared["rate"], 0.5);
    assert_eq!(compared["examples"][0]["text"], QUESTION);
    assert_eq!(home.run(&["events", "compare", "--json", "--key", "layer.llm"]).json(), json!({}));
    home.run(&["events", "compare", "--key", "layer.lineal"])
        .ended(2)
        .told(&["there is no rollout key `layer.lineal`", "did you mean `layer.linear`?"]);
}

#[test]
fn a_model_in_shadow_is_asked_once_and_decides_nothing() {
    let script = Script::new().reply(reply()).start();
    let home = Home::with_config(&rollout("\"layer.llm\" = \"shadow\"")).model(&script);
    let pack = home.pack(&[UNSURE]);
    let answer = home.envelope(&["--pack", &pack, "海溫多少"]);
    assert_eq!(answer["raw"]["plan"]["layer"], "linear", "{answer}");
    assert_eq!(answer["raw"]["plan"]["llm_calls"], 0, "{answer}");
    script.finish();
    let event = &shadows(&home)[0];
    assert_eq!((&event["shadow"]["layer"], &event["llm_calls"]), (&json!("llm"), &json!(1)));
    let calls = home.run(&["events", "export", "--type", "model_event"]).records();
    assert_eq!((calls.len(), &calls[0]["purpose"]), (1, &json!("shadow")));
    assert_eq!(home.run(&["events", "stats", "--json"]).json()["llm_calls"], 1);
}

#[test]
fn a_model_that_answered_is_not_asked_again_for_a_shadow() {
    // With the student unsure both decisions need the model; it has one reply.
    let script = Script::new().reply(reply()).start();
    let home = Home::with_config(&rollout("\"layer.linear\" = \"shadow\"")).model(&script);
    let pack = home.pack(&[UNSURE]);
    let answer = home.envelope(&["--pack", &pack, QUESTION]);
    assert_eq!(answer["raw"]["plan"]["layer"], "llm", "{answer}");
    script.finish();
    let event = &shadows(&home)[0];
    assert_eq!((&event["shadow"]["layer"], &event["llm_calls"]), (&json!("llm"), &json!(0)));
    assert_eq!(event["differs"], json!([]), "{event}");
}

#[test]
fn s2_26_a_share_is_on_for_the_same_conversations_in_every_process() {
    let home = Home::with_config(&rollout("\"layer.linear\" = { share = \"50%\" }"));
    let runs = |session: &str| home.envelope(&["--session", session, QUESTION])["mode"] == "tool";
    let first: Vec<bool> = (0..6).map(|n| runs(&format!("s{n}"))).collect();
    let again: Vec<bool> = (0..6).map(|n| runs(&format!("s{n}"))).collect();
    assert_eq!(first, again);
    assert!(first.contains(&true) && first.contains(&false), "{first:?}");
}

#[test]
fn s1_21_a_matcher_that_is_off_fills_nothing() {
    let on = Home::new().decision(&["台灣海峽昨天的海溫，只要距平"]);
    let off = Home::with_config(&rollout("\"matcher.operator\" = \"off\""));
    let off = off.decision(&["台灣海峽昨天的海溫，只要距平"]);
    let by = |decision: &Json| decision["calls"][0]["evidence"]["fields"]["by"].clone();
    assert_eq!((by(&on), by(&off)), (json!("words"), json!("default")));
}

/// The value that each text gives an open question of the malaria pack, a conversation each; `line` is the rollout.
fn answers(line: &str, texts: &[&str]) -> Vec<Json> {
    let home = Home::with_config(&rollout(line));
    let context = json!({
        "active_tool": "run_tpr_step",
        "active_argument": "facility_level",
        "options": [
            { "label": "Primary", "value": "primary" },
            { "label": "Secondary", "value": "secondary" },
        ],
    });
    let records = texts.iter().enumerate().map(|(n, text)| {
        json!({ "text": text, "session": format!("s{n}"), "context": context }).to_string()
    });
    let input = records.collect::<Vec<_>>().join("\n");
    let run = home.run_with(&["route", "--pack", "malaria", "--jsonl"], input.as_bytes());
    let decisions = run.ended(0).records();
    let value = |decision: &Json| decision["calls"][0]["arguments"]["facility_level"].clone();
    decisions.iter().map(value).collect()
}

#[test]
fn s1_21_choices_are_resolved_only_while_their_resolver_is_on() {
    let (place, name) = ("the second one please", "go with secondary");
    let second = json!("secondary");
    let on = answers("\"matcher.option\" = \"on\"", &[place, name]);
    assert_eq!(on, [second.clone(), second.clone()]);
    // Words of the value's own list need no choices.
    let off = answers("\"matcher.option\" = \"off\"", &[place, name]);
    assert_eq!(off, [Json::Null, second.clone()]);
    let off = answers("\"layer.rules\" = \"off\"", &[place, name]);
    assert_eq!(off, [Json::Null, second]);
}

#[test]
fn s1_21_a_share_of_the_conversations_has_its_choices_resolved_and_always_the_same() {
    let share = "\"matcher.option\" = { share = \"50%\" }";
    let first = answers(share, &["the second one please"; 8]);
    assert_eq!(first, answers(share, &["the second one please"; 8]));
    assert!(first.contains(&json!("secondary")) && first.contains(&Json::Null), "{first:?}");
}

#[test]
fn a_route_whose_handler_is_off_is_not_served() {
    let home = Home::with_config(&rollout("\"handler.tool\" = \"off\""));
    let answer = home.envelope(&[QUESTION]);
    assert_eq!(answer["mode"], "refuse", "{answer}");
    assert_eq!(answer["raw"]["plan"]["reason"], "rollout:handler.tool");
    assert!(!answer["text"].as_str().unwrap().is_empty(), "{answer}");
}

#[test]
fn s2_25_a_pack_has_settings_of_its_own_and_the_configuration_goes_over_them() {
    let off = ("format: 1\n", "format: 1\nrollout:\n  layer.linear: off\n");
    let home = Home::new();
    let pack = home.pack(&[off]);
    assert_eq!(home.decision(&["--pack", &pack, QUESTION])["decision"], "rephrase");
    home.write("waypost.toml", &rollout("\"layer.linear\" = \"on\""));
    assert_eq!(home.decision(&["--pack", &pack, QUESTION])["decision"], "run");
}

#[test]
fn s1_45_wrong_keys_are_told_where_they_stand() {
    let home = Home::with_config(&rollout("\"matcher.fuzy\" = \"on\""));
    home.run(&["route", "x"]).ended(2).told(&["waypost.toml:2:", "`matcher.fuzy`"]);
    let home = Home::with_config(&rollout("\"gate.consent\" = \"off\""));
    home.run(&["route", "x"]).ended(2).told(&["gates are always on"]);
    let home = Home::new();
    let typo = ("format: 1\n", "format: 1\nrollout:\n  layer.linea: shadow\n");
    let pack = home.pack(&[typo]);
    let run = home.run(&["route", "--pack", &pack, "x"]);
    run.ended(2).told(&["pack.yaml:", "`layer.linea`", "did you mean `layer.linear`?"]);
}
