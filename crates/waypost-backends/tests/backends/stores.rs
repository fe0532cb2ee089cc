//! The rules that every store must keep, run on each of them.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use serde_json::{Value as Json, json};
use waypost_backends::stores::{MemoryStore, SqliteStore};
use waypost_core::Code;
use waypost_core::ports::runs::RunFilter;
use waypost_core::ports::store::{Filter, Forgotten, Store};
use waypost_core::records::decision::Call;
use waypost_core::records::era::Era;
use waypost_core::records::event::{Event, Record};
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::request::Request;
use waypost_core::records::run::{Run, RunEnd, RunStep};
use waypost_core::records::session::Session;
use waypost_core::records::write::{Write, WriteEnd};

fn record(session: Option<&str>, n: usize) -> Record {
    Record {
        decision_id: format!("d{n}"),
        session_id: session.map(str::to_owned),
        pack: if n == 5 { "q" } else { "p" }.to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        era: Era::default(),
        event: Event::Dropped { what: format!("潮汐 {n}"), why: "x".to_owned() },
    }
}

async fn stores_conform(store: &dyn Store) {
    sessions_conform(store).await;
    events_conform(store).await;
    pages_conform(store).await;
    labels_conform(store).await;
    taking_back_conforms(store).await;
    turns_conform(store).await;
    writes_conform(store).await;
    runs_conform(store).await;
    forgetting_conforms(store).await;
    tombstones_conform(store).await;
}

async fn sessions_conform(store: &dyn Store) {
    assert_eq!(store.session("new").await.unwrap(), Session::default());
    let mut session = Session::default();
    for value in [json!(true), json!({"deep": ["花蓮", null]})] {
        session.flags.insert("flag".to_owned(), value);
        store.save_session("s", &session).await.unwrap();
        assert_eq!(store.session("s").await.unwrap(), session);
    }
    store.save_session("'; DROP TABLE sessions; --", &session).await.unwrap();
    assert_eq!(store.session("").await.unwrap(), Session::default());
    assert_eq!(store.session("s").await.unwrap(), session);
}

async fn events_conform(store: &dyn Store) {
    assert_eq!(store.events(&Filter::default(), 10).await.unwrap(), []);
    store.append(Vec::new());
    store.append((0..5).map(|n| record(Some("s"), n)).collect());
    store.append(vec![record(None, 5)]);
    store.flush().await.unwrap();
    let all: Vec<Record> =
        (0..6).map(|n| record(if n < 5 { Some("s") } else { None }, n)).collect();
    assert_eq!(store.events(&Filter::default(), 10).await.unwrap(), all);
    assert_eq!(store.events(&Filter::default(), 2).await.unwrap(), all[4..]);
    assert_eq!(store.events(&Filter::default(), 0).await.unwrap(), []);
}

/// Every event is on one page, in order, and a filter takes what it says.
async fn pages_conform(store: &dyn Store) {
    let of = |set: fn(&mut Filter)| {
        let mut filter = Filter::default();
        set(&mut filter);
        filter
    };
    for (filter, wanted) in [
        (Filter::default(), vec![0, 1, 2, 3, 4, 5]),
        (of(|f| f.session = Some("s".to_owned())), vec![0, 1, 2, 3, 4]),
        (of(|f| f.decision = Some("d3".to_owned())), vec![3]),
        (of(|f| f.pack = Some("q".to_owned())), vec![5]),
        (of(|f| f.kind = Some("dropped".to_owned())), vec![0, 1, 2, 3, 4, 5]),
        (of(|f| f.kind = Some("tool_event".to_owned())), vec![]),
        (of(|f| f.since = Some("2025-11-06T08:00:00".to_owned())), vec![0, 1, 2, 3, 4, 5]),
        (of(|f| f.since = Some("2025-11-06T08:00:01".to_owned())), vec![]),
    ] {
        let wanted: Vec<String> = wanted.iter().map(|n| format!("d{n}")).collect();
        let mut ids = Vec::new();
        let mut from = Some(0);
        while let Some(at) = from {
            let page = store.page(&filter, at, 2).await.unwrap();
            assert!(page.records.len() <= 2 && page.unreadable == 0);
            ids.extend(page.records.into_iter().map(|record| record.decision_id));
            from = page.next;
        }
        assert_eq!(ids, wanted, "{filter:?}");
        let latest = store.events(&filter, 2).await.unwrap();
        let latest: Vec<String> = latest.into_iter().map(|record| record.decision_id).collect();
        assert_eq!(latest, wanted[wanted.len().saturating_sub(2)..], "{filter:?}");
    }
}

