//! A server over a pack of two routes, with two students of it, a model that does as it is told, and
//! a store that can be read.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot};
use waypost::ports::retrieval::{Passage, Retriever};
use waypost::ports::store::{Filter, Store};
use waypost::records::rollout::{Key, Rollout, Setting};
use waypost::router::{Parts, Router};
use waypost::{Code, Error, Result};
use waypost_backends::clock::SystemClock;
use waypost_backends::stores::{Behind, MemoryStore};
use waypost_backends::students::Registry;

use super::super::{Limits, Metered, Metrics, Served, serve};
use super::client::Client;
use crate::config::Config;
use crate::keys::Keys;
use crate::surfaces::{Hosted, HostedPack};
use crate::tiny::students;

pub(in crate::surfaces) const NOW: &str = "2025-11-06T09:00:00Z";
/// The limits of tests in which nobody is slow.
pub(in crate::surfaces::http) const LIMITS: Limits = Limits {
    turns: 64,
    connections: 64,
    body_bytes: 4 * 1024 * 1024,
    head: MINUTE,
    body: MINUTE,
    write: MINUTE,
    grace: MINUTE,
    last_words: Duration::from_millis(80),
    silence: Duration::from_millis(20),
};
const MINUTE: Duration = Duration::from_secs(60);

/// The behavior of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::surfaces) enum Behavior {
    /// It talks; what the student is sure of never reaches it.
    Talks,
    /// It is asked about everything, and waits until it may go on or is cancelled.
    Waits,
    /// It is asked about everything, and takes a thread for good.
    Burns,
    /// It is asked about everything, and panics.
    Panics,
}

/// A model that tells when it is asked and when it is cancelled.
#[derive(Debug)]
pub(in crate::surfaces) struct Told {
    behavior: Behavior,
    pub(in crate::surfaces) entered: Notify,
    pub(in crate::surfaces) go_on: Notify,
    pub(in crate::surfaces) cancelled: Notify,
}

#[async_trait]
impl Model for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    async fn complete(&self, _: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        if self.behavior != Behavior::Talks {
            self.entered.notify_one();
        }
        match self.behavior {
            Behavior::Talks => {}
            Behavior::Burns => loop {
                std::thread::park();
            },
            Behavior::Panics => panic!("a secret of the program"),
            Behavior::Waits => tokio::select! {
                () = self.go_on.notified() => {}
                () = cancel.cancelled() => {
                    self.cancelled.notify_one();
                    return Err(Error::new(Code::Cancelled, "the model was stopped"));
                }
            },
        }
        let text = json!({ "decision": "help", "confidence": 0.99, "rationale": "told so" });
        Ok(Reply { text: text.to_string(), usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Ok(stream::iter([Ok(Piece::from("some ")), Ok(Piece::from("words"))]).boxed())
    }
}

/// Finds one document.
#[derive(Debug)]
struct Shelf;

#[async_trait]
impl Retriever for Shelf {
    async fn search(&self, _: &str, language: Language, _: usize) -> Result<Vec<Passage>> {
        Ok(vec![Passage {
            document: "docs/vars.en.md".to_owned(),
            headings: vec!["Variables".to_owned()],
            language,
            text: "addVar makes a variable.".to_owned(),
            score: 1.0,
        }])
    }
}

/// A server that runs, and what a test sees of it.
pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) pack: String,
    pub(super) bundles: &'static [Arc<Bundle>; 2],
    pub(super) served: Arc<Served>,
    pub(super) router: Arc<Router>,
    pub(super) model: Arc<Told>,
    serving: JoinHandle<std::io::Result<()>>,
}

pub(super) async fn start() -> Running {
    start_with(LIMITS, Behavior::Talks).await
}

pub(super) async fn start_with(limits: Limits, behavior: Behavior) -> Running {
    start_over(limits, behavior, None).await
}

/// Starts a server with these versions of its student.
pub(super) async fn start_over(
    limits: Limits,
    behavior: Behavior,
    versions: Option<Registry>,
) -> Running {
    let (parts, model) = parts(behavior, Arc::new(MemoryStore::new()));
    start_of(limits, parts, model, versions).await
}

/// Starts a server whose callers need these keys.
pub(super) async fn start_keyed(limits: Limits, keys: Keys, behavior: Behavior) -> Running {
    let (parts, model) = parts(behavior, Arc::new(MemoryStore::new()));
    start_as(limits, parts, model, None, |served| Served { keys, ..served }).await
}

/// Starts a server that speaks MCP, too, whose callers need these keys.
pub(super) async fn start_keyed_with_mcp(limits: Limits, keys: Keys) -> Running {
    let (parts, model) = parts(Behavior::Talks, Arc::new(MemoryStore::new()));
    let change = |served: Served| Served { keys, ..served.with_mcp([7; 32]) };
    start_as(limits, parts, model, None, change).await
}

