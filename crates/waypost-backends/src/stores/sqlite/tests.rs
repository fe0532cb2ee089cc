//! An SQLite store on disks and files that fail.

use serde_json::json;
use tempfile::TempDir;
use waypost_core::records::event::Event;
use waypost_core::records::label::{LabelKind, Verdict};

use super::*;

mod processes;

fn record(session: Option<&str>, n: usize) -> Record {
    Record {
        decision_id: format!("d{n}"),
        session_id: session.map(str::to_owned),
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        era: Era::default(),
        event: Event::Dropped { what: format!("w{n}"), why: "x".to_owned() },
    }
}

fn label(session: &str, n: usize) -> Label {
    Label {
        decision_id: format!("d{n}"),
        session_id: Some(session.to_owned()),
        owner: None,
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        kind: LabelKind::Teacher,
        text: "高雄明天潮汐？".to_owned(),
        language: "zh-TW".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right { route: "tide".to_owned(), tools: vec!["tide.at".to_owned()] },
    }
}

fn flagged(value: &str) -> Session {
    let mut session = Session::default();
    session.flags.insert("tpr".to_owned(), json!(value));
    session
}

/// Keeps ten events.
fn few() -> Retention {
    Retention { max_events: 10, ..Retention::default() }
}

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").join("waypost.db");
    (folder, path)
}

async fn run(store: &SqliteStore, sql: &'static str) {
    sqlx::raw_sql(sql).execute(&store.durable).await.unwrap();
}

fn check_unavailable(error: &Error, message: &str, path: &Path) {
    assert_eq!((error.code(), error.message()), (Code::Unavailable, message), "{error:?}");
    assert!(error.hint().unwrap().contains(&path.display().to_string()), "{error:?}");
}

#[tokio::test]
async fn a_store_is_there_again_after_a_restart() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    store.save_session("s", &flagged("yes")).await.unwrap();
    store.append(vec![record(Some("s"), 1), record(None, 2)]);
    store.flush().await.unwrap();
    drop(store);
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    assert_eq!(store.session("s").await.unwrap(), flagged("yes"));
    assert_eq!(
        store.events(&Filter::default(), 9).await.unwrap(),
        [record(Some("s"), 1), record(None, 2)]
    );
}

#[tokio::test]
async fn s4_28_labels_are_there_again_after_a_restart_without_a_flush() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    let labels: Vec<Label> = (0..3).map(|n| label("s", n)).collect();
    store.save_labels(&labels).await.unwrap();
    drop(store);
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    let page = store.labels("p", 0, 9).await.unwrap();
    assert_eq!((page.labels, page.next, page.unreadable), (labels, None, 0));
}

/// A file of version 1 keeps all it had, and takes labels.
#[tokio::test]
async fn a_database_of_version_1_is_brought_up_to_date() {
    let (_folder, path) = file();
    create(&path).unwrap();
    let options = SqliteConnectOptions::new().filename(&path);
    let mut old = options.journal_mode(SqliteJournalMode::Wal).connect().await.unwrap();
    sqlx::raw_sql(schema::VERSIONS[0]).execute(&mut old).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 1").execute(&mut old).await.unwrap();
    let memory = serde_json::to_string(&flagged("yes")).unwrap();
    sqlx::query("INSERT INTO sessions VALUES ('s', $1, 7)")
        .bind(memory)
        .execute(&mut old)
        .await
        .unwrap();
    for (seq, at) in [(3, "2025-11-06T08:00:00Z"), (4, "soon"), (9, "2999-01-01T00:00:00Z")] {
        let mut event = record(Some("s"), seq);
        event.at = at.to_owned();
        sqlx::query("INSERT INTO events VALUES ($1, 'd', 's', $2, 'dropped', $3)")
            .bind(i64::try_from(seq).unwrap())
            .bind(at)
            .bind(serde_json::to_string(&event).unwrap())
            .execute(&mut old)
            .await
            .unwrap();
    }
    sqlx::Connection::close(old).await.unwrap();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    assert_eq!(store.schema_version().await.unwrap(), 5);
    assert_eq!(store.session("s").await.unwrap(), flagged("yes"));
    assert_eq!(store.events(&Filter::default(), 9).await.unwrap().len(), 3);
    let written: Vec<i64> = sqlx::query_scalar("SELECT written_us FROM events ORDER BY seq")
        .fetch_all(&store.quick)
        .await
        .unwrap();
    assert_eq!(written[0], 1_762_416_000_000_000);
    assert!(written[1] > written[0] && written[2] > written[0], "{written:?}");
    assert!(written[2] <= now_us(), "{written:?}");
    store.append(vec![record(Some("s"), 10)]);
    store.save_labels(&[label("s", 3)]).await.unwrap();
    let gone = Forgotten { memory: true, events: 4, labels: 1 };
    assert_eq!(store.forget("s").await.unwrap(), gone);
}