fn label(decision: usize, session: Option<&str>, kind: LabelKind, route: &str) -> Label {
    Label {
        decision_id: format!("d{decision}"),
        session_id: session.map(str::to_owned),
        owner: None,
        pack: if decision == 5 { "q" } else { "p" }.to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        kind,
        text: "'; DROP TABLE labels; -- 潮汐 \u{0} \u{1F30A}".to_owned(),
        language: "zh-TW".to_owned(),
        era: Era::default(),
        verdict: match route {
            "" => Verdict::Wrong,
            route => Verdict::Right { route: route.to_owned(), tools: vec!["t".to_owned()] },
        },
    }
}

/// Every label is on one page, in order; the same statement once more takes the place of the first.
async fn labels_conform(store: &dyn Store) {
    use LabelKind::{Choice, Feedback, Teacher};
    store.save_labels(&[]).await.unwrap();
    let first = label(1, Some("s"), Teacher, "old");
    store.save_labels(&[first, label(5, None, Teacher, "q")]).await.unwrap();
    let kept = [
        label(1, None, Teacher, "stranger"),
        label(1, Some("s"), Choice, "tide"),
        label(2, Some("s"), Teacher, "tide"),
        label(1, Some("s"), Teacher, "new"),
        label(2, Some("other"), Feedback, ""),
    ];
    store.save_labels(&kept[..3]).await.unwrap();
    for _ in 0..2 {
        store.save_labels(&kept[3..]).await.unwrap();
    }
    let mut read = Vec::new();
    let mut from = Some(0);
    while let Some(at) = from {
        let page = store.labels("p", at, 2).await.unwrap();
        assert!(page.labels.len() <= 2 && page.unreadable == 0);
        read.extend(page.labels);
        from = page.next;
    }
    assert_eq!(read, kept);
    assert_eq!(store.labels("q", 0, 9).await.unwrap().labels, [label(5, None, Teacher, "q")]);
    assert_eq!(store.labels("r", 0, 9).await.unwrap().labels, []);
}

/// Taking back removes the last statement and nothing else: not the one that took its place, nor
/// those that are like it.
async fn taking_back_conforms(store: &dyn Store) {
    use LabelKind::{Choice, Feedback};
    let before = store.labels("p", 0, 9).await.unwrap().labels;
    let given = label(3, Some("s"), Feedback, "tide");
    let beside = [
        label(3, None, Feedback, "tide"),
        label(3, Some("other"), Feedback, "tide"),
        label(3, Some("s"), Choice, "tide"),
    ];
    store.save_labels(&beside).await.unwrap();
    store.save_labels(std::slice::from_ref(&given)).await.unwrap();
    let later = Label { at: "2025-11-06T08:00:01Z".to_owned(), ..given.clone() };
    assert!(!store.take_back(&later).await.unwrap(), "that was never said");
    assert!(store.take_back(&given).await.unwrap());
    assert!(!store.take_back(&given).await.unwrap(), "it has gone already");
    store.save_labels(std::slice::from_ref(&given)).await.unwrap();
    store.save_labels(std::slice::from_ref(&later)).await.unwrap();
    assert!(!store.take_back(&given).await.unwrap(), "something else was said since");
    assert!(store.take_back(&later).await.unwrap());
    let left = store.labels("p", 0, 99).await.unwrap().labels;
    assert_eq!(left, [&before[..], &beside].concat());
    for label in &beside {
        assert!(store.take_back(label).await.unwrap());
    }
    assert_eq!(store.labels("p", 0, 9).await.unwrap().labels, before);
}

/// One turn at a time in a session, in the order of asking; sessions do not wait for each other.
async fn turns_conform(store: &dyn Store) {
    let order = std::sync::Mutex::new(Vec::new());
    let turn = async |n: usize| {
        let turn = store.turn("s").await.unwrap();
        order.lock().unwrap().push((n, "begins"));
        let _other = store.turn(&format!("other {n}")).await.unwrap();
        order.lock().unwrap().push((n, "ends"));
        drop(turn);
    };
    futures_util::future::join_all((0..8).map(turn)).await;
    let wanted: Vec<_> = (0..8).flat_map(|n| [(n, "begins"), (n, "ends")]).collect();
    assert_eq!(*order.lock().unwrap(), wanted);
    // Whoever stops waiting holds nobody up.
    let first = store.turn("s").await.unwrap();
    let mut waits = Box::pin(store.turn("s"));
    assert!((&mut waits).now_or_never().is_none());
    drop(waits);
    drop(first);
    let _next = store.turn("s").await.unwrap();
}

