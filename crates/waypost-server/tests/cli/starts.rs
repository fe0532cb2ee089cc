//! Starts: a pack comes with its student, or trains one at its first start that every later start reads.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::serve::Site;
use crate::support::{Home, NOW, copy, root};

const QUESTION: &str = "tides at Keelung tomorrow";

/// Every pack in the program.
const PACKS: [&str; 5] = ["accelerator", "finance", "malaria", "ocean", "platform"];

/// A pack that comes without a student, and is trained in a moment.
fn small() -> String {
    root().join("examples/packs/minimal").to_string_lossy().into_owned()
}

/// A copy of [`small`] in a home, with one more file in its folder.
fn with(home: &Home, name: &str, bytes: &[u8]) -> String {
    let folder = home.path("pack");
    copy(Path::new(&small()), &folder);
    fs::write(folder.join(name), bytes).unwrap();
    folder.to_string_lossy().into_owned()
}

fn decided(home: &Home, pack: &str) -> Json {
    let (record, said) = decided_saying(home, pack);
    assert_eq!(said, "", "nothing is said of it");
    record
}

/// The decision, and what was written to standard error.
fn decided_saying(home: &Home, pack: &str) -> (Json, String) {
    let run = home.run(&["route", "--now", NOW, "--pack", pack, QUESTION]);
    run.ended(0);
    (run.json(), run.stderr)
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
fn the_packs_in_the_program_come_trained() {
    let home = Home::untrained();
    for pack in PACKS {
        let student = says(&home, pack, "student");
        assert!(
            student.contains("(came with the pack) read in"),
            "the student of `{pack}` is stale: run `cargo xtask students` ({student})"
        );
        let record = decided(&home, pack);
        assert!(student.starts_with(record["bundle"].as_str().unwrap()), "{student} {record}");
        let folder = root().join("packs").join(pack);
        assert_eq!(
            decided(&home, &folder.to_string_lossy()),
            record,
            "its folder is the same pack"
        );
    }
    assert_eq!(home.students().len(), 0, "nothing was trained");
}

#[test]
fn a_student_beside_a_pack_is_read_if_it_was_trained_on_this_very_pack() {
    let home = Home::untrained();
    let file = home.path("student.bin");
    home.run(&["train", "--pack", &small(), "--out", &file.to_string_lossy()]).ended(0);
    let student = fs::read(&file).unwrap();
    let pack = with(&home, "student.bin", &student);
    let whole = decided(&home, &pack);
    assert_eq!(home.students().len(), 0, "nothing was trained");
    let mut flipped = student.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let others = [
        (flipped, "its checksum does not agree"),
        (student[..student.len() / 2].to_vec(), "its checksum does not agree"),
        (fs::read(root().join("packs/ocean/student.bin")).unwrap(), "belongs to the pack `ocean`"),
        (b"no student".to_vec(), "is damaged"),
    ];
    for (bytes, reason) in others {
        let home = Home::untrained();
        let pack = with(&home, "student.bin", &bytes);
        let (record, said) = decided_saying(&home, &pack);
        assert_eq!(record, whole, "it is ignored, and trained again");
        assert!(said.contains("is not used: ") && said.contains(reason), "{said}");
        assert!(said.contains("waypost train --pack"), "{said}");
        assert_eq!(home.students().len(), 1);
        assert_eq!(decided(&home, &pack), whole, "and this is said once");
    }
}

#[test]
fn an_edited_pack_does_without_the_student_that_it_came_with() {
    let home = Home::untrained();
    let file = home.path("student.bin");
    home.run(&["train", "--pack", &small(), "--out", &file.to_string_lossy()]).ended(0);
    let pack = with(&home, "student.bin", &fs::read(&file).unwrap());
    let path = home.path("pack/examples.jsonl");
    let examples = fs::read_to_string(&path).unwrap();
    let (first, _) = examples.split_once('\n').unwrap();
    fs::write(&path, examples.replacen(first, "", 1)).unwrap();
    let (_, said) = decided_saying(&home, &pack);
    assert!(said.contains("it was trained on another version of the pack"), "{said}");
}

#[test]
fn a_second_start_decides_with_the_very_student_of_the_first() {
    let home = Home::untrained();
    let pack = small();
    let first = decided(&home, &pack);
    let kept = home.students();
    let bytes = fs::read(&kept[0]).unwrap();
    // It is used: for the doctor, which keeps nothing, nothing is trained either.
    let student = says(&home, &pack, "student");
    assert!(student.contains("(kept from an earlier start) read in"), "{student}");
    assert!(student.starts_with(first["bundle"].as_str().unwrap()), "{student} {first}");
    assert_eq!(decided(&home, &pack), first);
    assert_eq!((home.students(), fs::read(&kept[0]).unwrap()), (kept, bytes));
}

#[test]
fn a_pack_whose_tools_need_others_keeps_its_student() {
    let home = Home::untrained();
    let pack = home.pack_of("accelerator", &[]);
    // Of so many examples a few teach enough here.
    let path = home.path("pack/examples.jsonl");
    let examples = fs::read_to_string(&path).unwrap();
    let few: Vec<&str> = examples.lines().step_by(20).collect();
    fs::write(&path, few.join("\n")).unwrap();
    let first = decided(&home, &pack);
    let kept = home.students();
    let used = || fs::metadata(&kept[0]).unwrap().modified().unwrap();
    let before = used();
    assert_eq!(decided(&home, &pack), first);
    assert!(used() > before, "the second start reads it");
}

#[test]
fn an_edited_pack_is_trained_anew_beside_the_other() {
    let home = Home::untrained();
    decided(&home, &small());
    let pack = with(&home, "docs.en.txt", b"");
    let yaml = fs::read_to_string(home.path("pack/pack.yaml")).unwrap();
    home.write("pack/pack.yaml", &format!("{yaml}\n# another version\n"));
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
    let whole = decided(&home, &small());
    let path = home.students().remove(0);
    let bytes = fs::read(&path).unwrap();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [&flipped[..], &bytes[..bytes.len() / 2], b""] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(decided(&home, &small()), whole);
        assert_eq!(fs::read(&path).unwrap(), bytes, "it is mended");
    }
}

