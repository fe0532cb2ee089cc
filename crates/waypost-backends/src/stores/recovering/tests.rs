//! A store that comes, goes and comes again.

use serde_json::json;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use waypost_core::records::event::Event;
use waypost_core::records::label::{LabelKind, Verdict};

use super::super::SqliteStore;
use super::*;

fn record() -> Record {
    Record {
        decision_id: "d".to_owned(),
        session_id: None,
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        era: Era::default(),
        event: Event::Dropped { what: "w".to_owned(), why: "x".to_owned() },
    }
}

fn label(id: &str) -> Label {
    Label {
        decision_id: id.to_owned(),
        session_id: None,
        owner: None,
        pack: "p".to_owned(),
        at: "2025-11-06T08:00:00Z".to_owned(),
        kind: LabelKind::Feedback,
        text: "tides".to_owned(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict: Verdict::Wrong,
    }
}

fn flagged(flag: &str) -> Session {
    let mut session = Session::default();
    session.flags.insert(flag.to_owned(), json!(true));
    session
}

/// A folder that is a file at first, and the path of a store in it.
fn blocked() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("home"), "no folder").unwrap();
    let path = folder.path().join("home/waypost.db");
    (folder, path)
}

async fn over(path: &Path, every: Duration) -> (Recovering, Option<Error>) {
    let path = path.to_owned();
    let open = move || -> Opening {
        let path = path.clone();
        Box::pin(
            async move { Ok(Arc::new(SqliteStore::open(Some(&path)).await?) as Arc<dyn Store>) },
        )
    };
    Recovering::looking_every(every, open).await
}

async fn labels(path: &Path) -> Vec<Label> {
    let store = SqliteStore::open(Some(path)).await.unwrap();
    store.labels("p", 0, 9).await.unwrap().labels
}

#[tokio::test]
async fn nothing_is_acknowledged_that_is_not_kept_and_a_store_takes_over_when_it_is_there() {
    let (_folder, path) = blocked();
    let (store, fault) = over(&path, Duration::ZERO).await;
    assert_eq!(fault.unwrap().message(), "the store cannot be opened");
    for outcome in [
        store.ready().await,
        store.save_labels(&[label("a")]).await,
        store.take_back(&label("a")).await.map(drop),
        store.events(&Filter::default(), 1).await.map(drop),
        store.save_session("s", &flagged("a")).await,
        store.forget("other").await.map(drop),
    ] {
        assert_eq!(outcome.unwrap_err().code(), Code::Unavailable);
    }
    store.append(vec![record(), record()]);
    assert_eq!(store.lost(), 2);
    // The conversation goes on.
    assert_eq!(store.session("s").await.unwrap(), flagged("a"));
    std::fs::remove_file(path.parent().unwrap()).unwrap();
    store.ready().await.unwrap();
    store.save_labels(&[label("b")]).await.unwrap();
    assert_eq!(labels(&path).await, [label("b")]);
    assert_eq!(store.session("s").await.unwrap(), flagged("a"));
    store.save_session("s", &flagged("b")).await.unwrap();
    assert_eq!(store.session("s").await.unwrap(), flagged("b"));
    assert_eq!(store.lost(), 2, "what was lost stays lost");
    store.append(vec![record()]);
    store.flush().await.unwrap();
    assert_eq!(store.events(&Filter::default(), 9).await.unwrap(), [record()]);
}

#[tokio::test]
async fn what_a_store_knows_of_a_conversation_wins() {
    let (_folder, path) = blocked();
    let (store, _) = over(&path, Duration::ZERO).await;
    store.save_session("s", &flagged("said without it")).await.unwrap_err();
    std::fs::remove_file(path.parent().unwrap()).unwrap();
    let other = SqliteStore::open(Some(&path)).await.unwrap();
    other.save_session("s", &flagged("acknowledged")).await.unwrap();
    store.ready().await.unwrap();
    assert_eq!(store.session("s").await.unwrap(), flagged("acknowledged"));
}

#[tokio::test]
async fn a_store_is_looked_at_once_in_a_while() {
    let (_folder, path) = blocked();
    let (store, _) = over(&path, Duration::from_secs(3600)).await;
    std::fs::remove_file(path.parent().unwrap()).unwrap();
    for _ in 0..100 {
        assert!(store.ready().await.is_err());
        assert!(store.session("s").await.is_ok());
    }
    assert!(!path.exists(), "nobody looked again yet");
}

#[tokio::test]
async fn a_file_that_was_moved_away_takes_no_acknowledged_label_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waypost.db");
    let (store, _) = over(&path, Duration::ZERO).await;
    store.save_labels(&[label("a")]).await.unwrap();
    for name in ["waypost.db", "waypost.db-wal", "waypost.db-shm"] {
        let from = folder.path().join(name);
        std::fs::rename(&from, folder.path().join(format!("old-{name}"))).unwrap();
    }
    let error = store.save_labels(&[label("b")]).await.unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Unavailable, "the store was moved away"));
    store.ready().await.unwrap();
    store.save_labels(&[label("b")]).await.unwrap();
    assert_eq!(labels(&path).await, [label("b")]);
}

/// A store of which the disk is full from time to time.
#[derive(Debug, Default)]
struct Disk {
    store: MemoryStore,
    full: AtomicBool,
}

#[async_trait]
impl Store for Disk {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.store.turn(session).await
    }

    async fn session(&self, id: &str) -> Result<Session> {
        self.store.session(id).await
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        self.store.save_session(id, session).await
    }

    fn append(&self, events: Vec<Record>) {
        self.store.append(events);
    }

    async fn flush(&self) -> Result<()> {
        self.store.flush().await
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.store.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.store.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        if self.full.load(Ordering::Relaxed) {
            return Err(Error::unavailable("the store is full").with_severity(Severity::Retriable));
        }
        self.store.save_labels(labels).await
    }

    async fn forget(&self, id: &str) -> Result<Forgotten> {
        self.store.forget(id).await
    }
}

#[tokio::test]
async fn a_write_that_failed_is_held_against_a_store_until_one_succeeds() {
    let disk = Arc::new(Disk::default());
    let opened = Arc::clone(&disk);
    let open = move || -> Opening {
        let opened: Arc<dyn Store> = Arc::clone(&opened) as Arc<dyn Store>;
        Box::pin(async move { Ok(opened) })
    };
    let (store, _) = Recovering::looking_every(Duration::ZERO, open).await;
    store.ready().await.unwrap();
    disk.full.store(true, Ordering::Relaxed);
    store.save_labels(&[label("a")]).await.unwrap_err();
    // A look that writes nothing large succeeds, and is not believed.
    assert_eq!(store.ready().await.unwrap_err().message(), "the store is full");
    disk.full.store(false, Ordering::Relaxed);
    store.save_labels(&[label("a")]).await.unwrap();
    store.ready().await.unwrap();
}
