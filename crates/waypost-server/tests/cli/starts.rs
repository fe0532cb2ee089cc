//! The second start: the student that the first one trained is read, decides the same, and costs
//! nothing where it cannot be used.

use std::fs;
use std::thread;

use serde_json::Value as Json;

use crate::support::{Home, NOW};

const QUESTION: &str = "tides at Keelung tomorrow";

fn decided(home: &Home, pack: &str) -> Json {
    let run = home.run(&["route", "--now", NOW, "--pack", pack, QUESTION]);
    run.ended(0);
    assert_eq!(run.stderr, "", "nothing is said of it");
    run.json()
}

/// Returns what the doctor says of something.
fn says(home: &Home, pack: &str, what: &str) -> String {
    let report = home.run(&["doctor", "--json", "--pack", pack]).ended(0).json();
    let findings = report["checks"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["what"] == what).unwrap();
    assert_eq!(finding["state"], "ok", "{finding}");
    finding["says"].as_str().unwrap().to_owned()
}

#[test]
fn a_second_start_decides_with_the_very_student_of_the_first() {
    let home = Home::untrained();
    for (number, pack) in ["ocean", "malaria", "platform"].into_iter().enumerate() {
        let first = decided(&home, pack);
        let kept = home.students();
        assert_eq!(kept.len(), number + 1);
        let bytes: Vec<Vec<u8>> = kept.iter().map(|path| fs::read(path).unwrap()).collect();
        // It is used: for the doctor, which keeps nothing, nothing is trained either.
        let student = says(&home, pack, "student");
        assert!(student.contains("(kept from an earlier start) read in"), "{student}");
        assert!(student.starts_with(first["bundle"].as_str().unwrap()), "{student} {first}");
        assert_eq!(decided(&home, pack), first);
        let after: Vec<Vec<u8>> = kept.iter().map(|path| fs::read(path).unwrap()).collect();
        assert_eq!((home.students(), after), (kept, bytes));
    }
}

#[test]
fn an_edited_pack_is_trained_anew_beside_the_other() {
    let home = Home::untrained();
    decided(&home, "ocean");
    let pack = home.pack(&[("  max_calls: 6\n", "  max_calls: 5\n")]);
    let cache = says(&home, &pack, "student cache");
    assert!(cache.ends_with("this pack's is not there"), "{cache}");
    decided(&home, &pack);
    assert_eq!(home.students().len(), 2);
    let student = says(&home, &pack, "student");
    assert!(student.contains("(kept from an earlier start)"), "{student}");
}

#[test]
fn a_damaged_student_is_trained_again_and_nobody_is_told() {
    let home = Home::untrained();
    let whole = decided(&home, "ocean");
    let path = home.students().remove(0);
    let bytes = fs::read(&path).unwrap();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [&flipped[..], &bytes[..bytes.len() / 2], b""] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(decided(&home, "ocean"), whole);
        assert_eq!(fs::read(&path).unwrap(), bytes, "it is mended");
    }
}

#[test]
fn a_home_that_cannot_be_written_costs_the_cache_alone() {
    let home = Home::untrained();
    let whole = decided(&home, "ocean");
    let other = Home::untrained();
    other.write("cache", "no folder");
    assert_eq!(decided(&other, "ocean"), whole);
    assert_eq!(other.files(), ["cache"]);
}

#[test]
fn two_that_start_at_once_decide_the_same_and_keep_one_student() {
    let home = Home::untrained();
    let records: Vec<Json> = thread::scope(|scope| {
        let starts = [0; 2].map(|_| scope.spawn(|| decided(&home, "ocean")));
        starts.map(|start| start.join().unwrap()).into()
    });
    assert_eq!(records[0], records[1]);
    assert_eq!(home.students().len(), 1);
}

#[test]
fn the_doctor_says_what_is_kept_and_keeps_nothing_itself() {
    let home = Home::untrained();
    assert!(says(&home, "ocean", "student cache").starts_with("none yet"));
    assert_eq!(home.files(), Vec::<String>::new());
    decided(&home, "ocean");
    let cache = says(&home, "ocean", "student cache");
    assert!(cache.contains("holds 1 student, ") && cache.ends_with("is there"), "{cache}");
    let cache = says(&home, "platform", "student cache");
    assert!(cache.contains("holds 1 student, ") && cache.ends_with("is not there"), "{cache}");
    assert_eq!(home.students().len(), 1);
}
