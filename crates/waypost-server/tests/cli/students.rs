//! Versions of a student: trained on labels, kept, examined, promoted, taken back, and used by every
//! command that decides.

use std::fs;

use serde_json::{Value as Json, json};
use waypost::ports::store::Store as _;
use waypost::records::label::Label;
use waypost::student::examination::examines;
use waypost_backends::stores::SqliteStore;

use crate::support::{Home, McpClient, NOW, Run};

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
    home.run(&["students", "--json"]).ended(0).json()
}

/// The bundle that decides.
fn decides(home: &Home, args: &[&str]) -> String {
    home.decision(&[args, &[QUESTION]].concat())["bundle"].as_str().unwrap().to_owned()
}

#[test]
fn a_version_serves_from_its_promotion_to_its_rollback() {
    let home = Home::new().set("USER", "ada").set("HOSTNAME", "here");
    let own = decides(&home, &[]);
    home.run(&["students"]).ended(0).told(&["`ocean` has no versions", "waypost train --labels"]);
    promote(&home, &[]).ended(1).told(&["`ocean` has no challenger", "hint: train one"]);
    home.run(&["rollback"]).ended(3).told(&["nothing can be taken back"]);

    promote(&home, &["7"]).ended(2).told(&["`ocean` has no version 7"]);

    let first = kept(&home, "1");
    let second = kept(&home, "2");
    assert!(first != second && own != first);
    assert_eq!(decides(&home, &[]), own, "a challenger decides nothing");
    let table = home.run(&["students"]);
    table.ended(0).told(&["no version serves"]);
    let earlier = home.run(&["models"]);
    earlier.ended(0).told(&["`models` is called `students` now"]);
    assert_eq!(earlier.stdout, table.stdout);
    let rows: Vec<&str> = table.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{table:?}");
    assert!(rows[1].contains(&first) && rows[1].contains("challenger"), "{rows:?}");

    promote(&home, &["1", "--force", "--because", "a try"]).ended(0);
    assert_eq!(decides(&home, &[]), first);
    let file = home.path("students/ocean/2.bundle").display().to_string();
    assert_eq!(decides(&home, &["--student", &file]), second, "what is named wins");
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
    let (path, aside) = (home.path("students/ocean/1.bundle"), home.path("aside"));
    fs::rename(&path, &aside).unwrap();
    goes_on(&["the bundle of version 1 of `ocean` cannot be read", "waypost rollback"]);
    home.run(&["students"]).ended(0);
    fs::write(&path, "nothing of the kind").unwrap();
    goes_on(&["is not the bundle of version 1"]);
    fs::rename(&aside, &path).unwrap();
    assert_eq!(decides(&home, &[]), first);

    // The index is cut off, or of a newer program.
    let index = home.path("students/ocean/index.json");
    let whole = fs::read_to_string(&index).unwrap();
    fs::write(&index, &whole[..20]).unwrap();
    goes_on(&["the index of the versions of `ocean` is damaged"]);
    home.run(&["students"]).ended(4).told(&["is damaged", "hint: put"]);
    fs::write(&index, whole.replace("\"format\": 1", "\"format\": 9")).unwrap();
    goes_on(&["written by a newer waypost"]);
    promote(&home, &["1"]).ended(1).told(&["newer waypost", "has the format 9"]);
    fs::write(&index, whole).unwrap();

    // A pack of the same name with other routes, and one that is merely newer.
    let pack = home.pack(&[("  max_calls: 6\n", "  max_calls: 5\n")]);
    let run = home.run(&["route", "--now", NOW, "--pack", &pack, QUESTION]);
    run.ended(0)
        .told(&["version 1: the bundle was trained on another version of the pack `ocean`"]);
    assert_eq!(run.json()["bundle"], first.as_str());
}