fn write(token: &str, session: Option<&str>) -> Write {
    Write {
        token: token.to_owned(),
        session: session.map(str::to_owned),
        owner: None,
        owner_name: None,
        decision_id: "d".to_owned(),
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        tool: "note.add".to_owned(),
        arguments: json!({ "text": "打電話給 Ana" }).as_object().unwrap().clone(),
        era: Era::default(),
    }
}

/// An approval is spent once, and an end is told once.
async fn writes_conform(store: &dyn Store) {
    let write = |token: &str| write(token, Some("w"));
    for token in ["a", "b", "c", "d"] {
        assert!(store.begin_write(&write(token)).await.unwrap());
        assert!(!store.begin_write(&write(token)).await.unwrap(), "{token} is spent");
    }
    store.end_write("b", WriteEnd::Done).await.unwrap();
    store.end_write("c", WriteEnd::Failed).await.unwrap();
    let untold = async || store.untold("w").await.unwrap();
    let ends: Vec<WriteEnd> = untold().await.into_iter().map(|untold| untold.end).collect();
    assert_eq!(ends, [WriteEnd::Unknown, WriteEnd::Done, WriteEnd::Failed, WriteEnd::Unknown]);
    store.told(&["a".to_owned(), "b".to_owned()]).await.unwrap();
    let left: Vec<Write> = untold().await.into_iter().map(|untold| untold.write).collect();
    assert_eq!(left, [write("c"), write("d")]);
    assert!(store.untold("another").await.unwrap().is_empty());
    assert!(!store.begin_write(&write("a")).await.unwrap(), "what was told stays spent");
    // A process that lives has abandoned nothing.
    assert!(store.abandoned(9).await.unwrap().is_empty());
    store.forget("w").await.unwrap();
    assert!(untold().await.is_empty());
}

fn run(id: &str, session: Option<&str>) -> Run {
    let request = Request {
        session: session.map(str::to_owned),
        trusted: true,
        ..Request::new("plot the current")
    };
    let call = |tool: &str| Call {
        tool: tool.to_owned(),
        arguments: json!({ "of": tool }).as_object().unwrap().clone(),
        evidence: BTreeMap::new(),
    };
    Run::new(id, "p", &request, &[call("find"), call("draw")])
}

/// The record of a run is there, it is told once, and a final end stays.
async fn runs_conform(store: &dyn Store) {
    let log = store.runs().expect("a record of runs");
    let (first, second) = (run("r1", Some("r")), run("r2", None));
    assert!(!first.request.trusted, "who is trusted now need not be later");
    log.begin(&first).await.unwrap();
    log.begin(&second).await.unwrap();
    let step = |output: Option<Json>, code: Option<Code>| RunStep {
        tool: "find".to_owned(),
        arguments: first.calls[0].arguments.clone(),
        output,
        code,
        began_ms: 0.5,
        took_ms: 1.25,
    };
    let steps = [step(None, Some(Code::Unavailable)), step(Some(json!({ "a": [1, "電"] })), None)];
    log.steps("r1", &steps[..1]).await.unwrap();
    log.steps("r1", &steps[1..]).await.unwrap();
    let kept = log.list(&RunFilter::default(), 9).await.unwrap();
    let ids: Vec<&str> = kept.iter().map(|kept| kept.run.id.as_str()).collect();
    assert_eq!(ids, ["r2", "r1"], "newest first");
    assert!(kept.iter().all(|kept| kept.at_work && kept.run.is_open()));
    let whole = Run { steps: steps.to_vec(), ..first.clone() };
    assert_eq!((&kept[1].run, kept[1].run.finished()), (&whole, 1));
    for (filter, wanted) in [
        (RunFilter { session: Some("r".to_owned()), ..RunFilter::default() }, 1),
        (RunFilter { called: Some("r".to_owned()), ..RunFilter::default() }, 1),
        (RunFilter { id: Some("r2".to_owned()), ..RunFilter::default() }, 1),
        (RunFilter { pack: Some("q".to_owned()), ..RunFilter::default() }, 0),
        (RunFilter { open: true, ..RunFilter::default() }, 2),
    ] {
        assert_eq!(log.list(&filter, 9).await.unwrap().len(), wanted, "{filter:?}");
    }
    assert_eq!(log.untold("r").await.unwrap(), std::slice::from_ref(&whole));
    assert_eq!(log.untold("r").await.unwrap(), [], "it was told");
    // Somebody goes on with it, and leaves again.
    log.begin(&whole).await.unwrap();
    log.end("r1", RunEnd::Cancelled).await.unwrap();
    let cut = log.untold("r").await.unwrap();
    assert_eq!((cut.len(), cut[0].steps.len(), cut[0].end), (1, 2, Some(RunEnd::Cancelled)));
    log.end("r1", RunEnd::Abandoned).await.unwrap();
    log.end("r1", RunEnd::Done).await.unwrap();
    let open = RunFilter { open: true, ..RunFilter::default() };
    assert_eq!(log.list(&open, 9).await.unwrap().len(), 1, "what was given up stays so");
    store.forget("r").await.unwrap();
    let left = log.list(&RunFilter::default(), 9).await.unwrap();
    assert_eq!(left.iter().map(|kept| kept.run.id.as_str()).collect::<Vec<_>>(), ["r2"]);
}

