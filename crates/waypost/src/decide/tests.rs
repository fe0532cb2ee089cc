//! A text of which only a part was read is asked for again, in fewer words; one in a language that the pack does not
//! have is told so in that language.

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::{Outcome, Reason};
use waypost_core::records::request::{Context, Request};
use waypost_learning::Bundle;
use waypost_text::effort::Budget;
use waypost_text::language::Language;

use super::cascade::Teaching;
use super::*;
use crate::pack::messages::Sentence;
use crate::pack::spec::Injected;
use crate::pack::{Files, Pack};
use crate::student::heads::train_student;
use crate::understand::{ingest, ingest_within};

static TEACHING: Teaching = Teaching::new();

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
    pack_of(&TEXTS, YAML)
}

/// A pack whose examples ask for a timer in these words, and for what a sundial is.
fn pack_of(texts: &[(&str, &str)], yaml: &str) -> Pack {
    let row = |text: &str, language: &str, route: &str, tools: &[&str]| {
        let row =
            serde_json::json!({ "text": text, "lang": language, "route": route, "tools": tools });
        format!("{row}\n")
    };
    let mut examples = String::new();
    for (language, text) in texts {
        for number in ["5", "10", "15", "20"] {
            examples += &row(&text.replace("25", number), language, "tool", &["timer"]);
        }
    }
    for ending in ["", " please", " now", " then"] {
        examples += &row(&format!("what is a sundial{ending}"), "en", "explain", &[]);
    }
    let files = Files::from([
        ("pack.yaml".to_owned(), yaml.to_owned()),
        ("examples.jsonl".to_owned(), examples),
    ]);
    Pack::load(&files).unwrap()
}

/// A student that nobody helps.
fn alone<'a>(bundle: &'a Bundle, cancel: &'a CancellationToken) -> DecisionDependencies<'a> {
    DecisionDependencies {
        bundle,
        arguments: &Matchers,
        encoder: None,
        model: None,
        teaching: &TEACHING,
        belief: Belief::UNMEASURED,
        recall: None,
        recalled: None,
        layers: &[],
        cancel,
    }
}

