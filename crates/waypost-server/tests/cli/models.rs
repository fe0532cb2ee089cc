//! Versions of a student: kept, promoted, taken back, and used by every command that decides.

use std::fs;

use serde_json::Value as Json;

use crate::support::{Home, NOW, Run};

const QUESTION: &str = "tides at Keelung tomorrow";

/// Keeps a student of the ocean as a version; another seed makes another bundle.
fn kept(home: &Home, seed: &str) -> String {
    let run = home.run(&["train", "--save", "--json", "--seed", seed]);
    run.ended(0).json()["bundle"].as_str().unwrap().to_owned()
}

fn promote(home: &Home, args: &[&str]) -> Run {
    home.run(&[&["promote"], args].concat())
}

fn models(home: &Home) -> Json {
    home.run(&["models", "--json"]).ended(0).json()
}

/// The bundle that decides.
fn decides(home: &Home, args: &[&str]) -> String {
    home.decision(&[args, &[QUESTION]].concat())["bundle"].as_str().unwrap().to_owned()
}

#[test]
fn a_version_serves_from_its_promotion_to_its_rollback() {
    let home = Home::new().set("USER", "ada").set("HOSTNAME", "here");
    let own = decides(&home, &[]);
    home.run(&["models"]).ended(0).told(&["`ocean` has no versions", "waypost train --labels"]);
    promote(&home, &[]).ended(3).told(&["`ocean` has no challenger", "hint: train one"]);
    home.run(&["rollback"]).ended(3).told(&["nothing can be taken back"]);

    promote(&home, &["7"]).ended(2).told(&["`ocean` has no version 7"]);

    let first = kept(&home, "1");
    let second = kept(&home, "2");
    assert!(first != second && own != first);
    assert_eq!(decides(&home, &[]), own, "a challenger decides nothing");
    let table = home.run(&["models"]);
    table.ended(0).told(&["no version serves"]);
    let rows: Vec<&str> = table.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{table:?}");
    assert!(rows[1].contains(&first) && rows[1].contains("challenger"), "{rows:?}");

    promote(&home, &["1", "--force", "--because", "a try"]).ended(0);
    assert_eq!(decides(&home, &[]), first);
    let file = home.path("models/ocean/2.bundle").display().to_string();
    assert_eq!(decides(&home, &["--model", &file]), second, "what is named wins");
    let why = home.run(&["why", "--json", "--now", NOW, QUESTION]).ended(0).json();
    assert_eq!(why["decision"]["bundle"], first.as_str());
    promote(&home, &["--force", "--because", "again"]).ended(0).told(&["waypost rollback"]);
    assert_eq!(decides(&home, &[]), second);

    let listing = models(&home);
    assert_eq!(listing["champion"], 2);
    let champion = &listing["versions"][1];
    assert_eq!((&champion["state"], &champion["bundle"]), (&"champion".into(), &second.into()));
    assert_eq!(champion["promoted"][0]["by"], "ada@here");
    assert_eq!(champion["promoted"][0]["because"], "again");
    assert_eq!(listing["versions"][0]["state"], "retired");

    let run = home.run(&["rollback", "--by", "eve"]);
    run.ended(0);
    assert!(run.stdout.contains("version 1") && run.stdout.contains("instead of version 2"));
    assert_eq!(decides(&home, &[]), first);
    home.run(&["rollback"]).ended(0);
    assert_eq!(decides(&home, &[]), own);
    assert_eq!(models(&home)["changes"][2]["by"], "eve");
}

#[test]
fn a_champion_that_cannot_serve_never_stops_the_program() {
    let home = Home::new();
    let own = decides(&home, &[]);
    let first = kept(&home, "1");
    promote(&home, &["1", "--force", "--because", "a try"]).ended(0);
    let goes_on = |why: &[&str]| {
        let run = home.run(&["route", "--now", NOW, QUESTION]);
        run.ended(0).told(why).told(&["WARN", "the student of the pack itself decides", "hint: "]);
        assert_eq!(run.json()["bundle"], own.as_str());
    };

    // The bundle has gone, is damaged, or is another.
    let (path, aside) = (home.path("models/ocean/1.bundle"), home.path("aside"));
    fs::rename(&path, &aside).unwrap();
    goes_on(&["the bundle of version 1 of `ocean` cannot be read", "waypost rollback"]);
    home.run(&["models"]).ended(0);
    fs::write(&path, "nothing of the kind").unwrap();
    goes_on(&["is not the bundle of version 1"]);
    fs::rename(&aside, &path).unwrap();
    assert_eq!(decides(&home, &[]), first);

    // The index is cut off, or of a newer program.
    let index = home.path("models/ocean/index.json");
    let whole = fs::read_to_string(&index).unwrap();
    fs::write(&index, &whole[..20]).unwrap();
    goes_on(&["the index of the versions of `ocean` is damaged"]);
    home.run(&["models"]).ended(4).told(&["is damaged", "hint: put"]);
    fs::write(&index, whole.replace("\"format\": 1", "\"format\": 9")).unwrap();
    goes_on(&["written by a newer waypost"]);
    promote(&home, &["1"]).ended(3).told(&["newer waypost", "it has the format 9"]);
    fs::write(&index, whole).unwrap();

    // A pack of the same name with other routes, and one that is merely newer.
    let pack = home.pack(&[("  max_calls: 6\n", "  max_calls: 5\n")]);
    let run = home.run(&["route", "--now", NOW, "--pack", &pack, QUESTION]);
    run.ended(0)
        .told(&["version 1: the bundle was trained on another version of the pack `ocean`"]);
    assert_eq!(run.json()["bundle"], first.as_str());
}

#[test]
fn two_trainings_at_once_are_one_and_a_word() {
    let home = Home::new();
    kept(&home, "1");
    let lock = fs::File::open(home.path("models/ocean/training.lock")).unwrap();
    lock.lock().unwrap();
    let run = home.run(&["train", "--save"]);
    run.ended(3).told(&["a training of `ocean` is running already (process", "hint: wait"]);
    drop(lock);
    kept(&home, "2");
    assert_eq!(models(&home)["versions"].as_array().unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_full_disk_while_training_leaves_the_champion_as_it_is() {
    let home = Home::new();
    let first = kept(&home, "1");
    promote(&home, &["1", "--force", "--because", "a try"]).ended(0);
    let there = files(&home);
    // No file may grow past one block, and growing one is an error instead of a signal.
    let mut limited = std::process::Command::new("/bin/sh");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    limited.args(["-c", script, crate::support::WAYPOST, "train", "--save", "--seed", "2"]);
    limited.env_clear().env("WAYPOST_HOME", home.path(""));
    let run = crate::support::finish(limited, b"");
    run.ended(4).told(&["cannot write", "hint: make room on its disk"]);
    assert_eq!(files(&home), there);
    assert_eq!(decides(&home, &[]), first);
}

/// The names of the files of the versions.
fn files(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path("models/ocean")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