#[test]
fn a_damaged_card_of_one_version_stops_no_command() {
    let home = Home::new();
    let [first, _] = ["1", "2"].map(|seed| kept(&home, seed));
    fs::write(home.path("students/ocean/2.json"), "{").unwrap();
    let why = "the card of version 2 of `ocean` cannot be read";
    promote(&home, &["--force", "--because", "a try"]).ended(0).told(&[why, "hint: put its file"]);
    assert_eq!(decides(&home, &[]), first);
    home.run(&["students"]).ended(0).told(&[why]);
    let listing = models(&home);
    assert_eq!(
        (&listing["champion"], &listing["unreadable"][0]["version"]),
        (&json!(1), &json!(2))
    );
    labeled(&home, &[(1, QUESTION, "explain", None)]);
    let run = home.run(&["forget", "--yes", "s1"]);
    run.ended(0).told(&["whether version 2 of `ocean` learned from it cannot be told"]);
}

#[test]
fn two_trainings_at_once_are_one_and_a_word() {
    let home = Home::new();
    kept(&home, "1");
    let lock = fs::File::open(home.path("students/ocean/training.lock")).unwrap();
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

/// Writes labels into the store of a home; of each the number of its session, its text and its route
/// with a tool, if it has one.
fn labeled(home: &Home, labels: &[(usize, &str, &str, Option<&str>)]) {
    let label = |(at, (session, text, route, tool)): (
        usize,
        &(usize, &str, &str, Option<&str>),
    )| {
        let tools: Vec<&str> = tool.iter().copied().collect();
        let label = json!({
            "decision_id": format!("d{at}"), "session_id": format!("s{session}"), "pack": "ocean",
            "at": "2025-11-06T09:00:00Z", "kind": "teacher", "text": text, "language": "en",
            "verdict": "right", "route": route, "tools": tools,
        });
        serde_json::from_value::<Label>(label).unwrap()
    };
    let labels: Vec<Label> = labels.iter().enumerate().map(label).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(Some(&home.path("waypost.db"))).await.unwrap();
        store.save_labels(&labels).await.unwrap();
        store.flush().await.unwrap();
    });
}

/// Writes labels of sixty sessions about the tide, two or three of which say the same, and of one
/// more, which examines and teaches nothing, with a text of its own.
fn tides(home: &Home) {
    let places = ["Keelung", "Hualien", "Kaohsiung", "Taitung"];
    let texts: Vec<String> = (0..60)
        .map(|at| match at % 3 {
            0 => format!("will the water be in or out by {} at lunch", places[at % 4]),
            1 => format!("how far out does the sea go at {} this evening", places[at % 4]),
            _ => format!("when can I walk out on the flats near {}", places[at % 4]),
        })
        .collect();
    let examining = (100..).find(|n| examines(&format!("s{n}"))).unwrap();
    let alone = (examining, "could the mud be dry off Keelung after supper");
    let labels: Vec<(usize, &str, &str, Option<&str>)> = texts
        .iter()
        .map(String::as_str)
        .enumerate()
        .chain([alone])
        .map(|(session, text)| (session, text, "tool", Some("tide.forecast")))
        .collect();
    labeled(home, &labels);
}

#[test]
fn s4_28_what_traffic_teaches_is_examined_and_promoted_if_it_is_no_worse() {
    let home = Home::new();
    tides(&home);
    let run = home.run(&["train", "--labels", "--json"]);
    let report = run.ended(0).json();
    let card = &report["version"];
    assert_eq!(card["trained"]["labels"], json!({ "teacher": 61 }));
    assert_eq!(card["trained"]["sessions"], 61);
    assert!(card["trained"]["texts"].as_u64().unwrap() >= 1, "{report}");
    assert!(!card["sessions"].as_array().unwrap().is_empty(), "{report}");
    assert_eq!(card["comparison"]["with"], Json::Null);
    assert!(card["comparison"]["of_pack"].as_u64().unwrap() > 300, "{report}");
    assert!(card["comparison"]["replayed"]["overall"]["n"].as_u64().unwrap() > 0, "{report}");
    assert!(card["comparison"]["alone"]["champion"].as_u64().unwrap() > 0, "{report}");
    assert!(!card.to_string().contains("\"s1\""), "sessions are hashes");

    promote(&home, &[]).ended(0);
    assert_eq!(decides(&home, &[]), report["bundle"].as_str().unwrap());
    let table = home.run(&["students"]);
    assert!(table.ended(0).stdout.contains(" texts"), "{table:?}");
    let one = home.run(&["students", "1"]);
    assert!(one.ended(0).stdout.contains("held out: "), "{one:?}");
    assert!(one.stdout.contains("replayed: "), "{one:?}");

    // Forgetting a session says where what was learned from it is still in use.
    let taught = (0..60)
        .map(|at| format!("s{at}"))
        .filter(|session| {
            let run = home.run(&["forget", "--yes", session]);
            run.ended(0).stdout.contains("versions of `ocean` that learned from it: 1 (bundle")
        })
        .count();
    assert_eq!(taught, card["sessions"].as_array().unwrap().len());
}