#[test]
fn nothing_runs_on_a_text_that_was_not_read_in_full() {
    let pack = pack();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    let (messages, cancel) = (Messages::default(), CancellationToken::new());
    let dependencies = alone(&bundle, &cancel);
    for (language, text) in TEXTS {
        let mut request = Request { now: Some("2025-11-06".to_owned()), ..Request::new(text) };
        request.language = Some(language.to_owned());
        let decided = |budget| {
            let turn = ingest_within(&pack, &request, Context::default(), budget).unwrap();
            let decided = decide(&turn, &dependencies, &messages).now_or_never().unwrap().unwrap();
            (turn.said.is_unread(), turn.said.language, decided)
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

/// Decides a text without a model.
fn decided(pack: &Pack, text: &str) -> (Language, Decided) {
    decided_after(pack, text, Context::default())
}

/// The same after what the context tells.
fn decided_after(pack: &Pack, text: &str, context: Context) -> (Language, Decided) {
    let bundle = train_student(pack, None, &mut |_| {}).unwrap();
    let (messages, cancel) = (Messages::default(), CancellationToken::new());
    let dependencies = alone(&bundle, &cancel);
    let request = Request { now: Some("2025-11-06".to_owned()), ..Request::new(text) };
    let turn = ingest(pack, &request, context).unwrap();
    let decided = decide(&turn, &dependencies, &messages).now_or_never().unwrap().unwrap();
    (turn.said.language, decided)
}

#[test]
fn a_text_in_a_language_that_the_pack_does_not_have_is_told_so_in_that_language() {
    let pack = pack_of(&TEXTS[..2], &YAML.replace("[en, zh-TW, zh-CN, es, vi]", "[en, zh-TW]"));
    for (text, language, told) in [
        ("Peux-tu me réveiller dans 25 minutes ?", Language::Fr, "ces langues : anglais, chinois"),
        ("Você pode me acordar daqui a 25 minutos?", Language::Pt, "estas línguas: inglês, chinês"),
        ("Kannst du mich in 25 Minuten wecken?", Language::De, "diese Sprachen besser"),
        ("25分後に起こしてください", Language::Ja, "英語、中国語"),
        ("Tolong bangunkan saya 25 menit lagi", Language::Id, "bahasa Inggris"),
        ("¿Me despiertas en 25 minutos?", Language::Es, "estos idiomas: inglés"),
        ("Hãy đánh thức tôi sau 25 phút", Language::Vi, "tiếng Anh"),
        // No sentence of ours is in this one: it is told in that of the pack's users.
        ("Разбуди меня через 25 минут", Language::En, "English, Chinese"),
    ] {
        let (found, decided) = decided(&pack, text);
        assert_eq!(found, language, "{text}");
        assert!(decided.approved.is_none(), "{text}");
        let question = decided.decision.question.expect(text);
        assert!(question.text.contains(told), "{text}: {}", question.text);
        assert_eq!(question.choices.len(), 1, "{text}: the tool is offered");
    }
}

#[test]
fn names_and_values_lead_in_any_language() {
    let texts = [("en", "timer 25"), ("en", "a timer of 25"), ("zh-TW", "設 timer 25")];
    let pack = pack_of(&texts, &YAML.replace("[en, zh-TW, zh-CN, es, vi]", "[en, zh-TW]"));
    let (language, decided) = decided(&pack, "timer 25 s'il vous plaît, merci");
    assert_eq!(language, Language::Fr);
    assert!(decided.approved.is_some(), "{:?}", decided.decision);
    let told = decided.decision.assumptions.join(" ");
    assert!(told.contains("ces langues : anglais"), "{told}");
}

const TENTS: &str = "\
name: tents
summary: A test.
format: 1
languages: [en]
tz: UTC
fallback: explain
routes:
  - { name: tool, handler: tool, summary: The user wants a tent. }
  - { name: explain, handler: explain, summary: The user asks what something is. }
servers:
  - { name: s, demo: ocean }
tools:
  - name: rent
    server: s
    summary: Rents a tent.
    access: ACCESS
    schema: { type: object, required: [size], properties: { size: { enum: [small, large] } } }
    arguments:
      size: { values: { small: [small], large: [large] } }
";

/// What people say to the question for a size, each with what it means.
const SIZES: [(&[&str], Option<&str>); 3] = [
    (
        &[
            "one for me alone",
            "just me and my backpack",
            "the light one that I can carry",
            "a narrow one, I travel alone",
            "the tiny one, I sleep alone",
            "something light for my backpack",
        ],
        Some("small"),
    ),
    (
        &[
            "one with room for the whole family",
            "we are six and a dog",
            "the roomy one, the children come too",
            "plenty of room for the children",
            "the wide one for our family",
            "something roomy, we bring the dog",
        ],
        Some("large"),
    ),
    (
        &[
            "how many people fit in each of them",
            "what does each of them cost",
            "which of them do people like most",
            "does it rain there in may",
            "how heavy are they",
            "what colors do you have",
        ],
        None,
    ),
];

fn tents(access: &str) -> Pack {
    let lines = |rows: Vec<serde_json::Value>| -> String {
        rows.iter().map(|row| format!("{row}\n")).collect()
    };
    let example = |text: &str, route: &str, tools: &[&str]| serde_json::json!({ "text": text, "lang": "en", "route": route, "tools": tools });
    let mut examples = Vec::new();
    for ending in ["", " please", " now", " then"] {
        examples.push(example(&format!("rent a tent{ending}"), "tool", &["rent"]));
        examples.push(example(&format!("what is a sundial{ending}"), "explain", &[]));
    }
    let answers = SIZES.iter().flat_map(|(texts, value)| {
        texts.iter().map(move |text| {
            serde_json::json!({ "text": text, "lang": "en", "argument": "size", "value": value })
        })
    });
    let files = Files::from([
        ("pack.yaml".to_owned(), TENTS.replace("ACCESS", access)),
        ("examples.jsonl".to_owned(), lines(examples)),
        ("answers.jsonl".to_owned(), lines(answers.collect())),
    ]);
    Pack::load(&files).unwrap()
}

#[test]
fn an_answer_that_describes_a_value_is_that_value_where_nothing_is_changed() {
    let asked = |pack: &Pack, text: &str| {
        let context = Context {
            active_tool: Some("rent".to_owned()),
            active_argument: Some("size".to_owned()),
            remembered: true,
            ..Context::default()
        };
        let decision = decided_after(pack, text, context).1.decision;
        let call = decision.calls.into_iter().find(|_| decision.decision == Outcome::Run);
        call.map(|call| (call.arguments["size"].clone(), call.evidence["size"].by.to_string()))
    };
    let reads = tents("read");
    let learned = |size: &str| Some((serde_json::json!(size), "learned".to_owned()));
    assert_eq!(asked(&reads, "the roomy one for me and the children"), learned("large"));
    assert_eq!(asked(&reads, "a light one for my backpack, I walk alone"), learned("small"));
    assert_eq!(asked(&reads, "how many children fit in each of them?"), None);
    let named = asked(&reads, "large").map(|(size, _)| size);
    assert_eq!(named, Some(serde_json::json!("large")));
    assert_eq!(asked(&tents("write"), "the roomy one for me and the children"), None);
}

#[test]
fn no_two_callers_share_the_name_by_which_a_tool_keeps_what_is_theirs() {
    let pack = pack();
    let name = |what: Injected, request: Request| {
        let request = Request { now: Some("2025-11-06".to_owned()), ..request };
        injected(&ingest(&pack, &request, Context::default()).unwrap(), what)
    };
    let by = |key: Option<&str>, user: Option<&str>, session: Option<&str>| Request {
        owner: key.map(Into::into),
        user: user.map(str::to_owned),
        session: session.map(str::to_owned),
        trusted: user.is_some(),
        ..Request::new("a timer")
    };
    let user = |request| name(Injected::User, request);
    assert_eq!(user(by(Some("k1"), Some("ana"), Some("@k1/s"))), "@k1@ana");
    assert_ne!(user(by(Some("k1"), Some("ana"), None)), user(by(Some("k2"), Some("ana"), None)));
    assert_eq!(user(by(Some("k1"), None, Some("@k1/s"))), "@k1/s");
    // Who names a conversation like a user is not that user, and neither is a user who is named like another with a key.
    for (session, key) in [("@k1/ana", "k1"), ("@k1/@k1/ana", "k1"), ("@k2/ana", "k2")] {
        let stranger = user(by(Some(key), None, Some(session)));
        assert_ne!(stranger, user(by(Some("k1"), Some("ana"), None)), "{session}");
    }
    assert_ne!(user(by(Some("k1"), Some("k2@ana"), None)), user(by(Some("k2"), Some("ana"), None)));
    assert_eq!(name(Injected::Session, by(Some("k1"), Some("ana"), Some("@k1/s"))), "@k1/s");
    // A user whom nobody vouches for is none.
    let unknown = Request { trusted: false, ..by(None, Some("ana"), None) };
    let nobody = |salt: u64| user(Request { salt: Some(salt), ..unknown.clone() });
    assert!(nobody(1).starts_with("nobody-") && nobody(1) != nobody(2), "{}", nobody(1));
}
