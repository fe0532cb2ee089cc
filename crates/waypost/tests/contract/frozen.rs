//! A decision never changes once it is made: one record is streamed, stored and answered, and the
//! results stand beside it.

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::Recall;
use waypost::ports::model::Slot;
use waypost::records::answer::Part;
use waypost::records::event::Event;
use waypost::records::request::Request;
use waypost::router::AnswerOptions;

use super::cases::{request, runtime};
use super::parts::{trained, world_of};

#[test]
fn what_is_streamed_stored_and_answered_is_one_decision() {
    let (trained, runtime) = (trained(&[]), runtime());
    let recall = Recall::of(&trained.pack.spec.policy).into();
    // Without a light model the main one does the work, which is no part of the decision.
    let world = world_of(&trained, &["rules", "linear"], &[Slot::Main], &recall);
    let request = Request { route: Some("platform".to_owned()), ..request("my quota") };
    let (out, mut parts) = tokio::sync::mpsc::channel(64);
    let cancel = CancellationToken::new();
    let answer = world.router.answer(&request, AnswerOptions::default(), &out, &cancel);
    let answer = runtime.block_on(answer).unwrap();
    let streamed = match parts.try_recv().unwrap() {
        Part::Decided(decision) => *decision,
        other => panic!("the first part is {other:?}"),
    };
    let stored = world.store.take().into_iter().find_map(|event| match event {
        Event::RouterEvent(routed) => Some(*routed.decision),
        _ => None,
    });
    assert_eq!(stored.as_ref(), Some(&streamed));
    assert!(streamed.degraded.is_empty());
    // The answer adds the results to it, and the keys of the plan.
    assert_eq!(answer.raw.plan["degraded"], json!(["light:main"]));
    let own = serde_json::to_value(&streamed).unwrap();
    let beside = ["decision", "degraded"];
    let differs = |(name, value): &(&String, &Json)| answer.raw.plan[name.as_str()] != **value;
    let fields = own.as_object().unwrap();
    let differs: Vec<&String> = fields.iter().filter(differs).map(|(name, _)| name).collect();
    assert!(differs.iter().all(|name| beside.contains(&name.as_str())), "{differs:?}");
    assert_eq!(answer.raw.plan["outcome"], own["decision"]);
}
