//! A question that a model decided once is not asked again, and nothing else is taken for it.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use waypost::records::decision::{Decision, LayerName};
use waypost::records::request::{Request, Topic};

use super::cases::{answer, request, runtime};
use super::parts::{Trained, World, trained, world, world_over};

/// A router with a call cache, and with a model that decides what is not in it.
struct Talk {
    runtime: Runtime,
    trained: Trained,
    world: World,
}

impl Talk {
    fn new(edits: &[(&str, &str)]) -> Self {
        let trained = trained(edits);
        let world = world(&trained, &["recall", "llm"]);
        Self { runtime: runtime(), trained, world }
    }

    /// Answers, and says whether it was recalled; then no model was asked.
    fn decide(&self, request: &Request) -> (bool, Decision) {
        let outcome = answer(&self.runtime, &self.world, request);
        let recalled = outcome.decision.layer == LayerName::Recall;
        assert_eq!(outcome.asked.len(), usize::from(!recalled), "{:?}", request.text);
        assert_eq!(outcome.decision.llm_calls, u32::from(!recalled));
        (recalled, outcome.decision)
    }

    fn recalls(&self, request: &Request) -> bool {
        self.decide(request).0
    }

    fn recalls_at(&self, text: &str, now: &str) -> bool {
        self.recalls(&Request { now: Some(now.to_owned()), ..request(text) })
    }
}

#[test]
fn s0_49_the_same_question_asks_no_model_twice() {
    let talk = Talk::new(&[]);
    let (first, asked) = talk.decide(&request("what does addVar do"));
    let (second, recalled) = talk.decide(&request("what does addVar do"));
    assert_eq!((first, second), (false, true));
    assert_eq!((asked.route, asked.confidence), (recalled.route, recalled.confidence));
    assert_eq!(recalled.rationale, "decided before: the model chose `retrieval`");
    // Width, case, spaces and marks between words make no other question; nor does a slip.
    for text in ["WHAT does  ａｄｄＶａｒ do?", "what does addVar do!", "what does addVra do"]
    {
        assert!(talk.recalls(&request(text)), "{text}");
    }
    for text in ["what does addParam do", "what does not addVar do", "does addVar do what"] {
        assert!(!talk.recalls(&request(text)), "{text}");
    }
}

#[test]
fn s0_49_numbers_that_differ_never_meet() {
    let talk = Talk::new(&[]);
    assert!(!talk.recalls(&request("explain the value 121.5 of getDateTime")));
    assert!(!talk.recalls(&request("explain the value 121.6 of getDateTime")));
    assert!(talk.recalls(&request("explain the value 121.50 of getDateTime")));
    assert!(talk.recalls(&request("explain the value １２１．６ of getDateTime")));
    assert!(!talk.recalls(&request("explain the value -121.5 of getDateTime")));
    assert!(!talk.recalls(&request("explain the value 121.5% of getDateTime")));
}

#[test]
fn s0_49_the_today_of_yesterday_is_not_today() {
    let talk = Talk::new(&[]);
    let (thursday, friday) = ("2025-11-06T09:00:00Z", "2025-11-07T08:00:00Z");
    for text in ["explain today in getDateTime", "explain 6/11 of getDateTime"] {
        assert!(!talk.recalls_at(text, thursday));
        assert!(talk.recalls_at(text, "2025-11-06T23:59:59Z"), "{text}");
        assert!(!talk.recalls_at(text, friday), "{text}");
    }
    let text = "explain getDateTime";
    assert!(!talk.recalls_at(text, thursday));
    assert!(talk.recalls_at(text, friday), "what names no day is good for the next one");
    // The day is that of the user's zone.
    let taipei = |now: &str| Request {
        tz: Some("Asia/Taipei".to_owned()),
        now: Some(now.to_owned()),
        ..request("explain today in getDateTime")
    };
    assert!(!talk.recalls(&taipei("2025-11-06T15:00:00Z")), "another zone");
    assert!(!talk.recalls(&taipei("2025-11-06T16:00:00Z")), "there it is Friday");
    assert!(talk.recalls(&taipei("2025-11-06T17:00:00Z")));
}

