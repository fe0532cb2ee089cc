//! The points of conversations: clients of models go on from one more than once, and packs and programs come and go between.

use serde_json::{Value as Json, json};

use crate::serve::{Serving, Site};
use crate::support::{Home, NOW};

const QUESTION: &str = "what is the sea temperature today";
/// A sentence of each language that says that nothing is waiting, which no continuation may hear.
const NOTHING: [&str; 2] = ["Nothing is waiting", "目前沒有等待回答的問題"];

fn user(text: &str) -> Json {
    json!({ "role": "user", "content": text })
}

/// Sends a list of messages, and returns the words and the envelope of the answer.
fn chat(site: Site, path: &str, messages: &[Json]) -> (String, Json) {
    let body = json!({
        "model": "waypost/ocean", "max_tokens": 99, "messages": messages,
        "waypost": { "now": NOW, "tz": "Asia/Taipei" },
    });
    let answer = site.json("POST", path, &body);
    let words = ["/choices/0/message/content", "/content/0/text"];
    let words = words.iter().find_map(|at| answer.pointer(at)?.as_str()).unwrap();
    (words.to_owned(), answer["waypost"].clone())
}

/// Checks that an answer is that of a tool, or a question on the way to it.
fn goes_on(answer: &Json) {
    let text = answer["text"].as_str().unwrap();
    assert!(!NOTHING.iter().any(|nothing| text.contains(nothing)), "{answer}");
    assert_ne!(answer["raw"]["plan"]["reason"], "out_of_scope", "{answer}");
    assert_eq!(answer["raw"]["plan"]["language"], "en", "{answer}");
}

#[test]
fn every_continuation_of_a_point_gets_its_answer_in_the_clients_protocol() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "ocean"]);
    let site = serving.site;
    for path in ["/v1/chat/completions", "/v1/messages"] {
        let (asks, question) = chat(site, path, &[user(QUESTION)]);
        assert_eq!(question["mode"], "clarify", "{question}");
        let said = json!({ "role": "assistant", "content": asks });
        let next = |text: &str| chat(site, path, &[user(QUESTION), said.clone(), user(text)]);
        let (first, one) = next("1");
        // The same once more, an edited message, words instead of a number, and the first again.
        for text in ["1", "2", "Taiwan Strait", "1"] {
            let (again, answer) = next(text);
            goes_on(&answer);
            assert_eq!(again == first, text == "1", "{path} {text}: {again}");
        }
        goes_on(&one);
        // Each of them is a point of its own.
        let after = [
            user(QUESTION),
            said.clone(),
            user("1"),
            json!({ "role": "assistant", "content": first }),
        ];
        for text in ["and yesterday?", "and yesterday?"] {
            let (_, answer) = chat(site, path, &[&after[..], &[user(text)]].concat());
            assert_eq!(answer["raw"]["plan"]["route"], "tool", "{answer}");
        }
    }
    let respond = |input: &str, previous: &Json| {
        let body = json!({
            "model": "waypost/ocean", "input": input, "previous_response_id": previous,
            "waypost": { "now": NOW, "tz": "Asia/Taipei" },
        });
        site.json("POST", "/v1/responses", &body)
    };
    let question = respond(QUESTION, &Json::Null);
    let answers: Vec<Json> = ["1", "2", "1", "Taiwan Strait"]
        .iter()
        .map(|text| respond(text, &question["id"]))
        .collect();
    answers.iter().for_each(|answer| goes_on(&answer["waypost"]));
    let text = |at: usize| answers[at]["waypost"]["text"].as_str().unwrap();
    assert_eq!(text(0), text(2));
    assert_ne!(text(0), text(1));
}

#[test]
fn a_write_that_was_approved_at_a_point_is_made_once() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "accelerator"]);
    let asked = |messages: &[Json]| {
        let body = json!({ "model": "waypost", "messages": messages, "waypost": { "now": NOW } });
        serving.site.json("POST", "/v1/chat/completions", &body)
    };
    let first = user("set QF2 to 118.5 A");
    let question = asked(std::slice::from_ref(&first));
    assert_eq!(question["waypost"]["raw"]["plan"]["reason"], "gate:approval", "{question}");
    let said = question["choices"][0]["message"].clone();
    for text in ["yes", "yes", "1", "no", "yes"] {
        let answer = asked(&[first.clone(), said.clone(), user(text)]);
        assert_eq!(answer["waypost"]["raw"]["plan"]["language"], "en", "{answer}");
    }
    drop(serving.signal("-TERM"));
    let spent = home.run(&["events", "export", "--type", "tool_event"]);
    let made = spent
        .records()
        .into_iter()
        .filter(|event| event["tool"] == "channel_write" && event["status"] == "success");
    assert_eq!(made.count(), 1, "{spent:?}");
}