/// Starts a server before the models of a configuration.
pub(super) async fn start_before(config: &Config, dry_run: bool) -> Running {
    let (parts, model) = parts(Behavior::Talks, Arc::new(MemoryStore::new()));
    let change = |served: Served| served.with_models(config).unwrap().with_dry_run(dry_run);
    start_as(LIMITS, parts, model, None, change).await
}

/// Starts a server before the models of a configuration, whose callers need these keys.
pub(super) async fn start_keyed_before(keys: Keys, config: &Config) -> Running {
    let (parts, model) = parts(Behavior::Talks, Arc::new(MemoryStore::new()));
    let change = |served: Served| Served { keys, ..served.with_models(config).unwrap() };
    start_as(LIMITS, parts, model, None, change).await
}

/// The parts of a router with a model that behaves so, and the model.
pub(in crate::surfaces) fn parts(behavior: Behavior, store: Arc<dyn Store>) -> (Parts, Arc<Told>) {
    let (pack, bundles) = students();
    let [entered, go_on, cancelled] = [Notify::new(), Notify::new(), Notify::new()];
    let model = Arc::new(Told { behavior, entered, go_on, cancelled });
    let off = Key::find("layer.linear").filter(|_| behavior != Behavior::Talks);
    let off = off.map(|key| (key, Setting::Off));
    let parts = Parts {
        pack: Arc::clone(pack),
        bundle: Arc::clone(&bundles[0]).into(),
        models: BTreeMap::from([(Slot::Main, Arc::<Told>::clone(&model) as Arc<dyn Model>)]),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(Shelf),
        store,
        clock: Arc::new(SystemClock::new()),
        rollout: Rollout::new(&BTreeMap::new(), &off.into_iter().collect()).unwrap(),
        recall: None,
    };
    (parts, model)
}

/// Starts a server over these parts.
pub(super) async fn start_of(
    limits: Limits,
    parts: Parts,
    model: Arc<Told>,
    versions: Option<Registry>,
) -> Running {
    start_as(limits, parts, model, versions, |served| served).await
}

/// Starts a server that is changed first.
async fn start_as(
    limits: Limits,
    parts: Parts,
    model: Arc<Told>,
    versions: Option<Registry>,
    change: impl FnOnce(Served) -> Served,
) -> Running {
    let metrics = Arc::new(Metrics::default());
    let store: Arc<dyn Store> =
        Arc::new(Behind::new(Metered(Arc::clone(&metrics)), Arc::clone(&parts.store)));
    let router = Arc::new(Router::new(Parts { store: Arc::clone(&store), ..parts }));
    let hosted = Hosted::new(vec![HostedPack::new(Arc::clone(&router), versions)]).unwrap();
    let served = change(Served::new(Arc::new(hosted), store, Keys::none(), metrics, limits));
    listen(Arc::new(served), router, model).await
}

async fn listen(served: Arc<Served>, router: Arc<Router>, model: Arc<Told>) -> Running {
    let (pack, bundles) = students();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let listener = listener.into_std().unwrap();
    let serving = tokio::spawn(serve(listener, Arc::clone(&served), std::future::pending()));
    Running { address, pack: pack.id.clone(), bundles, served, router, model, serving }
}

/// Threads for the turns alone, as many as given: those of the test are others.
pub(super) struct Threads(Option<Runtime>);

impl Threads {
    pub(super) fn new(count: usize) -> Self {
        let mut threads = tokio::runtime::Builder::new_multi_thread();
        Self(Some(threads.worker_threads(count).enable_all().build().unwrap()))
    }

    /// Starts a server whose turns run here.
    pub(super) async fn start(&self, limits: Limits, parts: Parts, model: Arc<Told>) -> Running {
        let router = Arc::new(Router::new(parts.clone()));
        let served = {
            let _here = self.0.as_ref().unwrap().enter();
            let (store, metrics) = (Arc::clone(&parts.store), Arc::new(Metrics::default()));
            let hosted = Hosted::new(vec![HostedPack::new(Arc::clone(&router), None)]).unwrap();
            Served::new(Arc::new(hosted), store, Keys::none(), metrics, limits)
        };
        listen(Arc::new(served), router, model).await
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

impl Running {
    pub(super) async fn client(&self) -> Client {
        Client::connect(self.address).await
    }

    /// Returns the events of the store, as they are written.
    pub(super) async fn kept(&self) -> Vec<Json> {
        let events = self.served.store.events(&Filter::default(), 1000).await.unwrap();
        events.iter().map(|record| json!(record)).collect()
    }

    pub(super) async fn stop(self) {
        self.served.brakes().0.cancel();
        self.ended().await;
    }

    pub(super) async fn ended(self) {
        self.serving.await.unwrap().unwrap();
    }
}
