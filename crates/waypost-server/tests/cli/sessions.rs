//! Conversations: what a second process knows of the first, and what nobody else knows.

use serde_json::json;

use crate::support::Home;

#[test]
fn a_follow_up_in_a_second_process_keeps_the_place_and_changes_the_day() {
    let home = Home::new();
    let first = home.envelope(&["--session", "s", "現在台灣海峽海溫多少？"]);
    let second = home.envelope(&["--session", "s", "那昨天呢"]);
    let call = |answer: &serde_json::Value| answer["raw"]["plan"]["calls"][0].clone();
    assert_eq!(call(&second)["tool"], call(&first)["tool"]);
    assert_eq!(call(&second)["arguments"]["bbox"], call(&first)["arguments"]["bbox"]);
    assert_eq!(call(&second)["arguments"]["date"], "2025-11-05");
    assert_eq!(call(&second)["evidence"]["bbox"]["source"], "memory");
    assert_eq!(second["raw"]["plan"]["layer"], "rules");
}

#[test]
fn a_follow_up_is_about_the_same_place_by_name() {
    let home = Home::new();
    home.envelope(&["--session", "s", "現在台灣海峽海溫多少？"]);
    let run = home.ask(&["--session", "s", "那昨天呢"]);
    assert!(run.stdout.starts_with("2025-11-05：台灣海峽海溫約"), "{run:?}");
}

#[test]
fn r0_4_the_last_plan_does_not_leak_into_another_session() {
    let home = Home::new();
    home.envelope(&["--session", "mine", "現在台灣海峽海溫多少？"]);
    for other in [&["--session", "yours", "那昨天呢"][..], &["那昨天呢"]] {
        let answer = home.envelope(other);
        assert_ne!(answer["mode"], "tool", "{answer}");
        assert!(!answer.to_string().contains("memory"), "{answer}");
    }
}

#[test]
fn a_question_is_answered_by_number_in_a_second_process() {
    let home = Home::new();
    let asked = home.envelope(&["--session", "s", "海溫多少"]);
    assert_eq!(asked["mode"], "clarify");
    assert_eq!(asked["choices"][1]["value"], "taiwan_strait");
    let answer = home.envelope(&["--session", "s", "2"]);
    assert_eq!(answer["mode"], "tool", "{answer}");
    assert_eq!(answer["source"], "ghrsst.bbox_mean");
    let bbox = &answer["raw"]["plan"]["calls"][0]["arguments"]["bbox"];
    assert_eq!(bbox, &json!([118.0, 21.5, 121.5, 26.0]));
}

#[test]
fn a_question_is_answered_in_words_in_a_second_process() {
    let home = Home::new();
    home.envelope(&["--session", "s", "海溫多少"]);
    let answer = home.envelope(&["--session", "s", "台灣海峽"]);
    assert_eq!(answer["mode"], "tool", "{answer}");
    assert_eq!(
        answer["raw"]["plan"]["tool"]["arguments"]["bbox"],
        json!([118.0, 21.5, 121.5, 26.0])
    );
}

#[test]
fn without_a_session_nothing_is_remembered() {
    let home = Home::new();
    home.envelope(&["現在台灣海峽海溫多少？"]);
    assert_ne!(home.envelope(&["那昨天呢"])["mode"], "tool");
}

#[test]
fn the_name_of_a_session_has_one_bound_on_every_way_in() {
    let home = Home::new();
    let long = "s".repeat(257);
    for args in [&["ask", "--session", &long, "x"][..], &["chat", "--session", &long]] {
        let run = home.run(args);
        run.ended(2).told(&["`session` has more than 256 bytes, the limit", "hint: "]);
    }
    let run = home.run(&["feedback", &"d".repeat(257), "--right"]);
    assert_ne!(run.status, 0, "{run:?}");
    assert!(home.files().is_empty(), "{:?}", home.files());
}
