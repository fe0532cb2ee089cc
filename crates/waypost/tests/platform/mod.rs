//! The pack `platform` behind the router: which routes look documents up, which slot answers, in
//! what order things happen, and what is said where there is no model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::disallowed_methods, reason = "the pack is read from its folder")]

mod parts;

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;
use waypost::Code;
use waypost::ports::model::Slot;
use waypost::records::request::{Context, Request};
use waypost::records::rollout::{Key, Rollout, Setting};

use parts::{Setup, World, Writer, question, taken};

/// A question whose route the caller declares, so that only the work is looked at.
fn on(route: &str, text: &str) -> Request {
    Request { route: Some(route.to_owned()), ..question(text) }
}

fn with_extra(text: &str, extra: &str) -> Request {
    let context = Context { extra: Some(extra.to_owned()), ..Context::default() };
    Request { context, ..on("platform", text) }
}

/// A router with a model in each slot.
fn both() -> World {
    let setup = Setup::new();
    let main = Writer::new("main", &setup.journal, false);
    let light = Writer::new("light", &setup.journal, false);
    setup.model(Slot::Main, main).model(Slot::Light, light).build()
}

#[tokio::test]
async fn s4_4_s4_5_s4_17_s4_21_rc04_documents_are_searched_on_two_routes_and_touched_on_no_other() {
    for (route, searches) in
        [("retrieval", 1), ("code_generation", 1), ("conversational", 0), ("platform", 0)]
    {
        for world in [both(), Setup::new().build()] {
            world.answer(&on(route, "how does startLoop work")).await.unwrap();
            let journal = taken(&world.journal);
            let searched = journal.iter().filter(|line| *line == "search").count();
            assert_eq!(searched, searches, "{route}: {journal:?}");
        }
    }
}

#[tokio::test]
async fn s4_1_s4_6_s4_18_s4_21_rc05_each_route_is_written_by_the_model_of_its_slot() {
    for (route, slot) in [
        ("retrieval", "main"),
        ("code_generation", "main"),
        ("conversational", "light"),
        ("platform", "light"),
    ] {
        let world = both();
        let answer = world.answer(&on(route, "how does startLoop work")).await.unwrap();
        assert!(answer.text.starts_with("some words"), "{route}: {}", answer.text);
        let asked: Vec<String> =
            taken(&world.journal).into_iter().filter(|line| line.starts_with("stream")).collect();
        assert_eq!(asked, [format!("stream {slot}")], "{route}");
    }
}

#[tokio::test]
async fn s4_6_without_a_light_model_the_main_one_answers_and_it_is_said() {
    let setup = Setup::new();
    let main = Writer::new("main", &setup.journal, false);
    let world = setup.model(Slot::Main, main).build();
    let answer = world.answer(&on("platform", "my quota")).await.unwrap();
    assert_eq!(answer.raw.plan["model_slot"], "light");
    assert_eq!(answer.raw.plan["degraded"], serde_json::json!(["light:main"]));
    assert!(taken(&world.journal).contains(&"stream main".to_owned()));
}

#[tokio::test]
async fn s4_33_routing_and_retrieval_are_done_before_the_first_word() {
    let world = both();
    world.answer(&question("how does startLoop work")).await.unwrap();
    let journal = taken(&world.journal);
    let sent: Vec<&str> =
        journal.iter().map(String::as_str).filter(|line| !line.starts_with("stream")).collect();
    let order = |line: &str| journal.iter().position(|known| known == line).unwrap();
    assert_eq!(sent.iter().filter(|line| **line == "token").count(), 2, "{journal:?}");
    assert!(order("search") < order("stream main"), "{journal:?}");
    assert!(order("decided retrieval") < order("prepared 1"), "{journal:?}");
    assert!(order("prepared 1") < order("token"), "{journal:?}");
}

