//! A pack of two routes that trains in no time, and two students of it: for tests.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::json;
use waypost::learning::Bundle;
use waypost::pack::{Files, Pack};
use waypost::student::heads::train_student;
use waypost_backends::students::{Card, Registry, Trained};

use crate::config::Config;

const PACK: &str = "\
name: desk
summary: A test.
format: 1
languages: [en]
tz: UTC
fallback: chat
routes:
  - name: help
    handler: explain
    summary: The user wants something explained.
    retrieval: true
    model: main
  - name: chat
    handler: explain
    summary: The user talks.
";

/// A pack, and two students of its routes that learned from different examples.
pub(crate) fn students() -> &'static (Arc<Pack>, [Arc<Bundle>; 2]) {
    static STUDENTS: OnceLock<(Arc<Pack>, [Arc<Bundle>; 2])> = OnceLock::new();
    STUDENTS.get_or_init(|| {
        let things = ["addVar", "addParam", "getDateTime", "a loop", "an endpoint", "a list"];
        let (pack, first) = student(&things);
        let (_, second) = student(&things[..4]);
        assert_ne!(first.id(), second.id());
        (Arc::new(pack), [Arc::new(first), Arc::new(second)])
    })
}

fn student(things: &[&str]) -> (Pack, Bundle) {
    let mut examples = String::new();
    for thing in things {
        for (route, text) in [
            ("help", format!("help me with {thing}")),
            ("help", format!("explain what {thing} does")),
            ("chat", format!("thanks for the words on {thing}")),
            ("chat", format!("good morning, I like {thing}")),
        ] {
            let line = json!({ "text": text, "lang": "en", "route": route });
            examples.push_str(&format!("{line}\n"));
        }
    }
    let files = Files::from([
        ("pack.yaml".to_owned(), PACK.to_owned()),
        ("examples.jsonl".to_owned(), examples),
    ]);
    let pack = Pack::load(&files).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    (pack, bundle)
}

/// The configuration of a home without a file.
pub(crate) fn config(home: &Path) -> Config {
    let mut config = Config::default();
    config.home = home.to_owned();
    config
}

/// Keeps a student as the next version.
pub(crate) fn keep(registry: &Registry, bundle: &Bundle) {
    let card = Card {
        bundle: bundle.id().to_owned(),
        pack: bundle.origin().pack.clone(),
        at: "2025-11-06T09:00:00Z".to_owned(),
        trained: Trained::default(),
        metrics: bundle.metrics().clone(),
        threshold: None,
        comparison: None,
        sessions: Vec::new(),
    };
    registry.add(&bundle.to_bytes(), card).unwrap();
}