#[test]
fn an_answer_without_a_language_is_in_the_one_of_what_was_said() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "ocean"]);
    // A conversation that this process has not seen.
    for (said, nothing) in [
        ("Which part of the sea do you mean?", "Nothing is waiting"),
        ("¿De qué parte del mar habla usted?", "No hay ninguna pregunta"),
        ("請問是哪一片海域？", "目前沒有等待回答的問題"),
    ] {
        let assistant = json!({ "role": "assistant", "content": said });
        let (words, _) =
            chat(serving.site, "/v1/chat/completions", &[user("…"), assistant, user("2")]);
        assert!(words.contains(nothing), "{said}: {words}");
    }
}

#[test]
fn a_second_pack_changes_nothing_for_the_conversations_of_the_first() {
    let home = Home::new();
    let asked = |text: &str, pack: &str| json!({ "text": text, "now": NOW, "session": "x", "tz": "Asia/Taipei", "pack": pack });
    let serving = Serving::start(&home, &["--pack", "ocean"]);
    let question = serving.site.json("POST", "/v1/answer", &asked("SST yesterday", "ocean"));
    assert_eq!(question["mode"], "clarify", "{question}");
    drop(serving.signal("-TERM"));
    let serving = Serving::start(&home, &["--pack", "malaria", "--pack", "ocean"]);
    let site = serving.site;
    // What was asked in one pack is no question of the other, and is not lost by it.
    let other = site.json("POST", "/v1/answer", &asked("Keelung", "malaria"));
    assert_ne!(other["mode"], "tool", "{other}");
    let right =
        json!({ "decision_id": question["id"], "right": true, "session": "x", "pack": "ocean" });
    site.json("POST", "/v1/feedback", &right);
    let answer = site.json("POST", "/v1/answer", &asked("Keelung", "ocean"));
    assert_eq!(
        (&answer["mode"], &answer["raw"]["plan"]["calls"][0]["tool"].is_string()),
        (&json!("tool"), &true),
        "{answer}"
    );
    drop(serving.signal("-TERM"));
    let run = home.ask(&["--session", "x", "and today?"]);
    assert!(!run.stdout.contains("Nothing is waiting"), "{run:?}");
    assert!(!home.run(&["events", "--session", "x"]).ended(0).stdout.is_empty());
}

#[test]
fn a_decision_of_another_process_is_found_as_soon_as_it_is_answered() {
    let home = Home::new();
    let (one, two) = (Serving::start(&home, &[]), Serving::start(&home, &[]));
    for n in 0..20 {
        let asked =
            json!({ "text": format!("tides at Keelung on the {}th", n % 10 + 10), "now": NOW });
        let answer = one.site.json("POST", "/v1/answer", &asked);
        let word = json!({ "decision_id": answer["id"], "right": true });
        let taken = two.site.json("POST", "/v1/feedback", &word);
        assert!(taken["label"].is_object() || taken["label"].is_null(), "{taken}");
    }
    let unknown = json!({ "decision_id": "0123456789abcdef", "right": true }).to_string();
    let (status, problem) =
        two.site.ask("POST", "/v1/feedback", &[("content-type", "application/json")], &unknown);
    assert_eq!(status, 404, "{problem}");
}

#[test]
fn the_fault_of_a_declared_call_names_its_place_and_null_is_not_given() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--pack", "ocean"]);
    let asked = |call: &Json| {
        let body =
            json!({ "text": null, "now": NOW, "session": null, "context": null, "call": call });
        let headers = [("content-type", "application/json")];
        let (status, body) = serving.site.ask("POST", "/v1/route", &headers, &body.to_string());
        (status, serde_json::from_str::<Json>(&body).unwrap())
    };
    for (call, pointer) in [
        (json!({ "tool": "tides" }), "/call/tool"),
        (json!({ "tool": "tide.forecast", "arguments": { "dat": "x" } }), "/call/arguments/dat"),
        (json!({ "tool": "tide.forecast", "arguments": { "date": 5 } }), "/call/arguments/date"),
    ] {
        let (status, problem) = asked(&call);
        assert_eq!((status, &problem["pointer"]), (400, &json!(pointer)), "{problem}");
    }
    for arguments in [json!(null), json!({ "date": null })] {
        let (status, decision) = asked(&json!({ "tool": "tide.forecast", "arguments": arguments }));
        assert_eq!((status, &decision["layer"]), (200, &json!("declared")), "{decision}");
    }
}
