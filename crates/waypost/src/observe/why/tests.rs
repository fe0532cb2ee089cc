//! Any text can be explained, in the user's own words, and is decided as without an explanation.

use std::sync::OnceLock;

use futures_util::FutureExt;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;
use waypost_core::records::belief::Belief;
use waypost_core::records::request::{Context, Request};
use waypost_learning::Bundle;

use super::*;
use crate::decide::Matchers;
use crate::decide::cascade::Teaching;
use crate::pack::{Files, Pack};
use crate::student::heads::train_student;
use crate::understand::ingest;

static TEACHING: Teaching = Teaching::new();

const YAML: &str = "\
name: p
summary: A test.
format: 1
languages: [en, zh-TW]
tz: UTC
fallback: explain
routes:
  - { name: tool, handler: tool, summary: The user wants a timer. }
  - { name: explain, handler: explain, summary: The user asks what something is. }
servers:
  - { name: s, demo: ocean }
tools:
  - name: timer
    server: s
    summary: Sets a timer for a length of time.
    schema:
      type: object
      required: [minutes]
      properties: { minutes: { type: integer }, day: { type: string } }
    arguments:
      minutes: { kind: number }
      day: { kind: date, default: today }
";

fn student() -> &'static (Pack, Bundle) {
    static STUDENT: OnceLock<(Pack, Bundle)> = OnceLock::new();
    STUDENT.get_or_init(|| {
        let mut examples = String::new();
        for ending in ["now", "please", "tomorrow", "for the eggs", "for 5 minutes"] {
            for (text, route, tools) in [
                ("set a timer", "tool", vec!["timer"]),
                ("what is a timer", "explain", vec![]),
                ("計時器是什麼", "explain", vec![]),
            ] {
                let text = format!("{text} {ending}");
                let line = serde_json::json!({ "text": text, "lang": "en", "route": route, "tools": tools });
                examples.push_str(&format!("{line}\n"));
            }
        }
        let files = Files::from([
            ("pack.yaml".to_owned(), YAML.to_owned()),
            ("examples.jsonl".to_owned(), examples),
        ]);
        let pack = Pack::load(&files).unwrap();
        let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
        (pack, bundle)
    })
}

/// The explanation and the decision that is made without one.
fn explained(text: &str) -> (Why, Decision) {
    let (pack, bundle) = student();
    let request = Request { now: Some("2025-11-06".to_owned()), ..Request::new(text) };
    let turn = ingest(pack, &request, Context::default()).unwrap();
    let cancel = CancellationToken::new();
    let dependencies = DecisionDependencies {
        bundle,
        arguments: &Matchers,
        encoder: None,
        model: None,
        teaching: &TEACHING,
        belief: Belief::UNMEASURED,
        recall: None,
        recalled: None,
        layers: &[],
        cancel: &cancel,
    };
    let messages = Messages::default();
    // Without a model nothing is waited for.
    let why = why(&turn, &dependencies, &messages).now_or_never().unwrap().unwrap();
    let decided = decide(&turn, &dependencies, &messages).now_or_never().unwrap().unwrap();
    (why, decided.decision)
}

fn check(text: &str) {
    let (why, decision) = explained(text);
    assert_eq!(why.decision, decision);
    let pieces =
        why.student.classes.iter().flat_map(|view| view.in_favor.iter().chain(&view.against));
    for piece in pieces {
        for words in piece.text.split(" … ") {
            assert!(text.contains(words), "`{words}` is not in `{text}`");
        }
        assert!(piece.margin.is_finite());
    }
    assert!(why.student.nearest.iter().all(|near| (0.0..=1.0).contains(&near.similarity)));
    assert!(why.flips.windows(2).all(|pair| pair[0].change.abs() <= pair[1].change.abs()));
}

#[test]
fn texts_of_every_kind_are_explained() {
    for text in [
        "",
        " ",
        "?!",
        "set a timer for ５ minutes tomorrow",
        "計時器５分鐘",
        "‹place› ‹",
        "don't; dön’t",
        "e\u{301}\u{301} timer ㎞ ﬁve",
        "👩‍👩‍👧 timer 👍🏽",
        "A\u{0}B",
        "タイマー timer ไทย",
        "2½ ⅓",
    ] {
        check(text);
    }
}

#[test]
fn an_open_argument_lost_nothing_and_a_default_lost_to_the_words() {
    let (why, _) = explained("set a timer for 5 minutes tomorrow");
    let of = |name: &str| {
        let arguments = why.calls[0].arguments.iter();
        arguments.into_iter().find(|argument| argument.name == name).unwrap().clone()
    };
    let day = of("day");
    assert_eq!(day.value, Some("2025-11-07".into()));
    let default = Lost {
        matcher: "default",
        values: vec!["2025-11-06".into()],
        text: None,
        features: Vec::new(),
    };
    assert_eq!(day.lost, [default]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_explained(text in "(\\PC|timer |5 |明天|什麼|‹|›|é|ﬁ){0,24}") {
        check(&text);
    }
}
