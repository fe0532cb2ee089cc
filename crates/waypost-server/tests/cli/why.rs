//! `waypost why`: the same decision as `route`, and everything that lies behind it.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::support::{Home, NOW};

const QUESTION: &str = "tides at Keelung tomorrow";
/// A text that the student leaves to a teacher.
const UNSURE: &str = "Keelung harbour level today";

fn why(home: &Home, args: &[&str]) -> Json {
    let run = home.run(&[&["why", "--json", "--now", NOW], args].concat());
    run.ended(0);
    run.json()
}

/// Names and states of layers or gates.
fn states<'a>(why: &'a Json, list: &str, name: &str) -> Vec<(&'a str, &'a str)> {
    let all = why[list].as_array().unwrap().iter();
    all.map(|view| (view[name].as_str().unwrap(), view["state"].as_str().unwrap())).collect()
}

#[test]
fn it_is_the_decision_of_route_with_what_lies_behind_it() {
    let home = Home::new();
    let why = why(&home, &[QUESTION]);
    assert_eq!(why["decision"], home.decision(&[QUESTION]));
    let layers = states(&why, "layers", "layer");
    for said in [("declared", "abstained"), ("linear", "decided"), ("llm", "absent")] {
        assert!(layers.contains(&said), "{layers:?}");
    }
    let gates = states(&why, "gates", "gate");
    assert!(gates.iter().all(|(_, state)| *state == "open") && gates.len() >= 8, "{gates:?}");

    let student = &why["student"];
    assert_eq!(student["routes"][0]["name"], "tool");
    assert_eq!(student["tools"][0]["name"], "tide.forecast");
    assert_eq!(student["nearest"][0]["route"], "tool");
    assert!(student["nearest"][0]["similarity"].as_f64().unwrap() > 0.4, "{student}");
    // The pieces are the user's own words, not what the student sees of them.
    for class in student["classes"].as_array().unwrap() {
        let pieces = class["for"].as_array().unwrap().iter();
        for piece in pieces.chain(class["against"].as_array().unwrap()) {
            let mut words = piece["text"].as_str().unwrap().split(" … ");
            assert!(words.all(|word| QUESTION.contains(word)), "{piece}");
        }
    }
    let telling = &student["classes"][1]["for"][0];
    assert_eq!(
        (&student["classes"][1]["name"], &telling["text"]),
        (&json!("tide.forecast"), &json!("tides"))
    );

    let date = why["calls"][0]["arguments"].as_array().unwrap().iter();
    let date = date.clone().find(|argument| argument["name"] == "date").unwrap();
    assert_eq!((&date["value"], &date["matcher"]), (&json!("2025-11-07"), &json!("typed")));
    assert_eq!(date["evidence"]["text"], "tomorrow");
    assert_eq!(date["lost"], json!([{ "matcher": "default", "values": ["2025-11-06"] }]));

    let flip = &why["flips"][0];
    let (confidence, change) =
        (flip["confidence"].as_f64().unwrap(), flip["change"].as_f64().unwrap());
    assert_eq!((&flip["to"], &flip["against"]), (&json!("ask"), &json!(0.7)));
    assert!((0.7 - confidence - change).abs() < 1e-6, "{flip}");
}

#[test]
fn the_teacher_is_asked_once_and_its_word_is_shown() {
    let reply = json!({ "decision": "tool", "confidence": 0.9, "rationale": "water level",
        "tool": { "name": "tide.forecast", "arguments": {} } });
    let script = Script::new().reply(reply.to_string()).start();
    let home = Home::new().model(&script);
    let why = why(&home, &[UNSURE]);
    let layers = states(&why, "layers", "layer");
    assert!(
        layers.contains(&("linear", "abstained")) && layers.contains(&("llm", "decided")),
        "{layers:?}"
    );
    assert_eq!(
        (&why["decision"]["layer"], &why["decision"]["llm_calls"]),
        (&json!("llm"), &json!(1))
    );
    let enough = why["flips"].as_array().unwrap().iter().find(|flip| flip["to"] == "student");
    assert!(enough.is_some_and(|flip| flip["change"].as_f64().unwrap() > 0.0), "{}", why["flips"]);
    script.finish();
}

#[test]
fn what_a_rule_decides_hangs_on_no_confidence() {
    let home = Home::new();
    let declared = why(&home, &["--route", "explain", QUESTION]);
    assert_eq!(states(&declared, "layers", "layer")[0], ("declared", "decided"));
    assert!(
        states(&declared, "layers", "layer")[1..]
            .iter()
            .all(|(_, state)| matches!(*state, "not_asked" | "absent" | "off"))
    );
    assert_eq!(declared["flips"], json!([]));
    let run = home.run(&["why", "--route", "explain", QUESTION]);
    assert!(run.stdout.contains("none: declared decided"), "{run:?}");
}

#[test]
fn the_first_closed_gate_is_named_and_none_after_it_was_asked() {
    let why = why(&Home::new(), &["--pack", "malaria", "run the risk analysis"]);
    let gates = why["gates"].as_array().unwrap();
    let state = |name: &str| gates.iter().find(|gate| gate["gate"] == name).unwrap();
    assert_eq!(state("values")["state"], "open");
    let closed = json!({ "gate": "workflow", "state": "closed", "reason": "gate:tpr_complete" });
    assert_eq!(state("workflow"), &closed);
    assert_eq!(state("confidence")["state"], "not_asked");
}

#[test]
fn without_a_terminal_it_is_plain_text_with_figures() {
    let run = Home::new().run(&["why", "--now", NOW, QUESTION]);
    run.ended(0);
    assert!(!run.stdout.contains(['\u{1b}', '█']), "{run:?}");
    assert!(run.stdout.contains("less would have asked what is meant"), "{run:?}");
}
