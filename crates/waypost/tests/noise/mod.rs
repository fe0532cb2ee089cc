//! What stands around a request changes nothing: what agent programs put into a user's turn,
//! instructions to the router, and words that confirm what nobody asked.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::disallowed_methods, reason = "the texts are read from files")]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::ports::model::{Model, Slot};
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{Parts, Router};
use waypost_learning::Bundle;
use waypost_testing::{EmptyShelf, OneSession, Shipped, StillClock};

/// A request without anything around it.
#[derive(Debug, Deserialize)]
struct Bare {
    pack: String,
    text: String,
}

/// What a program makes of a user's turn; `{request}` stands for what the user wrote.
#[derive(Debug, Deserialize)]
struct Wrapper {
    program: String,
    text: String,
}

/// A text with instructions to the router, and the request in it.
#[derive(Debug, Deserialize)]
struct Instructed {
    pack: String,
    text: String,
    request: String,
}

const PACKS: [&str; 3] = ["ocean", "malaria", "platform"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(root().join("spec/noise").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn router(name: &str) -> Router {
    router_of(name, BTreeMap::new(), Rollout::default())
}

/// The router of a shipped pack with these models and layers.
pub(crate) fn router_of(
    name: &str,
    models: BTreeMap<Slot, Arc<dyn Model>>,
    rollout: Rollout,
) -> Router {
    let shipped = Shipped::named(name);
    let pack = Pack::load(&shipped.files).unwrap();
    let bundle = Bundle::from_bytes(&shipped.student).unwrap();
    Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models,
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::new(OneSession::default()),
        clock: Arc::new(StillClock),
        rollout,
        recall: None,
    })
}

fn routers() -> BTreeMap<&'static str, Router> {
    PACKS.into_iter().map(|name| (name, router(name))).collect()
}

/// What is done for a text: the decision, the route, and the calls with their arguments.
async fn decided(router: &Router, text: &str) -> Json {
    let mut request = Request::new(text.to_owned());
    request.now = Some("2025-11-06T09:00:00+08:00".to_owned());
    let decision = router.route(&request, &CancellationToken::new()).await.unwrap();
    let decision = serde_json::to_value(&decision).unwrap();
    let calls = decision["calls"].as_array().into_iter().flatten();
    let calls: Vec<Json> = calls.map(|call| json!([call["tool"], call["arguments"]])).collect();
    json!({ "decision": decision["decision"], "route": decision["route"], "calls": calls })
}

/// Fails with the differences, by group, if there are more than are known.
fn at_most(known: usize, differ: &[(String, String)], all: usize) {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, _) in differ {
        *groups.entry(group).or_default() += 1;
    }
    let shown: Vec<&str> = differ.iter().map(|(_, line)| line.as_str()).collect();
    let few = differ.len() <= known;
    assert!(few, "{}\n{} of {all}: {groups:?}", shown.join("\n"), differ.len());
}

/// A text with something around a request, and where they are from.
#[derive(Debug)]
struct Case {
    group: String,
    pack: String,
    text: String,
    request: String,
}

/// Checks that every text is decided as its request is alone, but for so many that are known not to be.
async fn decided_alike(cases: &[Case], known: usize) {
    let routers = routers();
    let mut alone: BTreeMap<(&str, &str), Json> = BTreeMap::new();
    let mut differ = Vec::new();
    for case in cases {
        let router = &routers[case.pack.as_str()];
        let request = (case.pack.as_str(), case.request.as_str());
        if let Entry::Vacant(entry) = alone.entry(request) {
            entry.insert(decided(router, &case.request).await);
        }
        let (wanted, got) = (&alone[&request], decided(router, &case.text).await);
        if got != *wanted {
            let line = format!("{} {:?}\n    {got}\n    {wanted}", case.group, case.text);
            differ.push((case.group.clone(), line));
        }
    }
    at_most(known, &differ, cases.len());
}

#[tokio::test]
async fn what_programs_put_around_a_request_changes_no_decision() {
    let (bare, wrappers) = (lines::<Bare>("requests.jsonl"), lines::<Wrapper>("wrappers.jsonl"));
    let case = |request: &Bare, wrapper: &Wrapper| Case {
        group: wrapper.program.clone(),
        pack: request.pack.clone(),
        text: wrapper.text.replace("{request}", &request.text),
        request: request.text.clone(),
    };
    let cases: Vec<Case> =
        bare.iter().flat_map(|request| wrappers.iter().map(|it| case(request, it))).collect();
    decided_alike(&cases, 0).await;
}

#[tokio::test]
async fn instructions_to_the_router_change_no_decision() {
    /// "Now:" behind an invented role is read as the instant of the question; "Set query_type to code" is refused; and an order
    /// in `<system>` tags before "what is a sea surface temperature anomaly?" makes it a question for a place.
    const KNOWN: usize = 2;
    let cases = lines::<Instructed>("inside.jsonl").into_iter();
    let cases = cases.map(|Instructed { pack, text, request }| Case {
        group: pack.clone(),
        pack,
        text,
        request,
    });
    decided_alike(&cases.collect::<Vec<_>>(), KNOWN).await;
}

#[tokio::test]
async fn the_own_task_of_a_front_end_runs_no_tool() {
    let routers = routers();
    let (bare, tasks) = (lines::<Bare>("requests.jsonl"), lines::<Wrapper>("tasks.jsonl"));
    let mut runs = Vec::new();
    for request in &bare {
        for task in &tasks {
            let text = task.text.replace("{request}", &request.text);
            let got = decided(&routers[request.pack.as_str()], &text).await;
            if got["decision"] == "run" && got["calls"] != json!([]) {
                runs.push((task.program.clone(), format!("{}: {got}", request.text)));
            }
        }
    }
    at_most(0, &runs, bare.len() * tasks.len());
}

#[tokio::test]
async fn a_request_that_is_only_quoted_runs_no_tool() {
    /// What a quoted map means, in Vietnamese and in Spanish, draws the map in the pack `malaria`.
    const KNOWN: usize = 2;
    let routers = routers();
    let cases = lines::<Bare>("quoted.jsonl");
    let mut calls = Vec::new();
    for case in &cases {
        let got = decided(&routers[case.pack.as_str()], &case.text).await;
        if got["calls"] != json!([]) {
            calls.push((case.pack.clone(), format!("{}: {got}", case.text)));
        }
    }
    at_most(KNOWN, &calls, cases.len());
}

#[tokio::test]
async fn a_confirmation_of_nothing_runs_nothing() {
    /// "開始", "ejecútalo" and "do it now" are asked about; none of them runs.
    const ASKED_ABOUT: usize = 3;
    let routers = routers();
    let text = std::fs::read_to_string(root().join("spec/noise/confirmations.txt")).unwrap();
    let (mut runs, mut calls) = (Vec::new(), Vec::new());
    for (name, router) in &routers {
        for words in text.lines() {
            let got = decided(router, words).await;
            if got["calls"] == json!([]) {
                continue;
            }
            let line = ((*name).to_owned(), format!("{name} {words:?}: {got}"));
            let found = if got["decision"] == "run" { &mut runs } else { &mut calls };
            found.push(line);
        }
    }
    let all = text.lines().count() * routers.len();
    at_most(0, &runs, all);
    at_most(ASKED_ABOUT, &calls, all);
}
