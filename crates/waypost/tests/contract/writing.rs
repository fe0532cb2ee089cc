//! What a model writes is held to what was found and to its bounds: without a passage nothing is written, a
//! number that names no passage is left out, and a model that says the same again and again is stopped.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::ports::model::Prompt;
use waypost::records::answer::{Answer, Part};
use waypost::records::event::Event;
use waypost::records::request::{Context, Request};
use waypost::router::AnswerOptions;

use super::cases::{request, runtime};
use super::parts::{Trained, World, trained, world};

/// The help desk, whose documents are explained briefly and at once.
fn desk() -> &'static Trained {
    static DESK: OnceLock<Trained> = OnceLock::new();
    DESK.get_or_init(|| {
        let summary = "    summary: The user asks what something of the language is";
        let bounds = format!("    max_tokens: 120\n    timeout_ms: 5000\n{summary}");
        trained(&[(summary, bounds.as_str())])
    })
}

/// A question on a route that the caller declares, so that only the work is looked at.
fn on(route: &str, language: &str, text: &str) -> Request {
    let (route, language) = (Some(route.to_owned()), Some(language.to_owned()));
    Request { route, language, ..request(text) }
}

/// The answer, and the words that were sent on the way.
fn ask(world: &World, request: &Request) -> (Answer, Vec<String>) {
    // It holds all pieces: nobody takes them before the end.
    let (out, mut parts) = tokio::sync::mpsc::channel(4096);
    let cancel = CancellationToken::new();
    let answer = world.router.answer(request, AnswerOptions::default(), &out, &cancel);
    let answer = runtime().block_on(answer).unwrap();
    let mut words = Vec::new();
    while let Ok(part) = parts.try_recv() {
        if let Part::Token(piece) = part {
            words.push(piece);
        }
    }
    (answer, words)
}

/// The only prompt that asked the main model to answer, since the last time.
#[track_caller]
fn prompt(world: &World) -> Prompt {
    let (_, mut prompts) = world.main.take();
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    prompts.remove(0)
}

#[test]
fn without_a_passage_no_model_is_asked_and_nothing_is_made_up() {
    let world = world(desk(), &["rules"]);
    world.retriever.find(&[]);
    let (answer, words) = ask(&world, &on("retrieval", "en", "what is addVar"));
    assert_eq!(answer.text, "The documents here say nothing about this.");
    assert_eq!(words, [answer.text.as_str()]);
    assert_eq!(answer.raw.plan["degraded"], json!([]));
    assert_eq!(world.main.take().1, []);

    // What the caller gives is something to write from.
    let context = Context { extra: Some("addVar(x, 1)".to_owned()), ..Context::default() };
    let (answer, _) = ask(&world, &Request { context, ..on("retrieval", "en", "what is addVar") });
    assert_eq!(answer.text, "an answer");
    let asked = prompt(&world);
    assert!(!asked.messages[0].content.contains("the number of the passage"), "{asked:?}");

    // A program needs no document.
    let (answer, _) = ask(&world, &on("code_generation", "en", "write a loop"));
    assert_eq!((answer.text.as_str(), world.main.take().1.len()), ("an answer", 1));
}

#[test]
fn numbers_of_no_passage_are_left_out_and_only_cited_passages_are_sources() {
    let world = world(desk(), &["rules"]);
    world.retriever.find(&["Variables", "Loops", "Lists"]);
    world.main.say(&["addVar makes a variable [", "3", "]. It is", " old [7", "]. So it is."]);
    let (answer, words) = ask(&world, &on("retrieval", "en", "what is addVar"));
    let said = "addVar makes a variable [3]. It is old. So it is.";
    assert_eq!(answer.text, format!("{said}\n\nSources:\n[3] Lists (docs/lists.en.md)"));
    assert_eq!(words.concat(), said);
    let asked = prompt(&world);
    let instruction = "After each statement write the number of the passage";
    assert!(asked.messages[0].content.contains(instruction), "{asked:?}");

    world.main.say(&["addVar makes a variable."]);
    let (answer, _) = ask(&world, &on("retrieval", "en", "what is addVar"));
    for source in ["\n[1] Variables (", "\n[2] Loops (", "\n[3] Lists ("] {
        assert!(answer.text.contains(source), "none is cited, all are named: {}", answer.text);
    }
}

#[test]
fn a_model_that_says_the_same_again_and_again_is_stopped() {
    let world = world(desk(), &["rules"]);
    let mut pieces = vec!["addVar makes a variable [1]. "];
    pieces.extend(["It is", " very", " useful", ". "].repeat(500));
    world.main.say(&pieces);
    let (answer, words) = ask(&world, &on("retrieval", "en", "what is addVar"));
    let said = "addVar makes a variable [1]. It is very useful.";
    assert!(answer.text.starts_with(&format!("{said}\n\nSources:\n[1] ")), "{}", answer.text);
    assert_eq!(answer.raw.plan["degraded"], json!(["model:repetition"]));
    assert!(words.len() < 60, "{} of {} pieces were sent", words.len(), pieces.len());
    let events = world.store.take();
    let is_noted = events
        .iter()
        .any(|event| matches!(event, Event::Degraded { what, .. } if what == "model:repetition"));
    assert!(is_noted, "{events:?}");

    // The same on a route that cites nothing.
    world.light.say(&["很", "好。"].repeat(200));
    let (answer, _) = ask(&world, &on("conversational", "en", "hello"));
    assert_eq!(answer.text, "很好。");
    assert_eq!(answer.raw.plan["degraded"], json!(["model:repetition"]));
}

#[test]
fn a_model_is_told_the_language_by_its_name_and_the_bounds_of_its_route() {
    let world = world(desk(), &["rules"]);
    for (tag, name, text) in [
        ("en", "English", "what is addVar"),
        ("es", "Spanish", "¿qué hace addVar y para qué sirve?"),
    ] {
        ask(&world, &on("retrieval", tag, text));
        let prompt = prompt(&world);
        assert_eq!((prompt.max_tokens, prompt.timeout), (120, Duration::from_secs(5)));
        let [system, question] = prompt.messages.as_slice() else { panic!("{prompt:?}") };
        assert!(system.content.contains(&format!("Answer in {name}.")), "{system:?}");
        assert!(question.content.ends_with(&format!("\n\nAnswer in {name}.")), "{question:?}");
    }
    // A route that says nothing of bounds has those of its handler and of the turn.
    ask(&world, &on("code_generation", "en", "write a loop"));
    let prompt = prompt(&world);
    assert_eq!((prompt.max_tokens, prompt.timeout), (1500, Duration::from_secs(60)));
}
