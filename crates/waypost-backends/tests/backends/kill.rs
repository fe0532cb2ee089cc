//! Records that a process said it kept are there after it was killed in the middle of its work.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use waypost_backends::stores::SqliteStore;
use waypost_core::ports::store::{Filter, Store};
use waypost_core::records::era::Era;
use waypost_core::records::event::{Event, Record};
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::session::Session;
use waypost_core::records::write::Write as Change;

/// The test below, as the test runner knows it.
const NAME: &str = "kill::s4_28_kill_9_loses_no_acknowledged_label_or_memory";
/// The variable that tells the child where to write.
const FOLDER: &str = "WAYPOST_TEST_KILL_FOLDER";
/// The number of tasks of the child that write at once.
const WRITERS: usize = 4;
/// The child is killed when it has said so often that something is kept, and has run so long.
const ACKNOWLEDGED: usize = 300;
const LONG_ENOUGH: Duration = Duration::from_millis(1_500);
/// Events may be lost that were taken so shortly before: they are written within 200 ms, and the
/// rest is room for a busy machine.
const MAY_BE_LOST: Duration = Duration::from_millis(1_000);

fn label(writer: usize, n: u64) -> Label {
    Label {
        decision_id: format!("d{writer}-{n}"),
        session_id: Some(format!("s{writer}")),
        owner: None,
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        kind: LabelKind::Feedback,
        text: "高雄明天潮汐？".to_owned(),
        language: "zh-TW".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right { route: "tool".to_owned(), tools: vec!["tide.at".to_owned()] },
    }
}

fn event(writer: usize, n: u64) -> Record {
    Record {
        decision_id: format!("d{writer}-{n}"),
        session_id: None,
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        era: Era::default(),
        event: Event::Dropped { what: "x".to_owned(), why: "y".to_owned() },
    }
}

/// Writes records and says which are kept, without end.
async fn write(store: Arc<SqliteStore>, writer: usize, begin: Instant) {
    let mut session = Session::default();
    for n in 0.. {
        let say = |what: &str| {
            let line = format!("{what} {writer} {n} {}\n", begin.elapsed().as_millis());
            std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
        };
        store.append(vec![event(writer, n)]);
        say("event");
        store.save_labels(&[label(writer, n)]).await.unwrap();
        say("label");
        session.flags.insert("approval".to_owned(), json!(n));
        store.save_session(&format!("s{writer}"), &session).await.unwrap();
        say("memory");
    }
}

/// A write that has begun, of no session.
fn interrupted() -> Change {
    Change {
        token: "t".to_owned(),
        session: None,
        decision_id: "d".to_owned(),
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        tool: "note.add".to_owned(),
        arguments: serde_json::Map::new(),
        era: Era::default(),
        owner: None,
        owner_name: None,
    }
}

/// The child: opens the store, takes a turn that it does not give back, begins a write that it does not
/// end, and writes until it is killed.
fn write_without_end(folder: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(Some(&folder.join("waypost.db"))).await.unwrap();
        let (store, begin) = (Arc::new(store), Instant::now());
        let _turn = store.turn("held").await.unwrap();
        assert!(store.begin_write(&interrupted()).await.unwrap());
        let writers = (0..WRITERS).map(|writer| write(Arc::clone(&store), writer, begin));
        futures_util::future::join_all(writers.map(tokio::spawn)).await;
    });
}

/// Returns what the child said before it was killed: the kind of record, its writer, its number,
/// and after how long.
fn said(folder: &Path) -> Vec<(String, usize, u64, Duration)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    let mut killed = false;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        // Lines of the test runner, and one that was cut by the end, are not the child's.
        let [what @ ("event" | "label" | "memory"), writer, n, after] = words[..] else { continue };
        let after = Duration::from_millis(after.parse().unwrap());
        said.push((what.to_owned(), writer.parse().unwrap(), n.parse().unwrap(), after));
        if !killed && said.len() > ACKNOWLEDGED && after > LONG_ENOUGH {
            // On Unix this is SIGKILL: no destructor runs.
            child.kill().unwrap();
            killed = true;
        }
    }
    child.wait().unwrap();
    assert!(killed, "the child ended by itself");
    said
}

/// The test runs itself once more as the process that is killed.
#[test]
fn s4_28_kill_9_loses_no_acknowledged_label_or_memory() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_without_end(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let said = said(folder.path());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(is_kept(&folder.path().join("waypost.db"), said));
}

/// Everything that was said to be kept is, and all events but the last.
async fn is_kept(path: &Path, said: Vec<(String, usize, u64, Duration)>) {
    let store = SqliteStore::open(Some(path)).await.unwrap();
    let labels = store.labels("p", 0, usize::MAX >> 1).await.unwrap();
    assert_eq!(labels.unreadable, 0);
    let abandoned = store.abandoned(9).await.unwrap();
    assert_eq!(abandoned.into_iter().map(|it| it.write).collect::<Vec<_>>(), [interrupted()]);
    assert!(!store.begin_write(&interrupted()).await.unwrap(), "its approval is spent");
    // A turn ends with its process. Without that it would lapse much later.
    let turn = tokio::time::timeout(Duration::from_secs(10), store.turn("held")).await;
    drop(turn.unwrap().unwrap());
    let labels: BTreeMap<String, Label> =
        labels.labels.into_iter().map(|label| (label.decision_id.clone(), label)).collect();
    let events = store.events(&Filter::default(), usize::MAX >> 1).await.unwrap();
    let events: BTreeSet<String> = events.into_iter().map(|event| event.decision_id).collect();
    let end = said.iter().map(|(.., after)| *after).max().unwrap();
    for (what, writer, n, after) in said {
        let kept = match what.as_str() {
            "label" => labels.get(&format!("d{writer}-{n}")) == Some(&label(writer, n)),
            "memory" => {
                let session = store.session(&format!("s{writer}")).await.unwrap();
                session.flags["approval"].as_u64().unwrap() >= n
            }
            _ => after + MAY_BE_LOST > end || events.contains(&format!("d{writer}-{n}")),
        };
        assert!(kept, "{what} {n} of writer {writer}, after {after:?} of {end:?}");
    }
}
