//! A text of which only a part was read is asked for again, in fewer words.

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;
use waypost_core::records::decision::{Outcome, Reason};
use waypost_core::records::request::{Context, Request};
use waypost_text::effort::Budget;

use super::*;
use crate::pack::messages::Sentence;
use crate::pack::{Files, Pack};
use crate::student::heads::train_student;
use crate::turn::ingest_within;

const YAML: &str = "\
name: p
summary: A test.
format: 1
languages: [en, zh-TW, zh-CN, es, vi]
tz: UTC
fallback: explain
policy: { run: 0.3, ask: 0.2, student: 0.3 }
routes:
  - { name: tool, handler: tool, summary: The user wants a timer. }
  - { name: explain, handler: explain, summary: The user asks what something is. }
servers:
  - { name: s, demo: ocean }
tools:
  - name: timer
    server: s
    summary: Sets a timer for a number of minutes.
    schema: { type: object, required: [minutes], properties: { minutes: { type: integer } } }
    arguments: { minutes: { kind: number } }
";

/// Examples that ask for a timer, and that ask for nothing that runs.
const TEXTS: [(&str, &str); 5] = [
    ("en", "set a timer of 25"),
    ("zh-TW", "設定計時器 25"),
    ("zh-CN", "设定计时器 25"),
    ("es", "pon un temporizador de 25"),
    ("vi", "đặt hẹn giờ 25"),
];

fn pack() -> Pack {
    let row = |text: &str, language: &str, route: &str, tools: &[&str]| {
        let row =
            serde_json::json!({ "text": text, "lang": language, "route": route, "tools": tools });
        format!("{row}\n")
    };
    let mut examples = String::new();
    for (language, text) in TEXTS {
        for number in ["5", "10", "15", "20"] {
            examples += &row(&text.replace("25", number), language, "tool", &["timer"]);
        }
    }
    for ending in ["", " please", " now", " then"] {
        examples += &row(&format!("what is a sundial{ending}"), "en", "explain", &[]);
    }
    let files = Files::from([
        ("pack.yaml".to_owned(), YAML.to_owned()),
        ("examples.jsonl".to_owned(), examples),
    ]);
    Pack::load(&files).unwrap()
}

#[test]
fn nothing_runs_on_a_text_that_was_not_read_in_full() {
    let pack = pack();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    let (messages, cancel) = (Messages::default(), CancellationToken::new());
    let dependencies = DecisionDependencies {
        bundle: &bundle,
        arguments: &Matchers,
        encoder: None,
        model: None,
        recall: None,
        recalled: None,
        layers: &[],
        cancel: &cancel,
    };
    for (language, text) in TEXTS {
        let mut request = Request { now: Some("2025-11-06".to_owned()), ..Request::new(text) };
        request.language = Some(language.to_owned());
        let decided = |budget| {
            let turn = ingest_within(&pack, &request, Context::default(), budget).unwrap();
            let decided = decide(&turn, &dependencies, &messages).now_or_never().unwrap().unwrap();
            (turn.is_unread(), turn.language, decided)
        };
        let (is_unread, _, whole) = decided(Budget::of(text.len()));
        assert!(!is_unread && whole.approved.is_some(), "{text}: {:?}", whole.decision);
        let (is_unread, language, part) = decided(Budget::steps(10));
        assert!(is_unread && part.approved.is_none(), "{text}");
        let decision = part.decision;
        assert_eq!((decision.decision, decision.reason), (Outcome::Clarify, Some(Reason::Unread)));
        let asked = decision.question.unwrap().text;
        assert_eq!(asked, messages.say(language, &Sentence::new("unread")));
    }
}