#[tokio::test]
async fn what_would_be_forgotten_is_what_is_forgotten() {
    let store = SqliteStore::open(None).await.unwrap();
    assert_eq!(store.kept_of("s").await.unwrap(), []);
    store.save_labels(&[label("s", 1), label("s", 2), label("other", 3)]).await.unwrap();
    let labels = Forgotten { labels: 2, ..Forgotten::default() };
    assert_eq!(store.kept_of("s").await.unwrap(), [("s".to_owned(), labels)]);
    store.save_session("s", &Session::default()).await.unwrap();
    store.append(vec![record(Some("s"), 1), record(Some("other"), 2)]);
    let kept = Forgotten { memory: true, events: 1, labels: 2 };
    assert_eq!(store.kept_of("s").await.unwrap(), [("s".to_owned(), kept)]);
    assert_eq!(store.forget("s").await.unwrap(), kept);
    assert_eq!(store.kept_of("s").await.unwrap(), []);
}

#[tokio::test]
async fn sessions_are_found_by_the_name_that_their_users_gave() {
    let store = SqliteStore::open(None).await.unwrap();
    let (own, of_key) = ("ana", "@1a2b3c4d/ana");
    let of_token = "@jwt-0123456789abcdef/ana";
    store.append(vec![record(Some(own), 1), record(Some(of_key), 2), record(Some("x/ana"), 3)]);
    store.save_labels(&[label(of_token, 4), label("@team/ana", 5)]).await.unwrap();
    let kept = async |name: &str| -> Vec<String> {
        store.kept_of(name).await.unwrap().into_iter().map(|(kept, _)| kept).collect()
    };
    assert_eq!(kept("ana").await, [of_key, of_token, own]);
    store.append(vec![record(Some("@5e6f7a8b/@1a2b3c4d/ana"), 6)]);
    assert_eq!(kept(of_key).await, [of_key], "another key calls its own so");
    let filter = Filter { called: Some("ana".to_owned()), ..Filter::default() };
    let found = store.events(&filter, 9).await.unwrap();
    assert_eq!(found, [record(Some(own), 1), record(Some(of_key), 2)]);
    assert_eq!(store.page(&filter, 0, 9).await.unwrap().records, found);
}

#[tokio::test]
async fn a_label_that_cannot_be_read_is_counted() {
    let store = SqliteStore::open(None).await.unwrap();
    run(&store, "INSERT INTO labels VALUES (1, 'd', 'rumor', NULL, 'p', 0, '{}')").await;
    store.save_labels(&[label("s", 1)]).await.unwrap();
    let page = store.labels("p", 0, 9).await.unwrap();
    assert_eq!((page.labels, page.unreadable), (vec![label("s", 1)], 1));
    assert_eq!(store.corrupt(), 1);
}

