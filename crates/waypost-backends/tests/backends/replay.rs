//! Decisions that were written down are made again, all of them, after the process is gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::Recall;
use waypost::pack::{Pack, Tool};
use waypost::respond::execution::Servers;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost_backends::stores::{Behind, Redacting, SqliteStore};
use waypost_core::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot};
use waypost_core::ports::store::{Filter, Store};
use waypost_core::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost_core::records::event::{Event, Record};
use waypost_core::records::request::Request;
use waypost_core::records::rollout::{Key, Rollout, Setting, Share};
use waypost_core::{Code, Error, Result};
use waypost_learning::Bundle;
use waypost_testing::{EmptyShelf, Shipped, StillClock};

const PACKS: [&str; 3] = ["ocean", "malaria", "platform"];
/// Turns of each pack; together more than ten thousand.
const TURNS: u64 = 3_400;

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_decisions_replay_identically_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("waypost.db");
    for name in PACKS {
        let store = Arc::new(SqliteStore::open(Some(&file)).await.unwrap());
        live(name, &store).await;
        store.flush().await.unwrap();
    }
    let mut seen = Seen::default();
    for name in PACKS {
        // Another router over the file: only the records of the first one are left.
        let store = Arc::new(SqliteStore::open(Some(&file)).await.unwrap());
        let router = router(name, Outside::Gone, &store);
        let filter = Filter {
            pack: Some(name.to_owned()),
            kind: Some("router_event".to_owned()),
            ..Filter::default()
        };
        let mut from = Some(0);
        while let Some(at) = from {
            let page = store.page(&filter, at, 500).await.unwrap();
            assert_eq!(page.unreadable, 0);
            for record in &page.records {
                seen.add(record);
                let replayed = router.replay(record).await.unwrap();
                assert!(replayed.same, "{record:?}\n{:?}", replayed.differs);
                assert!(!replayed.foreign && !replayed.asks && replayed.kernel.is_none());
            }
            from = page.next;
        }
    }
    assert_eq!(seen.turns, TURNS * PACKS.len() as u64);
    // The test proves its point only if everything that can come from outside did come.
    for (what, count) in [
        ("replies", seen.replied),
        ("faults of the model", seen.failed),
        ("recalled", seen.recalled),
        ("with something off", seen.off),
        ("with memory", seen.remembered),
        ("clicked", seen.clicked),
    ] {
        assert!(count >= 50, "{what}: {count}");
    }
}

#[tokio::test]
async fn what_was_redacted_is_not_replayed() {
    let inner = Arc::new(SqliteStore::open(None).await.unwrap());
    let router = router("platform", Outside::Alone, &inner);
    let store = Behind::new(Redacting, Arc::<SqliteStore>::clone(&inner));
    for (text, is_plain) in [("how do I sort a list", true), ("mail me@example.com a list", false)]
    {
        let request =
            Request { now: Some("2025-11-06".to_owned()), ..Request::new(text.to_owned()) };
        let (out, _pieces) = tokio::sync::mpsc::channel(64);
        let cancel = CancellationToken::new();
        router.answer(&request, AnswerOptions::default(), &out, &cancel).await.unwrap();
        inner.flush().await.unwrap();
        let filter = Filter { kind: Some("router_event".to_owned()), ..Filter::default() };
        let record = inner.events(&filter, 1).await.unwrap().remove(0);
        store.append(vec![record]);
        store.flush().await.unwrap();
        let kept = inner.events(&filter, 1).await.unwrap().remove(0);
        let replayed = router.replay(&kept).await;
        assert_eq!(replayed.as_ref().is_ok_and(|replayed| replayed.same), is_plain, "{text}");
        let code = replayed.err().map(|error| error.code());
        assert_eq!(code, (!is_plain).then_some(Code::FailedPrecondition), "{text}");
    }
}

#[derive(Debug, Default)]
struct Seen {
    turns: u64,
    replied: u64,
    failed: u64,
    recalled: u64,
    off: u64,
    remembered: u64,
    clicked: u64,
}

impl Seen {
    fn add(&mut self, record: &Record) {
        let Event::RouterEvent(routed) = &record.event else { panic!("{record:?}") };
        let asked = routed.request.as_ref().unwrap();
        let said = routed.replies.said.as_ref();
        self.turns += 1;
        self.replied += u64::from(said.is_some_and(|said| said.text.is_some()));
        self.failed += u64::from(said.is_some_and(|said| said.fault.is_some()));
        self.recalled += u64::from(routed.replies.recalled.is_some());
        self.off += u64::from(!asked.off.is_empty());
        self.remembered += u64::from(asked.remembered);
        self.clicked += u64::from(asked.choice.is_some());
        // Free text of the platform is never written down.
        assert!(asked.context.extra.is_none());
    }
}

/// The parts of a router that are outside of it.
#[derive(Clone, Copy, PartialEq)]
enum Outside {
    /// A model that says anything.
    Model,
    /// No model, and some parts are off for some conversations.
    Alone,
    /// Nothing.
    Gone,
}