async fn forgetting_conforms(store: &dyn Store) {
    store.append(vec![record(Some("other"), 6)]);
    store.append(vec![record(Some("s"), 7)]);
    assert_eq!(store.forget("s").await.unwrap(), Forgotten { memory: true, events: 6, labels: 3 });
    assert_eq!(store.forget("s").await.unwrap(), Forgotten::default());
    assert_eq!(store.session("s").await.unwrap(), Session::default());
    assert_eq!(
        store.events(&Filter::default(), 10).await.unwrap(),
        [record(None, 5), record(Some("other"), 6)]
    );
    let left = store.labels("p", 0, 9).await.unwrap().labels;
    let left: Vec<Option<&str>> = left.iter().map(|label| label.session_id.as_deref()).collect();
    assert_eq!(left, [None, Some("other")]);
}

/// Everything that a turn of session `t` writes, which began in `era`; `n` tells turns apart.
async fn written(store: &dyn Store, era: Era, n: usize) {
    let session = Session { era, ..Session::default() };
    store.append(vec![Record { era, ..record(Some("t"), n) }]);
    store.save_session("t", &session).await.unwrap();
    let label = Label { era, ..label(n, Some("t"), LabelKind::Feedback, "tide") };
    store.save_labels(&[label]).await.unwrap();
    let run = Run { era, ..run(&format!("t{n}"), Some("t")) };
    let log = store.runs().unwrap();
    log.begin(&run).await.unwrap();
    let arguments = run.calls[0].arguments.clone();
    let (tool, output) = ("find".to_owned(), Some(json!("words")));
    let step = RunStep { tool, arguments, output, code: None, began_ms: 0.0, took_ms: 1.0 };
    log.steps(&run.id, &[step]).await.unwrap();
    log.end(&run.id, RunEnd::Cancelled).await.unwrap();
}

/// The events, labels, runs and writes that are kept of session `t`.
async fn kept_of_t(store: &dyn Store) -> [usize; 4] {
    let filter = Filter { session: Some("t".to_owned()), ..Filter::default() };
    let events = store.events(&filter, 99).await.unwrap().len();
    let labels = store.labels("p", 0, 99).await.unwrap().labels;
    let labels = labels.iter().filter(|label| label.session_id.as_deref() == Some("t")).count();
    let runs = RunFilter { session: Some("t".to_owned()), ..RunFilter::default() };
    let runs = store.runs().unwrap().list(&runs, 99).await.unwrap().len();
    [events, labels, runs, store.untold("t").await.unwrap().len()]
}