/// A million statements on one decision are imitated: its label has the millionth number.
#[tokio::test]
async fn a_statement_made_a_million_times_pushes_out_no_other() {
    let store = SqliteStore::open(None).await.unwrap();
    let labels: Vec<Label> = (0..3).map(|n| label("s", n)).collect();
    store.save_labels(&labels).await.unwrap();
    for number in ["999999", "1999999"] {
        let sql = format!("UPDATE sqlite_sequence SET seq = {number} WHERE name = 'labels'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&store.durable).await.unwrap();
        store.save_labels(&labels[2..]).await.unwrap();
        assert_eq!(store.labels("p", 0, 9).await.unwrap().labels, labels);
    }
}

#[tokio::test]
async fn of_too_many_labels_the_oldest_go() {
    let store = SqliteStore::open(None).await.unwrap();
    let labels: Vec<Label> = (0..5).map(|n| label("s", n)).collect();
    store.save_labels(&labels).await.unwrap();
    // One that is repeated is the newest.
    store.save_labels(&labels[..1]).await.unwrap();
    for (most, kept) in [(9, vec![1, 2, 3, 4, 0]), (5, vec![1, 2, 3, 4, 0]), (2, vec![4, 0])] {
        trim_labels(&store.durable, most).await.unwrap();
        let kept: Vec<Label> = kept.into_iter().map(|n| label("s", n)).collect();
        assert_eq!(store.labels("p", 0, 9).await.unwrap().labels, kept);
    }
}

#[tokio::test]
async fn events_are_written_without_being_asked_for() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    let reader = SqliteStore::open(Some(&path)).await.unwrap();
    store.append(vec![record(None, 1)]);
    let begin = Instant::now();
    while reader.events(&Filter::default(), 1).await.unwrap().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(5));
        tokio::task::yield_now().await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    store.save_session("s", &flagged("yes")).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[tokio::test]
async fn a_place_that_cannot_be_written() {
    let (folder, _) = file();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let path = blocked.join("waypost.db");
    let error = SqliteStore::open(Some(&path)).await.unwrap_err();
    check_unavailable(&error, "the store cannot be opened", &path);
    let error = SqliteStore::open(Some(folder.path())).await.unwrap_err();
    check_unavailable(&error, "the store cannot be opened", folder.path());
}

#[tokio::test]
async fn a_file_that_can_only_be_read() {
    let (_folder, path) = file();
    let pragmas = [("query_only", "ON")];
    drop(SqliteStore::open(Some(&path)).await.unwrap());
    let store = SqliteStore::open_tuned(Some(&path), few(), &pragmas).await;
    let error = match store {
        Ok(store) => store.save_session("s", &flagged("x")).await.unwrap_err(),
        Err(error) => error,
    };
    check_unavailable(&error, "the store cannot be written", &path);
}

#[tokio::test]
async fn a_full_disk_stops_no_one() {
    let (_folder, path) = file();
    let store =
        SqliteStore::open_tuned(Some(&path), few(), &[("max_page_count", "36")]).await.unwrap();
    store.save_session("s", &flagged("small")).await.unwrap();
    let error = store.save_session("s", &flagged(&"x".repeat(200_000))).await.unwrap_err();
    check_unavailable(&error, "the store is full", &path);
    let large = Label { text: "x".repeat(200_000), ..label("s", 2) };
    let error = store.save_labels(&[label("s", 1), large]).await.unwrap_err();
    check_unavailable(&error, "the store is full", &path);
    assert_eq!(store.labels("p", 0, 9).await.unwrap().labels, []);
    store.append((0..2000).map(|n| record(None, n)).collect());
    let error = store.flush().await.unwrap_err();
    check_unavailable(&error, "the store is full", &path);
    assert!(store.dropped() > 0);
    assert_eq!(store.session("s").await.unwrap(), flagged("small"));
    assert!(store.events(&Filter::default(), 5).await.is_ok());
    // It goes on once there is room again.
    sqlx::raw_sql("PRAGMA max_page_count = 1000").execute(&store.quick).await.unwrap();
    store.append(vec![record(None, 1)]);
    store.flush().await.unwrap();
    assert_eq!(store.events(&Filter::default(), 1).await.unwrap(), [record(None, 1)]);
}

#[tokio::test]
async fn a_file_that_is_no_database() {
    let (_folder, path) = file();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "these are my notes ".repeat(500)).unwrap();
    let error = SqliteStore::open(Some(&path)).await.unwrap_err();
    check_unavailable(&error, "the store is no database of waypost", &path);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("these are my notes"));
}