/// Answers the turns of a pack: its own cases in an order of chance, some in
/// conversations, some with a click on what was just offered.
async fn live(name: &str, store: &Arc<SqliteStore>) {
    let cases = cases(name);
    let routers = [router(name, Outside::Model, store), router(name, Outside::Alone, store)];
    let mut chance = Chance(7);
    let mut offered: BTreeMap<String, Json> = BTreeMap::new();
    let (out, mut pieces) = tokio::sync::mpsc::channel(64);
    let drain = tokio::spawn(async move { while pieces.recv().await.is_some() {} });
    for turn in 0..TURNS {
        // Some are asked far more often than others, as people do.
        let most = chance.below(cases.len() as u64) + 1;
        let mut request = cases[chance.below(most) as usize].clone();
        request.now = Some(instant(turn));
        request.trusted = chance.below(3) == 0;
        if chance.below(8) == 0 {
            request.context.extra = Some("account 12-34, balance 7".to_owned());
        }
        if chance.below(3) == 0 {
            let session = format!("{name}-{}", chance.below(200));
            if let Some(choice) = offered.remove(&session).filter(|_| chance.below(2) == 0) {
                request.choice = Some(choice);
            }
            request.session = Some(session);
        }
        let router = &routers[chance.below(2) as usize];
        let cancel = CancellationToken::new();
        let answer =
            router.answer(&request, AnswerOptions::default(), &out, &cancel).await.unwrap();
        if let (Some(session), Some(choice)) = (request.session, answer.choices.first()) {
            offered.insert(session, choice.value.clone());
        }
        if turn % 256 == 0 {
            store.flush().await.unwrap();
        }
    }
    drop(out);
    drain.await.unwrap();
}

/// The instants of the turns: two days, one turn after the other.
fn instant(turn: u64) -> String {
    let second = turn * 2 * 86_400 / TURNS;
    let (day, second) = (6 + second / 86_400, second % 86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("2025-11-{day:02}T{hour:02}:{minute:02}:{second:02}+08:00")
}

fn router(name: &str, outside: Outside, store: &Arc<SqliteStore>) -> Router {
    let shipped = Shipped::named(name);
    let pack = Pack::load(&shipped.files).unwrap();
    let bundle = Bundle::from_bytes(&shipped.student).unwrap();
    let mut models: BTreeMap<Slot, Arc<dyn Model>> = BTreeMap::new();
    if outside == Outside::Model {
        models.insert(Slot::Main, Arc::new(Moody::of(&pack)));
    }
    let half = Setting::Share(Share::try_from("50%".to_owned()).unwrap());
    let settings: &[(&str, Setting)] = match outside {
        // The model gets something to decide.
        Outside::Model => &[("layer.linear", half)],
        Outside::Alone => {
            &[("matcher.fuzzy", half), ("layer.rules", half), ("layer.linear", Setting::Shadow)]
        }
        Outside::Gone => &[],
    };
    let settings = settings.iter().map(|(key, setting)| (Key::find(key).unwrap(), *setting));
    let servers: Servers = pack
        .spec
        .servers
        .iter()
        .map(|server| (server.name.clone(), Arc::new(Fair::of(&pack)) as Arc<dyn ToolServer>))
        .collect();
    Router::new(Parts {
        recall: Some(Arc::new(Recall::of(&pack.spec.policy))),
        rollout: Rollout::new(&BTreeMap::new(), &settings.collect()).unwrap(),
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models,
        servers,
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::<SqliteStore>::clone(store),
        clock: Arc::new(StillClock),
    })
}

fn cases(name: &str) -> Vec<Request> {
    let cases = &Shipped::named(name).files["cases.jsonl"];
    cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Numbers of chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        // Source: Knuth's constants for a linear congruential generator of 64 bits (MMIX).
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A model that says now this, now that, and at times nothing: its replies do not predict each
/// other, so that only a record can tell.
#[derive(Debug)]
struct Moody {
    routes: Vec<String>,
    tools: Vec<String>,
    asked: AtomicU64,
}

impl Moody {
    fn of(pack: &Pack) -> Self {
        let routes = pack.spec.routes.iter().map(|route| route.name.clone()).collect();
        // Not every pack has tools; a name that does not exist is one of the model's faults.
        let tools = pack.tools.iter().map(|tool| tool.spec.name.clone());
        let tools = tools.chain(["no.such.tool".to_owned()]).collect();
        Self { routes, tools, asked: AtomicU64::new(0) }
    }
}

#[async_trait]
impl Model for Moody {
    fn name(&self) -> &'static str {
        "moody"
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let mut chance = Chance(asked);
        chance.below(2);
        let route = &self.routes[chance.below(self.routes.len() as u64) as usize];
        let tool = &self.tools[chance.below(self.tools.len() as u64) as usize];
        let confidence = [0.3, 0.7, 0.97, 0.99, 0.999][chance.below(5) as usize];
        let interprets = prompt.schema.as_ref().is_some_and(|(name, _)| name == "interpretation");
        let text = match (asked % 9, interprets) {
            (0, _) => return Err(Error::unavailable("the model is away")),
            (1, _) => return Err(Error::new(Code::DeadlineExceeded, "the model is slow")),
            (2, _) => "I would rather not say.".to_owned(),
            (_, true) => json!({ "tool": null, "args": {}, "confidence": confidence }).to_string(),
            (_, false) => json!({
                "decision": route, "confidence": confidence,
                "tool": { "name": tool, "arguments": { "date": "2025-11-0".to_owned() + &(asked % 9).to_string() } },
                "rationale": format!("mood {asked}"),
            })
            .to_string(),
        };
        Ok(Reply { text, usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Ok(futures_util::stream::iter([Ok(Piece::from("an answer"))]).boxed())
    }
}

/// A tool server that says yes to everything, and lists these tools as ones that read.
#[derive(Debug)]
struct Fair(Vec<ToolDescription>);

impl Fair {
    fn of(pack: &Pack) -> Self {
        let hints = Hints { read_only: Some(true), ..Hints::default() };
        let listed = |tool: &Tool| ToolDescription {
            name: tool.spec.remote_name().to_owned(),
            hints,
            ..ToolDescription::default()
        };
        Self(pack.tools.iter().map(listed).collect())
    }
}

#[async_trait]
impl ToolServer for Fair {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Ok(self.0.clone())
    }

    async fn call(
        &self,
        _: &str,
        _: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        Ok(json!({ "mean": 27.316_666_666_666_67 }).into())
    }
}
