//! A server over a pack of two routes, with two students of it, a model that does as it is told, and
//! a store that can be read.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::ports::model::{Model, Prompt, Reply, Slot};
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
use crate::tiny::students;

pub(super) const NOW: &str = "2025-11-06T09:00:00Z";
/// The limits of tests in which nobody is slow.
pub(super) const LIMITS: Limits = Limits {
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
pub(super) enum Behavior {
    /// It talks; what the student is sure of never reaches it.
    Talks,
    /// It is asked about everything, and waits until it may go on or is cancelled.
    Waits,
}

/// A model that tells when it is asked and when it is cancelled.
#[derive(Debug)]
pub(super) struct Told {
    behavior: Behavior,
    pub(super) entered: Notify,
    pub(super) go_on: Notify,
    pub(super) cancelled: Notify,
}

#[async_trait]
impl Model for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    async fn complete(&self, _: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        if self.behavior == Behavior::Waits {
            self.entered.notify_one();
            tokio::select! {
                () = self.go_on.notified() => {}
                () = cancel.cancelled() => {
                    self.cancelled.notify_one();
                    return Err(Error::new(Code::Cancelled, "the model was stopped"));
                }
            }
        }
        let text = json!({ "decision": "help", "confidence": 0.99, "rationale": "told so" });
        Ok(Reply { text: text.to_string(), tokens: None, truncated: false })
    }

    async fn stream(
        &self,
        _: &Prompt,
        _: &CancellationToken,
    ) -> Result<BoxStream<'static, Result<String>>> {
        Ok(stream::iter([Ok("some ".to_owned()), Ok("words".to_owned())]).boxed())
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
    address: SocketAddr,
    pub(super) pack: String,
    pub(super) bundles: &'static [Arc<Bundle>; 2],
    pub(super) served: Arc<Served>,
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
    let (pack, bundles) = students();
    let [entered, go_on, cancelled] = [Notify::new(), Notify::new(), Notify::new()];
    let model = Arc::new(Told { behavior, entered, go_on, cancelled });
    let metrics = Arc::new(Metrics::default());
    let store: Arc<dyn Store> =
        Arc::new(Behind::new(Metered(Arc::clone(&metrics)), Arc::new(MemoryStore::new())));
    let off = Key::find("layer.linear").filter(|_| behavior == Behavior::Waits);
    let off = off.map(|key| (key, Setting::Off));
    let router = Router::new(Parts {
        pack: Arc::clone(pack),
        bundle: Arc::clone(&bundles[0]).into(),
        models: BTreeMap::from([(Slot::Main, Arc::<Told>::clone(&model) as Arc<dyn Model>)]),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::new(Shelf),
        store: Arc::clone(&store),
        clock: Arc::new(SystemClock::new()),
        rollout: Rollout::new(&BTreeMap::new(), &off.into_iter().collect()).unwrap(),
        recall: None,
    });
    let served = Served::new(router, store, metrics, limits).with_versions(versions);
    let served = Arc::new(served);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(serve(listener, Arc::clone(&served), std::future::pending()));
    Running { address, pack: pack.id.clone(), bundles, served, model, serving }
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