#[tokio::test]
async fn a_damaged_database() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    store.append((0..2000).map(|n| record(Some("s"), n)).collect());
    store.flush().await.unwrap();
    run(&store, "PRAGMA wal_checkpoint(TRUNCATE)").await;
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8192..].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let store = SqliteStore::open(Some(&path)).await;
    let error = match store {
        Ok(store) => store.events(&Filter::default(), 10).await.unwrap_err(),
        Err(error) => error,
    };
    check_unavailable(&error, "the store is damaged", &path);
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_left_alone() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    run(&store, "PRAGMA user_version = 99").await;
    drop(store);
    let error = SqliteStore::open(Some(&path)).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert!(error.message().contains("newer"), "{error}");
}

#[tokio::test]
async fn a_session_that_cannot_be_read_starts_afresh() {
    let store = SqliteStore::open(None).await.unwrap();
    run(&store, "INSERT INTO sessions VALUES ('s', '{\"flags\": 7', 0)").await;
    run(&store, "INSERT INTO events VALUES (1, 'd', NULL, 'now', 'x', '{}', 0)").await;
    assert_eq!(store.session("s").await.unwrap(), Session::default());
    assert_eq!(store.events(&Filter::default(), 5).await.unwrap(), []);
    assert_eq!(store.corrupt(), 2);
    store.save_session("s", &flagged("yes")).await.unwrap();
    assert_eq!(store.session("s").await.unwrap(), flagged("yes"));
}

#[tokio::test]
async fn old_events_make_room() {
    let store = SqliteStore::open_with(None, few()).await.unwrap();
    store.append((0..700).map(|n| record(None, n)).collect());
    store.flush().await.unwrap();
    let kept = store.events(&Filter::default(), 1000).await.unwrap();
    assert_eq!(kept.len(), 10);
    assert_eq!(kept[9], record(None, 699));
}

/// Opens a store that keeps records of the last thirty days.
async fn keeping(path: &Path) -> SqliteStore {
    let age = Some(Duration::from_secs(30 * 24 * 60 * 60));
    let retention = Retention { age, ..Retention::default() };
    SqliteStore::open_with(Some(path), retention).await.unwrap()
}

/// Writes a turn of a session: its memory, an event and a label.
async fn says(store: &SqliteStore, session: &str, n: usize) {
    store.save_session(session, &flagged("yes")).await.unwrap();
    store.append(vec![record(Some(session), n)]);
    store.flush().await.unwrap();
    store.save_labels(&[label(session, n)]).await.unwrap();
}

/// Lets so many days go by on the clock: everything that was written is older by that much.
async fn days_later(store: &SqliteStore, days: i64) {
    for statement in [
        "UPDATE events SET written_us = written_us - $1",
        "UPDATE labels SET written_us = written_us - $1",
        "UPDATE sessions SET updated_us = updated_us - $1",
    ] {
        let us = days * 24 * 60 * 60 * 1_000_000;
        sqlx::query(statement).bind(us).execute(&store.durable).await.unwrap();
    }
}

/// Returns the sessions whose events, labels and memories are kept, in this order.
async fn kept(store: &SqliteStore) -> [String; 3] {
    let mut names = Vec::new();
    for query in [
        "SELECT group_concat(session_id, ' ') FROM (SELECT session_id FROM events ORDER BY seq)",
        "SELECT group_concat(session_id, ' ') FROM (SELECT session_id FROM labels ORDER BY seq)",
        "SELECT group_concat(id, ' ') FROM (SELECT id FROM sessions ORDER BY rowid)",
    ] {
        names.push(sqlx::query_scalar(query).fetch_one(&store.durable).await.unwrap());
    }
    names.try_into().unwrap()
}