#[test]
fn a_home_that_cannot_be_written_costs_the_cache_alone() {
    let home = Home::untrained();
    let whole = decided(&home, &small());
    let other = Home::untrained();
    other.write("cache", "no folder");
    assert_eq!(decided(&other, &small()), whole);
    assert_eq!(other.files(), ["cache"]);
}

#[test]
fn two_that_start_at_once_decide_the_same_and_keep_one_student() {
    let home = Home::untrained();
    let records: Vec<Json> = thread::scope(|scope| {
        let starts = [0; 2].map(|_| scope.spawn(|| decided(&home, &small())));
        starts.map(|start| start.join().unwrap()).into()
    });
    assert_eq!(records[0], records[1]);
    assert_eq!(home.students().len(), 1);
}

#[test]
fn the_doctor_says_what_is_kept_and_keeps_nothing_itself() {
    let home = Home::untrained();
    assert!(says(&home, "ocean", "student cache").starts_with("empty: the pack came with its"));
    assert!(says(&home, &small(), "student cache").starts_with("none yet"));
    assert_eq!(home.files(), Vec::<String>::new());
    decided(&home, &small());
    let cache = says(&home, &small(), "student cache");
    assert!(cache.contains("holds 1 student, ") && cache.ends_with("is there"), "{cache}");
    let cache = says(&home, "platform", "student cache");
    assert!(cache.contains("holds 1 student, ") && cache.ends_with("is not there"), "{cache}");
    assert_eq!(home.students().len(), 1);
}

#[test]
fn a_server_of_a_new_home_is_seen_to_live_while_it_trains() {
    /// A time longer than a program takes to begin.
    const DEADLINE: Duration = Duration::from_secs(90);
    let home = Home::untrained();
    // It comes without its student, and training it takes seconds.
    let pack = home.pack(&[]);
    let site = Site::free();
    let address = site.address().to_string();
    let mut command = home.command(&["serve", "--listen", &address, "--pack", &pack]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while TcpStream::connect(site.address()).is_err() {
        assert!(begin.elapsed() < DEADLINE, "nothing listens at {address}");
        thread::sleep(Duration::from_millis(5));
    }
    for _ in 0..3 {
        assert_eq!(site.ask("GET", "/healthz", &[], ""), (200, "ok\n".to_owned()));
        let (status, problem) = site.ask("GET", "/readyz", &[], "");
        assert_eq!(status, 503, "{problem}");
        assert!(problem.contains("the server is starting"), "{problem}");
    }
    // Nothing that was asked meanwhile keeps it from starting.
    let held = TcpStream::connect(site.address()).unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line.starts_with("listening on ")));
    assert_eq!(site.ask("GET", "/readyz", &[], ""), (200, "ready\n".to_owned()));
    drop(held);
    child.kill().unwrap();
    child.wait().unwrap();
}