#[tokio::test]
async fn s4_33_what_fails_before_the_first_word_sends_none() {
    let mut setup = Setup::new();
    setup.fault = Some(Code::Cancelled);
    let main = Writer::new("main", &setup.journal, false);
    let world = setup.model(Slot::Main, main).build();
    let error = world.answer(&on("retrieval", "how does startLoop work")).await.unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    assert_eq!(taken(&world.journal), ["search", "decided retrieval"]);
}

#[tokio::test]
async fn documents_that_cannot_be_searched_are_named_and_the_answer_goes_on() {
    let mut setup = Setup::new();
    setup.fault = Some(Code::Unavailable);
    let world = setup.build();
    let answer = world.answer(&on("retrieval", "how does startLoop work")).await.unwrap();
    assert_eq!(answer.raw.plan["degraded"], serde_json::json!(["retrieval:UNAVAILABLE"]));
    assert!(answer.text.contains("say nothing about this"), "{}", answer.text);
}

#[tokio::test]
async fn s4_21_models_are_woken_once_each_and_twice_only_if_they_differ() {
    let world = both();
    assert!(world.router.warm(CancellationToken::new()).await.is_empty());
    assert_eq!(taken(&world.journal), ["complete main", "complete light"]);

    let setup = Setup::new();
    let shared = Writer::new("shared", &setup.journal, false);
    let world = setup.model(Slot::Main, shared.clone()).model(Slot::Light, shared).build();
    assert!(world.router.warm(CancellationToken::new()).await.is_empty());
    assert_eq!(taken(&world.journal), ["complete shared"]);

    let world = Setup::new().build();
    assert!(world.router.warm(CancellationToken::new()).await.is_empty());
    assert!(taken(&world.journal).is_empty());
}

#[tokio::test]
async fn s4_21_a_model_that_does_not_wake_is_told_and_the_other_is_woken() {
    let setup = Setup::new();
    let main = Writer::new("main", &setup.journal, true);
    let light = Writer::new("light", &setup.journal, false);
    let world = setup.model(Slot::Main, main).model(Slot::Light, light).build();
    let faults = world.router.warm(CancellationToken::new()).await;
    let faults: Vec<(Slot, Code)> =
        faults.iter().map(|(slot, error)| (*slot, error.code())).collect();
    assert_eq!(faults, [(Slot::Main, Code::Unavailable)]);
    assert_eq!(taken(&world.journal), ["complete main", "complete light"]);
}

#[tokio::test]
async fn s4_5_without_a_model_the_account_data_that_fit_are_quoted() {
    let world = Setup::new().build();
    let data = r#"{"plan": "Pro", "usage_percent": 20, "quota": {"requests": 5000, "left": 4000},
        "invoice": "paid on 2025-10-31"}"#;
    for (text, wanted, unwanted) in [
        ("what is my usage?", "usage_percent: 20", "invoice"),
        ("¿cuánto consumo llevo?", "usage_percent: 20", "invoice"),
        ("is my bill paid", "invoice: paid", "usage_percent"),
        ("¿Está pagada la factura?", "invoice: paid", "usage_percent"),
        ("qué plan tengo", "plan: Pro", "invoice"),
        ("how many requests are left", "left: 4000", "plan"),
    ] {
        let answer = world.text(&with_extra(text, data)).await;
        assert!(answer.contains(wanted) && !answer.contains(unwanted), "{text}: {answer}");
    }
}

#[tokio::test]
async fn s4_5_what_the_account_data_do_not_say_is_not_made_up() {
    let world = Setup::new().build();
    let answer = world.text(&with_extra("when does my trial end", "color: blue\nregion: eu")).await;
    assert!(answer.contains("do not answer that") && answer.contains("color, region"), "{answer}");
    let answer = world.text(&on("platform", "¿cuál es mi cuota?")).await;
    assert!(answer.starts_with("Con esta petición no llegaron datos"), "{answer}");
}

