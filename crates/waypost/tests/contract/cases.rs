//! Runs the cases of the contract: one JSON object a line, a request with its expected result.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use waypost::ports::model::Prompt;
use waypost::records::decision::Decision;
use waypost::records::event::Event;
use waypost::records::request::{Request, Topic};
use waypost::router::AnswerOptions;

use super::parts::{Trained, World, combinations, history, platform, trained, world};

/// A case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    #[serde(default)]
    trusted: bool,
    #[serde(default)]
    route: Option<String>,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    context: Json,
    /// The layers without which it does not hold.
    #[serde(default)]
    needs: Vec<String>,
    /// The only pack that it is about, where it uses something that only that pack declares.
    #[serde(default)]
    pack: Option<String>,
    /// The setting of the pack's `prefix_match`.
    #[serde(default)]
    prefix_match: Option<String>,
    expect: Map<String, Json>,
}

/// The result of a request.
pub(crate) struct Outcome {
    pub(crate) decision: Decision,
    pub(crate) events: Vec<Event>,
    /// The prompts that asked a model to decide.
    pub(crate) asked: Vec<Prompt>,
    /// The number of prompts that each slot answered.
    pub(crate) main: usize,
    pub(crate) light: usize,
    pub(crate) searches: usize,
}

/// Answers a request and says all that was seen of it.
pub(crate) fn answer(runtime: &Runtime, world: &World, request: &Request) -> Outcome {
    let (out, _) = tokio::sync::mpsc::channel(1);
    let cancel = CancellationToken::new();
    let answer = world.router.answer(request, AnswerOptions::default(), &out, &cancel);
    runtime.block_on(answer).unwrap();
    let events = world.store.take();
    let decision = events.iter().find_map(|event| match event {
        Event::RouterEvent(routed) => Some((*routed.decision).clone()),
        _ => None,
    });
    let ((mut asked, main), (more, light)) = (world.main.take(), world.light.take());
    asked.extend(more);
    Outcome {
        decision: decision.unwrap(),
        events,
        asked,
        main: main.len(),
        light: light.len(),
        searches: world.retriever.take(),
    }
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// A request at an instant, as every request of these tests has one.
pub(crate) fn request(text: &str) -> Request {
    Request { now: Some("2025-11-06T09:00:00Z".to_owned()), ..Request::new(text) }
}

/// Runs every case on a small pack and on the one that is shipped: the contract is the engine's.
pub(crate) fn hold(file: &str) {
    hold_in(file, trained);
    hold_in(file, platform);
}

/// Loads a pack, its `pack.yaml` edited.
type Load = fn(&[(&str, &str)]) -> Trained;

/// Runs every case with every set of layers that has what it needs.
fn hold_in(file: &str, trained: Load) {
    let runtime = runtime();
    let mut packs: BTreeMap<Option<String>, Trained> = BTreeMap::new();
    // A router reads the examples of its pack once, so each serves all cases.
    let mut worlds: BTreeMap<(Option<String>, Vec<&str>), World> = BTreeMap::new();
    let mut faults = Vec::new();
    let (mut run, mut number) = (0, 0);
    for line in file.lines() {
        number += 1;
        let case: Case = serde_json::from_str(line).unwrap_or_else(|e| panic!("{number}: {e}"));
        let pack = packs.entry(case.prefix_match.clone()).or_insert_with_key(|key| {
            let policy = key.as_ref().map(|set| format!("policy:\n  prefix_match: {set}\n"));
            let edits = policy.as_ref().map(|policy| ("policy:\n", policy.as_str()));
            trained(edits.as_slice())
        });
        if case.pack.as_ref().is_some_and(|only| *only != pack.pack.spec.name) {
            continue;
        }
        for layers in combinations() {
            if case.needs.iter().any(|need| !layers.contains(&need.as_str())) {
                continue;
            }
            run += 1;
            let key = (case.prefix_match.clone(), layers.clone());
            let world = worlds.entry(key).or_insert_with(|| world(pack, &layers));
            // A decision that was made a moment ago would be recalled, which is no judgment of its
            // own.
            world.recall.clear();
            let outcome = answer(&runtime, world, &case.request());
            world.recall.clear();
            let alone = answer(&runtime, world, &without_history(case.request()));
            for fault in case.faults(&outcome, &alone) {
                faults.push(format!("line {number} {layers:?} {:?}: {fault}", case.text));
            }
        }
    }
    assert!(run > number, "a case runs with several sets of layers");
    assert!(faults.is_empty(), "{} of {run}\n{}", faults.len(), faults.join("\n"));
}

impl Case {
    fn request(&self) -> Request {
        let context = match &self.context {
            Json::Null => Map::new().into(),
            given => given.clone(),
        };
        Request {
            trusted: self.trusted,
            route: self.route.clone(),
            language: self.language.clone(),
            context: serde_json::from_value(context).unwrap(),
            ..request(&self.text)
        }
    }

    /// Lists the differences from what is expected, and what breaks the rules of every turn.
    fn faults(&self, outcome: &Outcome, alone: &Outcome) -> Vec<String> {
        let decision = serde_json::to_value(&outcome.decision).unwrap();
        let mut faults = broken(&self.request(), outcome);
        for (key, wanted) in &self.expect {
            let found = match key.as_str() {
                // Another layer may have decided before the model was asked.
                "shown" if outcome.asked.is_empty() => continue,
                "shown" => history(&outcome.asked[0]).len().into(),
                "same_as_alone" => (judged(outcome) == judged(alone)).into(),
                "by_contract" => is_by_contract(&outcome.decision).into(),
                "dropped" => outcome.events.iter().any(is_prefix).into(),
                "searches" => outcome.searches.into(),
                "main" => outcome.main.into(),
                "light" => outcome.light.into(),
                known => decision.get(known).cloned().unwrap_or_else(|| panic!("`{known}`")),
            };
            if found != *wanted {
                faults.push(format!("{key} is {found}, not {wanted}: {}", decision["rationale"]));
            }
        }
        faults
    }
}

/// The same request with nothing asked before.
pub(crate) fn without_history(mut request: Request) -> Request {
    request.context.history.clear();
    request
}

/// The part of a decision that may not depend on what was asked before, to the last bit.
pub(crate) fn judged(outcome: &Outcome) -> Json {
    let mut decision = serde_json::to_value(&outcome.decision).unwrap();
    // The id names the request, and its history is a part of that.
    decision.as_object_mut().unwrap().remove("id");
    let bits = outcome.decision.alternatives.iter().map(|other| other.confidence.to_bits());
    let bits: Vec<u64> = bits.chain([outcome.decision.confidence.to_bits()]).collect();
    serde_json::json!([decision, bits])
}

/// RC-04, RC-05 and RC-06 hold of every turn: the work is what the route says, and the model sees
/// the last six lines of history or none.
fn broken(request: &Request, outcome: &Outcome) -> Vec<String> {
    let mut faults = Vec::new();
    if outcome.asked.len() > 1 || outcome.decision.llm_calls as usize != outcome.asked.len() {
        faults.push(format!("a model was asked {} times", outcome.asked.len()));
    }
    let lines: Vec<String> = request.context.history.iter().map(line).collect();
    for shown in outcome.asked.iter().map(history) {
        if shown.len() > 6 || !lines.ends_with(&shown) {
            faults.push(format!("the model saw {shown:?}"));
        }
    }
    let monitored = outcome.events.iter().filter(|event| event.name() == "contract_event");
    let seen: Vec<&Event> = monitored.collect();
    let prefix = outcome.decision.rationale.contains("registered prefix");
    if !seen.is_empty() && prefix {
        faults.push(format!("{seen:?}"));
    }
    if !outcome.decision.retrieval && outcome.searches > 0 {
        faults.push("it searched on a route without retrieval".to_owned());
    }
    let wanted = outcome.decision.model_slot;
    for (slot, used) in [
        (waypost::ports::model::Slot::Main, outcome.main),
        (waypost::ports::model::Slot::Light, outcome.light),
    ] {
        if used > 0 && wanted != Some(slot) {
            faults.push(format!("{slot:?} answered where {wanted:?} should have"));
        }
    }
    faults
}

/// Returns whether a prefix or a signal decided.
fn is_by_contract(decision: &Decision) -> bool {
    decision.rationale.contains("registered prefix") || decision.rationale.contains("the signal")
}

/// A line of history as a model sees it. Source: S4-7.
fn line(topic: &Topic) -> String {
    let text: String = topic.topic.chars().take(60).collect();
    let cut = if topic.topic.chars().count() > 60 { "…" } else { "" };
    format!("[{}] \"{text}{cut}\"", topic.route.to_uppercase())
}

fn is_prefix(event: &Event) -> bool {
    matches!(event, Event::Dropped { what, .. } if what.starts_with("prefix "))
}
