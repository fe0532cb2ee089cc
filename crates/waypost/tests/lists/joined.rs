//! Two questions in two lines, each of which runs alone: both run with the values that they have alone, or the answer says what it
//! leaves out, or the user is asked. The pairs are made of the cases of the packs.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use waypost::records::decision::{Call, Decision, Outcome};
use waypost::records::request::Request;
use waypost::router::Router;

use crate::noise::{root, router};

/// A case of a pack.
#[derive(Debug, Deserialize)]
struct Case {
    text: String,
    context: Option<Json>,
}

/// What becomes of two questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Whole,
    Told,
    Asked,
    /// A tool is called with other values than alone.
    OtherValues,
    /// A question is left out without a word.
    Lost,
}

/// The most pairs of a pack.
const PAIRS: usize = 80;
/// How far apart the two questions of a pair stand among the cases.
const APART: usize = 37;

async fn decided(router: &Router, text: String) -> Decision {
    let mut request = Request::new(text);
    request.now = Some("2025-11-06T09:00:00+08:00".to_owned());
    request.tz = Some("Asia/Taipei".to_owned());
    router.route(&request, &CancellationToken::new()).await.unwrap()
}

/// The questions of a pack that run tools alone, each with what is decided.
async fn questions(router: &Router, pack: &str) -> Vec<(String, Decision)> {
    let file = root().join("packs").join(pack).join("cases.jsonl");
    let cases = fs::read_to_string(file).unwrap();
    let cases = cases.lines().map(|line| serde_json::from_str::<Case>(line).unwrap());
    let mut questions = Vec::new();
    for case in cases.filter(|case| case.context.is_none() && !case.text.contains('\n')) {
        let decision = decided(router, case.text.clone()).await;
        let runs = decision.decision == Outcome::Run && !decision.calls.is_empty();
        if runs && decision.unserved.is_empty() {
            questions.push((case.text, decision));
        }
    }
    questions
}

/// The same call: the texts that a tool gets whole differ, because there is more of them.
fn is_same(one: &Call, other: &Call) -> bool {
    let mut values = one.arguments.iter().filter(|(name, _)| *name != "task");
    one.tool == other.tool && values.all(|(name, value)| other.arguments.get(name) == Some(value))
}

fn end(pair: [&(String, Decision); 2], both: &Decision) -> End {
    if both.decision != Outcome::Run {
        return End::Asked;
    }
    let ends = pair.iter().map(|(text, alone)| {
        let is_told = || both.unserved.iter().any(|part| text.contains(part.text.as_str()));
        let mut calls = alone.calls.iter();
        let called = |tool: &str| both.calls.iter().any(|call| call.tool == tool);
        match () {
            () if calls.clone().all(|call| both.calls.iter().any(|own| is_same(call, own))) => {
                End::Whole
            }
            () if is_told() => End::Told,
            () if calls.all(|call| called(&call.tool)) => End::OtherValues,
            () => End::Lost,
        }
    });
    ends.max().unwrap()
}

/// How many pairs of a pack end so, in percent.
async fn ends(pack: &str) -> BTreeMap<End, usize> {
    let router = router(pack);
    let questions = questions(&router, pack).await;
    let mut ends = BTreeMap::new();
    for (at, one) in questions.iter().enumerate().take(PAIRS) {
        let other = &questions[(at + APART) % questions.len()];
        let both = decided(&router, format!("{}\n{}", one.0, other.0)).await;
        *ends.entry(end([one, other], &both)).or_default() += 1;
    }
    let pairs: usize = ends.values().sum();
    ends.into_iter().map(|(end, count)| (end, 100 * count / pairs)).collect()
}

#[tokio::test]
async fn two_questions_in_two_lines_are_lost_no_more_often_than_before() {
    // Percent of whole ones at least, and of lost ones at most. The goal is 97 and 0: a sentence of which the student is unsure is
    // neither called nor told yet.
    let bounds =
        [("ocean", 40, 42), ("malaria", 12, 22), ("finance", 18, 61), ("accelerator", 45, 50)];
    let mut beyond = Vec::new();
    for (pack, whole, lost) in bounds {
        let ends = ends(pack).await;
        let of = |end: End| ends.get(&end).copied().unwrap_or_default();
        if of(End::Whole) < whole || of(End::Lost) > lost {
            beyond.push(format!("{pack}: {ends:?}"));
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}

#[tokio::test]
async fn sentences_with_places_and_days_of_their_own_are_not_crossed() {
    let router = router("ocean");
    for (text, wanted) in [
        (
            "Sea temperature at 25N 121E today. Sea temperature at 22N 120E yesterday.",
            vec![("25.0", "2025-11-06"), ("22.0", "2025-11-05")],
        ),
        (
            "tide in Keelung today and tide in Kaohsiung tomorrow",
            vec![("25.14", "2025-11-06"), ("22.62", "2025-11-07")],
        ),
        // The day of the first one may be meant.
        (
            "What was the sea temperature at 25N 121E yesterday? And the sea temperature at 22N 120E?",
            vec![("25.0", "2025-11-05"), ("22.0", "2025-11-05")],
        ),
    ] {
        let decision = decided(&router, text.to_owned()).await;
        let value =
            |call: &Call, name: &str| call.arguments[name].to_string().trim_matches('"').to_owned();
        let calls = decision.calls.iter();
        let found: Vec<(String, String)> =
            calls.map(|call| (value(call, "latitude"), value(call, "date"))).collect();
        let wanted: Vec<(String, String)> =
            wanted.into_iter().map(|(place, day)| (place.to_owned(), day.to_owned())).collect();
        assert_eq!(found, wanted, "{text}");
    }
}
