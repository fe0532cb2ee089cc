//! The events that are written of a turn, and the commands that read them back.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

#[cfg(unix)]
use crate::serve::Serving;
use crate::support::{Home, NOW, Run};

const QUESTION: &str = "現在台灣海峽海溫多少？";
/// Edits of the ocean pack that give it a workflow: tides want what a mean of the sea sets.
const WORKFLOW: [(&str, &str); 3] = [
    (
        "  - name: ghrsst.point_value\n    server: ocean\n",
        "  - name: ghrsst.point_value\n    server: ocean\n    sets: [tpr_complete]\n",
    ),
    (
        "  - name: ghrsst.bbox_mean\n    server: ocean\n",
        "  - name: ghrsst.bbox_mean\n    server: ocean\n    sets: [risk_complete, text]\n",
    ),
    (
        "  - name: tide.forecast\n    server: ocean\n",
        "  - name: tide.forecast\n    server: ocean\n    requires: [risk_complete, tpr_complete]\n",
    ),
];

fn exported(home: &Home, args: &[&str]) -> Vec<Json> {
    let run = home.run(&[&["events", "export"], args].concat());
    run.ended_events();
    run.records()
}

fn of_type(home: &Home, kind: &str) -> Vec<Json> {
    exported(home, &["--type", kind])
}

fn say(home: &Home, pack: &str, text: &str) -> Json {
    home.envelope(&["--pack", pack, "--session", "s", text])
}

#[test]
fn s1_46_a_router_event_has_the_flags_and_what_the_calls_require() {
    let home = Home::new();
    let pack = home.pack(&WORKFLOW);
    assert_eq!(say(&home, &pack, "tides at Keelung today")["mode"], "clarify");
    say(&home, &pack, "sea temperature of the Taiwan Strait yesterday");
    say(&home, &pack, "what is the sea temperature today");
    let events = of_type(&home, "router_event");
    let [asked, ran, after] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(asked["session_id"], "s");
    assert_eq!((&asked["intent"], &asked["action"]), (&json!("tool"), &json!("clarify")));
    assert_eq!(asked["entities"][0]["tool"], "tide.forecast");
    assert!(asked["confidence"].is_number() && asked["classification_latency_ms"].is_number());
    assert!(asked["reasoning_summary"].is_string(), "{asked}");
    // S1-40
    assert_eq!(
        asked["gating"],
        json!({
            "closed": "gate:risk_complete", "requires_risk_complete": true,
            "requires_text": false, "requires_tpr_complete": true,
        })
    );
    assert_eq!((&asked["risk_complete"], &asked["tpr_complete"]), (&json!(false), &json!(false)));
    assert_eq!(ran["gating"]["closed"], Json::Null);
    assert_eq!(ran["risk_complete"], false, "flags are those of the beginning of the turn");
    assert_eq!(
        (&after["risk_complete"], &after["flags"]["risk_complete"], &after["tpr_complete"]),
        (&json!(true), &json!(true), &json!(false))
    );
    // A flag that is called like a field does not hide it.
    assert_eq!(
        (&after["text"], &after["flags"]["text"]),
        (&json!("what is the sea temperature today"), &json!(true))
    );
}

#[test]
fn s1_19_a_choice_event_says_what_was_resolved_and_how() {
    let home = Home::new();
    say(&home, "ocean", QUESTION);
    say(&home, "ocean", "那昨天呢");
    say(&home, "ocean", "現在海溫多少");
    say(&home, "ocean", "2");
    let events = of_type(&home, "choice_event");
    let first = &events[0];
    assert_eq!(first["session_id"], "s");
    assert_eq!(
        (&first["tool"], &first["user_text"]),
        (&json!("ghrsst.bbox_mean"), &json!(QUESTION))
    );
    // The date and the place are from the words; the fields are a default and no choice.
    assert_eq!(first["by"], json!({ "bbox": "gazetteer", "date": "regex" }));
    assert_eq!(first["matched_by"], "gazetteer");
    assert_eq!(first["args"].as_object().unwrap().len(), 2);
    assert!(first["confidence"].is_number());
    let followed = &events[1];
    assert_eq!(
        (&followed["by"]["bbox"], &followed["by"]["date"], &followed["matched_by"]),
        (&json!("memory"), &json!("regex"), &json!("regex"))
    );
}

