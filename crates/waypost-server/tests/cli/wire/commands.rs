//! The output of every command with `--json`, and what is stored of students.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::settled::outlined;
use super::{Goldens, PACK, home};
use crate::support::{Home, NOW};

const QUESTION: &str = "tide at Keelung";
const CASES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/minimal/cases.jsonl");

/// Runs a command over the pack of these tests.
fn of_pack(home: &Home, args: &[&str]) -> Json {
    let (command, rest) = args.split_first().expect("a command");
    printed(home, &[&[*command, "--pack", PACK], rest].concat())
}

/// Returns what a command prints: one value, or one a line.
fn printed(home: &Home, args: &[&str]) -> Json {
    let run = home.run(args);
    assert!([0, 1, 3].contains(&run.status), "{args:?}: {run:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| json!(run.records()))
}

#[test]
fn every_command_prints_as_its_golden_file() {
    let home = home();
    let mut goldens = Goldens::default();
    let mut add = |file: &str, example: &str, value: Json| goldens.add(&home, file, example, value);
    let now = ["--json", "--now", NOW];
    let asked =
        |command: &str, more: &[&str]| of_pack(&home, &[&[command], &now[..], more].concat());

    add("ask", "tool", asked("ask", &["--session", "s", QUESTION]));
    add("ask", "clarify", asked("ask", &["--session", "s", "tide"]));
    add("route", "run", of_pack(&home, &["route", "--now", NOW, QUESTION]));
    add("route", "refuse", of_pack(&home, &["route", "--now", NOW, "share price of a company"]));
    let set = ["--pack", "accelerator", "--now", "2026-03-18T10:00:00+08:00"];
    let plan = [&["plan", "--json"], &set[..], &["what's the beam current right now?"]].concat();
    add("plan", "steps", printed(&home, &plan));
    let ask = [&["ask", "--session", "r"], &set[..], &["what's the beam current right now?"]];
    let planned = Home::new();
    planned.run(&ask.concat()).ended(0);
    add("runs", "list", printed(&planned, &["runs", "--all", "--json"]));
    add("why", "run, one entry of each list", outlined(asked("why", &[QUESTION])));
    add("parse", "values", asked("parse", &["tide at Keelung tomorrow"]));
    add("parse", "none", asked("parse", &["what is a tide"]));
    add("tools", "catalog", of_pack(&home, &["tools", "--json"]));
    add("tools", "search", of_pack(&home, &["tools", "--json", "search", "tide"]));
    add("train", "report", of_pack(&home, &["train", "--json"]));
    add("eval", "figures", of_pack(&home, &["eval", "--json", CASES]));
    add("lint", "one entry of each list", lint(&home));
    add("doctor", "one entry of each list", doctor(&home));
    let keyed = Home::new();
    keyed.run(&["keys", "add", "page", "--pack", "ocean", "--per-minute", "60"]).ended(0);
    let mut keys = printed(&keyed, &["keys", "--json"]);
    keys["id"] = json!("01234567");
    add("keys", "list", keys);
    add("encoder", "list, none", printed(&home, &["encoder", "list", "--json"]));

    let events = printed(&home, &["events", "export", "--session", "s"]);
    let id = events[0]["decision_id"].as_str().expect("a decision").to_owned();
    add("events", "export", events);
    add("events", "list", printed(&home, &["events", "list", "--json", "--session", "s"]));
    add("events", "stats", printed(&home, &["events", "stats", "--json"]));
    let shadowed = Home::with_config("[rollout]\n\"layer.linear\" = \"shadow\"\n");
    of_pack(&shadowed, &["ask", "--json", "--now", NOW, QUESTION]);
    add("events", "compare", printed(&shadowed, &["events", "compare", "--json"]));
    add("events", "compare, none", printed(&home, &["events", "compare", "--json"]));
    let triage = ["events", "triage", "--json", "--pack", PACK];
    add("events", "triage", printed(&shadowed, &triage));
    add("events", "triage, none", printed(&home, &["events", "triage", "--json"]));
    add("replay", "same", of_pack(&home, &["replay", "--json"]));
    let with = ["replay", "--json", "--since", "2025-11-01", "--with", PACK];
    add("replay", "with the same pack", of_pack(&home, &with));
    let said = of_pack(&home, &["feedback", "--json", &id, "--wrong", "--route", "explain"]);
    add("feedback", "wrong", said);

    for command in with_json(&home) {
        let versions = ["students", "promote", "rollback"].contains(&command.as_str());
        assert!(versions || goldens.0.contains_key(&command), "{command} has no golden file");
    }
    goldens.check("commands");
}

/// The findings of a pack, without what a student makes of its examples.
fn lint(home: &Home) -> Json {
    let folder = home.path("confusable");
    fs::create_dir_all(&folder).unwrap();
    for file in ["pack.yaml", "examples.jsonl", "places.yaml"] {
        let mut text = fs::read_to_string(Path::new(PACK).join(file)).unwrap();
        if file == "examples.jsonl" {
            // The same to a student as "tide at Keelung".
            text.push_str(r#"{"text": "tide at Kaohsiung", "lang": "en", "route": "explain"}"#);
        }
        fs::write(folder.join(file), text).unwrap();
    }
    let pack = folder.to_str().unwrap();
    let mut report = outlined(printed(home, &["lint", "--pack", pack, "--json"]));
    (report["errors"], report["warnings"]) = (json!(1), json!(1));
    report["findings"][0]["message"] = json!("…");
    report["findings"][0]["texts"][0]["text"] = json!("…");
    report
}

/// The checks of a machine, without what they found on it.
fn doctor(home: &Home) -> Json {
    let mut report = outlined(of_pack(home, &["doctor", "--json"]));
    for field in ["says", "state", "what", "hint"] {
        report["checks"][0][field] = json!("…");
    }
    report
}

/// The commands whose help offers `--json`.
fn with_json(home: &Home) -> Vec<String> {
    let help = home.run(&["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).expect("commands");
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    let offers = |name: &&str| home.run(&[name, "--help"]).stdout.contains("--json");
    let names: Vec<String> = names.filter(offers).map(str::to_owned).collect();
    assert!(names.len() >= 12, "{names:?}");
    names
}

#[test]
fn what_is_kept_of_students_is_as_its_golden_file() {
    let home = home();
    let mut goldens = Goldens::default();
    let mut add = |file: &str, example: &str, value: Json| goldens.add(&home, file, example, value);
    let first = of_pack(&home, &["train", "--json", "--save", "--seed", "1"]);
    add("train-save", "report", first);
    of_pack(&home, &["train", "--json", "--save", "--seed", "2"]);
    let because = ["--json", "--force", "--because", "a try"];
    let promoted = of_pack(&home, &[&["promote", "1"], &because[..]].concat());
    add("promote", "forced", promoted);
    of_pack(&home, &[&["promote", "2"], &because[..]].concat());
    add("students", "two versions", of_pack(&home, &["students", "--json"]));
    add("students", "one version", of_pack(&home, &["students", "--json", "1"]));
    add("rollback", "to the first", of_pack(&home, &["rollback", "--json", "--by", "eve"]));
    let stored = |name: &str| {
        let path = home.path("students/minimal").join(name);
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    add("index", "stored", stored("index.json"));
    add("card", "stored", stored("1.json"));
    goldens.check("students");
}