/// Records older than the wanted age go when the store is opened, and while it is used.
#[tokio::test]
async fn s4_28_what_is_too_old_is_deleted_at_opening_and_while_writing() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    says(&store, "a", 1).await;
    days_later(&store, 40).await;
    says(&store, "b", 2).await;
    days_later(&store, 2).await;
    says(&store, "c", 3).await;
    assert_eq!(kept(&store).await, ["a b c"; 3]);
    drop(store);
    let store = keeping(&path).await;
    assert_eq!(kept(&store).await, ["b c"; 3]);
    // The rest ages while the store is open.
    days_later(&store, 31).await;
    says(&store, "d", 4).await;
    days_later(&store, 2).await;
    says(&store, "e", 5).await;
    assert_eq!(kept(&store).await, ["d e", "d e", "b c d e"]);
    drop(store);
    assert_eq!(kept(&keeping(&path).await).await, ["d e"; 3]);
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_and_is_put_right_deletes_nothing() {
    let (_folder, path) = file();
    let store = keeping(&path).await;
    says(&store, "a", 1).await;
    days_later(&store, 20_000).await;
    drop(store);
    let store = keeping(&path).await;
    assert_eq!(kept(&store).await, ["a"; 3]);
    says(&store, "b", 2).await;
    drop(store);
    let store = keeping(&path).await;
    days_later(&store, -20_000).await;
    says(&store, "c", 3).await;
    days_later(&store, 2).await;
    says(&store, "d", 4).await;
    drop(store);
    assert_eq!(kept(&keeping(&path).await).await, ["a b c d"; 3]);
}

#[tokio::test]
async fn a_clock_that_has_gone_on_for_a_day_is_believed() {
    let (_folder, path) = file();
    let store = keeping(&path).await;
    says(&store, "a", 1).await;
    days_later(&store, 20_000).await;
    says(&store, "b", 2).await;
    assert_eq!(kept(&store).await, ["a b"; 3]);
    days_later(&store, 1).await;
    says(&store, "c", 3).await;
    assert_eq!(kept(&store).await, ["b c", "b c", "a b c"]);
}

#[tokio::test]
async fn too_many_events_are_dropped_and_counted() {
    let store = SqliteStore::open(None).await.unwrap();
    // The writer cannot run in between: this test has one thread and does not wait.
    store.append((0..5000).map(|n| record(None, n)).collect());
    assert_eq!(store.dropped(), 5000 - 4096);
    store.flush().await.unwrap();
    let kept = store.events(&Filter::default(), 9999).await.unwrap();
    assert_eq!((kept.len(), &kept[4095]), (4096, &record(None, 4095)));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_programs_may_open_a_new_file_at_once() {
    let (_folder, path) = file();
    let open = (0..8).map(|n| {
        let path = path.clone();
        tokio::spawn(async move {
            let store = SqliteStore::open(Some(&path)).await.unwrap();
            store.save_session(&format!("s{n}"), &flagged("yes")).await.unwrap();
            store.append(vec![record(None, n)]);
            store.flush().await.unwrap();
        })
    });
    for outcome in futures_util::future::join_all(open).await {
        outcome.unwrap();
    }
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    assert_eq!(store.events(&Filter::default(), 99).await.unwrap().len(), 8);
    assert_eq!(store.session("s7").await.unwrap(), flagged("yes"));
}

#[tokio::test]
async fn a_store_that_is_whole_is_ready_and_one_with_a_torn_page_is_told() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    store.ready().await.unwrap();
    store.append((0..2000).map(|n| record(Some("s"), n)).collect());
    store.flush().await.unwrap();
    assert_eq!(store.damage().await.unwrap(), None);
    run(&store, "PRAGMA wal_checkpoint(TRUNCATE)").await;
    drop(store);
    // A page in the middle, so that the file still opens.
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    assert!(store.schema_version().await.is_ok());
    match store.damage().await {
        Ok(found) => assert!(!found.unwrap().contains('\n')),
        Err(error) => check_unavailable(&error, "the store is damaged", &path),
    }
}

