//! Questions for several things: each thing that was asked for ends as a call, or the answer says that it does not.
//!
//! `spec/lists/made.jsonl` is put together from names of figures and companies. `fresh.jsonl` and `rows.jsonl`, whose texts are several
//! sentences or lines, were written by people who had seen no example. `spec/lists/ends.txt` says how each that is not served whole
//! ends; `WAYPOST_UPDATE_LISTS=1` writes it anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![expect(clippy::disallowed_methods, reason = "the texts are read from files")]

mod joined;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use waypost::records::decision::{Complexity, Decision, Outcome};
use waypost::records::request::Request;
use waypost::router::Router;

use crate::noise::{root, router};

/// A text and the tools that it plainly asks for.
#[derive(Debug, Deserialize)]
struct List {
    pack: String,
    language: String,
    text: String,
    tools: BTreeSet<String>,
    /// For some tools, all values that an argument must have over their calls.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, Vec<Json>>>,
}

/// How a list ends, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// Something runs that nobody asked for, or with a value that was not meant.
    Wrong,
    /// Something is missing, and nothing says so.
    Lost,
    /// The answer says what it leaves out.
    Told,
    /// The user is asked.
    Asked,
    /// All of it is called.
    Whole,
}

/// Tools that others need: they give what these take.
const PROVIDERS: [&str; 2] = ["channel_finding", "time_range_parsing"];

fn lists(name: &str) -> Vec<List> {
    let text = std::fs::read_to_string(root().join("spec/lists").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn end(list: &List, decision: &Decision) -> End {
    let called = decision.calls.iter().map(|call| &call.tool);
    let called: BTreeSet<&String> = called
        .filter(|tool| list.tools.contains(*tool) || !PROVIDERS.contains(&tool.as_str()))
        .collect();
    let missing = list.tools.iter().filter(|tool| !called.contains(tool)).count();
    let is_asked = decision.decision != Outcome::Run;
    match called.iter().any(|tool| !list.tools.contains(*tool)) {
        _ if missing == 0 && called.len() == list.tools.len() && has_values(list, decision) => {
            End::Whole
        }
        _ if is_asked => End::Asked,
        _ if missing == 0 => End::Wrong,
        true => End::Wrong,
        false if decision.unserved.len() >= missing => End::Told,
        false => End::Lost,
    }
}

/// Returns whether the calls have the values that are written down, and no others in their places.
fn has_values(list: &List, decision: &Decision) -> bool {
    let texts = |values: Vec<&Json>| values.into_iter().map(plain).collect::<BTreeSet<_>>();
    list.values.iter().all(|(tool, arguments)| {
        arguments.iter().all(|(name, wanted)| {
            let calls = decision.calls.iter().filter(|call| call.tool == *tool);
            let found = calls.filter_map(|call| call.arguments.get(name));
            texts(found.collect()) == texts(wanted.iter().collect())
        })
    })
}

/// A value as text, in which 1 and 1.0 are the same.
fn plain(value: &Json) -> String {
    match value {
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Json::Number(number) => number.as_f64().unwrap().to_string(),
        other => other.to_string(),
    }
}

async fn ends(file: &str) -> Vec<(List, End)> {
    let mut routers: BTreeMap<String, Router> = BTreeMap::new();
    let mut ends = Vec::new();
    for list in lists(file) {
        let router = routers.entry(list.pack.clone()).or_insert_with(|| router(&list.pack));
        let mut request = Request::new(list.text.clone());
        request.now = Some("2025-11-06T09:00:00+08:00".to_owned());
        request.tz = Some("Asia/Taipei".to_owned());
        let decision = router.route(&request, &CancellationToken::new()).await.unwrap();
        let end = end(&list, &decision);
        if end == End::Whole && list.pack == "finance" && list.values.is_empty() {
            assert_eq!(decision.complexity, Complexity::of(list.tools.len()), "{}", list.text);
        }
        ends.push((list, end));
    }
    ends
}

/// The share of lists in the languages of their pack with `least` to `most` tools that end so, in percent.
fn share(ends: &[(List, End)], sizes: [usize; 2], wanted: &[End]) -> f64 {
    let [least, most] = sizes;
    let asked = ends.iter().filter(|(list, _)| {
        (least..=most).contains(&list.tools.len())
            && (list.pack != "finance" || list.language != "es")
    });
    let ends: Vec<End> = asked.map(|(_, end)| *end).collect();
    let right = ends.iter().filter(|end| wanted.contains(end)).count();
    100.0 * right as f64 / ends.len() as f64
}

#[tokio::test]
async fn s2_14_s2_32_each_thing_of_a_list_is_called() {
    let ends = ends("made.jsonl").await;
    let nothing_lost = [End::Whole, End::Told, End::Asked];
    assert!(share(&ends, [2, 3], &[End::Whole]) >= 97.0);
    assert!(share(&ends, [4, 6], &[End::Whole]) >= 97.0);
    assert!(share(&ends, [2, 6], &nothing_lost) >= 100.0);
}

#[tokio::test]
async fn lists_of_a_fresh_author_end_as_is_written_down() {
    let (ends, rows) = (ends("fresh.jsonl").await, ends("rows.jsonl").await);
    let mut found = String::new();
    for (list, end) in ends.iter().chain(&rows).filter(|(_, end)| *end != End::Whole) {
        let text = list.text.replace('\n', " ⏎ ");
        writeln!(found, "{end:?} | {} | {} | {text}", list.pack, list.tools.len()).unwrap();
    }
    let file = root().join("spec/lists/ends.txt");
    if std::env::var_os("WAYPOST_UPDATE_LISTS").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&file).unwrap());
    assert!(share(&ends, [2, 3], &[End::Whole]) >= 75.0);
    assert!(share(&ends, [4, 6], &[End::Whole]) >= 63.0);
}