#[tokio::test]
async fn s4_5_with_a_model_the_account_data_are_in_the_prompt() {
    let setup = Setup::new();
    let light = Writer::new("light", &setup.journal, false);
    let main = Writer::new("main", &setup.journal, false);
    let world = setup.model(Slot::Main, main).model(Slot::Light, light.clone()).build();
    world.answer(&with_extra("my usage?", "usage: 20%")).await.unwrap();
    let prompt = light.last();
    assert!(prompt.contains("The account data come first"), "{prompt}");
    assert!(prompt.contains("usage: 20%") && prompt.contains("my usage?"), "{prompt}");
}

#[tokio::test]
async fn greetings_and_thanks_are_answered_in_the_language_without_a_model() {
    let world = Setup::new().build();
    for (text, wanted) in [
        ("hello there", "Hello!"),
        ("hola", "¡Hola!"),
        ("thank you so much", "You're welcome!"),
        ("muchas graciass", "¡De nada!"),
        ("bye", "Goodbye!"),
        ("¿quién eres?", "un programa"),
        ("hmm", "I am here for AVAP"),
    ] {
        let answer = world.text(&on("conversational", text)).await;
        assert!(answer.contains(wanted), "{text}: {answer}");
    }
}

#[tokio::test]
async fn the_last_answer_can_be_said_again_and_is_what_a_model_goes_on_from() {
    let world = Setup::new().build();
    let said =
        |route: &str, text: &str| Request { session: Some("s".to_owned()), ..on(route, text) };
    let first = world.text(&said("retrieval", "how does startLoop work")).await;
    assert!(first.contains("A loop repeats."), "{first}");
    world.answer(&said("conversational", "thanks")).await.unwrap();
    let again = world.text(&said("conversational", "repeat that please")).await;
    assert!(again.starts_with("Once more:") && again.contains("A loop repeats."), "{again}");
    // Nobody said anything here yet.
    let nothing = world.text(&on("conversational", "repeat that please")).await;
    assert!(!nothing.contains("Once more"), "{nothing}");

    let context = Context { answer: Some("A loop repeats.".to_owned()), ..Context::default() };
    let setup = Setup::new();
    let light = Writer::new("light", &setup.journal, false);
    let other = setup.model(Slot::Main, light.clone()).build();
    other.answer(&Request { context, ..on("conversational", "shorter") }).await.unwrap();
    assert!(light.last().contains("Your last answer:\nA loop repeats."), "{}", light.last());
}

#[tokio::test]
async fn code_without_a_model_is_a_documented_example_with_its_source() {
    let world = Setup::new().build();
    let answer = world.answer(&on("code_generation", "haz un bucle")).await.unwrap();
    assert!(answer.text.contains("startLoop(i, 1, 3)"), "{}", answer.text);
    assert!(answer.text.contains("Fuentes:\n[1] Loops (docs/loops.en.md)"), "{}", answer.text);
    assert_eq!(answer.raw.plan["degraded"], serde_json::json!(["model:FAILED_PRECONDITION"]));
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_documented_example() {
    let setup = Setup::new();
    let main = Writer::new("main", &setup.journal, true);
    let world = setup.model(Slot::Main, main).build();
    let answer = world.answer(&on("code_generation", "write a loop")).await.unwrap();
    assert!(answer.text.contains("startLoop(i, 1, 3)"), "{}", answer.text);
    assert_eq!(answer.raw.plan["degraded"], serde_json::json!(["model:UNAVAILABLE"]));
}

#[tokio::test]
async fn s4_9_s4_10_s4_11_the_prompt_has_the_packs_rules() {
    let mut setup = Setup::new();
    let off = BTreeMap::from([(Key::find("layer.linear").unwrap(), Setting::Off)]);
    setup.rollout = Rollout::new(&BTreeMap::new(), &off).unwrap();
    let main = Writer::new("main", &setup.journal, false);
    let world = setup.model(Slot::Main, main.clone()).build();
    world.router.route(&question("tell me about loops"), &CancellationToken::new()).await.unwrap();
    let prompt = main.last();
    for rule in ["by its own words", "what a word such as \"this\"", "usage percentage"] {
        assert!(prompt.contains(rule), "{rule}: {prompt}");
    }
}