/// Nothing of a turn that began before its session was forgotten is written afterwards; what begins
/// then is kept, and so is what other sessions say.
async fn tombstones_conform(store: &dyn Store) {
    let begun = store.session("t").await.unwrap().era;
    let change = |token: &str, era: Era| Write { era, ..write(token, Some("t")) };
    written(store, begun, 1).await;
    assert!(store.begin_write(&change("t1", begun)).await.unwrap());
    assert_eq!(kept_of_t(store).await, [1, 1, 1, 1]);
    let gone = Forgotten { memory: true, events: 1, labels: 1 };
    assert_eq!(store.forget("t").await.unwrap(), gone);
    for era in [begun, Era::default()] {
        written(store, era, 2).await;
        let refused = store.begin_write(&change("t2", era)).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        store.end_write("t1", WriteEnd::Done).await.unwrap();
        assert_eq!(kept_of_t(store).await, [0; 4]);
        assert_eq!(store.forget("t").await.unwrap(), Forgotten::default());
        assert!(store.was_forgotten("t", era).await.unwrap());
        assert!(!store.was_forgotten("never", begun).await.unwrap());
    }
    let anew = store.session("t").await.unwrap().era;
    assert_eq!(anew.forgotten(), store.era().await.unwrap().forgotten());
    assert!(!store.was_forgotten("t", anew).await.unwrap());
    written(store, anew, 3).await;
    assert!(store.begin_write(&change("t3", anew)).await.unwrap());
    assert_eq!(kept_of_t(store).await, [1, 1, 1, 1]);
    store.append(vec![Record { era: begun, ..record(Some("elsewhere"), 4) }]);
    store.append(vec![record(Some("@1a2b3c4d/elsewhere"), 5)]);
    let name = Some("elsewhere".to_owned());
    let kept = Filter { session: name.clone(), ..Filter::default() };
    let called = Filter { called: name, ..Filter::default() };
    for (filter, found) in [(kept, 1), (called, 2)] {
        assert_eq!(store.events(&filter, 9).await.unwrap().len(), found, "{filter:?}");
    }
}

#[tokio::test]
async fn memory_conforms() {
    stores_conform(&MemoryStore::new()).await;
}

#[tokio::test]
async fn sqlite_in_memory_conforms() {
    stores_conform(&SqliteStore::open(None).await.unwrap()).await;
}

#[tokio::test]
async fn sqlite_in_a_file_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.db");
    stores_conform(&SqliteStore::open(Some(&path)).await.unwrap()).await;
}

/// Two stores on one file are as two processes: they know of each other's turns by the file alone.
#[tokio::test]
async fn processes_on_one_file_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.db");
    let open = || SqliteStore::open(Some(&path));
    let (one, other) = (open().await.unwrap(), open().await.unwrap());
    let busy = std::sync::atomic::AtomicUsize::new(0);
    let turn = async |n: usize| {
        let store = if n.is_multiple_of(2) { &one } else { &other };
        let _turn = store.turn("s").await.unwrap();
        let before = busy.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        assert_eq!(before, 0, "somebody else has the turn");
        tokio::task::yield_now().await;
        busy.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    };
    futures_util::future::join_all((0..16).map(turn)).await;
    // Of two that spend one approval, one does.
    let spent = write("once", Some("s"));
    let (first, second) = tokio::join!(one.begin_write(&spent), other.begin_write(&spent));
    assert!(first.unwrap() ^ second.unwrap());
}

/// An answer that tells of a write may never come to be read: until that can have happened, a program
/// that starts anew tells of it.
#[tokio::test]
async fn a_write_that_was_told_just_before_the_end_is_told_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.db");
    let one = SqliteStore::open(Some(&path)).await.unwrap();
    one.begin_write(&write("t", Some("s"))).await.unwrap();
    one.end_write("t", WriteEnd::Done).await.unwrap();
    one.told(&["t".to_owned()]).await.unwrap();
    assert!(one.untold("s").await.unwrap().is_empty());
    let anew = SqliteStore::open(Some(&path)).await.unwrap();
    assert_eq!(anew.untold("s").await.unwrap().len(), 1);
    // A program that ends in order has handed its answers over.
    one.flush().await.unwrap();
    assert!(anew.untold("s").await.unwrap().is_empty());
}

/// A program that answers has events in its queue when another one forgets the conversation, and gives
/// them to the file after that.
#[tokio::test]
async fn what_waits_in_one_process_is_not_written_once_another_forgot_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.db");
    let open = || SqliteStore::open(Some(&path));
    let (one, other) = (open().await.unwrap(), open().await.unwrap());
    let era = one.session("t").await.unwrap().era;
    written(&one, era, 1).await;
    one.append(vec![Record { era, ..record(Some("other"), 2) }]);
    let gone = other.forget("t").await.unwrap();
    assert!(gone.memory && gone.labels == 1, "{gone:?}");
    one.append(vec![Record { era, ..record(Some("t"), 1) }]);
    one.flush().await.unwrap();
    assert_eq!(kept_of_t(&one).await, [0; 4]);
    let all = other.events(&Filter::default(), 9).await.unwrap();
    assert_eq!(all, [record(Some("other"), 2)]);
    assert!(one.was_forgotten("t", era).await.unwrap(), "whoever holds it hears of it");
    written(&one, one.session("t").await.unwrap().era, 3).await;
    assert_eq!(kept_of_t(&other).await[1..], [1, 1, 0]);
}
