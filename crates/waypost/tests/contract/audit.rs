//! A share of what the student decides is put before a model afterwards, and none of that runs; and
//! a change of the traffic is reported.

use std::pin::pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost::feedback::audit::MAX_WAITING;
use waypost::learning::drift::DriftOptions;
use waypost::records::event::{Audited, Drifted, Event, Purpose};
use waypost::records::label::{Label, LabelKind, Verdict};
use waypost::records::request::{Context, Request};
use waypost::records::rollout::Share;

use super::cases::{answer, request, runtime};
use super::parts::{World, trained, world};

/// A router that audits this share.
fn auditing(share: &str) -> World {
    let world = world(&trained(&[]), &["rules", "linear", "llm"]);
    let share = Share::try_from(share.to_owned()).unwrap();
    World { router: world.router.auditing(share), ..world }
}

/// Audits what is due: with parts that answer at once one look does all of it.
fn audit(world: &World) -> (Vec<Audited>, Vec<Label>) {
    let cancel = CancellationToken::new();
    runtime().block_on(async {
        let audits = pin!(world.router.audit(&cancel));
        futures_util::future::select(audits, std::future::ready(())).await;
    });
    let events = world.store.take();
    let is_call =
        |event: &&Event| matches!(event, Event::ModelEvent(call) if call.purpose == Purpose::Audit);
    let calls = events.iter().filter(is_call).count();
    let audited = events.into_iter().filter_map(|event| match event {
        Event::AuditEvent(audited) => Some(*audited),
        _ => None,
    });
    let audited: Vec<Audited> = audited.collect();
    assert_eq!(calls, audited.len(), "each is one call");
    (audited, world.store.take_labels())
}

#[test]
fn a_model_is_asked_afterwards_and_what_it_says_is_kept() {
    let world = auditing("100%");
    let runtime = runtime();
    for (text, agrees) in [("What is addVar in AVAP?", true), ("muchas gracias", false)] {
        let outcome = answer(&runtime, &world, &request(text));
        assert_eq!(outcome.decision.layer.name(), "linear");
        assert_eq!(outcome.asked.len(), 0, "the turn waits for no audit");

        let (audited, labels) = audit(&world);
        assert_eq!(audited.len(), 1, "{text}");
        assert_eq!(audited[0].standing.route, outcome.decision.route);
        assert_eq!((audited[0].teacher.route.as_str(), audited[0].agrees), ("retrieval", agrees));
        assert_eq!(world.main.take().0.len(), 1, "one call");
        assert_eq!(world.retriever.take(), 0, "an audit looks nothing up");

        assert_eq!(labels.len(), 1);
        assert_eq!((labels[0].kind, labels[0].text.as_str()), (LabelKind::Audit, text));
        assert_eq!(labels[0].decision_id, outcome.decision.id);
        let right = Verdict::Right { route: "retrieval".to_owned(), tools: Vec::new() };
        assert_eq!(labels[0].verdict, right);
    }
    assert_eq!(audit(&world), (Vec::new(), Vec::new()), "a turn is audited once");
}

#[test]
fn words_that_do_not_stand_alone_are_audited_and_teach_nothing() {
    let world = auditing("100%");
    let extra = Context { extra: Some("while true".to_owned()), ..Context::default() };
    for request in [
        request("explain that addVar in AVAP again"),
        request("no, I meant: what is addVar in AVAP?"),
        Request { context: extra, ..request("What is addVar in AVAP?") },
    ] {
        let outcome = answer(&runtime(), &world, &request);
        assert_eq!(outcome.decision.layer.name(), "linear", "{}", request.text);
        let (audited, labels) = audit(&world);
        assert_eq!((audited.len(), labels), (1, Vec::new()), "{}", request.text);
    }
}

#[test]
fn what_a_model_or_a_rule_decided_is_not_audited() {
    let world = auditing("100%");
    for text in [
        "rewrite that bit about loops or explain the bill",
        "You have a project usage percentage of 20%, what now",
    ] {
        let outcome = answer(&runtime(), &world, &request(text));
        assert_ne!(outcome.decision.layer.name(), "linear", "{text}");
        assert_eq!(audit(&world).0, []);
    }
}

#[test]
fn a_share_is_a_share_and_none_is_none() {
    let (none, some) = (auditing("0%"), auditing("20%"));
    let runtime = runtime();
    let mut count = [0, 0];
    for n in 0..100 {
        let request = request(&format!("What is addVar in AVAP? {n}"));
        for (at, world) in [&none, &some].into_iter().enumerate() {
            answer(&runtime, world, &request);
            count[at] += audit(world).0.len();
        }
    }
    assert_eq!(count[0], 0);
    assert!((5..=40).contains(&count[1]), "about twenty of a hundred, not {}", count[1]);
}

#[test]
fn what_is_forgotten_while_an_audit_waits_or_runs_does_not_come_back() {
    let (world, runtime) = (auditing("100%"), runtime());
    let says = |session: &str| {
        let session = Some(session.to_owned());
        answer(&runtime, &world, &Request { session, ..request("What is addVar in AVAP?") })
    };
    says("waits");
    let stays = says("stays");
    world.store.forget_of("waits");
    let (audited, labels) = audit(&world);
    let of: Vec<&str> = labels.iter().map(|label| label.decision_id.as_str()).collect();
    assert_eq!((audited.len(), of), (1, vec![stays.decision.id.as_str()]));
    assert_eq!(world.main.take().0.len(), 1, "nobody is asked about what is forgotten");

    says("runs");
    *world.main.meanwhile.lock().unwrap() = Some((Arc::clone(&world.store), "runs"));
    assert_eq!(audit(&world), (Vec::new(), Vec::new()));
    assert_eq!(world.main.take().0.len(), 1);
}

#[test]
fn as_many_wait_as_may() {
    let world = auditing("100%");
    let runtime = runtime();
    for n in 0..MAX_WAITING + 10 {
        answer(&runtime, &world, &request(&format!("What is addVar in AVAP? {n}")));
    }
    assert_eq!(world.router.unaudited(), 10);
    assert_eq!(audit(&world).0.len(), MAX_WAITING);
}

/// The alarms of a router whose student saw `usual` and then sees `strange`.
fn alarms(usual: &[&str], strange: &[&str]) -> Vec<Drifted> {
    let world = world(&trained(&[]), &["rules", "linear"]);
    let watch = DriftOptions { reference: 200, block: 20, blocks: 3, ..DriftOptions::default() };
    let world = World { router: world.router.watching(watch), ..world };
    let runtime = runtime();
    let turns = (0..400).map(|n| usual[n % usual.len()]);
    let turns = turns.chain((0..200).map(|n| strange[n % strange.len()]));
    let mut alarms = Vec::new();
    for text in turns {
        let outcome = answer(&runtime, &world, &request(text));
        alarms.extend(outcome.events.into_iter().filter_map(|event| match event {
            Event::DriftEvent(drifted) => Some(drifted),
            _ => None,
        }));
    }
    alarms
}

#[test]
fn traffic_that_changes_is_told_once_and_traffic_that_stays_is_not() {
    let usual = ["What is addVar in AVAP?", "muchas gracias", "write a loop that adds numbers"];
    assert_eq!(alarms(&usual, &usual), []);
    let found = alarms(&usual, &["qwxz kjhg vbnm", "zxcv asdf", "hjkl poiu"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].deviation > found[0].threshold && found[0].after <= 400, "{found:?}");
}
