//! Answers to the malaria pack's question for the facility level: those that only a model can read, and those for which
//! none is asked.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::malaria::decide;
use crate::support::Home;

/// A request with this text while a question about the facility level is open.
fn facility_step(text: &str) -> Json {
    json!({
        "text": text,
        "context": {
            "active_tool": "run_tpr_step",
            "active_argument": "facility_level",
            "options": [
                { "label": "Primary", "value": "primary" },
                { "label": "Secondary", "value": "secondary" },
                { "label": "Tertiary", "value": "tertiary" },
                { "label": "All facilities", "value": "all" },
            ],
        },
    })
}

#[test]
fn s1_2_s1_6_s1_12_s1_15_s1_17_s1_34_a_model_reads_what_no_list_of_words_resolves() {
    let reply = json!({
        "tool": "run_tpr_step", "args": { "facility_level": "tertiary" },
        "confidence": 0.92, "reason": "teaching hospitals",
    });
    let script = Script::new().reply(&reply).start();
    let home = Home::new().model(&script);
    let mut step = facility_step("where they train the young doctors");
    step["context"]["active_arguments"] = json!({ "age_group": "u5" });
    step["context"]["flags"] = json!({ "data_loaded": true });
    let decision = decide(&home, &step);
    assert_eq!(decision["decision"], "run", "{decision}");
    assert_eq!(decision["layer"], "llm", "{decision}");
    assert_eq!(decision["llm_calls"], 1, "{decision}");
    assert_eq!(decision["calls"][0]["arguments"]["facility_level"], "tertiary", "{decision}");
    assert_eq!(decision["calls"][0]["evidence"]["facility_level"]["source"], "llm", "{decision}");
    let body = script.requests()[0].to_string();
    assert!(body.contains("run_tpr_step") && body.contains("facility_level"), "{body}");
    for other in ["run_itn_planning", "create_vulnerability_map", "analyze_data", "map_variable"] {
        assert!(!body.contains(other), "only the active tool's schema is sent: {body}");
    }
    let request = script.requests()[0].clone();
    let said = &request["messages"].as_array().unwrap().last().unwrap()["content"];
    assert_eq!(
        said.as_str().unwrap().lines().collect::<Vec<_>>(),
        [
            "known: {\"age_group\":\"u5\"}",
            "flags: {\"data_loaded\":true}",
            "asked: Primary / Secondary / Tertiary / All facilities",
            "where they train the young doctors",
        ]
    );
    let schema = &request["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["additionalProperties"], false, "{schema}");
    let values = json!(["primary", "secondary", "tertiary", "all", null]);
    assert_eq!(schema["properties"]["facility_level"]["enum"], values, "{schema}");
    script.finish();
}

#[test]
fn s1_32_a_value_that_nothing_bears_out_is_asked_about() {
    let reply = json!({
        "tool": "run_itn_planning", "args": { "total_nets": 123_456 },
        "confidence": 0.99, "reason": "a guess",
    });
    let script = Script::new().reply(&reply).start();
    let home = Home::new().model(&script);
    let decision = decide(
        &home,
        &json!({
            "text": "as many as the ministry usually sends us",
            "context": {
                "flags": { "tpr_complete": true, "risk_complete": true },
                "active_tool": "run_itn_planning",
                "active_argument": "total_nets",
            },
        }),
    );
    assert_eq!(decision["decision"], "clarify", "{decision}");
    assert_eq!(decision["calls"][0]["arguments"], json!({}), "{decision}");
    assert_eq!(decision["question"]["choices"][0]["value"], json!({ "total_nets": 123_456 }));
    script.finish();
}

#[test]
fn a_listed_value_that_no_word_bears_out_is_one_yes_away() {
    let arguments = json!({ "facility_level": "tertiary" });
    let reply = json!({
        "decision": "tool", "confidence": 0.95, "rationale": "teaching hospitals",
        "tool": { "name": "run_tpr_step", "arguments": arguments },
    });
    let script = Script::new().reply(&reply).start();
    let home = Home::new().model(&script);
    let ask = |text: &str| home.envelope(&["--pack", "malaria", "--session", "young", text]);
    let asked = ask("the share of positives for the houses that school the apprentices");
    assert_eq!(asked["mode"], "clarify", "{asked}");
    assert_eq!(asked["raw"]["plan"]["llm_calls"], 1, "{asked}");
    let choices = asked["choices"].as_array().unwrap();
    assert_eq!(choices[0]["value"], json!({ "facility_level": "tertiary" }), "{asked}");
    assert_eq!(choices.len(), 4, "the others stand behind it: {asked}");
    // The yes asks no model again.
    let done = ask("yes");
    let call = &done["raw"]["plan"]["calls"][0];
    assert_eq!(done["raw"]["plan"]["llm_calls"], 0, "{done}");
    assert_eq!(call["arguments"]["facility_level"], "tertiary", "{done}");
    assert_eq!(call["evidence"]["facility_level"]["source"], "option", "{done}");
    script.finish();
}

#[test]
fn s1_7_a_value_that_the_schema_refuses_is_none() {
    let reply = json!({
        "tool": "run_tpr_step", "args": { "facility_level": "quaternary" },
        "confidence": 0.99, "reason": "invented",
    });
    let script = Script::new().reply(&reply).start();
    let home = Home::new().model(&script);
    let decision = decide(&home, &facility_step("the really fancy kind of place"));
    assert_ne!(decision["decision"], "run", "{decision}");
    assert!(!decision["calls"].to_string().contains("quaternary"), "{decision}");
    script.finish();
}

#[test]
fn s1_9_words_that_are_known_ask_no_model() {
    let script = Script::new().start();
    let home = Home::new().model(&script);
    for (text, level, by) in [
        ("go with primary", "primary", "words"),
        ("not primary, secondary", "secondary", "words"),
        ("the first one", "primary", "ordinal"),
        ("the second one", "secondary", "ordinal"),
        ("third", "tertiary", "ordinal"),
        ("secundary please", "secondary", "fuzzy"),
        ("tertairy", "tertiary", "fuzzy"),
        ("skip", "all", "skip"),
    ] {
        let decision = decide(&home, &facility_step(text));
        assert_eq!(decision["llm_calls"], 0, "{text}: {decision}");
        assert_eq!(decision["decision"], "run", "{text}: {decision}");
        let call = &decision["calls"][0];
        assert_eq!(call["tool"], "run_tpr_step", "{text}: {decision}");
        assert_eq!(call["arguments"], json!({ "facility_level": level }), "{text}: {decision}");
        assert_eq!(call["evidence"]["facility_level"]["by"], by, "{text}: {decision}");
    }
    script.finish();
}

#[test]
fn s1_4_s1_16_a_model_sees_a_few_examples_of_what_is_asked_for() {
    let script =
        Script::new().reply(json!({ "tool": null, "args": {}, "confidence": 0.9 })).start();
    let home = Home::new().model(&script);
    decide(&home, &facility_step("where they train the young doctors"));
    let body = &script.requests()[0];
    let shots =
        body["messages"].as_array().unwrap().iter().filter(|line| line["role"] == "assistant");
    let shots: Vec<String> =
        shots.map(|line| line["content"].as_str().unwrap().to_owned()).collect();
    assert!((3..=5).contains(&shots.len()), "{shots:?}");
    assert!(shots.iter().all(|shot| shot.contains("facility_level")), "{shots:?}");
    script.finish();
}

#[test]
fn s1_31_two_candidates_are_one_question_with_both() {
    let asked = decide(&Home::new(), &facility_step("primary or secondary"));
    let values: Vec<&Json> = asked["question"]["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| &choice["value"])
        .collect();
    assert_eq!(values, [&json!("primary"), &json!("secondary")], "{asked}");
    let left = decide(&Home::new(), &facility_step("anything but tertiary"));
    assert_eq!(left["question"]["choices"].as_array().unwrap().len(), 2, "{left}");
}
