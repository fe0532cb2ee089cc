//! What a model writes for people: without its reasoning, told as incomplete where it was cut, apart from what takes its
//! place where it broke off, and with the conversation before it.

use serde_json::{Value as Json, json};
use waypost_testing::{Fault, Script};

use crate::serve::{Serving, Site};
use crate::support::Home;

const QUESTION: &str = "explain what a tide is";
/// A text that goes to the model.
const OPEN: &str = "Keelung harbour level today";
const ANSWER: &str = "A tide is water that rises and falls";
const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

fn asked(path: &str, streams: bool) -> Json {
    let messages = json!([{ "role": "user", "content": QUESTION }]);
    let field = if path == "/v1/responses" { "input" } else { "messages" };
    let mut body = json!({ "model": "waypost/ocean", "max_tokens": 500, "stream": streams });
    body[field] = messages;
    body
}

fn stream(site: Site, path: &str) -> Vec<Json> {
    let headers = [("content-type", "application/json")];
    let (status, body) = site.ask("POST", path, &headers, &asked(path, true).to_string());
    assert_eq!(status, 200, "{body}");
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

/// The words of a whole answer.
fn words(answer: &Json) -> String {
    let places = ["/choices/0/message/content", "/output/0/content/0/text", "/content/0/text"];
    let words = places.iter().find_map(|at| answer.pointer(at)?.as_str());
    words.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The words of a stream.
fn streamed(events: &[Json]) -> String {
    let places = ["/choices/0/delta/content", "/delta/text", "/delta"];
    let words =
        |event: &Json| places.iter().find_map(|at| event.pointer(at)?.as_str().map(str::to_owned));
    events.iter().filter_map(words).collect()
}

#[test]
fn no_reasoning_decides_in_whatever_notation() {
    let (s, t) = (r#"{"decision":"sst"}"#, r#"{"decision":"tide.forecast"}"#);
    for reply in [
        format!("<thinking>maybe {s}</thinking>{t}"),
        format!("<seed:think>{s}</seed:think>{t}"),
        format!("[THINK]{s}[/THINK]{t}"),
        format!("<|START_THINKING|>{s}<|END_THINKING|><|START_RESPONSE|>{t}<|END_RESPONSE|>"),
        format!("<think>{s}</think> hm <think>{s}</think>{t}"),
        format!("<THINK>a <think>{s}</think> b {s}</THINK>{t}"),
        format!("```\n<think>{s}</think>\n```\n{t}"),
        format!("maybe {s}</think>{t}"),
        format!("Thought: {s}? No.\nAnswer: {t}"),
    ] {
        let script = Script::new().reply(&reply).start();
        let decision = Home::new().model(&script).decision(&[OPEN]);
        let tools = decision["calls"].to_string() + &decision["selected"].to_string();
        assert!(
            tools.contains("tide.forecast") && !tools.contains("ghrsst"),
            "{reply}: {decision}"
        );
        assert_eq!(decision["layer"], "llm", "{decision}");
        script.finish();
    }
}

#[test]
fn no_reasoning_is_shown_in_any_dialect_whole_or_as_it_comes() {
    for reply in [
        format!("PLAN</think>\n{ANSWER}."),
        format!("<reasoning>PLAN</reasoning>{ANSWER}."),
        format!("[THINK]PLAN[/THINK]\n{ANSWER}."),
        format!("<THINK>PLAN</THINK> {ANSWER}. <think>PLAN</think>"),
    ] {
        let script = (0..7).fold(Script::new(), |script, _| script.reply(&reply)).start();
        let home = Home::new().model(&script);
        let run = home.ask(&[QUESTION]);
        run.ended(0);
        assert!(run.stdout.starts_with(ANSWER) && !run.stdout.contains("PLAN"), "{run:?}");
        let serving = Serving::start(&home, &[]);
        for path in PATHS {
            let events = stream(serving.site, path);
            assert!(streamed(&events).starts_with(ANSWER), "{reply}: {events:?}");
            assert!(!json!(events).to_string().contains("PLAN"), "{events:?}");
            let answer = serving.site.json("POST", path, &asked(path, false));
            assert!(words(&answer).starts_with(ANSWER), "{answer}");
            assert!(!answer.to_string().contains("PLAN"), "{answer}");
        }
        script.finish();
    }
}

#[test]
fn an_answer_about_the_tags_of_reasoning_stays() {
    let reply = "Write it so:\n```\n<think>\nplan\n</think>\nfour\n```\nThat is `<think>`.";
    let script = Script::new().reply(reply).start();
    let run = Home::new().model(&script).ask(&[QUESTION]);
    assert!(run.ended(0).stdout.starts_with(reply), "{run:?}");
    script.finish();
}

#[test]
fn an_answer_that_was_cut_says_so_in_every_dialect() {
    let cut = || Fault::Length(ANSWER.to_owned());
    let script = (0..7).fold(Script::new(), |script, _| script.fault(cut())).start();
    let home = Home::new().model(&script);
    let answer = home.envelope(&[QUESTION]);
    assert_eq!(answer["raw"]["plan"]["degraded"], json!(["model:length"]), "{answer}");
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("{ANSWER}\n\nThe answer was cut off")), "{text}");
    let serving = Serving::start(&home, &[]);
    let ends = |path: &str, wanted: &[(&str, Json)]| {
        let answer = serving.site.json("POST", path, &asked(path, false));
        let events = stream(serving.site, path);
        for (at, wanted) in wanted {
            let told = answer.pointer(at);
            assert_eq!(told, Some(wanted), "{path} {at}: {answer}");
        }
        events
    };
    let events = ends(PATHS[0], &[("/choices/0/finish_reason", json!("length"))]);
    let reasons: Vec<&str> =
        events.iter().filter_map(|event| event["choices"][0]["finish_reason"].as_str()).collect();
    assert_eq!(reasons, ["length"]);
    let events = ends(
        PATHS[1],
        &[
            ("/status", json!("incomplete")),
            ("/incomplete_details/reason", json!("max_output_tokens")),
            ("/output/0/status", json!("incomplete")),
        ],
    );
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["response"]["status"]),
        (&json!("response.incomplete"), &json!("incomplete"))
    );
    let events = ends(PATHS[2], &[("/stop_reason", json!("max_tokens"))]);
    assert!(events.iter().any(|event| event["delta"]["stop_reason"] == "max_tokens"), "{events:?}");
    script.finish();
}