#[test]
fn s1_46_a_tool_event_has_its_latency_and_errors() {
    let home = Home::new();
    say(&home, "ocean", QUESTION);
    let events = of_type(&home, "tool_event");
    let event = &events[0];
    assert_eq!((&event["tool"], &event["status"]), (&json!("ghrsst.bbox_mean"), &json!("success")));
    assert!(event["tool_latency_ms"].is_number(), "{event}");
    assert_eq!(event["errors"], json!(["NOT_FOUND"]));
}

#[test]
fn s1_46_a_tool_event_of_a_call_that_failed_has_the_status_error() {
    let home = Home::with_fault("error:UNAVAILABLE");
    assert_eq!(say(&home, "ocean", QUESTION)["mode"], "error");
    let events = of_type(&home, "tool_event");
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&event["tool"], &event["status"]), (&json!("ghrsst.bbox_mean"), &json!("error")));
    assert_eq!(event["errors"], json!(["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE"]), "each try");
    assert!(event["tool_latency_ms"].is_number(), "{event}");
}

#[test]
fn tokens_of_a_model_and_their_cost_are_told_by_route_and_slot() {
    let words = "GHRSST 是衛星海溫計畫 [1]。";
    let script = Script::new().reply(words).start();
    let home = Home::with_config(&format!(
        "[models.main]\nurl = \"{}\"\nmodel = \"scripted\"\n\
         price = {{ prompt = 1000, cached = 500, reply = 1000 }}\n",
        script.url()
    ));
    home.ask(&["--session", "s", "GHRSST 是什麼？"]).ended(0);
    script.finish();
    let events = of_type(&home, "model_event");
    let [event] = events.as_slice() else { panic!("{events:?}") };
    let reply = words.chars().count();
    assert_eq!(event["usage"], json!({ "prompt": 10, "cached": 4, "reply": reply }));
    for (field, value) in
        [("purpose", "write"), ("slot", "main"), ("route", "explain"), ("model", "scripted")]
    {
        assert_eq!(event[field], value, "{event}");
    }
    let figures = home.run(&["events", "stats", "--json"]).json();
    let usage = &figures["usage"][0];
    assert_eq!((&usage["route"], &usage["calls"]), (&json!("explain"), &json!(1)), "{figures}");
    let cost = (6.0 * 1000.0 + 4.0 * 500.0 + reply as f64 * 1000.0) / 1e6;
    assert!((usage["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{figures}");
    let shown = home.run(&["events", "stats"]).stdout;
    let told = format!("10 in (40.0% cached), {reply} out, cost {cost:.4}");
    assert_eq!(shown.matches(&told).count(), 2, "{shown}");
    let listed = home.run(&["events"]).stdout;
    assert!(listed.contains("model_event  write explain by main scripted in "), "{listed}");
}

#[test]
fn s1_20_figures_count_turns_choices_and_repeated_questions() {
    let home = Home::new();
    say(&home, "ocean", "海溫多少");
    say(&home, "ocean", "海溫多少");
    say(&home, "ocean", "2");
    let outcomes = of_type(&home, "choice_outcome");
    assert_eq!(outcomes.len(), 2, "before the first turn nothing was shown");
    assert_eq!((&outcomes[0]["taken"], &outcomes[0].get("position")), (&json!(false), &None));
    assert_eq!((&outcomes[1]["taken"], &outcomes[1]["position"]), (&json!(true), &json!(2)));
    let figures = home.run(&["events", "stats", "--json"]).json();
    assert_eq!(figures["turns"], 3, "{figures}");
    assert_eq!(figures["actions"], json!({ "clarify": 2, "run": 1 }));
    assert_eq!(figures["repeated_questions"], 1);
    assert_eq!(figures["choices"], json!({ "shown": 2, "taken": 1, "acceptance_rate": 0.5 }));
    assert_eq!(figures["gates"], json!({ "gate:completeness": 2 }));
    assert_eq!(figures["clarifications_per_task"], 2);
    assert_eq!(figures["llm_calls_per_turn"], 0.0);
    assert_eq!(figures["tools"]["calls"], 1);
    for latency in ["classification_latency_ms", "tool_latency_ms", "total_latency_ms"] {
        assert!(figures[latency]["p99"].as_f64().unwrap() > 0.0, "{latency}: {figures}");
    }
    let shown = home.run(&["events", "stats"]);
    shown.ended(0);
    assert!(shown.stdout.contains("clarify rate             66.7%"), "{}", shown.stdout);
}

#[test]
fn figures_are_of_the_pack_and_the_time_that_are_asked_for() {
    let home = Home::new();
    home.ask(&[QUESTION]).ended(0);
    let turns = |args: &[&str]| {
        home.run(&[&["events", "stats", "--json"], args].concat()).json()["turns"].clone()
    };
    assert_eq!(turns(&[]), 1);
    assert_eq!(turns(&["--pack", "ocean"]), 1);
    assert_eq!(turns(&["--pack", "desert"]), 0);
    // The question is of 2025, wherever the clock is.
    assert_eq!(turns(&["--since", "2025-11-06"]), 1);
    assert_eq!(turns(&["--since", "1h"]), 0);
    let wrong = home.run(&["events", "stats", "--since", "soon"]);
    wrong.ended(2).told(&["`soon` is no time", "7d"]);
}

#[test]
fn the_list_shows_the_latest_and_filters_them() {
    let home = Home::new();
    home.ask(&["--session", "a", QUESTION]).ended(0);
    home.ask(&["--session", "b", "那昨天呢"]);
    let all = home.run(&["events"]);
    all.ended_events();
    assert_eq!(all.stdout, home.run(&["events", "list"]).stdout);
    assert!(
        all.stdout
            .contains("router_event  “現在台灣海峽海溫多少？” → run tool ghrsst.bbox_mean by")
    );
    let last = home.run(&["events", "--limit", "1", "--json"]).records();
    assert_eq!((last.len(), &last[0]["type"]), (1, &json!("answer_event")));
    let of_b =
        home.run(&["events", "--session", "b", "--type", "router_event", "--json"]).records();
    assert_eq!((of_b.len(), &of_b[0]["text"]), (1, &json!("那昨天呢")));
    home.run(&["events", "--type", "tool_evnt"]).ended(2).told(&["did you mean `tool_event`?"]);
}

#[test]
fn export_writes_jsonl_to_standard_output_or_a_file() {
    let home = Home::new();
    home.ask(&[QUESTION]).ended(0);
    let types: Vec<Json> =
        exported(&home, &["--format", "jsonl"]).iter().map(|e| e["type"].clone()).collect();
    assert_eq!(types, ["router_event", "choice_event", "tool_event", "answer_event"]);
    let file = home.path("events.jsonl");
    let run = home.run(&["events", "export", "--out", &file.to_string_lossy()]);
    run.ended(0).told(&["wrote 4 to "]);
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 4);
    let nowhere = home.path("no/such/folder").to_string_lossy().into_owned();
    home.run(&["events", "export", "--out", &nowhere]).ended(2).told(&["cannot write"]);
    home.run(&["events", "export", "--format", "jsnl"]).ended(2).told(&["did you mean `jsonl`?"]);
}

#[test]
fn turns_that_are_worth_a_label_are_listed_with_their_reasons() {
    let home = Home::new();
    say(&home, "ocean", QUESTION);
    say(&home, "ocean", "台灣海峽海溫多少呢");
    let run = home.run(&["events", "triage"]);
    run.ended(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(lines[0].starts_with("0.70  “現在台灣海峽海溫多少？”  run tool"), "{run:?}");
    assert!(lines[1].contains("asked again in other words"), "{run:?}");
    home.run(&["events", "triage", "--since", "soon"]).ended(2).told(&["`soon` is no time"]);
    home.run(&["events", "triage", "--pack", "platform"]).ended(0).told(&["no turn is worth"]);
}

#[test]
fn where_nothing_was_kept_nothing_is_made() {
    let home = Home::new();
    for args in [
        &["events"][..],
        &["events", "stats"],
        &["events", "export"],
        &["events", "triage"],
        &["replay"],
        &["forget", "s"],
    ] {
        assert_eq!(home.run(args).status, 0, "{args:?}");
    }
    assert_eq!(home.run(&["events", "stats", "--json"]).json()["turns"], 0);
    assert_eq!(home.files(), Vec::<String>::new());
}

#[test]
fn forget_removes_memory_and_events_and_asks_first() {
    let home = Home::new();
    home.ask(&["--session", "mine", "SECRETWORD 台灣海峽今天海溫"]);
    home.ask(&["--session", "yours", QUESTION]).ended(0);
    let unasked = home.run(&["forget", "mine"]);
    unasked.ended(2).told(&["cannot be taken back", "--yes"]);
    let before = exported(&home, &["--session", "mine"]).len();
    let gone = home.run(&["forget", "mine", "--yes"]);
    gone.ended(0);
    let told = format!("removed what was kept of `mine`: its memory, {before} events\n");
    assert_eq!(gone.stdout, told);
    assert_eq!(exported(&home, &["--session", "mine"]), Vec::<Json>::new());
    assert!(!exported(&home, &["--session", "yours"]).is_empty());
    assert_ne!(home.envelope(&["--session", "mine", "那昨天呢"])["mode"], "tool");
    home.run(&["forget", "mine", "--yes"]).ended(0);
    assert_eq!(home.run(&["forget", "mine"]).stdout, "nothing is kept of `mine`\n");
    // Not in free pages of the file either, nor in its log.
    for file in home.files().iter().filter(|name| name.starts_with("waypost.db")) {
        let bytes = std::fs::read(home.path(file)).unwrap();
        assert!(!bytes.windows(10).any(|word| word == b"SECRETWORD"), "{file}");
    }
}

impl Run {
    /// Fails the test unless the run ended well. Events show the inside, so that only standard
    /// error is looked at.
    #[track_caller]
    fn ended_events(&self) {
        assert_eq!(self.status, 0, "{self:?}");
        crate::support::safe(&self.stderr);
    }
}

#[test]
fn now_is_the_instant_of_a_record() {
    let home = Home::new();
    home.ask(&[QUESTION]).ended(0);
    let now: jiff::Timestamp = NOW.parse().unwrap();
    assert_eq!(exported(&home, &[])[0]["at"], now.to_string());
}

#[cfg(unix)]
#[test]
fn the_turns_of_two_servers_of_one_home_are_told_in_their_order() {
    let home = Home::new();
    let servers = [Serving::start(&home, &[]), Serving::start(&home, &[])];
    let texts: Vec<String> = (1..=20).map(|n| format!("tides at Keelung, question {n}")).collect();
    for (text, server) in texts.iter().zip(servers.iter().cycle()) {
        let body = json!({ "text": text, "now": NOW, "session": "both" });
        server.site.json("POST", "/v1/answer", &body);
    }
    drop(servers.map(|server| server.signal("-TERM")));
    for command in ["list", "export"] {
        let args = ["events", command, "--session", "both", "--type", "router_event"];
        let args =
            [&args[..], &["--json", "--limit", "99"][..if command == "list" { 3 } else { 0 }]];
        let told = home.run(&args.concat()).records();
        let told: Vec<&str> = told.iter().filter_map(|event| event["text"].as_str()).collect();
        assert_eq!(told, texts, "{command}");
    }
}