#[test]
fn s0_49_a_decision_is_good_for_its_time_on_the_clock_of_the_requests() {
    let talk = Talk::new(&[("policy:\n", "policy:\n  recall_ttl_s: 60\n")]);
    let text = "explain getListLen";
    assert!(!talk.recalls_at(text, "2025-11-06T09:00:00Z"));
    assert!(talk.recalls_at(text, "2025-11-06T09:01:00Z"));
    assert!(!talk.recalls_at(text, "2025-11-06T09:01:01Z"));
    assert!(talk.recalls_at(text, "2025-11-06T09:01:02Z"), "it was decided anew");
    assert!(!talk.recalls_at(text, "2025-11-06T09:00:30Z"), "a replay knows nothing of later");
}

#[test]
fn s0_49_the_least_recently_used_leaves_first() {
    let talk = Talk::new(&[("policy:\n", "policy:\n  recall_entries: 3\n")]);
    let ask = |name: &str| talk.recalls(&request(&format!("explain {name}")));
    for name in ["alpha", "beta", "gamma"] {
        assert!(!ask(name));
    }
    assert!(ask("alpha"), "and used again");
    assert!(!ask("delta"), "the fourth");
    let kept = || talk.world.recall.len();
    assert_eq!(kept(), 3);
    assert!(ask("alpha") && ask("gamma") && ask("delta"));
    assert!(!ask("beta"), "it was used least recently");
    for n in 0..500 {
        ask(&format!("number {n}"));
        assert!(kept() <= 3);
    }
    let off = Talk::new(&[("policy:\n", "policy:\n  recall_entries: 0\n")]);
    assert!(!off.recalls(&request("explain alpha")) && !off.recalls(&request("explain alpha")));
}

/// The changes of a request that make a turn use more than its own words.
fn uses_more() -> Vec<(&'static str, Json)> {
    let option = json!([{ "label": "One", "value": "one" }]);
    vec![
        ("extra", json!({ "context": { "extra": "account: basic" } })),
        ("options", json!({ "context": { "options": option } })),
        ("an open question", json!({ "context": { "active_tool": "x", "active_argument": "y" } })),
        ("a reference", json!({ "text": "explain this getListLen" })),
        ("a reference in Spanish", json!({ "text": "explica esto de getListLen" })),
        ("a correction", json!({ "text": "no, I meant getListLen" })),
        ("a declared route", json!({ "route": "retrieval" })),
    ]
}

#[test]
fn s0_49_a_turn_that_used_more_than_its_words_leaves_nothing_and_finds_nothing() {
    for (what, change) in uses_more() {
        let talk = Talk::new(&[]);
        let plain = request(change["text"].as_str().unwrap_or("explain getListLen"));
        let mut more = plain.clone();
        more.context =
            serde_json::from_value(change.get("context").cloned().unwrap_or_else(|| json!({})))
                .unwrap();
        more.route = change["route"].as_str().map(str::to_owned);
        for _ in 0..2 {
            let outcome = answer(&talk.runtime, &talk.world, &more);
            assert_ne!(outcome.decision.layer, LayerName::Recall, "{what}");
            assert_eq!(talk.world.recall.len(), 0, "{what}");
        }
        if change.get("text").is_none() {
            assert!(!talk.recalls(&plain) && talk.recalls(&plain));
            let outcome = answer(&talk.runtime, &talk.world, &more);
            assert_ne!(outcome.decision.layer, LayerName::Recall, "{what}");
        }
    }
}

#[test]
fn s0_49_history_neither_keeps_a_decision_nor_hinders_one() {
    let talk = Talk::new(&[]);
    let mut request = request("explain getListLen");
    let topic = Topic { route: "platform".to_owned(), topic: "my bill".to_owned() };
    request.context.history = vec![topic; 6];
    let (first, decision) = talk.decide(&request);
    assert_eq!((first, decision.route.as_str()), (false, "retrieval"), "no history was seen");
    request.context.history.clear();
    assert!(talk.recalls(&request));
}