#[test]
fn where_only_labels_are_left_of_a_conversation_forgetting_it_asks_too() {
    let home = Home::new();
    labeled(&home, &[(1, "will the water be in or out", "tool", Some("tide.forecast"))]);
    home.run(&["forget", "s1"]).ended(2).told(&["cannot be taken back", "--yes"]);
    let gone = home.run(&["forget", "s1", "--yes"]);
    assert_eq!(gone.ended(0).stdout, "removed what was kept of `s1`: 1 label\n");
    let nothing = home.run(&["forget", "s1"]);
    assert_eq!(nothing.ended(0).stdout, "nothing is kept of `s1`\n");
}

#[test]
fn labels_that_teach_nothing_train_nothing_and_say_why() {
    let home = Home::new();
    let none = home.run(&["train", "--labels"]);
    none.ended(3).told(&["there is no label of `ocean` yet", "hint: labels come from"]);
    let text = "when can I walk out on the flats";
    labeled(
        &home,
        &[
            (1, "fly me to the moon", "spaceship", None),
            (2, text, "tool", Some("tide.forecast")),
            (3, text, "explain", None),
        ],
    );
    let run = home.run(&["train", "--labels"]);
    run.ended(3).told(&["none of the 3 labels of `ocean` teaches anything", "1 unknown route"]);
    assert_eq!(models(&home)["versions"], json!([]));
}

#[test]
fn a_worse_challenger_is_not_promoted_unless_somebody_says_why() {
    let home = Home::new();
    let good = kept(&home, "0");
    promote(&home, &["1"]).ended(0);
    // Explanations and tides in each other's place.
    let pack = home.pack(&[]);
    let path = home.path("pack/examples.jsonl");
    let swapped = |line: &str| {
        let mut line: Json = serde_json::from_str(line).unwrap();
        if line["route"] == "explain" {
            line["route"] = json!("tool");
            line["tools"] = json!(["tide.forecast"]);
        } else if line["tools"] == json!(["tide.forecast"]) {
            line["route"] = json!("explain");
            line["tools"] = json!([]);
        }
        line.as_object_mut().unwrap().remove("arguments");
        line.to_string()
    };
    let examples = fs::read_to_string(&path).unwrap();
    let swapped: Vec<String> = examples.lines().map(swapped).collect();
    fs::write(&path, swapped.join("\n")).unwrap();
    let run = home.run(&["train", "--save", "--pack", &pack]);
    run.ended(0).told(&["which is not to be promoted"]);
    assert!(run.stdout.contains("worse: "), "{run:?}");

    let refused = promote(&home, &["2"]);
    refused.ended(1).told(&[
        "version 2 of `ocean` is not promoted: it is worse on held-out questions: ",
        " right instead of ",
        "--force --because TEXT",
    ]);
    assert_eq!(decides(&home, &[]), good);
    promote(&home, &["2", "--force"]).ended(2).told(&["--because"]);
    promote(&home, &["2", "--force", "--because", "a drill"]).ended(0);
    assert_ne!(decides(&home, &[]), good);
    assert_eq!(models(&home)["changes"][1]["forced"], true);
    home.run(&["rollback"]).ended(0);
    assert_eq!(decides(&home, &[]), good);
}

