//! What stands around a request changes nothing: what agent programs put into a user's turn,
//! instructions to the router, and words that confirm what nobody asked.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::disallowed_methods, reason = "the packs are read from their folders")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::{Files, Pack};
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{Parts, Router};
use waypost::student::heads::train_student;
use waypost_testing::{EmptyShelf, OneSession, StillClock};

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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(root().join("spec/noise").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn files(root: &Path, folder: &Path, into: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, into);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            into.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn router(name: &str) -> Router {
    let folder = root().join("packs").join(name);
    let mut read = Files::new();
    files(&folder, &folder, &mut read);
    let pack = Pack::load(&read).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::new(OneSession::default()),
        clock: Arc::new(StillClock),
        rollout: Rollout::default(),
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

/// Fails with the differences, by group, if there are any.
fn none_differ(differ: &[(String, String)], all: usize) {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, _) in differ {
        *groups.entry(group).or_default() += 1;
    }
    let shown: Vec<&str> = differ.iter().map(|(_, line)| line.as_str()).collect();
    assert!(differ.is_empty(), "{}\n{} of {all}: {groups:?}", shown.join("\n"), differ.len());
}

#[tokio::test]
async fn what_programs_put_around_a_request_changes_no_decision() {
    let routers = routers();
    let (bare, wrappers) = (lines::<Bare>("requests.jsonl"), lines::<Wrapper>("wrappers.jsonl"));
    let mut differ = Vec::new();
    for request in &bare {
        let router = &routers[request.pack.as_str()];
        let wanted = decided(router, &request.text).await;
        for (at, wrapper) in wrappers.iter().enumerate() {
            let text = wrapper.text.replace("{request}", &request.text);
            let got = decided(router, &text).await;
            if got != wanted {
                let group = format!("{} {}", at + 1, wrapper.program);
                let line = format!("{group} · {}\n    {got}\n    {wanted}", request.text);
                differ.push((group, line));
            }
        }
    }
    none_differ(&differ, bare.len() * wrappers.len());
}

#[tokio::test]
async fn instructions_to_the_router_change_no_decision() {
    let routers = routers();
    let cases = lines::<Instructed>("inside.jsonl");
    let mut differ = Vec::new();
    for case in &cases {
        let router = &routers[case.pack.as_str()];
        let wanted = decided(router, &case.request).await;
        let got = decided(router, &case.text).await;
        if got != wanted {
            let line = format!("{:?}\n    {got}\n    {wanted}", case.text);
            differ.push((case.pack.clone(), line));
        }
    }
    none_differ(&differ, cases.len());
}

#[tokio::test]
async fn a_confirmation_of_nothing_runs_nothing() {
    let routers = routers();
    let text = std::fs::read_to_string(root().join("spec/noise/confirmations.txt")).unwrap();
    let mut differ = Vec::new();
    for (name, router) in &routers {
        for words in text.lines() {
            let got = decided(router, words).await;
            if got["calls"] != json!([]) {
                differ.push(((*name).to_owned(), format!("{name} {words:?}: {got}")));
            }
        }
    }
    none_differ(&differ, text.lines().count() * routers.len());
}
