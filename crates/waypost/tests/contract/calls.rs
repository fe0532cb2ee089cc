//! Every model call is an event: which slot was asked what for, and for which route.

use tokio_util::sync::CancellationToken;
use waypost::ports::model::Slot;
use waypost::records::event::{Event, Purpose};

use super::cases::{answer, request, runtime};
use super::parts::{trained, world};

const QUESTION: &str = "what does addVar do";

/// The model calls among events.
fn calls(events: &[Event]) -> Vec<(Purpose, Slot, &str)> {
    let mut calls = Vec::new();
    for event in events {
        if let Event::ModelEvent(call) = event {
            calls.push((call.purpose, call.slot, call.route.as_str()));
        }
    }
    calls
}

#[test]
fn the_call_that_decides_and_the_one_that_writes_are_two_events() {
    let world = world(&trained(&[]), &["llm"]);
    let outcome = answer(&runtime(), &world, &request(QUESTION));
    let (route, slot) = (outcome.decision.route.as_str(), outcome.decision.model_slot);
    assert_eq!(
        calls(&outcome.events),
        [(Purpose::Decide, Slot::Main, route), (Purpose::Write, slot.unwrap(), route)]
    );
    assert_eq!(outcome.events.last().map(Event::name), Some("answer_event"));
}

#[test]
fn a_decision_alone_leaves_its_call_and_nothing_else() {
    let (trained, runtime) = (trained(&[]), runtime());
    let cancel = CancellationToken::new();
    let of = |layers: &[&str]| {
        let world = world(&trained, layers);
        let request = request(QUESTION);
        let decision = world.router.route(&request, &cancel);
        let decision = runtime.block_on(decision).unwrap();
        let events = world.store.take();
        assert_eq!(calls(&events).len(), events.len(), "{events:?}");
        assert!(calls(&events).iter().all(|(.., route)| *route == decision.route));
        events.len()
    };
    assert_eq!((of(&["llm"]), of(&["linear"])), (1, 0));
}
