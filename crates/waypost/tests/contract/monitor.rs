//! A breach of the contract is seen while the program runs, and counted.

use std::sync::Arc;

use serde_json::json;
use waypost::decide::cascade::Recall;
use waypost::observe::statistics::Statistics;
use waypost::ports::model::Slot;
use waypost::records::event::{ContractRule, Event, Record};
use waypost::records::request::{Request, Topic};

use super::cases::{Outcome, answer, request, runtime};
use super::parts::{combinations, trained, world, world_of};

fn broken(outcome: &Outcome) -> Vec<ContractRule> {
    let rules = outcome.events.iter().filter_map(|event| match event {
        Event::ContractEvent { rule, .. } => Some(*rule),
        _ => None,
    });
    rules.collect()
}

/// A request after so many turns of one route.
fn after(text: &str, route: &str, turns: usize) -> Request {
    let topic = Topic { route: route.to_owned(), topic: "a question".to_owned() };
    let mut request = request(text);
    request.context.history = vec![topic; turns];
    request
}

#[test]
fn s4_20_a_prefix_that_reaches_a_model_is_seen() {
    let (trained, runtime) = (trained(&[]), runtime());
    let text = "You are a direct and concise assistant. Look: zyx wvu tsr";
    for layers in combinations() {
        let world = world(&trained, &layers);
        let outcome = answer(&runtime, &world, &Request { trusted: true, ..request(text) });
        let reached = !outcome.asked.is_empty();
        assert_eq!(broken(&outcome), [ContractRule::Rc01][..usize::from(reached)], "{layers:?}");
        assert!(!(reached && layers.contains(&"rules")), "the rules keep it from the model");
        let outcome = answer(&runtime, &world, &request(text));
        assert_eq!(broken(&outcome), [], "from anybody it is no prefix");
    }
    let alone =
        answer(&runtime, &world(&trained, &["llm"]), &Request { trusted: true, ..request(text) });
    assert_eq!(broken(&alone), [ContractRule::Rc01]);
}

#[test]
fn s4_20_a_model_that_mirrors_the_history_against_the_words_is_seen() {
    let (trained, runtime) = (trained(&[]), runtime());
    let world = world(&trained, &["llm"]);
    let said = |text: &str, route: &str, turns: usize| {
        broken(&answer(&runtime, &world, &after(text, route, turns)))
    };
    let text = "write a function that adds two numbers and does that again";
    assert_eq!(said(text, "platform", 6), [ContractRule::Rc03]);
    assert_eq!(said(text, "platform", 40), [ContractRule::Rc03]);
    assert_eq!(said(text, "code_generation", 6), [], "the words say the same");
    assert_eq!(said(text, "platform", 1), [], "one line dominates nothing");
    let text = "write a function that adds two numbers";
    assert_eq!(said(text, "platform", 6), [], "the model has not seen them");
}

#[test]
fn s4_6_s4_18_light_falls_back_to_main_and_says_so() {
    let (trained, runtime) = (trained(&[]), runtime());
    let recall = Arc::new(Recall::of(&trained.pack.spec.policy));
    let world = world_of(&trained, &["rules"], &[Slot::Main], &recall);
    let outcome = answer(&runtime, &world, &request("what is my quota"));
    assert_eq!((outcome.main, outcome.light), (1, 0));
    assert_eq!(outcome.decision.model_slot, Some(Slot::Light));
    assert_eq!(broken(&outcome), []);
}

#[test]
fn s4_20_what_was_seen_is_counted_by_rule() {
    let mut statistics = Statistics::default();
    for rule in ["RC-01", "RC-04", "RC-04"] {
        let record = json!({
            "decision_id": "d", "pack": "p", "at": "2025-11-06T08:00:00Z",
            "type": "contract_event", "rule": rule, "detail": "x",
        });
        statistics.add(&serde_json::from_value::<Record>(record).unwrap());
    }
    let counted = statistics.figures().contract;
    assert_eq!(serde_json::to_value(counted).unwrap(), json!({ "RC-01": 1, "RC-04": 2 }));
}