#[test]
fn a_comparison_counts_against_what_it_was_made_with() {
    let home = Home::new();
    // A student that is the same as the pack's own is surely no worse.
    kept(&home, "0");
    kept(&home, "0");
    promote(&home, &["1"]).ended(0);
    promote(&home, &["2"]).ended(1).told(&[
        "it was compared with the student that the pack itself trains, and version 1 serves now",
        "hint: train again",
    ]);
    home.run(&["rollback"]).ended(0);
    promote(&home, &["2"]).ended(0);
}

#[test]
fn s4_29_a_program_that_serves_learns_by_itself_after_enough_sessions() {
    let home =
        Home::with_config("[learning]\nautomatic = true\nevery_sessions = 50\npromote = true\n");
    tides(&home);
    let client = McpClient::start(&home, &[]);
    let champion = (0..5_000).find_map(|_| {
        let listing = models(&home);
        (listing["champion"] == 1).then_some(listing)
    });
    let listing = champion.expect("a champion");
    assert_eq!(listing["changes"][0]["by"], "automatic");
    assert_eq!(client.leave(), 0);
    // Nothing is new since: the next process has nothing to learn.
    let client = McpClient::start(&home, &[]);
    assert_eq!(client.leave(), 0);
    assert_eq!(models(&home)["versions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_program_that_runs_takes_up_what_is_promoted_and_what_is_taken_back() {
    let home = Home::new();
    let own = decides(&home, &[]);
    let first = kept(&home, "1");
    let mut client = McpClient::start(&home, &[]);
    let mut serves = |bundle: &str| {
        let asked = json!({ "query": QUESTION, "query_time": NOW });
        (0..100_000).any(|_| {
            let reply = client.call("router.route", &asked);
            assert_ne!(reply["result"]["isError"], true, "{reply}");
            reply["result"]["structuredContent"]["bundle"] == bundle
        })
    };
    assert!(serves(&own));
    promote(&home, &["--force", "--because", "a try"]).ended(0);
    assert!(serves(&first));
    home.run(&["rollback"]).ended(0);
    assert!(serves(&own));
    assert_eq!(client.leave(), 0);
}

/// The names of the files of the versions.
fn files(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path("students/ocean")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn where_the_champion_cannot_serve_the_next_one_is_held_against_the_packs_own_student() {
    let home = Home::new();
    kept(&home, "0");
    promote(&home, &["1"]).ended(0);
    fs::write(home.path("students/ocean/1.bundle"), "no bundle").unwrap();
    let own = kept(&home, "2");
    promote(&home, &["2"]).ended(0);
    assert_eq!(decides(&home, &[]), own);
}

#[test]
fn s4_23_s4_25_training_finds_how_sure_a_student_must_be_for_a_model_this_good() {
    let home = Home::with_config("[learning]\nteacher = \"90%\"\nbudget = \"5%\"\n");
    let run = home.run(&["train", "--save", "--json"]);
    let card = run.ended(0).json()["version"].clone();
    let threshold = &card["bar"];
    assert_eq!((&threshold["teacher"], threshold["at"].is_number()), (&json!(0.9), true), "{card}");
    assert!(threshold["right"].as_f64().unwrap() >= 0.895, "{card}");
    let shown = home.run(&["students", "1"]);
    assert!(shown.ended(0).stdout.contains("decides alone from a confidence of 0."), "{shown:?}");
    // The threshold that `why` shows is at least the one that the pack sets for running.
    promote(&home, &["1"]).ended(0);
    let why = home.run(&["why", "--json", "how warm is the sea off Hualien"]).ended(0).json();
    let linear = why["layers"].as_array().unwrap().iter().find(|layer| layer["layer"] == "linear");
    let least = threshold["at"].as_f64().unwrap().max(0.4);
    assert!(linear.unwrap()["bar"].as_f64().unwrap() >= least, "{why}");
    // A share that cannot be read is reported with its place.
    let home = Home::with_config("[learning]\nteacher = \"often\"\n");
    home.run(&["train", "--save"]).ended(2).told(&["`often` is no share"]);
}