#[tokio::test]
async fn the_conversations_that_were_idle_for_longest_make_room() {
    let retention = Retention { max_sessions: 10, ..Retention::default() };
    let store = SqliteStore::open_with(None, retention).await.unwrap();
    // One is said something in again and again, and a clock that goes backwards changes nothing.
    for n in 0..1_100 {
        store.save_session(&format!("s{n}"), &flagged("x")).await.unwrap();
        store.save_session("busy", &flagged("yes")).await.unwrap();
        if n == 600 {
            run(&store, "UPDATE sessions SET updated_us = 9223372036854775807 WHERE id < 's5'")
                .await;
        }
    }
    let kept: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sessions").fetch_one(&store.quick).await.unwrap();
    assert!(kept <= 10 + COUNTED_EVERY, "{kept}");
    assert_eq!(store.session("busy").await.unwrap(), flagged("yes"));
    assert_eq!(store.session("s1099").await.unwrap(), flagged("x"));
    for gone in ["s0", "s400", "s500"] {
        assert_eq!(store.session(gone).await.unwrap(), Session::default(), "{gone}");
    }
}

#[tokio::test]
async fn what_is_kept_of_a_turn_is_bounded_in_bytes() {
    let (_folder, path) = file();
    let store = SqliteStore::open(Some(&path)).await.unwrap();
    let mut session = flagged("yes");
    session.answer = Some("x".repeat(2_000_000));
    store.save_session("s", &session).await.unwrap();
    let kept = store.session("s").await.unwrap();
    assert_eq!((kept.flags, kept.left_out), (flagged("yes").flags, vec!["answer".to_owned()]));
    let large = Label { text: "x".repeat(2_000_000), ..label("s", 1) };
    let error = store.save_labels(&[large]).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let event = Event::Dropped { what: "w".to_owned(), why: "x".repeat(2_000_000) };
    store.append(vec![Record { event, ..record(Some("s"), 1) }]);
    store.flush().await.unwrap();
    let size: i64 = sqlx::query_scalar("SELECT length(body) FROM events")
        .fetch_one(&store.quick)
        .await
        .unwrap();
    assert!(size < 256 * 1024, "{size}");
    assert_eq!(store.dropped(), 0);
}

#[tokio::test]
async fn what_waits_to_be_written_is_bounded_in_bytes() {
    let store = SqliteStore::open(None).await.unwrap();
    let event = |n| Record {
        event: Event::Dropped { what: "w".to_owned(), why: "x".repeat(100_000) },
        ..record(None, n)
    };
    // Fewer than may wait by their number.
    let turn = store.turns.lock().await;
    store.append((0..1_500).map(event).collect());
    assert!(store.dropped() > 500, "{}", store.dropped());
    drop(turn);
    store.flush().await.unwrap();
    let kept = store.events(&Filter::default(), 2_000).await.unwrap().len() as u64;
    assert_eq!(kept + store.dropped(), 1_500);
}

#[tokio::test]
async fn a_forgotten_name_is_not_kept_and_its_tombstone_ends() {
    let store = SqliteStore::open(None).await.unwrap();
    let begun = store.era().await.unwrap();
    store.forget("clinic/ana").await.unwrap();
    let names: Vec<String> =
        sqlx::query_scalar("SELECT name FROM tombstones").fetch_all(&store.quick).await.unwrap();
    assert!(names.len() == 1 && !names[0].contains("ana"), "{names:?}");
    run(&store, "UPDATE tombstones SET written_us = 0").await;
    let era = store.era().await.unwrap();
    store.append(vec![Record { era, ..record(Some("other"), 1) }]);
    store.flush().await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM tombstones")
        .fetch_one(&store.quick)
        .await
        .unwrap();
    assert_eq!(left, 0);
    // Who held something before cannot know any more, and what begins now can.
    assert!(store.was_forgotten("other", begun).await.unwrap());
    assert!(!store.was_forgotten("other", store.era().await.unwrap()).await.unwrap());
    assert_eq!(store.era().await.unwrap().forgotten(), 1, "a number is not given twice");
    assert!(store.was_forgotten("other", Era::after(9)).await.unwrap(), "of another file");
}
