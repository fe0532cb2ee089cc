//! Tests which turns are worth a label, judged by the turns around them.

use serde_json::json;
use waypost_core::records::era::Era;
use waypost_core::records::label::LabelKind;

use super::*;

/// A turn of a session: its text, its route, its confidence and what else was likely.
fn turn(id: &str, session: &str, text: &str, route: &str, sure: (f64, f64)) -> Record {
    let (confidence, next) = sure;
    let outcome = match route {
        OUT_OF_SCOPE => "refuse",
        _ if confidence < 0.6 => "clarify",
        _ => "run",
    };
    let alternatives = json!([{ "route": "other", "confidence": next }]);
    let asks = json!({ "text": "which?", "choices": [{ "label": "A", "value": "a" }] });
    let decision = json!({
        "id": id, "pack": "p@1", "bundle": "b", "decision": outcome, "route": route, "calls": [],
        "confidence": confidence, "layer": "linear", "alternatives": alternatives, "selected": [],
        "rationale": "", "retrieval": false, "model_slot": null, "complexity": "simple",
        "strategy": "direct", "llm_calls": 0, "degraded": [], "language": "en",
        "question": (outcome == "clarify").then_some(asks),
    });
    let record = json!({
        "decision_id": id, "session_id": session, "pack": "p", "at": format!("2025-11-06T0{id}:00:00Z"),
        "type": "router_event", "text": text, "intent": route, "action": outcome, "layer": "linear",
        "confidence": confidence, "entities": [], "gating": {}, "reasoning_summary": "",
        "classification_latency_ms": 0.1, "llm_calls": 0, "degraded": [], "flags": {},
        "decision": decision,
    });
    serde_json::from_value(record).unwrap()
}

fn said(id: &str, kind: LabelKind, route: &str) -> Label {
    Label {
        decision_id: id.to_owned(),
        session_id: None,
        owner: None,
        pack: "p".to_owned(),
        at: "2025-11-06T09:00:00Z".to_owned(),
        kind,
        text: String::new(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right { route: route.to_owned(), tools: Vec::new() },
    }
}

#[track_caller]
fn check(records: &[Record], labels: &[Label], wanted: &[(&str, &[TriageReason], u64)]) {
    let mut triage = Triage::default();
    records.iter().for_each(|record| triage.add(record));
    labels.iter().for_each(|label| triage.label(label));
    let list = triage.list(10);
    let found: Vec<(&str, &[TriageReason], u64)> = list
        .iter()
        .map(|candidate| {
            (candidate.decision_id.as_str(), candidate.why.as_slice(), candidate.count)
        })
        .collect();
    assert_eq!(found, wanted);
    assert!(list.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(list.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
}

const SURE: (f64, f64) = (0.99, 0.01);

#[test]
fn the_less_a_decision_leads_the_more_a_label_is_worth() {
    check(
        &[
            turn("1", "a", "tides at Keelung", "tool", SURE),
            turn("2", "b", "the mean of the sea", "tool", (0.65, 0.3)),
            turn("3", "c", "write a haiku", "code", (0.7, 0.05)),
            turn("4", "d", "sing me a song", OUT_OF_SCOPE, (0.6, 0.3)),
            turn("5", "e", "buy me a boat", OUT_OF_SCOPE, (0.99, 0.0)),
        ],
        &[],
        &[
            ("4", &[TriageReason::NearTheBorder], 1),
            ("2", &[TriageReason::Unsure], 1),
            ("3", &[TriageReason::Unsure], 1),
        ],
    );
}

#[test]
fn what_follows_says_that_a_turn_went_wrong() {
    let outcome = Record {
        decision_id: "4".to_owned(),
        session_id: Some("b".to_owned()),
        pack: "p".to_owned(),
        at: "2025-11-06T04:00:00Z".to_owned(),
        era: Era::default(),
        event: Event::ChoiceOutcome {
            tool: None,
            argument: None,
            shown: 1,
            taken: false,
            position: None,
        },
    };
    check(
        &[
            turn("1", "a", "how high is the water at Keelung", "code", SURE),
            turn("2", "a", "how high is the water at Keelung harbour", "tool", SURE),
            turn("3", "b", "the mean", "tool", SURE),
            turn("4", "b", "never mind, sing", "tool", SURE),
            outcome,
            turn("5", "c", "the temperature", "tool", (0.55, 0.0)),
        ],
        &[],
        &[
            ("1", &[TriageReason::AskedAgain], 1),
            ("5", &[TriageReason::Unanswered, TriageReason::Unsure], 1),
            ("3", &[TriageReason::Unanswered], 1),
        ],
    );
}

#[test]
fn a_model_that_says_something_else_comes_first() {
    let records = [
        turn("1", "a", "the mean of the sea", "tool", (0.65, 0.3)),
        turn("2", "b", "tides at Keelung", "tool", SURE),
        turn("3", "c", "write a haiku", "code", SURE),
    ];
    let labels = [said("2", LabelKind::Audit, "explain"), said("3", LabelKind::Audit, "code")];
    check(
        &records,
        &labels,
        &[("2", &[TriageReason::Disputed], 1), ("1", &[TriageReason::Unsure], 1)],
    );
}

#[test]
fn what_a_person_has_said_is_left_out_with_all_that_is_like_it() {
    let records = [
        turn("1", "a", "the mean of the sea", "tool", (0.65, 0.3)),
        turn("2", "b", "The mean of the sea?", "tool", (0.65, 0.3)),
        turn("3", "c", "write a haiku", "code", (0.6, 0.3)),
        turn("4", "d", "write a haiku!", "code", (0.6, 0.3)),
        turn("5", "e", "write a  HAIKU", "code", (0.6, 0.3)),
    ];
    let labels = [said("1", LabelKind::Feedback, "tool"), said("3", LabelKind::Teacher, "code")];
    check(&records, &labels, &[("5", &[TriageReason::Unsure], 3)]);
}

#[test]
fn old_turns_and_long_lists_are_bounded() {
    let mut triage = Triage::default();
    let mut record = turn("1", "a", "the mean of the sea", "tool", (0.65, 0.3));
    triage.add(&record);
    for number in 0..MAX_TURNS {
        record.decision_id = format!("n{number}");
        record.session_id = None;
        if let Event::RouterEvent(routed) = &mut record.event {
            routed.text = format!("{}", number * 7_919);
        }
        triage.add(&record);
    }
    assert_eq!(triage.turns.len(), MAX_TURNS);
    assert_eq!((triage.by_decision.len(), triage.last.len()), (MAX_TURNS, 0));
    assert_eq!(triage.list(usize::MAX).len(), MAX_LISTED);
}
