//! `cargo run --release -p waypost-server --example plans`: how soon after a request the first step of its plan runs, and that neither
//! turns nor work that is cut off make the process grow.
//!
//! The pack is `accelerator`, the store a file, the tools answer at once; no model takes part.

#![expect(clippy::print_stdout, reason = "its tables are what it is for")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::{Files, Pack};
use waypost::ports::retrieval::{Passage, Retriever};
use waypost::ports::runs::RunFilter;
use waypost::ports::store::Store;
use waypost::ports::tools::{ToolDescription, ToolResult, ToolServer};
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Code, Error};
use waypost_backends::clock::SystemClock;
use waypost_backends::stores::SqliteStore;

/// The most that the way to the first step should take.
const GOAL: Duration = Duration::from_millis(1);
/// Turns of which the time is taken.
const TIMED: usize = 4_000;
/// Turns of the load, and the conversations that they are spread over.
const TURNS: usize = 10_000;
const SESSIONS: usize = 100;
/// Plans that are cut off.
const CUT_OFF: usize = 1_000;

/// Questions of people, each a plan of several calls.
const QUESTIONS: [&str; 8] = [
    "plot the beam current over the last 2 hours",
    "read QF1 and QD3 now",
    "vacuum of sector 3 since this morning, as a plot",
    "畫過去 4 小時的真空",
    "讀一下 QF1 現在的電流",
    "现在束流多少",
    "dòng chùm bây giờ bao nhiêu",
    "grafica la corriente del haz de las últimas 4 h",
];

