//! Capabilities come and go while the program runs, and two packs in one process never see each other's.

use tokio_util::sync::CancellationToken;
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::router::Router;

use super::{Scenario, router};

const ALL: [&str; 7] = ["find", "period", "read", "history", "chart", "sky", "turn"];

fn decided(router: &Router, text: &str) -> Decision {
    let mut request = Request::new(text);
    request.now = Some("2026-03-12T09:00:00Z".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let cancel = CancellationToken::new();
    runtime.expect("a runtime").block_on(router.route(&request, &cancel)).expect("a decision")
}

#[test]
fn what_a_server_no_longer_offers_is_not_chosen_until_it_is_back() {
    let (router, lab, _) = router("plan_first", &Scenario::default());
    let both = "read the left dial and look at the sky";
    assert_eq!(decided(&router, both).tools(), ["sky", "find", "read"]);
    lab.offer(&ALL[..5]);
    assert_eq!(decided(&router, both).tools(), ["find", "read"]);
    let all = decided(&router, "/caps:off read the left dial").selected;
    assert!(!all.iter().any(|tool| tool == "sky"), "{all:?}");
    // Who asks for nothing else is told by the server itself.
    assert_eq!(decided(&router, "look at the sky").tools(), ["sky"]);
    lab.offer(&ALL);
    assert_eq!(decided(&router, both).tools(), ["sky", "find", "read"]);
}

#[test]
fn two_packs_in_one_process_know_nothing_of_each_other() {
    let (one, first, _) = router("plan_first", &Scenario::default());
    let (other, ..) = router("react", &Scenario::default());
    first.offer(&ALL[..5]);
    let both = "read the left dial and look at the sky";
    assert_eq!(decided(&one, both).tools(), ["find", "read"]);
    assert_eq!(decided(&other, both).tools(), ["sky", "find", "read"]);
}
