//! Many clients ask while students are put in and out of service: nothing fails, and every decision
//! is whole and of one student.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::records::request::Request;

use super::parts::{NOW, Running, start};
use crate::tiny::students;

const CLIENTS: usize = 8;
const SWAPS: usize = 100;
/// The least number of answers between two swaps: each client is then met at another place.
const BETWEEN: u64 = 6;

/// Near to what both have learned, and further from it.
const TEXTS: [&str; 6] = [
    "help me with addVar",
    "what does an endpoint do, please",
    "thanks a lot for the list",
    "good morning, I like an endpoint",
    "explain the words on a list",
    "I like what getDateTime does",
];

/// Returns what each student decides about each text, as whole records.
async fn expected(server: &Running) -> BTreeMap<(String, String), Json> {
    let mut records = BTreeMap::new();
    for bundle in &students().1 {
        server.router.swap(Arc::clone(bundle)).unwrap();
        for text in TEXTS {
            let request = Request { now: Some(NOW.to_owned()), ..Request::new(text) };
            let decision = server.router.route(&request, &CancellationToken::new()).await;
            let key = (bundle.id().to_owned(), text.to_owned());
            records.insert(key, json!(decision.unwrap()));
        }
    }
    records
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_swaps_under_load_fail_no_request_and_split_no_decision() {
    let server = start().await;
    let expected = Arc::new(expected(&server).await);
    let [first, second] = &students().1;
    let bare = |id: &str, text: &str| {
        let mut record = expected[&(id.to_owned(), text.to_owned())].clone();
        record.as_object_mut().unwrap().remove("bundle");
        record
    };
    let told = TEXTS.iter().any(|text| bare(first.id(), text) != bare(second.id(), text));
    assert!(told, "the students are not told apart: {expected:?}");
    let (served, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let mut client = server.client().await;
        let (expected, served, over) =
            (Arc::clone(&expected), Arc::clone(&served), Arc::clone(&over));
        clients.push(tokio::spawn(async move {
            let mut seen: BTreeMap<String, u64> = BTreeMap::new();
            for text in TEXTS.iter().cycle().skip(number) {
                let body = json!({ "text": text, "now": NOW });
                let reply = client.post("/v1/route", &body).await;
                assert_eq!(reply.status, 200, "{reply:?}");
                let record = reply.json();
                let bundle = record["bundle"].as_str().unwrap().to_owned();
                assert_eq!(&record, &expected[&(bundle.clone(), (*text).to_owned())], "{text}");
                *seen.entry(bundle).or_default() += 1;
                served.fetch_add(1, Ordering::SeqCst);
                if over.load(Ordering::SeqCst) {
                    break;
                }
            }
            seen
        }));
    }
    for turn in 0..SWAPS {
        let next = if turn % 2 == 0 { first } else { second };
        let begun = served.load(Ordering::SeqCst);
        server.router.swap(Arc::clone(next)).unwrap();
        while served.load(Ordering::SeqCst) < begun + BETWEEN {
            tokio::task::yield_now().await;
        }
    }
    over.store(true, Ordering::SeqCst);
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for client in clients {
        for (bundle, count) in client.await.unwrap() {
            *seen.entry(bundle).or_default() += count;
        }
    }
    assert!(seen.values().sum::<u64>() >= SWAPS as u64 * BETWEEN, "{seen:?}");
    assert!(seen.len() == 2 && seen.values().all(|count| *count > 50), "{seen:?}");
    server.stop().await;
}
