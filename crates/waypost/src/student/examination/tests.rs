//! Tests which sessions examine, which student may serve, and what is reported.

use waypost_core::Code;
use waypost_learning::data::curate::CurationReport;

use super::*;
use crate::pack::Files;
use crate::student::heads::train_student;

/// A pack of two routes; `swapped` gives the examples of each to the other.
fn pack(swapped: bool) -> Pack {
    let yaml = "name: p\nsummary: A test.\nformat: 1\nlanguages: [en]\ntz: UTC\nfallback: help\n\
                policy: { run: 0.1, ask: 0.0 }\n\
                routes:\n  - name: help\n    handler: explain\n    summary: It.\n  - name: code\n    \
                handler: explain\n    summary: It.\n";
    let line = |text: String, route: &str| {
        let other = if route == "help" { "code" } else { "help" };
        let route = if swapped { other } else { route };
        serde_json::json!({ "text": text, "lang": "en", "route": route }).to_string()
    };
    let examples: Vec<String> = ["one", "another", "a third", "the last"]
        .iter()
        .flat_map(|n| {
            [line(format!("what is {n} tide"), "help"), line(format!("write {n} loop"), "code")]
        })
        .collect();
    let files = Files::from([
        ("pack.yaml".to_owned(), yaml.to_owned()),
        ("examples.jsonl".to_owned(), examples.join("\n")),
    ]);
    Pack::load(&files).unwrap()
}

fn bundle(swapped: bool) -> Bundle {
    train_student(&pack(swapped), None, &mut |_| {}).unwrap()
}

fn question(text: &str, route: &str) -> ExamQuestion {
    ExamQuestion {
        text: text.to_owned(),
        language: None,
        route: route.to_owned(),
        tools: Vec::new(),
    }
}

fn cases(n: usize) -> Vec<ExamQuestion> {
    (0..n)
        .map(|at| match at % 2 {
            0 => question("what is the tide", "help"),
            _ => question("write the loop", "code"),
        })
        .collect()
}

fn taught(text: &str, sessions: &[&str]) -> Taught {
    Taught {
        text: text.to_owned(),
        language: "en".to_owned(),
        route: "help".to_owned(),
        tools: Vec::new(),
        weight: 0.5,
        sessions: sessions.iter().map(|session| (*session).to_owned()).collect(),
    }
}

/// The names of sessions that examine, or that teach.
fn sessions(examining: bool) -> Vec<String> {
    (0..200).map(|n| format!("s{n}")).filter(|name| examines(name) == examining).collect()
}

#[test]
fn one_of_five_sessions_examines_and_what_others_said_too_is_taught() {
    let (examining, teaching) = (sessions(true), sessions(false));
    assert!((20..60).contains(&examining.len()), "{}", examining.len());
    let kept = vec![
        taught("a", &[&examining[0], &examining[1]]),
        taught("b", &[&examining[0], &teaching[0]]),
        taught("c", &[&teaching[0], &teaching[1]]),
    ];
    // Nobody else supports "d" and "e".
    let unsupported = [taught("d", &[&examining[0]]), taught("e", &[&teaching[0]])];
    let said = kept.iter().cloned().chain(unsupported).collect();
    let parted = part(Curated { kept, said, report: CurationReport::default() });
    let taught: Vec<&str> = parted.taught.kept.iter().map(|row| row.text.as_str()).collect();
    let texts = |questions: &[ExamQuestion]| -> Vec<String> {
        questions.iter().map(|question| question.text.clone()).collect()
    };
    assert_eq!(taught, ["b", "c"]);
    assert_eq!(
        (texts(&parted.held_out), texts(&parted.replayed)),
        (vec!["a".into()], vec!["a".into(), "d".into()])
    );
}

