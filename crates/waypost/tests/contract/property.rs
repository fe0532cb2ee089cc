//! RC-03 as a property: the same text gives the same decision after whatever was asked before, to
//! the last bit of every probability, with every set of layers.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use waypost::extract::points_back;
use waypost::language::Language;
use waypost::records::request::Topic;
use waypost::text::Text;

use super::cases::{answer, judged, request, runtime, without_history};
use super::parts::{World, combinations, trained, world};

/// Words that questions are made of here; none points back.
const WORDS: [&str; 40] = [
    "what",
    "is",
    "addVar",
    "write",
    "a",
    "function",
    "which",
    "returns",
    "list",
    "account",
    "usage",
    "20%",
    "quota",
    "limit",
    "loop",
    "my",
    "project",
    "plan",
    "hello",
    "thanks",
    "escribe",
    "un",
    "endpoint",
    "qué",
    "hace",
    "getListLen",
    "mi",
    "consumo",
    "cuenta",
    "gracias",
    "memory",
    "script",
    "of",
    "de",
    "código",
    "explain",
    "explica",
    "weather",
    "tomorrow",
    "3",
];

/// Routes of a history: those of the pack, and one that no pack has.
const ROUTES: [&str; 6] =
    ["retrieval", "code_generation", "conversational", "platform", "out_of_scope", "PLATFORM\"]"];

fn text() -> impl Strategy<Value = String> {
    vec(prop::sample::select(&WORDS[..]), 1..12).prop_map(|words| words.join(" "))
}

fn line() -> impl Strategy<Value = Topic> {
    let line = (prop::sample::select(&ROUTES[..]), text());
    line.prop_map(|(route, topic)| Topic { route: route.to_owned(), topic })
}

fn histories() -> impl Strategy<Value = Vec<Topic>> {
    // Turns of any routes, or one turn over and over, which anchors a model.
    prop_oneof![
        vec(line(), 0..=40),
        (line(), 1..=40_usize).prop_map(|(line, turns)| vec![line; turns]),
    ]
}

/// What was judged. A text without letters is answered in the language of what was said before, which is no part of it then.
fn written(text: &str, mut judged: Value) -> Value {
    if !text.chars().any(char::is_alphabetic) {
        let decision = judged[0].as_object_mut().unwrap();
        for field in ["language", "question"] {
            decision.shift_remove(field);
        }
    }
    judged
}

#[test]
fn s4_2_s4_16_s4_32_rc03_no_history_moves_a_decision() {
    let trained = trained(&[]);
    let worlds: Vec<World> = combinations().iter().map(|layers| world(&trained, layers)).collect();
    let runtime = runtime();
    let config = ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let property = |(text, history, at): (String, Vec<Topic>, usize)| {
        let languages = [Language::En, Language::Es];
        let points = |language: Language| points_back(&Text::new(&text), &[], language);
        prop_assume!(!languages.into_iter().any(points));
        let world = &worlds[at];
        let mut request = request(&text);
        request.context.history = history;
        let after = written(&text, judged(&answer(&runtime, world, &request)));
        world.recall.clear();
        let alone = written(&text, judged(&answer(&runtime, world, &without_history(request))));
        world.recall.clear();
        prop_assert_eq!(after, alone);
        Ok(())
    };
    runner.run(&(text(), histories(), 0..worlds.len()), property).unwrap();
}