/// Tools that answer at once, note when they are first called, and may hang.
#[derive(Debug, Default)]
struct Machine {
    first: Mutex<Option<Instant>>,
    hangs: Mutex<bool>,
    /// A call hangs now.
    hung: tokio::sync::Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ToolServer for Machine {
    async fn list(&self, _: &CancellationToken) -> waypost::Result<Vec<ToolDescription>> {
        Err(Error::new(Code::Unimplemented, "it has no list"))
    }

    async fn call(
        &self,
        tool: &str,
        _: &Map<String, Value>,
        _: &CancellationToken,
    ) -> waypost::Result<ToolResult> {
        lock(&self.first).get_or_insert_with(Instant::now);
        let hangs = *lock(&self.hangs) && !matches!(tool, "channel_finding" | "time_range_parsing");
        if hangs {
            self.hung.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(ToolResult::from(match tool {
            "channel_finding" => json!({ "addresses": ["RING:BEAM:CURRENT"], "count": 1 }),
            "time_range_parsing" => {
                json!({ "start": "2026-03-18T08:00:00+08:00", "end": "2026-03-18T10:00:00+08:00" })
            }
            "archiver_retrieval" => json!({ "series": [], "start": "", "end": "" }),
            "channel_read" => json!({ "values": [] }),
            _ => json!({ "summary": "done" }),
        }))
    }
}

#[derive(Debug)]
struct EmptyShelf;

#[async_trait]
impl Retriever for EmptyShelf {
    async fn search(
        &self,
        _: &str,
        _: waypost::language::Language,
        _: usize,
    ) -> waypost::Result<Vec<Passage>> {
        Ok(Vec::new())
    }
}

/// The router, its tools, and its store.
struct Scene {
    router: Router,
    machine: Arc<Machine>,
    store: Arc<SqliteStore>,
}

impl Scene {
    async fn new(file: &std::path::Path) -> Result<Self> {
        let pack = pack()?;
        let bundle = train_student(&pack, None, &mut |_| {})?;
        let machine = Arc::new(Machine::default());
        let store = Arc::new(SqliteStore::open(Some(file)).await?);
        let server: Arc<dyn ToolServer> = Arc::<Machine>::clone(&machine);
        let kept: Arc<dyn Store> = Arc::<SqliteStore>::clone(&store);
        let router = Router::new(Parts {
            pack: Arc::new(pack),
            bundle: Arc::new(bundle).into(),
            models: BTreeMap::new(),
            servers: BTreeMap::from([("accelerator".to_owned(), server)]),
            encoder: None,
            retriever: Arc::new(EmptyShelf),
            store: kept,
            clock: Arc::new(SystemClock::default()),
            rollout: Rollout::default(),
            recall: None,
        });
        Ok(Self { router, machine, store })
    }

    /// Answers a question, and returns how long it took until the first tool was called. Work that hangs is dropped.
    async fn answer(&self, number: usize, session: Option<String>) -> Result<Duration> {
        let mut request = Request::new(QUESTIONS[number % QUESTIONS.len()]);
        request.now = Some(format!(
            "2026-03-18T10:{:02}:{:02}.{number:06}+08:00",
            number / 60 % 60,
            number % 60
        ));
        request.session = session;
        let (out, mut pieces) = tokio::sync::mpsc::channel(64);
        pieces.close();
        *lock(&self.machine.first) = None;
        let cancel = CancellationToken::new();
        let started = Instant::now();
        let answer = self.router.answer(&request, AnswerOptions::default(), &out, &cancel);
        tokio::select! {
            answer = answer => drop(answer?),
            () = self.machine.hung.notified() => {}
        }
        let first = *lock(&self.machine.first);
        Ok(first.context("no tool was called")?.duration_since(started))
    }
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("waypost-plans-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let measured = runtime.block_on(measure(&folder.join("waypost.db")));
    fs::remove_dir_all(&folder)?;
    measured
}

async fn measure(file: &std::path::Path) -> Result<()> {
    let scene = Scene::new(file).await?;
    println!("| what | p50 | p99 | goal |\n|---|--:|--:|--:|");
    for (what, session) in [("without a conversation", false), ("in a conversation", true)] {
        let mut times = Vec::with_capacity(TIMED);
        for number in 0..TIMED {
            let session = session.then(|| format!("timed {}", number % SESSIONS));
            times.push(scene.answer(number, session).await?);
        }
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        let micros = [at(50), at(99), GOAL].map(|time| time.as_micros().to_string() + " µs");
        println!("| from the request to its first step, {what} | {} |", micros.join(" | "));
    }
    println!("\n| what | resident before | after |\n|---|--:|--:|");
    load(&scene, TURNS / 10).await?;
    let before = resident()?;
    load(&scene, TURNS).await?;
    println!(
        "| {TURNS} turns of {SESSIONS} conversations | {before:.1} MB | {:.1} MB |",
        resident()?
    );
    let before = resident()?;
    *lock(&scene.machine.hangs) = true;
    for number in 0..CUT_OFF {
        scene.answer(0, Some(format!("cut {number}"))).await?;
    }
    println!("| {CUT_OFF} plans that are cut off | {before:.1} MB | {:.1} MB |", resident()?);
    let log = scene.store.runs().context("a record of runs")?;
    let open = RunFilter { open: true, ..RunFilter::default() };
    let open = log.list(&open, 2 * CUT_OFF).await?;
    let halfway = open.iter().filter(|kept| kept.run.finished() == 2).count();
    println!(
        "\n{} of the plans that were cut off are on record, {halfway} of them with the two steps that had ended.",
        open.len()
    );
    Ok(())
}

async fn load(scene: &Scene, turns: usize) -> Result<()> {
    for number in 0..turns {
        scene.answer(number, Some(format!("load {}", number % SESSIONS))).await?;
    }
    Ok(())
}

/// The memory that this process holds, in megabytes.
fn resident() -> Result<f64> {
    let status =
        fs::read_to_string("/proc/self/status").context("memory is read on Linux alone")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().next().context("VmRSS")?.parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}

/// The pack of this repository, without its articles.
fn pack() -> Result<Pack> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/accelerator");
    let mut files = Files::new();
    for name in ["pack.yaml", "channels.yaml", "examples.jsonl"] {
        files.insert(name.to_owned(), fs::read_to_string(format!("{folder}/{name}"))?);
    }
    Pack::load(&files).map_err(|faults| anyhow::anyhow!("the pack has {} faults", faults.len()))
}
