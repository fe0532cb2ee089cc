//! Words on decisions, and what is kept of what was written.

use serde_json::json;

use crate::support::Home;

const QUESTION: &str = "台灣海峽今天海溫？ 回信到 ana@example.org";

#[test]
fn s4_28_feedback_makes_a_label_that_is_forgotten_with_its_conversation() {
    let home = Home::with_config("[store]\nredact = true\nkeep_days = 30\n");
    let id = home.envelope(&["--session", "mine", QUESTION])["id"].as_str().unwrap().to_owned();
    let run = home.run(&["feedback", &id, "--wrong", "--route", "explain", "--json"]);
    run.ended(0);
    let label = run.json()["label"].clone();
    assert_eq!(label["decision_id"], json!(id));
    assert_eq!(label["session_id"], "mine");
    assert_eq!((&label["kind"], &label["route"]), (&json!("feedback"), &json!("explain")));
    assert_eq!(label["text"], "台灣海峽今天海溫？ 回信到 ‹email›");
    let events = home.run(&["events", "export"]).stdout;
    assert!(events.contains("‹email›") && !events.contains("ana@"), "{events}");
    let again = home.run(&["feedback", &id, "--wrong"]);
    again.ended(0);
    assert!(again.stdout.starts_with("noted: “台灣海峽今天海溫？"), "{}", again.stdout);
    let gone = home.run(&["forget", "mine", "--yes"]);
    gone.ended(0);
    assert!(gone.stdout.contains("events, 1 label\n"), "{}", gone.stdout);
    home.run(&["feedback", &id, "--right"]).ended(4).told(&["there is no decision"]);
}

#[test]
fn s4_28_feedback_that_cannot_be_meant_is_told() {
    let home = Home::new();
    home.run(&["feedback", "x", "--right"]).ended(4).told(&["there is no decision `x`", "events"]);
    home.run(&["feedback", "x"]).ended(2).told(&["--right|--wrong"]);
    home.run(&["feedback", "x", "--right", "--route", "r"]).ended(2);
    let id = home.envelope(&["台灣海峽今天海溫"])["id"].as_str().unwrap().to_owned();
    let run = home.run(&["feedback", &id, "--wrong", "--tool", "tides"]);
    run.ended(2).told(&["the pack `ocean` has no tool `tides`", "ghrsst.bbox_mean"]);
    let home = Home::with_config("[store]\nkeep_days = 0\n");
    home.ask(&["海溫"]).ended(2).told(&["keep_days"]);
}