#[test]
fn s0_49_only_what_is_sure_is_kept() {
    // The model says 0.99.
    let talk = Talk::new(&[("  run: 0.5\n", "  run: 0.995\n")]);
    let ask = || talk.recalls(&request("explain getListLen"));
    assert!(!ask() && !ask());
    assert!(talk.world.recall.is_empty());
    // The student's decisions cost nothing; they are not kept.
    let world = world(&talk.trained, &["recall", "linear"]);
    answer(&talk.runtime, &world, &request("what does registerEndpoint do"));
    assert!(world.recall.is_empty());
}

#[test]
fn s0_49_another_pack_language_flag_caller_or_set_of_layers_is_another_question() {
    let talk = Talk::new(&[]);
    let text = "explain 3 getListLen";
    assert!(!talk.recalls(&request(text)));
    for change in [
        Request { language: Some("es".to_owned()), ..request("12 34") },
        Request { trusted: true, ..request(text) },
        Request { tz: Some("Asia/Taipei".to_owned()), ..request(text) },
    ] {
        assert!(!talk.recalls(&change), "{change:?}");
        assert!(talk.recalls(&change), "{change:?}");
    }
    assert!(!talk.recalls(&Request { language: Some("en".to_owned()), ..request("12 34") }));
    let mut flagged = Request { trusted: true, ..request(text) };
    flagged.context.flags.insert("vip".to_owned(), json!(true));
    assert!(!talk.recalls(&flagged) && talk.recalls(&flagged));
    // The same cache under another version of the pack, and under other layers.
    let newer = trained(&[("summary: Answers questions", "summary: Answers all questions")]);
    for (trained, layers) in
        [(&newer, ["recall", "llm", "recall"]), (&talk.trained, ["recall", "llm", "rules"])]
    {
        let world = world_over(trained, &layers, &talk.world.recall);
        let layer = || answer(&talk.runtime, &world, &request(text)).decision.layer;
        assert_eq!([layer(), layer()], [LayerName::Llm, LayerName::Recall]);
    }
    assert!(talk.recalls(&request(text)), "and the first is there still");
}

/// Texts that ask about values of many kinds.
fn about() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (-200..200_i32, 0..100_u32).prop_map(|(whole, part)| format!("{whole}.{part}")),
        (0..40_u32).prop_map(|n| n.to_string()),
        (1..29_u32, 1..13_u32).prop_map(|(day, month)| format!("2025-{month:02}-{day:02}")),
        (0..100_u32).prop_map(|n| format!("{n}%")),
        prop::sample::select(&["today", "yesterday", "tomorrow", "five", "5", "5.0", "half"][..])
            .prop_map(str::to_owned),
    ];
    (
        number,
        prop::sample::select(&["explain {} of getDateTime", "what is {} here", "{}, explain"][..]),
    )
        .prop_map(|(number, text)| text.replace("{}", &number))
}

#[test]
fn s0_49_texts_of_other_values_never_share_a_decision() {
    let talk = Talk::new(&[]);
    let config = ProptestConfig { cases: 512, failure_persistence: None, ..Default::default() };
    let values = |text: &str| {
        let text = waypost::text::Text::new(text);
        let now = "2025-11-06T09:00:00Z[UTC]".parse().unwrap();
        let context = waypost::extract::Context {
            now: &now,
            language: waypost::language::Language::En,
            gazetteers: &[],
            conventions: waypost::extract::Conventions::STANDARD,
            wanted: waypost::extract::Kinds::NONE,
        };
        let found = waypost::extract::extract(&text, &context);
        let forms = found.iter().map(|value| {
            (value.kind.name(), waypost::extract::canonical(&value.reading).to_string())
        });
        forms.collect::<Vec<_>>()
    };
    // One cache for all: whatever was asked before is a chance to share.
    let mut asked: std::collections::HashSet<Vec<(&str, String)>> =
        std::collections::HashSet::new();
    let asked = std::cell::RefCell::new(&mut asked);
    let recalled = std::cell::Cell::new(0);
    TestRunner::new(config)
        .run(&about(), |text| {
            let own = values(&text);
            let known = asked.borrow().contains(&own);
            let found = talk.recalls(&request(&text));
            prop_assert!(known || !found, "{} was never asked about", text);
            recalled.set(recalled.get() + usize::from(found));
            asked.borrow_mut().insert(own);
            Ok(())
        })
        .unwrap();
    assert!(recalled.get() > 20, "{} of 512 were recalled", recalled.get());
}
