//! The effect of labels of a pack's traffic on its student.

use waypost_core::records::era::Era;
use waypost_core::records::label::LabelKind;

use super::*;
use crate::pack::Files;

fn pack() -> Pack {
    let yaml = "name: p\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: help\n\
                routes:\n  - name: help\n    handler: explain\n    summary: It.\n  \
                - name: chat\n    handler: converse\n    summary: It.\n";
    let mut examples = String::new();
    for (route, texts) in [
        ("help", ["how do i sort a list", "what is a loop", "explain a function to me"]),
        ("chat", ["hello my friend", "thanks a lot", "good morning to you"]),
    ] {
        for text in texts {
            let line = serde_json::json!({ "text": text, "lang": "en", "route": route });
            examples.push_str(&format!("{line}\n"));
        }
    }
    let files = Files::from([
        ("pack.yaml".to_owned(), yaml.to_owned()),
        ("examples.jsonl".to_owned(), examples),
    ]);
    Pack::load(&files).unwrap()
}

fn label(id: usize, text: &str, route: &str, tools: &[&str]) -> Label {
    Label {
        decision_id: format!("d{id}"),
        session_id: Some(format!("s{id}")),
        owner: None,
        pack: "p".to_owned(),
        at: "2025-11-06T09:00:00Z".to_owned(),
        kind: LabelKind::Teacher,
        text: text.to_owned(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right {
            route: route.to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        },
    }
}

fn trained(pack: &Pack, labels: &Curated) -> Bundle {
    train_on(pack, labels, 0, None, None, &mut |_| {}).unwrap()
}

#[test]
fn s4_28_what_is_taught_is_learned_and_nothing_taught_is_the_packs_own_student() {
    let pack = pack();
    let own = train_student_with(&pack, None, None, &mut |_| {}).unwrap();
    assert_eq!(trained(&pack, &Curated::default()).to_bytes(), own.to_bytes());
    let labels = [
        label(1, "how do i sort numbers in a list", "help", &[]),
        label(2, "how do i write a loop", "help", &[]),
        label(3, "good morning my friend", "chat", &[]),
    ];
    let curated = curate(&pack, &[], &labels, &Limits::default()).unwrap();
    assert_eq!(curated.kept.len(), 3, "{:?}", curated.report);
    let bundle = trained(&pack, &curated);
    assert_eq!(bundle.origin().examples, own.origin().examples + 3);
    assert_eq!(bundle.routes(), own.routes());
}

#[test]
fn labels_that_do_not_fit_the_pack_are_left_out_and_counted() {
    let pack = pack();
    let labels = [
        label(1, "what is a list", "nowhere", &[]),
        label(2, "what is a list", "out_of_scope", &[]),
        label(3, "what is a list", "help", &["no.such.tool"]),
        label(4, "WHAT is a loop?", "chat", &[]),
    ];
    let curated = curate(&pack, &[], &labels, &Limits::default()).unwrap();
    let dropped = [(Reason::UnknownRoute, 2), (Reason::UnknownTool, 1), (Reason::InPack, 1)];
    assert_eq!(curated.report.dropped, BTreeMap::from(dropped));
    assert_eq!((curated.report.given, curated.kept.len()), (4, 0));
}

#[test]
fn a_training_never_fails_by_what_labels_say() {
    let pack = pack();
    let taught = |text: &str, route: &str| Taught {
        text: text.to_owned(),
        language: "tlh".to_owned(),
        route: route.to_owned(),
        tools: Vec::new(),
        weight: 0.5,
        sessions: Vec::new(),
    };
    // Taught for another version of the pack, against an example, and against each other.
    let kept = vec![
        taught("anything", "gone"),
        taught("what is a loop", "chat"),
        taught("good evening", "chat"),
        taught("good evening", "help"),
    ];
    let curated = Curated { kept, ..Curated::default() };
    let bundle = trained(&pack, &curated);
    let untaught = trained(&pack, &Curated::default());
    assert_eq!(bundle.origin().examples, untaught.origin().examples + 1);
}
