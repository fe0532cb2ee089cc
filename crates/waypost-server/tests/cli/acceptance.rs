//! The acceptance criteria AC-1 … AC-6, with no model and with a scripted one, over real MCP.

use serde_json::{Value as Json, json};
use waypost_testing::Script;

use crate::support::{Home, McpClient, NOW, UNSURE, WAYPOST, server};

const AC_1: &str = "現在台灣周遭海溫多少？";
const AC_2: &str = "花蓮外海 121.7E,24.0N 今天呢？";
const AC_3: &str = "GHRSST 是什麼？";
const AC_4: &str = "幫我把以下 JSON 轉 CSV 的 Python";

/// The layers without the student, so that the model decides.
const WITHOUT_STUDENT: &str = "[cascade]\nlayers = [\"declared\", \"rules\", \"llm\"]\n";

/// The reply of the scripted model to [`AC_1`].
fn reply() -> Json {
    json!({
        "decision": "tool",
        "confidence": 0.9,
        "tool": { "name": "ghrsst.bbox_mean", "arguments": { "bbox": "taiwan_nearby" } },
        "rationale": "SST around Taiwan",
        "needs_followup": false,
        "followup_question": null,
    })
}

/// A home whose sample server has the same clock as the questions.
fn replayed() -> Home {
    Home::with_config(&server(&[WAYPOST, "demo", "ocean", "--now", NOW]))
}

fn over_mcp(query: &str) -> Json {
    let home = replayed();
    let mut client = McpClient::start(&home, &[]);
    let arguments = json!({ "query": query, "query_time": NOW, "debug": true });
    let reply = client.call("router.answer", &arguments);
    assert_eq!(client.leave(), 0);
    let result = reply["result"].clone();
    assert_ne!(result["isError"], true, "{reply}");
    let answer = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(answer["text"].as_str().unwrap()), "{reply}");
    answer
}

#[test]
fn s0_39_ac_1_sea_temperature_around_taiwan_names_the_day_that_was_used() {
    let run = Home::new().ask(&["--debug", AC_1]);
    run.ended(0).told(&[
        "call ghrsst.bbox_mean {\"bbox\":[118.0,20.0,123.5,26.5],\"date\":\"2025-11-06\"",
        "-> NOT_FOUND",
        "\"date\":\"2025-11-05\"",
        "-> ok",
    ]);
    let line = run.stdout.lines().next().unwrap();
    assert!(line.starts_with("2025-11-05：台灣周遭海溫約 ") && line.contains("°C"), "{line}");
    assert!(line.contains("原請求 2025-11-06"), "{line}");
}

#[test]
fn s0_2_s0_39_s0_56_ac_1_over_mcp() {
    let answer = over_mcp(AC_1);
    assert_eq!(answer["mode"], "tool");
    assert_eq!(answer["source"], "ghrsst.bbox_mean");
    assert!(answer["text"].as_str().unwrap().starts_with("2025-11-05："), "{answer}");
    assert_eq!(answer["raw"]["tool_result"]["date"], "2025-11-05");
}

#[test]
fn s0_40_s0_56_ac_2_a_point_without_a_word_for_temperature() {
    let run = Home::new().ask(&["--debug", AC_2]);
    run.ended(0).told(&["call ghrsst.point_value {\"longitude\":121.7,\"latitude\":24.0", "-> ok"]);
    let line = run.stdout.lines().next().unwrap();
    assert!(line.starts_with("2025-11-05：") && line.contains("°C"), "{line}");
    let answer = over_mcp(AC_2);
    assert_eq!(
        (answer["mode"].as_str(), answer["source"].as_str()),
        (Some("tool"), Some("ghrsst.point_value"))
    );
}

#[test]
fn s0_9_s0_41_s0_56_ac_3_a_concept_is_explained_from_documents_with_sources() {
    let run = Home::new().ask(&["--debug", AC_3]);
    run.ended(0);
    assert!(run.stdout.contains("來源:\n[1] "), "{run:?}");
    assert!(run.stdout.contains("docs/ghrsst.zh-TW.md"), "{run:?}");
    assert!(!run.stderr.contains("call "), "no tool is called: {run:?}");
    let answer = over_mcp(AC_3);
    assert_eq!(
        (answer["mode"].as_str(), answer["source"].as_str()),
        (Some("explain"), Some("rag.explain"))
    );
}

#[test]
fn s0_9_s0_42_s0_56_ac_4_code_without_a_model_says_what_is_missing() {
    let run = Home::new().ask(&[AC_4]);
    run.ended(0);
    assert!(run.stdout.contains("WAYPOST_MAIN_URL"), "{run:?}");
    let answer = over_mcp(AC_4);
    assert_eq!(
        (answer["mode"].as_str(), answer["source"].as_str()),
        (Some("code"), Some("rag.code"))
    );
    assert_eq!(answer["raw"]["plan"]["degraded"], json!(["model:FAILED_PRECONDITION"]));
}