#[test]
fn an_equal_challenger_may_serve_and_a_worse_one_may_not() {
    let (pack, own, swapped) = (pack(false), bundle(false), bundle(true));
    let ask = |challenger: &Bundle, cases: &[ExamQuestion], traffic: &[ExamQuestion]| {
        let rivals = Rivals { champion: &own, challenger, encoder: None };
        examine(&pack, rivals, cases, &[question("write a loop", "code")], traffic).unwrap()
    };
    let equal = ask(&own, &cases(150), &cases(3));
    assert_eq!((equal.of_pack, equal.of_labels, equal.held_out.overall.n), (150, 1, 151));
    assert_eq!(equal.allows(), Ok(()));
    assert_eq!(equal.replayed.unwrap().overall.champion, 3);

    let worse = ask(&swapped, &cases(150), &[]).allows().unwrap_err();
    assert_eq!(worse.code(), Code::FailedPrecondition);
    let told = "it is worse on held-out questions: `code` 0 of 76 right instead of 76, `help` 0 \
                of 75 right instead of 75";
    assert_eq!(worse.message(), told);
}

#[test]
fn examples_speak_against_a_challenger_and_never_for_it() {
    let (pack, own, swapped) = (pack(false), bundle(false), bundle(true));
    // Without cases, nothing is asked; nor is a question of a route that the pack does not have.
    let gone = [question("what is that", "gone")];
    let ask = |challenger: &Bundle, held_out: &[ExamQuestion]| {
        let rivals = Rivals { champion: &own, challenger, encoder: None };
        examine(&pack, rivals, &[], held_out, &[]).unwrap()
    };
    let few = ask(&own, &gone);
    assert_eq!((few.held_out.overall.n, few.learned.as_ref().unwrap().overall.n), (0, 8));
    assert!(few.allows().unwrap_err().message().contains("about"), "too few to tell");
    let enough = cases(150);
    assert_eq!(ask(&own, &enough).allows(), Ok(()));
    let mut bad = ask(&own, &enough);
    bad.learned = ask(&swapped, &enough).learned;
    let told = bad.allows().unwrap_err();
    assert!(told.message().starts_with("it is worse on the pack's examples"), "{told}");
}

#[test]
fn a_challenger_that_is_sure_of_its_mistakes_is_refused() {
    let (pack, own) = (pack(false), bundle(false));
    // Both are wrong as often; the one that asks before it errs does no harm.
    let wrong: Vec<ExamQuestion> = (0..20).map(|_| question("write the loop", "help")).collect();
    let careful = own.clone().with_threshold(Some(Threshold {
        at: 1.0,
        teacher: 0.9,
        questions: 200,
        decides: 0.0,
        right: 0.9,
    }));
    let asked: Vec<ExamQuestion> = cases(400).into_iter().chain(wrong).collect();
    let ask = |champion: &Bundle, challenger: &Bundle| {
        let rivals = Rivals { champion, challenger, encoder: None };
        examine(&pack, rivals, &asked, &[], &[]).unwrap()
    };
    let bold =
        own.clone().with_threshold(Some(Threshold { at: 0.0, ..*careful.threshold().unwrap() }));
    let examined = ask(&careful, &bold);
    assert_eq!(examined.held_out.changed, 0);
    assert_eq!((examined.alone.champion, examined.alone.challenger), (0, 420), "{examined:?}");
    let told = examined.allows().unwrap_err();
    assert_eq!(
        told.message(),
        "alone it decides 20 of 420 held-out questions wrongly instead of 0"
    );
    assert_eq!(ask(&bold, &careful).allows(), Ok(()));
}

#[test]
fn what_is_worse_on_traffic_alone_is_refused_too() {
    let (pack, own, swapped) = (pack(false), bundle(false), bundle(true));
    let rivals = Rivals { champion: &own, challenger: &own, encoder: None };
    let mut examined = examine(&pack, rivals, &cases(150), &[], &[]).unwrap();
    let rivals = Rivals { challenger: &swapped, ..rivals };
    examined.replayed = examine(&pack, rivals, &cases(150), &[], &cases(40)).unwrap().replayed;
    let error = examined.allows().unwrap_err();
    assert!(
        error.message().starts_with("it is worse on replayed turns: `code` 0 of 20"),
        "{error}"
    );
}
