//! `/readyz` and feedback while the store cannot be used, and once it can; `doctor` and a store that
//! is damaged.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::serve::{Serving, Site};
use crate::support::{Home, NOW};

/// A time longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(90);

fn post(site: Site, path: &str, body: &Json) -> (u16, Json) {
    let (status, body) =
        site.ask("POST", path, &[("content-type", "application/json")], &body.to_string());
    (status, serde_json::from_str(&body).unwrap())
}

/// Asks something, and says that the decision was right.
fn judged(site: Site) -> (u16, Json) {
    let asked = json!({ "text": "現在台灣周遭海溫多少？", "now": NOW });
    let (status, answer) = post(site, "/v1/answer", &asked);
    assert_eq!(status, 200, "{answer}");
    post(site, "/v1/feedback", &json!({ "decision_id": answer["id"], "right": true }))
}

#[test]
fn feedback_that_is_not_kept_is_not_acknowledged_and_the_store_takes_over_without_a_restart() {
    let outer = Home::new();
    outer.write("home", "a file where the home should be");
    let place = outer.path("home").to_string_lossy().into_owned();
    let home = Home::new().set("WAYPOST_HOME", &place);
    let serving = Serving::start(&home, &[]);
    let site = serving.site;
    assert_eq!(site.ask("GET", "/healthz", &[], "").0, 200);
    let (status, problem) = site.ask("GET", "/readyz", &[], "");
    let problem: Json = serde_json::from_str(&problem).unwrap();
    assert_eq!((status, &problem["code"]), (503, &json!("UNAVAILABLE")), "{problem}");
    assert_eq!(problem["detail"], "the store cannot be opened");
    assert!(!problem.to_string().contains(&place), "no place is told: {problem}");
    let (status, problem) = judged(site);
    assert_eq!((status, &problem["code"]), (503, &json!("UNAVAILABLE")), "{problem}");
    assert!(problem["hint"].is_string(), "{problem}");

    fs::remove_file(&place).unwrap();
    let begin = Instant::now();
    while site.ask("GET", "/readyz", &[], "").0 != 200 {
        assert!(begin.elapsed() < DEADLINE, "the store never took over");
        sleep(Duration::from_millis(100));
    }
    let (status, label) = judged(site);
    assert_eq!((status, &label["label"]["verdict"]), (200, &json!("right")), "{label}");
    drop(serving);
    let events = home.run(&["events", "--json"]);
    assert!(!events.records().is_empty(), "{events:?}");
}

#[test]
fn a_store_with_a_torn_page_is_not_called_well() {
    let home = Home::new();
    home.ask(&["--session", "s", "tides at Keelung"]).ended(0);
    home.ask(&["--session", "t", "tides at Keelung"]).ended(0);
    // Forgetting moves what was written ahead into the file itself.
    home.run(&["forget", "t", "--yes"]).ended(0);
    let path = home.path("waypost.db");
    let mut bytes = fs::read(&path).unwrap();
    // Behind the first page, so that the file still opens.
    let page = 4096;
    let (from, to) = (2 * page, bytes.len().min(8 * page));
    bytes[from..to].fill(0x5A);
    fs::write(&path, bytes).unwrap();
    let run = home.run(&["doctor", "--json"]);
    let report = run.json();
    let checks = report["checks"].as_array().unwrap();
    let store = checks.iter().find(|check| check["what"] == "store").unwrap();
    assert_eq!(store["state"], "fail", "{store}");
    assert!(store["says"].as_str().unwrap().contains("damaged"), "{store}");
    assert!(store["hint"].as_str().unwrap().contains("move the file away"), "{store}");
    assert_eq!(run.status, 4);
}