#[test]
fn s0_42_ac_4_code_with_a_model_is_written_in_one_call() {
    let script = Script::new().reply("```python\nimport csv\n```").start();
    let run = Home::new().model(&script).ask(&[AC_4]);
    run.ended(0);
    assert_eq!(run.stdout, "```python\nimport csv\n```\n");
    // The student decides; the one call is the writing.
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn s1_13_a_program_is_written_with_the_days_and_places_that_the_words_mean() {
    let script = Script::new().reply("```python\npass\n```").start();
    let text = "a python script that draws the sea temperature at 121.7E, 24.0N yesterday";
    Home::new().model(&script).ask(&["--route", "code", text]).ended(0);
    let asked = format!("{:?}", script.requests());
    for value in ["2025-11-05", "121.7, for", "24.0, for"] {
        assert!(asked.contains(value), "{value}: {asked}");
    }
}

#[test]
fn s0_1_s0_8_s0_10_s0_43_ac_5_the_model_decides_in_exactly_one_call() {
    let script = Script::new().reply(reply()).start();
    let answer = Home::with_config(WITHOUT_STUDENT).model(&script).envelope(&[AC_1]);
    assert_eq!(script.requests().len(), 1);
    assert_eq!(answer["raw"]["plan"]["llm_calls"], 1);
    assert_eq!(answer["raw"]["plan"]["layer"], "llm");
    assert_eq!(answer["mode"], "tool");
    check_plan(&answer["raw"]["plan"]);
    assert!(answer["text"].as_str().unwrap().starts_with("2025-11-05：台灣周遭"), "{answer}");
}

#[test]
fn s0_43_s0_58_ac_5_over_mcp_with_a_model() {
    let script = Script::new().reply(reply()).start();
    let config = WITHOUT_STUDENT.to_owned() + &server(&[WAYPOST, "demo", "ocean", "--now", NOW]);
    let home = Home::with_config(&config).model(&script);
    let mut client = McpClient::start(&home, &[]);
    let reply = client.call("router.answer", &json!({ "query": AC_1, "query_time": NOW }));
    let answer = &reply["result"]["structuredContent"];
    assert_eq!(answer["raw"]["plan"]["llm_calls"], 1);
    assert!(answer["text"].as_str().unwrap().starts_with("2025-11-05："), "{answer}");
    assert_eq!(script.requests().len(), 1);
    assert_eq!(client.leave(), 0);
}

#[test]
fn s0_4_s0_43_ac_5_a_confident_student_asks_no_model() {
    // A script without replies fails the test when it is asked.
    let script = Script::new().start();
    let answer = Home::new().model(&script).envelope(&[AC_1]);
    assert_eq!(answer["raw"]["plan"]["llm_calls"], 0);
    assert_eq!(answer["raw"]["plan"]["layer"], "linear");
    assert_eq!(answer["mode"], "tool");
    script.finish();
}

#[test]
fn s0_43_ac_5_an_unsure_student_asks_the_model_once() {
    let reply = json!({
        "decision": "tool",
        "confidence": 0.8,
        "tool": { "name": "ghrsst.bbox_mean", "arguments": {} },
    });
    let script = Script::new().reply(reply).start();
    let home = Home::new().model(&script);
    let pack = home.pack(&[UNSURE]);
    let answer = home.envelope(&["--pack", &pack, "海溫多少"]);
    assert_eq!(script.requests().len(), 1);
    assert_eq!(answer["raw"]["plan"]["llm_calls"], 1);
    // No place was named and none may be made up.
    assert_eq!(answer["mode"], "clarify");
}

#[test]
fn s0_15_s0_17_s0_44_ac_6_the_envelope_is_valid_whatever_is_asked() {
    let home = Home::new();
    for query in [AC_1, AC_2, AC_3, AC_4, "海溫多少", "121E 95N 海溫", "明天會下雨嗎", "a", ""]
    {
        let answer = home.envelope(&[query]);
        check_envelope(&answer);
        check_plan(&answer["raw"]["plan"]);
        assert!(answer["raw"]["trace"].is_null(), "S0-38: no trace without --debug: {answer}");
    }
}

#[test]
fn s0_8_s0_19_s0_44_ac_6_arguments_of_a_model_are_normalized_by_the_server() {
    let reply = json!({
        "decision": "mcp",
        "confidence": 0.9,
        "tool": {
            "name": "ghrsst.bbox_mean",
            "arguments": { "bbox": [123.5, 26.5, 118.0, 20.0], "date": "06/11/2025", "color": "red" },
        },
    });
    let script = Script::new().reply(reply).start();
    let home = Home::with_config(WITHOUT_STUDENT).model(&script);
    let answer = home.envelope(&["SST for 123.5,26.5,118,20 today"]);
    let call = &answer["raw"]["plan"]["calls"][0]["arguments"];
    assert_eq!(call["bbox"], json!([118.0, 20.0, 123.5, 26.5]));
    assert_eq!(call["date"], "2025-11-06");
    assert!(call.get("color").is_none(), "S0-19: only arguments that the tool has: {call}");
}

#[test]
fn s0_48_the_model_is_asked_coldly_and_briefly() {
    let script = Script::new().reply(reply()).start();
    Home::with_config(WITHOUT_STUDENT).model(&script).envelope(&[AC_1]);
    let request = &script.requests()[0];
    assert_eq!(request["temperature"], 0.0);
    assert!(request["max_tokens"].as_u64().unwrap() <= 256, "{request}");
    let messages = request["messages"].as_array().unwrap();
    let shots = messages.iter().filter(|message| message["role"] == "assistant").count();
    assert!((3..=6).contains(&shots), "{shots} examples: {request}");
    let instructions = messages[0]["content"].as_str().unwrap();
    let choices = instructions.lines().filter(|line| line.starts_with("- ")).count();
    assert!((3..=8).contains(&choices), "one line for each choice: {instructions}");
    let tokens = waypost::tokens::count(instructions);
    assert!(tokens <= 512, "{tokens} tokens: {instructions}");
}

#[test]
fn s0_30_only_today_falls_back_to_yesterday() {
    let home = Home::with_fault("not-found");
    let tool = |text: &str| home.envelope(&["--debug", text])["raw"]["trace"]["events"][0].clone();
    assert_eq!(tool(AC_1)["relaxed"], json!(["date -1d", "method nearest"]));
    assert_eq!(tool("2025-11-01 台灣周遭海溫")["relaxed"], json!(["method nearest"]));
}

#[test]
fn s0_45_timings_tries_and_relaxations_are_in_the_trace() {
    let answer = Home::new().envelope(&["--debug", AC_1]);
    let trace = &answer["raw"]["trace"];
    assert!(trace["t_classify_ms"].is_number() && trace["t_total_ms"].is_number(), "{trace}");
    assert!(trace["t_mcp_ms"].is_number(), "{trace}");
    let tool = &trace["events"][0];
    assert_eq!((&tool["tries"], &tool["relaxed"]), (&json!(2), &json!(["date -1d"])));
}

#[test]
fn s0_3_s0_13_what_lies_behind_is_shown_with_debug_alone() {
    let home = Home::new();
    let plain = home.ask(&[AC_1]);
    plain.ended(0);
    assert_eq!(plain.stdout.lines().count(), 1, "{plain:?}");
    assert_eq!(plain.stderr, "");
    let debug = home.ask(&["--debug", AC_1]);
    // S0-13: the plan and the tool's result.
    assert!(debug.stdout.starts_with(&plain.stdout), "{debug:?}");
    for word in ["plan:", "tool_result:", "trace:", "\"evidence\""] {
        assert!(debug.stdout.contains(word), "{debug:?}");
    }
}

#[track_caller]
fn check_envelope(answer: &Json) {
    for (key, kind) in [
        ("mode", "string"),
        ("text", "string"),
        ("source", "string"),
        ("confidence", "number"),
        ("raw", "object"),
        ("id", "string"),
    ] {
        let value = &answer[key];
        let fits = match kind {
            "string" => value.is_string(),
            "number" => value.is_number(),
            _ => value.is_object(),
        };
        assert!(fits, "{key} is no {kind}: {answer}");
    }
    assert!((0.0..=1.0).contains(&answer["confidence"].as_f64().unwrap()), "{answer}");
    assert_ne!(answer["text"], "", "{answer}");
    let modes = ["tool", "explain", "code", "clarify", "rephrase", "refuse"];
    assert!(modes.iter().any(|mode| answer["mode"] == *mode), "{answer}");
    let sources = ["ghrsst.bbox_mean", "ghrsst.point_value", "rag.explain", "rag.code", "router"];
    assert!(sources.iter().any(|source| answer["source"] == *source), "{answer}");
}

/// Checks the keys of the plan and the type of each (S0-17); `decision` may also say that a text is refused.
#[track_caller]
fn check_plan(plan: &Json) {
    for key in
        ["decision", "confidence", "tool", "rationale", "needs_followup", "followup_question"]
    {
        assert!(plan.get(key).is_some(), "{key} is missing: {plan}");
    }
    let decisions = ["mcp", "explain", "code", "out_of_scope"];
    assert!(decisions.iter().any(|decision| plan["decision"] == *decision), "{plan}");
    let confidence = plan["confidence"].as_f64();
    assert!(confidence.is_some_and(|confidence| (0.0..=1.0).contains(&confidence)), "{plan}");
    assert!(plan["rationale"].is_string(), "{plan}");
    let tool = &plan["tool"];
    let is_tool = tool["name"].is_string() && tool["arguments"].is_object();
    assert!(tool.is_null() || is_tool, "{plan}");
    let (asks, question) = (&plan["needs_followup"], &plan["followup_question"]);
    assert!(asks.is_boolean() && (question.is_string() || question.is_null()), "{plan}");
    assert_eq!(*asks, question.is_string(), "{plan}");
}