#[test]
fn what_takes_the_place_of_an_answer_that_broke_off_is_set_apart() {
    for path in PATHS {
        let broken = Fault::BreaksOff("Half a sentence and more words here".to_owned());
        let script = Script::new().reply(ANSWER).fault(broken).start();
        let serving = Serving::start(&Home::new().model(&script), &[]);
        stream(serving.site, path);
        let events = stream(serving.site, path);
        let said = streamed(&events);
        let (half, rest) = said.split_once("\n\n").expect(&said);
        assert!("Half a sentence and more words here".starts_with(half.trim()), "{said}");
        let (word, quoted) = rest.split_once("\n\n").expect(rest);
        assert!(word.contains("broke off here"), "{said}");
        let first = quoted.chars().take(40).collect::<String>();
        assert_eq!(said.matches(&first).count(), 1, "the quotation stands once: {said}");
        let places = ["/waypost", "/response/waypost"];
        let own = events.iter().find_map(|event| places.iter().find_map(|at| event.pointer(at)));
        let own = own.unwrap();
        assert_eq!(own["raw"]["plan"]["degraded"], json!(["model:UNAVAILABLE"]), "{own}");
        assert!(own["text"].as_str().unwrap().starts_with(&first), "{own}");
        script.finish();
    }
}

/// The prompt that writes the answer to a follow-up.
fn follow_up(first: &str, then: &str) -> String {
    fn says(asked: &Json) -> String {
        match asked["response_format"] {
            Json::Null => ANSWER.to_owned(),
            _ => json!({ "decision": "explain" }).to_string(),
        }
    }
    let script = Script::new().answering(says).start();
    let home = Home::new().model(&script);
    for text in [first, then] {
        home.ask(&["--session", "s", text]).ended(0);
    }
    let requests = script.requests();
    let writes = requests.iter().rev().find(|asked| asked["response_format"].is_null());
    writes.unwrap()["messages"].to_string()
}

/// The first passage of a prompt, behind the instructions and the last answer, which name its number, too.
fn best_passage(prompt: &str) -> &str {
    prompt.rsplit("[1] ").next().unwrap_or_default()
}

#[test]
fn a_model_that_writes_sees_the_earlier_turns_and_passages_about_them() {
    let first = "how does a neap tide differ from a spring tide";
    for then in ["the other one", "what about that one"] {
        let prompt = follow_up(first, then);
        assert!(prompt.contains(first) && prompt.contains(ANSWER), "{then}: {prompt}");
        assert!(best_passage(&prompt).starts_with("Tides /"), "{then}: {prompt}");
    }
    // A question about something else is searched by its own words.
    let prompt = follow_up(first, "what is a marine heatwave");
    assert!(best_passage(&prompt).starts_with("Marine heatwaves /"), "{prompt}");
}

#[test]
fn passages_in_a_language_that_the_user_reads_are_quoted_alone() {
    let text = Home::new().ask(&[QUESTION]).ended(0).stdout.clone();
    assert!(text.to_lowercase().contains("tide"), "{text}");
    assert!(!text.contains(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c)), "{text}");
    let text = Home::new().ask(&["erkläre, was eine Tide ist"]).ended(0).stdout.clone();
    let is_foreign = text.contains("Dokumente") || !text.contains("[1]");
    assert!(is_foreign, "{text}");
}

#[test]
fn tokens_are_counted_as_the_answer_counts_them() {
    let script = Script::new().reply(ANSWER).start();
    let serving = Serving::start(&Home::new().model(&script), &[]);
    let mut body = asked(PATHS[2], false);
    body["system"] = json!("Be brief.");
    body["tools"] = json!([{ "name": "x", "input_schema": { "type": "object" } }]);
    let counted = serving.site.json("POST", "/v1/messages/count_tokens", &body);
    assert_eq!(counted.as_object().unwrap().len(), 1, "{counted}");
    let answer = serving.site.json("POST", PATHS[2], &body);
    assert_eq!(answer["usage"]["input_tokens"], counted["input_tokens"]);
    let headers = [("content-type", "application/json"), ("anthropic-version", "2023-06-01")];
    for body in [
        json!({ "model": "waypost/ocean" }),
        json!({ "model": "waypost/ocean", "messages": [] }),
        json!({ "model": "waypost/ocean", "messages": [{ "role": "robot", "content": "x" }] }),
        json!({ "model": "waypost/ocean", "messages": [{ "role": "user" }] }),
    ] {
        let path = "/v1/messages/count_tokens?beta=true";
        let (status, reply) = serving.site.ask("POST", path, &headers, &body.to_string());
        let reply: Json = serde_json::from_str(&reply).unwrap();
        assert_eq!(
            (status, &reply["error"]["type"]),
            (400, &json!("invalid_request_error")),
            "{body}"
        );
        assert_eq!(reply["type"], "error");
    }
    script.finish();
}
