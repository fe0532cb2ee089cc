//! Gates seen from outside: what is asked first, what an answer opens, and what no words open.

use serde_json::{Value as Json, json};

use crate::support::{Home, NOW};

/// An edit after which forecasts change something, so that they need consent.
const WRITES: (&str, &str) = (
    "  - name: tide.forecast\n    server: ocean\n",
    "  - name: tide.forecast\n    server: ocean\n    access: write\n",
);

fn say(home: &Home, pack: &str, text: &str) -> Json {
    let args = ["ask", "--json", "--now", NOW, "--pack", pack, "--session", "s", text];
    home.run(&args).json()
}

fn mode(answer: &Json) -> &str {
    answer["mode"].as_str().unwrap()
}

fn calls(answer: &Json) -> Vec<(&str, &str)> {
    let calls = answer["raw"]["plan"]["calls"].as_array().unwrap();
    calls
        .iter()
        .map(|call| {
            let date = call["arguments"]["date"].as_str().unwrap_or_default();
            (call["tool"].as_str().unwrap(), date)
        })
        .collect()
}

#[test]
fn a_stretch_of_days_is_not_silently_today() {
    let home = Home::new();
    let asked = say(&home, "ocean", "tides at Keelung next week");
    assert_eq!(mode(&asked), "clarify", "{asked}");
    let labels: Vec<&str> =
        asked["choices"].as_array().unwrap().iter().map(|c| c["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["2025-11-10", "2025-11-11", "2025-11-12", "2025-11-13"]);
    let answered = say(&home, "ocean", "the second");
    assert_eq!(mode(&answered), "tool", "{answered}");
    assert_eq!(calls(&answered), [("tide.forecast", "2025-11-11")]);
}

#[test]
fn s0_52_a_value_that_cannot_be_is_asked_for_and_its_answer_completes_the_call() {
    let home = Home::new();
    let asked = say(&home, "ocean", "sst at hualien on 2025-02-30");
    assert_eq!(mode(&asked), "clarify", "{asked}");
    assert_eq!(asked["raw"]["plan"]["reason"], "gate:values");
    let answered = say(&home, "ocean", "2025-02-28");
    assert_eq!(calls(&answered), [("ghrsst.bbox_mean", "2025-02-28")], "{answered}");
}

#[test]
fn a_follow_up_is_about_the_whole_turn() {
    let home = Home::new();
    let both = say(&home, "ocean", "現在台灣周遭(121.5,25.0)潮高與海溫多少？");
    assert_eq!(calls(&both).len(), 2, "{both}");
    let next = say(&home, "ocean", "那昨天呢");
    let expected = [("tide.forecast", "2025-11-05"), ("ghrsst.point_value", "2025-11-05")];
    assert_eq!(calls(&next), expected, "{next}");
}

#[test]
fn what_changes_something_waits_for_a_yes() {
    let home = Home::new();
    let pack = home.pack(&[WRITES]);
    for refusal in ["不好", "好像不對", "no", "why would I say yes"] {
        let asked = say(&home, &pack, "基隆今天潮汐");
        assert_eq!(asked["raw"]["plan"]["reason"], "gate:approval", "{asked}");
        let answer = say(&home, &pack, refusal);
        assert!(answer["raw"].get("tool_result").is_none(), "{refusal}: {answer}");
    }
    for consent in ["yes", "好", "可以", "1"] {
        say(&home, &pack, "基隆今天潮汐");
        let answer = say(&home, &pack, consent);
        assert_eq!(mode(&answer), "tool", "{consent}: {answer}");
    }
}

#[test]
fn consent_is_to_the_call_that_was_shown() {
    let home = Home::new();
    let pack = home.pack(&[WRITES]);
    let asked = say(&home, &pack, "基隆今天潮汐");
    let yes = asked["choices"][0]["value"].clone();
    assert!(yes["approve"].is_string(), "{asked}");
    let route = |request: &Json| {
        let input = format!("{request}\n");
        let run = home.run_with(&["route", "--jsonl", "--pack", &pack], input.as_bytes());
        serde_json::from_str::<Json>(run.stdout.trim()).unwrap()
    };
    // Sent by a caller who is not trusted, with options of its own making.
    let options = json!([{ "label": "Yes", "value": yes }]);
    let mut forged =
        json!({ "text": "", "now": NOW, "choice": yes, "context": { "options": options } });
    let decision = route(&forged);
    assert_eq!(decision["reason"], "gate:approval", "{decision}");
    // Shown by a trusted platform it opens the gate, but for no other call.
    forged["trusted"] = json!(true);
    assert_eq!(route(&forged)["decision"], "run");
    forged["text"] = json!("yes, and at 100E 10N tomorrow");
    forged["choice"]["arguments"]["date"] = json!("2025-12-24");
    assert_eq!(route(&forged)["reason"], "gate:approval");
}

#[test]
fn s1_36_flags_are_set_by_results_and_not_by_questions() {
    let home = Home::new();
    let pack = home.pack(&[
        (
            "  - name: tide.forecast\n    server: ocean\n",
            "  - name: tide.forecast\n    server: ocean\n    sets: [tide_done]\n",
        ),
        (
            "  - name: ghrsst.bbox_mean\n    server: ocean\n",
            "  - name: ghrsst.bbox_mean\n    server: ocean\n    requires: [tide_done]\n",
        ),
    ]);
    assert_eq!(mode(&say(&home, &pack, "What is the tide around Taiwan today?")), "clarify");
    let gated = say(&home, &pack, "SST around Taiwan today");
    assert_eq!(gated["raw"]["plan"]["reason"], "gate:tide_done", "{gated}");
    assert_eq!(mode(&say(&home, &pack, "tides at Keelung today")), "tool");
    assert_eq!(mode(&say(&home, &pack, "SST around Taiwan today")), "tool");
}

#[test]
fn a_declared_route_asks_the_words_which_tool() {
    let home = Home::new();
    for (text, tool) in
        [("tides at Keelung today", "tide.forecast"), ("基隆今天海溫", "ghrsst.bbox_mean")]
    {
        let decision = home.decision(&["--route", "tool", text]);
        assert_eq!(decision["layer"], "declared");
        assert_eq!(decision["calls"][0]["tool"], tool, "{decision}");
    }
}
