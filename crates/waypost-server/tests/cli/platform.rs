//! The platform pack from the outside: answers in the language of the user without any model, the
//! contract's prefix, and models that are woken by a process that serves.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::support::{Home, McpClient};

fn said(text: &str) -> String {
    let run = Home::new().ask(&["--pack", "platform", text]);
    run.ended(0);
    run.stdout
}

/// Returns the decision for a record.
fn decide(record: &Json) -> Json {
    let input = format!("{record}\n");
    let run = Home::new().run_with(&["route", "--pack", "platform", "--jsonl"], input.as_bytes());
    run.ended(0).records().remove(0)
}

#[test]
fn greetings_questions_and_code_are_answered_without_a_model() {
    assert!(said("hola").contains("¡Hola!"));
    assert!(said("thank you very much").contains("You're welcome!"));
    let explained = said("¿para qué sirve startLoop?");
    assert!(
        explained.contains("endLoop()") && explained.contains("docs/loops.es.md"),
        "{explained}"
    );
    let example = said("write a loop that sums numbers");
    assert!(example.contains("startLoop(") && example.contains("docs/"), "{example}");
}

#[test]
fn s4_12_s4_14_the_platforms_own_prompts_are_the_platforms() {
    let prompt = "You are a direct and concise assistant. How does addVar work?";
    let history = json!([{ "route": "retrieval", "topic": "what is addVar" }]);
    let decision = decide(&json!({
        "text": prompt,
        "trusted": true,
        "now": "2025-11-06T09:00:00Z",
        "context": { "history": history },
    }));
    assert_eq!(decision["route"], "platform");
    assert_eq!(decision["layer"], "rules");
    assert_eq!(decision["llm_calls"], 0);
}

#[test]
fn s4_2_s4_15_account_figures_are_the_platforms_whatever_was_said_before() {
    let topic = json!({ "route": "code_generation", "topic": "write an endpoint" });
    let history = vec![topic; 10];
    let decision = decide(&json!({
        "text": "You have a project usage percentage of 20%, provide a recommendation",
        "now": "2025-11-06T09:00:00Z",
        "context": { "history": history },
    }));
    assert_eq!(decision["route"], "platform", "{decision}");
    assert_eq!(decision["retrieval"], false);
    assert_eq!(decision["model_slot"], "light");
}

#[test]
fn s4_21_a_process_that_serves_wakes_its_models() {
    let (main, light) = (Script::new().start(), Script::new().start());
    let home = Home::new()
        .model(&main)
        .set("WAYPOST_LIGHT_URL", &light.url())
        .set("WAYPOST_LIGHT_MODEL", "small");
    let client = McpClient::start(&home, &["--pack", "platform"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    while (main.wakes(), light.wakes()) != (1, 1) {
        assert!(Instant::now() < deadline, "{} and {} wakes", main.wakes(), light.wakes());
        std::thread::yield_now();
    }
    drop(client);
    main.finish();
    light.finish();
}
