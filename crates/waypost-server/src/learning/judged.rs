//! What people said of a model's choices in the traffic: each that was labeled tells how far the model can be believed.

use std::collections::BTreeMap;

use waypost::Result;
use waypost::decide::cascade::Worth;
use waypost::pack::Pack;
use waypost::ports::store::{Filter, Store};
use waypost::records::decision::LayerName;
use waypost::records::event::{Event, Record, Routed};
use waypost::records::label::{Label, Verdict};

use super::training;

/// The kind of reply that is a choice.
const CHOICE: &str = "decision";
/// The latest turns that are looked at.
const TURNS: usize = 20_000;

/// The choices of this model that a person judged: those that decided a turn, and those of audits.
///
/// # Errors
///
/// Those of the store.
pub(crate) async fn judged(store: &dyn Store, pack: &Pack, model: &str) -> Result<Worth> {
    let labels = training::labels(store, pack).await?;
    let said: BTreeMap<&str, &Verdict> = labels.iter().filter_map(of_person).collect();
    let mut worth = Worth::default();
    if said.is_empty() {
        return Ok(worth);
    }
    for kind in ["router_event", "audit_event"] {
        let (kind, pack) = (Some(kind.to_owned()), Some(pack.spec.name.clone()));
        let records = store.events(&Filter { kind, pack, ..Filter::default() }, TURNS).await?;
        for record in &records {
            let verdict = said.get(record.decision_id.as_str());
            let right = verdict
                .zip(chosen(record, model))
                .and_then(|(said, (route, tools))| is_right(said, record, route, &tools));
            worth.asked += u32::from(right.is_some());
            worth.right += u32::from(right == Some(true));
        }
    }
    Ok(worth)
}

fn of_person(label: &Label) -> Option<(&str, &Verdict)> {
    label.kind.is_gold().then_some((label.decision_id.as_str(), &label.verdict))
}

/// The route and the tools that this model chose in a turn or an audit. A turn in which it failed, or only read an answer,
/// was not its choice.
fn chosen<'a>(record: &'a Record, model: &str) -> Option<(&'a str, Vec<&'a str>)> {
    match &record.event {
        Event::RouterEvent(routed) if is_choice(routed, model) => {
            let calls = routed.decision.calls.iter();
            Some((&routed.decision.route, calls.map(|call| call.tool.as_str()).collect()))
        }
        Event::AuditEvent(audited) if audited.model.as_deref() == Some(model) => {
            Some((&audited.teacher.route, audited.teacher.tools()))
        }
        _ => None,
    }
}

fn is_choice(routed: &Routed, model: &str) -> bool {
    let replies = &routed.replies;
    let chose = replies.said.as_ref().is_some_and(|said| said.to == CHOICE);
    let decided = routed.layer == LayerName::Llm && routed.decision.degraded.is_empty();
    chose && decided && replies.model.as_deref() == Some(model)
}

/// Returns whether a verdict bears a choice out; `None` where it does not tell: that a decision was wrong says nothing of an
/// audit that chose something else.
fn is_right(verdict: &Verdict, record: &Record, route: &str, tools: &[&str]) -> Option<bool> {
    match (verdict, &record.event) {
        (Verdict::Right { route: right, tools: wanted }, _) => {
            let mut wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let mut tools = tools.to_vec();
            wanted.sort_unstable();
            tools.sort_unstable();
            Some(right == route && wanted == tools)
        }
        (Verdict::Wrong, Event::AuditEvent(audited)) if !audited.agrees => None,
        (Verdict::Wrong, _) => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn audit(agrees: bool) -> Record {
        let outline = |route: &str| {
            json!({
                "route": route, "decision": "run", "layer": "llm", "confidence": 0.9, "calls": [],
            })
        };
        let standing = outline(if agrees { "help" } else { "explain" });
        let event = json!({
            "decision_id": "d", "pack": "p", "at": "2025-11-06T08:00:00Z", "type": "audit_event",
            "text": "t", "standing": standing, "teacher": outline("help"), "agrees": agrees,
            "model": "m",
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_verdict_tells_of_a_choice_what_it_can() {
        let of = |verdict: Json, record: &Record| {
            let verdict = serde_json::from_value(verdict).unwrap();
            let (route, tools) = chosen(record, "m").unwrap();
            is_right(&verdict, record, route, &tools)
        };
        let right = |route: &str| json!({ "verdict": "right", "route": route });
        assert_eq!(of(right("help"), &audit(false)), Some(true));
        assert_eq!(of(right("explain"), &audit(true)), Some(false));
        assert_eq!(of(json!({ "verdict": "wrong" }), &audit(true)), Some(false));
        assert_eq!(of(json!({ "verdict": "wrong" }), &audit(false)), None);
        assert_eq!(chosen(&audit(true), "another"), None);
    }
}
