//! Packs from folders: every fault at once, with its place and a hint, and nothing runs.

use crate::support::{Home, Run};

/// Asks with a pack and expects a wrong use.
#[track_caller]
fn refused(home: &Home, pack: &str, words: &[&str]) -> Run {
    let run = home.ask(&["--pack", pack, "海溫"]);
    run.ended(2).told(words);
    assert_eq!(run.stdout, "");
    assert!(!home.files().contains(&"waypost.db".to_owned()), "nothing is half-written");
    run
}

#[test]
fn an_unknown_pack_names_the_nearest() {
    refused(&Home::new(), "oceann", &["there is no pack `oceann`", "did you mean `ocean`?"]);
    refused(&Home::new(), "/nonexistent", &["there is no pack `/nonexistent`", "pack.yaml"]);
}

#[test]
fn a_folder_without_a_pack() {
    let home = Home::new();
    home.write("empty/readme.md", "# Nothing");
    let folder = home.path("empty").to_string_lossy().into_owned();
    refused(&home, &folder, &["pack.yaml", "hint: a pack is a folder with a `pack.yaml`"]);
}

#[test]
fn broken_yaml_is_told_with_line_and_column() {
    let home = Home::new();
    let pack = home.pack(&[("languages: [zh-TW", "languages: [zh-TW]]")]);
    refused(&home, &pack, &["pack.yaml:5:"]);
}

#[test]
fn unknown_keys_are_told_all_at_once_with_hints() {
    let home = Home::new();
    let pack = home.pack(&[
        ("fallback: explain", "falback: explain\nfallback: explain"),
        ("  max_calls: 6", "  max_cals: 6"),
        ("    retrieval: true", "    retreival: true"),
    ]);
    let run = refused(&home, &pack, &["has 3 faults"]);
    for (key, hint) in
        [("falback", "fallback"), ("max_cals", "max_calls"), ("retreival", "retrieval")]
    {
        let line = run.stderr.lines().position(|line| line.contains(key)).expect(key);
        let near: Vec<&str> = run.stderr.lines().skip(line).take(3).collect();
        assert!(near[0].contains("pack.yaml:"), "{near:?}");
        assert!(near.join("\n").contains(&format!("did you mean `{hint}`")), "{near:?}");
    }
}

#[test]
fn a_place_off_the_earth() {
    let home = Home::new();
    let pack = home.pack(&[]);
    let path = home.path("pack/places.yaml");
    let places = std::fs::read_to_string(&path).unwrap();
    let broken = places.clone() + "  atlantis:\n    names: [Atlantis]\n    point: [-30.0, 95.0]\n";
    std::fs::write(&path, broken).unwrap();
    let place = format!("places.yaml:{}:5: ", places.lines().count() + 3);
    refused(&home, &pack, &[&place, "the point of `atlantis` is not on the Earth", "hint: "]);
}

#[test]
fn examples_that_contradict_each_other_are_told_with_count_and_list() {
    let home = Home::new();
    let pack = home.pack(&[]);
    let path = home.path("pack/examples.jsonl");
    // A third of the examples: it is trained four times.
    let examples = std::fs::read_to_string(&path).unwrap();
    let few = examples.lines().enumerate();
    let few = few.filter(|(at, line)| at % 3 == 0 || line.contains("現在台灣周遭海溫多少？"));
    let examples: String = few.map(|(_, line)| format!("{line}\n")).collect();
    let more =
        "{\"text\": \"現在台灣周遭海溫多少？\", \"lang\": \"zh-TW\", \"route\": \"explain\"}\n";
    std::fs::write(&path, examples.clone() + more).unwrap();
    let told = ["1 text has several routes", "`現在台灣周遭海溫多少？` is `tool`", "is `explain`"];
    let run = home.run(&["train", "--pack", &pack]);
    run.ended(0).told(&told).told(&["warning: ", "hint: "]);
    home.run(&["train", "--strict", "--pack", &pack]).ended(2).told(&told);
    let lint = home.run(&["lint", "--json", "--pack", &pack]);
    // It quotes the texts of the pack, whatever words are in them.
    assert_eq!(lint.status, 0, "{lint:?}");
    let findings = lint.json()["findings"].as_array().unwrap().clone();
    let same: Vec<_> = findings.iter().filter(|f| f["check"] == "same-text").collect();
    assert_eq!((same.len(), &same[0]["level"]), (1, &"warning".into()), "{same:?}");
    assert!(same[0]["texts"].as_array().unwrap().len() >= 2, "{same:?}");
    home.run(&["lint", "--strict", "--pack", &pack]).ended(1);
    let doctor = home.run(&["doctor", "--json", "--pack", &pack]);
    let checks = doctor.ended(0).json()["checks"].as_array().unwrap().clone();
    let found = checks.iter().find(|check| check["what"] == "examples").unwrap();
    assert_eq!(found["state"], "warn", "{found}");
    home.run(&["doctor", "--strict", "--pack", &pack]).ended(4);
    // It serves: that text alone teaches nothing. It is told when a student is trained, so none of an earlier run may be there.
    let _ = std::fs::remove_dir_all(home.path("cache/students"));
    home.ask(&["--pack", &pack, "tides at Keelung"]).ended(0).told(&["1 text has several routes"]);
}

#[test]
fn lint_passes_on_every_pack_that_is_shipped() {
    let home = Home::new();
    let minimal = format!("{}/../../examples/packs/minimal", env!("CARGO_MANIFEST_DIR"));
    for pack in ["ocean", "malaria", "platform", &minimal] {
        let run = home.run(&["lint", "--pack", pack]);
        assert_eq!(run.status, 0, "{}", run.stdout);
    }
}

#[test]
fn a_handler_and_a_filter_that_there_are_not_name_the_nearest() {
    let home = Home::new();
    let pack = home.pack(&[("handler: explain", "handler: explian")]);
    refused(&home, &pack, &["unknown value `explian`", "did you mean `explain`?"]);
    let pack = home.pack(&[("| fixed(1)", "| fixd(1)")]);
    refused(&home, &pack, &["there is no filter `fixd`", "did you mean `fixed`?"]);
}

#[test]
fn examples_that_cannot_be_read() {
    let home = Home::new();
    let pack = home.pack(&[]);
    home.write(
        "pack/examples.jsonl",
        "{\"text\": \"x\", \"lang\": \"en\", \"route\": \"tol\"}\n{broken\n",
    );
    refused(&home, &pack, &["examples.jsonl:1", "examples.jsonl:2", "tool"]);
}

#[test]
fn references_that_lead_nowhere() {
    let home = Home::new();
    let pack = home.pack(&[("fallback: explain", "fallback: explian")]);
    refused(&home, &pack, &["explian", "did you mean `explain`?"]);
}

#[test]
fn a_pack_that_holds_is_served_from_its_folder() {
    let home = Home::new();
    let pack = home.pack(&[]);
    let run = home.ask(&["--pack", &pack, "現在台灣周遭海溫多少？"]);
    run.ended(0);
    assert!(run.stdout.starts_with("2025-11-05："), "{run:?}");
}
