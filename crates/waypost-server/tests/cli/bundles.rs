//! Stored students: written by `train --out`, taken by `--student` and by the configuration,
//! refused where they are damaged or belong elsewhere.

use std::fs;

use serde_json::json;

use crate::support::{Home, NOW};

const QUESTION: &str = "tides at Keelung tomorrow";

/// Trains the ocean's student into a file of the home and returns its path.
fn stored(home: &Home) -> String {
    let path = home.path("ocean.bundle").display().to_string();
    home.run(&["train", "--out", &path]).ended(0);
    path
}

#[test]
fn a_stored_student_decides_as_the_trained_one_does() {
    let home = Home::new();
    let path = stored(&home);
    let trained = home.decision(&[QUESTION]);
    assert_eq!(home.decision(&["--student", &path, QUESTION]), trained);

    // In the configuration it is found beside the file.
    let configured = Home::with_config("[student]\nbundle = \"ocean.bundle\"\n");
    fs::copy(&path, configured.path("ocean.bundle")).unwrap();
    assert_eq!(configured.decision(&[QUESTION]), trained);
    fs::write(configured.path("ocean.bundle"), "nothing of the kind").unwrap();
    let run = configured.run(&["route", "--now", NOW, QUESTION]);
    run.ended(2).told(&["ocean.bundle: the bundle is damaged", "hint: "]);

    // With the pack that it belongs to it is measured like the pack itself.
    let case = json!({ "text": "What is GHRSST?", "expect": { "route": "explain" } });
    home.write("cases.jsonl", &case.to_string());
    let cases = home.path("cases.jsonl").display().to_string();
    let run = home.run(&["eval", "--json", "--student", &path, &cases]);
    assert_eq!(run.ended(0).json()["n"], 1);
}

#[test]
fn a_bundle_that_is_broken_or_belongs_elsewhere_is_refused_and_says_why() {
    let home = Home::new();
    let path = stored(&home);
    let bytes = fs::read(&path).unwrap();
    let other = |name: &str, bytes: &[u8]| {
        fs::write(home.path(name), bytes).unwrap();
        home.path(name).display().to_string()
    };
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let mut newer = bytes.clone();
    newer[8] = 99;
    let cases = [
        (other("cut", &bytes[..bytes.len() / 3]), "checksum does not agree"),
        (other("flipped", &flipped), "checksum does not agree"),
        (other("newer", &newer), "version `99`"),
        (other("empty", b""), "it ends too early"),
        (home.path("none").display().to_string(), "cannot read"),
    ];
    for (file, why) in cases {
        for command in ["ask", "route", "chat"] {
            let run = home.run(&[command, "--student", &file]);
            let told =
                if command == "chat" { run } else { home.run(&[command, "--student", &file, "x"]) };
            told.ended(2).told(&[why]);
        }
    }
    let run = home.run(&["route", "--pack", "malaria", "--student", &path, "run TPR"]);
    run.ended(2).told(&["belongs to the pack `ocean`, not to `malaria`", "train --pack malaria"]);
}

#[test]
fn a_bundle_of_an_earlier_version_of_the_pack_is_taken_and_told() {
    let home = Home::new();
    let path = stored(&home);
    let pack = home.pack(&[("  max_calls: 6\n", "  max_calls: 5\n")]);
    let run = home.run(&["route", "--now", NOW, "--pack", &pack, "--student", &path, QUESTION]);
    run.ended(0).told(&["another version of the pack `ocean`", "waypost train --pack ocean"]);
    assert_eq!(run.json()["decision"], "run");
}

#[test]
fn routes_that_cannot_be_learned_are_named_before_the_training() {
    let home = Home::new();
    let refused = |lines: &[(&str, &str)], why: &str| {
        let lines: Vec<String> = lines
            .iter()
            .map(|(text, label)| json!({ "text": text, "label": label }).to_string())
            .collect();
        home.write("bad.jsonl", &lines.join("\n"));
        let file = home.path("bad.jsonl").display().to_string();
        home.run(&["train", "--examples", &file]).ended(2).told(&[why, "hint: "]);
    };
    refused(&[("a b", "x"), ("a c", "x"), ("d e", "y")], "the route `y` has one example: `d e`");
    let same = [("a b", "x"), ("a c", "x"), ("A b", "y"), ("a c", "y")];
    refused(&same, "the routes `x` and `y` have the same examples");
}
