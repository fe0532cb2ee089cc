//! Every fault of a tool server: the right code, one safe sentence in the user's language, the exit
//! status of the code, and the tries that were made.

use serde_json::{Value as Json, json};

use crate::support::{Home, safe, server};

const ZH: &str = "現在台灣周遭海溫多少？";
const EN: &str = "What is the SST near Hawaii today?";
const ES: &str = "¿Cuál es la temperatura del mar en Hawái hoy?";

/// Asks with a fault on; returns the envelope after what holds for all of them.
#[track_caller]
fn fails(home: &Home, text: &str, more: &[&str], code: &str, status: i32) -> Json {
    let run = home.ask(&[&["--json", "--debug"], more, &[text]].concat());
    assert_eq!(run.status, status, "{run:?}");
    let answer = run.json();
    assert_eq!(answer["mode"], "error", "{answer}");
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer["error"]["message"], answer["text"], "{answer}");
    assert!(answer["raw"].get("tool_result").is_none(), "{answer}");
    let text = answer["text"].as_str().unwrap();
    safe(text);
    // The server's own words come after our sentence, quoted.
    let quoted = text.rfind(['“', '「', '«']).filter(|at| *at > 0);
    let text = &text[..quoted.unwrap_or(text.len())];
    assert!((2..120).contains(&text.chars().count()) && !text.contains('\n'), "{text}");
    answer
}

fn tries(answer: &Json) -> &Json {
    &answer["raw"]["trace"]["events"][0]["tries"]
}

#[test]
fn s0_35_a_server_that_is_not_there() {
    let home = Home::with_config(&server(&["/nonexistent/server"]));
    for (text, start) in [(ZH, "目前無法取得資料"), (EN, "“ghrsst."), (ES, "")] {
        let answer = fails(&home, text, &[], "UNAVAILABLE", 4);
        assert!(answer["text"].as_str().unwrap().starts_with(start), "{answer}");
        // A program that is not there will not be there a moment later.
        assert_eq!(tries(&answer), 1);
    }
}

#[test]
fn s0_35_each_language_has_its_own_sentence() {
    let home = Home::with_fault("error:UNAVAILABLE");
    let text = |question| fails(&home, question, &[], "UNAVAILABLE", 4)["text"].clone();
    let texts = [text(ZH), text("现在台湾周边海温多少？"), text(EN), text(ES)];
    for (index, text) in texts.iter().enumerate() {
        assert!(!texts[..index].contains(text), "{texts:?}");
    }
}

#[test]
fn s0_50_a_server_that_is_too_slow_is_given_up_and_not_tried_again() {
    let home = Home::with_fault("delay:5000");
    let pack = home.pack(&[
        ("    family: sst\n", "    family: sst\n    timeout_ms: 300\n"),
        ("  max_calls: 6\n", "  max_calls: 6\n  max_tries: 2\n  backoff_ms: 1\n"),
    ]);
    let answer = fails(&home, ZH, &["--pack", &pack], "DEADLINE_EXCEEDED", 4);
    assert_eq!(answer["error"]["class"], "UNAVAILABLE");
    assert_eq!(tries(&answer), 1);
}

#[test]
fn s0_50_a_server_that_hangs() {
    let home = Home::with_fault("hang");
    let pack = home.pack(&[
        ("    family: sst\n", "    family: sst\n    timeout_ms: 300\n"),
        ("  max_calls: 6\n", "  max_calls: 6\n  max_tries: 1\n"),
    ]);
    let answer = fails(&home, EN, &["--pack", &pack], "DEADLINE_EXCEEDED", 4);
    assert_eq!(answer["error"]["class"], "UNAVAILABLE");
}

#[test]
fn a_turn_has_an_end_of_its_own() {
    let home = Home::with_fault("hang");
    let edit = ("  max_calls: 6\n", "  max_calls: 6\n  turn_timeout_ms: 300\n");
    let pack = home.pack(&[edit]);
    let run = home.ask(&["--json", "--pack", &pack, ZH]);
    assert_eq!(run.status, 4, "{run:?}");
    assert_eq!(run.json()["error"]["code"], "DEADLINE_EXCEEDED");
}

#[test]
fn s0_35_a_server_that_crashes_in_the_middle_of_a_call() {
    let answer = fails(&Home::with_fault("crash"), ES, &[], "UNAVAILABLE", 4);
    assert_eq!(tries(&answer), 3, "it is started again for every try");
}

#[test]
fn s0_35_a_server_that_speaks_garbage() {
    // Such a server shows itself only by never getting ready, and it is waited for once in a turn.
    fails(&Home::with_fault("garbage"), ZH, &[], "UNAVAILABLE", 4);
}

#[test]
fn s0_35_s0_55_a_result_that_breaks_the_tools_own_schema() {
    fails(&Home::with_fault("garbage-result"), ZH, &[], "UNAVAILABLE", 4);
}

#[test]
fn s0_51_no_data_for_any_day() {
    let answer = fails(&Home::with_fault("not-found"), EN, &[], "NOT_FOUND", 4);
    let text = answer["text"].as_str().unwrap();
    let quoted = "“ghrsst.bbox_mean” found nothing. The server says: “";
    assert!(text.starts_with(quoted) && text.ends_with('”'), "{text}");
    assert_eq!(tries(&answer), 3, "as asked, yesterday, and the nearest day");
}

/// The codes, the exit status of each and how often it is tried.
#[test]
fn s0_35_every_code_of_a_tool_is_told_as_it_is() {
    for (code, class, status, tried) in [
        ("UNAVAILABLE", "UNAVAILABLE", 4, 3),
        ("DEADLINE_EXCEEDED", "UNAVAILABLE", 4, 1),
        ("RESOURCE_EXHAUSTED", "UNAVAILABLE", 4, 3),
        ("NOT_FOUND", "NOT_FOUND", 4, 3),
        ("INVALID_ARGUMENT", "INVALID_ARGUMENT", 2, 1),
        ("PERMISSION_DENIED", "INVALID_ARGUMENT", 3, 1),
        ("FAILED_PRECONDITION", "INVALID_ARGUMENT", 3, 1),
        ("UNIMPLEMENTED", "INVALID_ARGUMENT", 3, 1),
        ("INTERNAL", "UNAVAILABLE", 1, 1),
    ] {
        let home = Home::with_fault(&format!("error:{code}"));
        let answer = fails(&home, EN, &[], code, status);
        assert_eq!(answer["error"]["class"], class, "{code}");
        assert_eq!(tries(&answer), &json!(tried), "{code}");
        let quoted = format!("The server says: “the fault `error:{code}` is on”");
        assert!(answer["text"].as_str().unwrap().ends_with(&quoted), "{answer}");
    }
}

#[test]
fn s0_35_a_tool_that_stops_by_itself_was_not_stopped_by_the_user() {
    let answer = fails(&Home::with_fault("error:CANCELLED"), EN, &[], "UNAVAILABLE", 4);
    assert_eq!(answer["error"]["class"], "UNAVAILABLE");
}

#[test]
fn one_answer_of_two_is_an_answer() {
    let home = Home::with_fault("error:INTERNAL");
    let pack = home.pack(&[]);
    let run = home.ask(&["--json", "--pack", &pack, "基隆今天的潮汐與海溫"]);
    assert_eq!(run.json()["text"].as_str().unwrap().lines().count(), 2, "{run:?}");
    assert_eq!(run.status, 1);
}
