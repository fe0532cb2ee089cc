//! The router: the parts it works with, and the ways in that decide without answering. The flow of
//! an answer is in `answer`. Only here are events emitted and sessions written.

mod answer;
mod audit;
mod earlier;
mod lessons;
mod memory;
mod runs;
mod tested;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost_core::error::{Error, Result};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::model::{Model, Slot};
use waypost_core::ports::retrieval::Retriever;
use waypost_core::ports::store::Store;
use waypost_core::ports::warmup::warm;
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::Decision;
use waypost_core::records::era::Era;
use waypost_core::records::event::{Event, Purpose, Record};
use waypost_core::records::label::Label;
use waypost_core::records::request::{Context, Request};
use waypost_core::records::rollout::{Rollout, Share};
use waypost_learning::Bundle;
use waypost_learning::drift;

use self::lessons::Lessons;
pub use self::memory::SessionTurn;
use crate::decide::cascade::{DecisionDependencies, Layer, OwnLayer, Recall, Teaching, declared};
use crate::decide::{Found, Matchers, decide, find_tools, identity};
use crate::feedback::audit::Audits;
use crate::feedback::replay::{ReplayDependencies, Replayed, replay};
use crate::feedback::{self, Feedback};
use crate::observe::drift_monitor::DriftMonitor;
use crate::observe::ledger::Ledger;
use crate::observe::meter::{Meter, MeteredModel};
use crate::observe::shadow::Once;
use crate::observe::why::{Nearest, Why, nearest_examples, why};
use crate::pack::messages::Messages;
use crate::pack::spec::Access;
use crate::pack::{Pack, Tool};
use crate::respond::execution::{Known, Offered, Servers};
use crate::respond::render::Renderer;
use crate::student::in_service::InService;
use crate::understand::matcher::Matcher;
use crate::understand::{Permits, Turn, ingest};

/// Everything that a router works with: passed, never global.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The pack that it serves.
    pub pack: Arc<Pack>,
    /// The student in service.
    pub bundle: InService,
    /// The models that are configured.
    pub models: BTreeMap<Slot, Arc<dyn Model>>,
    /// The servers that run the tools.
    pub servers: Servers,
    /// Turns words into vectors, if one is configured.
    pub encoder: Option<Arc<dyn Encoder>>,
    /// Looks up documents.
    pub retriever: Arc<dyn Retriever>,
    /// Remembers sessions and events.
    pub store: Arc<dyn Store>,
    /// Measures and waits.
    pub clock: Arc<dyn Clock>,
    /// The rollout of layers, matchers and handlers.
    pub rollout: Rollout,
    /// The decisions that models made before; `None` asks them each time.
    pub recall: Option<Arc<Recall>>,
}

/// Decides and answers.
#[derive(Debug)]
pub struct Router {
    parts: Parts,
    messages: Messages,
    renderer: Renderer,
    audits: Option<Audits>,
    drift_monitor: Option<DriftMonitor>,
    layers: Vec<OwnLayer>,
    matchers: Vec<Arc<dyn Matcher>>,
    known: Known,
    offered: Offered,
    teaching: Teaching,
    belief: Belief,
    lessons: Lessons,
}

/// The options of an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerOptions {
    /// True if the answer carries timings, tries and relaxations.
    pub trace: bool,
}

impl Router {
    /// A router over these parts.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            messages: Messages::default(),
            renderer: Renderer::default(),
            audits: None,
            drift_monitor: None,
            layers: Vec::new(),
            matchers: Vec::new(),
            known: Known::default(),
            offered: Offered::default(),
            teaching: Teaching::default(),
            belief: Belief::default(),
            lessons: Lessons::default(),
        }
    }

    /// Asks these layers right after the rules, in this order; see [`OwnLayer`].
    #[must_use]
    pub fn with_layers(self, layers: Vec<Arc<dyn Layer>>) -> Self {
        Self { layers: layers.into_iter().map(OwnLayer::new).collect(), ..self }
    }

    /// Believes the model that decides as far as it was right on the pack before.
    #[must_use]
    pub fn believing(self, belief: Belief) -> Self {
        Self { belief, ..self }
    }

    /// Asks these matchers before the defaults of the pack, in this order.
    #[must_use]
    pub fn with_matchers(self, matchers: Vec<Arc<dyn Matcher>>) -> Self {
        Self { matchers, ..self }
    }

    /// Watches whether traffic is still what the student in service has been seeing.
    #[must_use]
    pub fn watching(self, watch: drift::DriftOptions) -> Self {
        Self { drift_monitor: Some(DriftMonitor::new(watch)), ..self }
    }

    /// Puts this share of what the student decides before a model, in the background: who serves
    /// runs [`Router::audit`] beside.
    #[must_use]
    pub fn auditing(self, share: Share) -> Self {
        Self { audits: (!share.is_none()).then(|| Audits::new(share)), ..self }
    }

    /// The pack that it serves.
    pub fn pack(&self) -> &Pack {
        &self.parts.pack
    }

    /// The access of a tool to the world, as the pack says it or its server was heard to hint; `None`
    /// until somebody did.
    pub fn access(&self, tool: &Tool) -> Option<Access> {
        let heard = || self.known.unsaid(&self.parts.pack).get(&tool.spec.name).copied();
        tool.spec.access.or_else(heard)
    }

    /// The student that decides now.
    pub fn bundle(&self) -> Arc<Bundle> {
        self.parts.bundle.snapshot()
    }

    /// Puts another student in service, and returns the one before. Requests under way end with the
    /// one that they began with.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a student that is not of this pack; the one in service stays.
    pub fn swap(&self, bundle: Arc<Bundle>) -> Result<Arc<Bundle>> {
        self.parts.bundle.swap(&self.parts.pack, bundle)
    }

    /// The sentences of Waypost's own.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Decides only: reads and writes no session, runs nothing, and emits no events but those of
    /// dropped parts of the request and of model calls, which cost as much as in an answer.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request that cannot be read; `CANCELLED`.
    pub async fn route(&self, request: &Request, cancel: &CancellationToken) -> Result<Decision> {
        let request = &*declared::as_meant(&self.parts.pack, request);
        let bundle = self.bundle();
        self.lessons.settle(self.parts.store.as_ref()).await;
        // Of a store that is not there, the era is before all: what was forgotten is not written anew.
        let era = match &request.session {
            Some(_) => self.parts.store.era().await.unwrap_or_default(),
            None => Era::default(),
        };
        let mut turn = self.ingest(request, request.context.clone())?;
        turn.era = era;
        turn.permits.gone = self.gone(request, cancel).await;
        let meter = Meter::new(&self.parts.clock, &self.parts.pack);
        let model = self.deciding(&meter);
        let model = model.as_ref().map(|model| model as &dyn Model);
        let dependencies = self.dependencies(&bundle, model, cancel);
        let decision = decide(&turn, &dependencies, &self.messages).await?.decision;
        // A turn that is only looked at has no other events.
        let mut ledger = Ledger::default();
        ledger.note(dropped(request));
        ledger.note(meter.take(&decision.route, Purpose::Decide));
        if !ledger.is_empty() {
            self.emit(&turn, &decision, ledger);
        }
        Ok(decision)
    }

    /// The tools that are not there for a caller: their servers do not offer them now, or the caller may not use them.
    async fn gone(&self, request: &Request, cancel: &CancellationToken) -> BTreeSet<String> {
        let Parts { pack, servers, clock, .. } = &self.parts;
        let mut gone = self.offered.gone(pack, servers, clock.as_ref(), cancel).await;
        let names = pack.tools.iter().map(|tool| &tool.spec.name);
        gone.extend(names.filter(|name| !request.may_use(name)).cloned());
        gone
    }

    /// The model that decides, where one is configured, its calls noted by `meter`.
    fn deciding<'a>(&'a self, meter: &'a Meter) -> Option<MeteredModel<'a>> {
        let model = self.parts.models.get(&Slot::Main)?;
        Some(meter.model(Slot::Main, model.as_ref()))
    }

    /// Wakes the models that the pack's routes ask for, for a process that goes on to serve; returns
    /// the faults by slot. The work holds on to nothing of this router but its models.
    pub fn warm(
        &self,
        cancel: CancellationToken,
    ) -> impl Future<Output = Vec<(Slot, Error)>> + Send + use<> {
        let models = self.parts.models.clone();
        let mut slots: Vec<Slot> =
            self.parts.pack.spec.routes.iter().filter_map(|route| route.model).collect();
        slots.sort_unstable();
        slots.dedup();
        async move { warm(&models, &slots, &cancel).await }
    }

    /// Reads what the model that decides is shown of the pack, where there is one: it takes a second for ten thousand examples,
    /// and without this the first question waits for it.
    pub fn read_examples(&self) {
        if self.parts.models.contains_key(&Slot::Main) {
            self.teaching.read(&self.parts.pack);
        }
    }

    /// Decides as [`Router::route`] does, and says why: reads and writes no session, runs nothing,
    /// and asks a model at most once.
    ///
    /// # Errors
    ///
    /// As [`Router::route`].
    pub async fn why(&self, request: &Request, cancel: &CancellationToken) -> Result<Why> {
        let request = &*declared::as_meant(&self.parts.pack, request);
        let bundle = self.bundle();
        self.lessons.settle(self.parts.store.as_ref()).await;
        let turn = self.ingest(request, request.context.clone())?;
        let once = self.parts.models.get(&Slot::Main).map(|model| Once::new(model.as_ref()));
        let model = once.as_ref().map(|once| once as &dyn Model);
        let dependencies = self.dependencies(&bundle, model, cancel);
        why(&turn, &dependencies, &self.messages).await
    }

    /// The `most` examples of the pack that are most like each of `requests`, of which there are
    /// tens at most: what the student may have learned a mistake from.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request that cannot be read.
    pub fn nearest(&self, requests: &[Request], most: usize) -> Result<Vec<Vec<Nearest>>> {
        let mut masked = Vec::with_capacity(requests.len());
        for request in requests {
            let turn = ingest(&self.parts.pack, request, request.context.clone())?;
            masked.push(turn.said.masked().to_owned());
        }
        let masked: Vec<&str> = masked.iter().map(String::as_str).collect();
        nearest_examples(&self.parts.pack, &self.bundle(), &masked, most)
    }

    /// Decides a recorded turn again as it was decided, with what came from outside then: asks
    /// nobody, reads and writes no session, runs nothing.
    ///
    /// # Errors
    ///
    /// As [`replay`].
    pub async fn replay(&self, record: &Record) -> Result<Replayed> {
        replay(record, &self.replaying(&self.bundle())).await
    }

    /// What decides a recorded turn again.
    fn replaying<'a>(&'a self, bundle: &'a Bundle) -> ReplayDependencies<'a> {
        ReplayDependencies {
            pack: &self.parts.pack,
            bundle,
            encoder: self.parts.encoder.as_deref(),
            messages: &self.messages,
            teaching: &self.teaching,
            layers: &self.layers,
            matchers: &self.matchers,
        }
    }

    /// Writes what waits to be written; called before a process ends.
    pub async fn close(&self) {
        // Telemetry that cannot be written is lost; there is nobody left to tell.
        let _ = self.parts.store.flush().await;
    }

    /// Reads a request, with what is rolled out for it.
    fn ingest<'a>(&'a self, request: &'a Request, context: Context) -> Result<Turn<'a>> {
        request.check()?;
        let turn = ingest(&self.parts.pack, request, context)?;
        let enabled = self.parts.rollout.enabled(&self.unit(&turn));
        // Whoever asks cannot say what a tool does.
        let access = self.known.unsaid(&self.parts.pack);
        let lessons = self.lessons.speak_for(&turn);
        let context = Context { access, ..turn.context };
        let permits = Permits { enabled, ..turn.permits };
        Ok(Turn { permits, matchers: &self.matchers, context, lessons, ..turn })
    }

    /// The name that a rollout share counts: the conversation, or without one the request.
    fn unit(&self, turn: &Turn<'_>) -> String {
        match &turn.request.session {
            Some(session) => session.clone(),
            None if self.parts.rollout.is_plain() => String::new(),
            None => identity(turn),
        }
    }

    /// The dependencies of a turn that is only looked at: nothing is recalled and nothing kept.
    fn dependencies<'a>(
        &'a self,
        bundle: &'a Bundle,
        model: Option<&'a dyn Model>,
        cancel: &'a CancellationToken,
    ) -> DecisionDependencies<'a> {
        let encoder = self.parts.encoder.as_deref();
        DecisionDependencies {
            bundle,
            arguments: &Matchers,
            encoder,
            model,
            teaching: &self.teaching,
            belief: self.belief,
            recall: None,
            recalled: None,
            layers: &self.layers,
            cancel,
        }
    }

    /// The tools that fit what a request asks for, best first; see [`decide::find_tools`](crate::decide::find_tools).
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request that cannot be read.
    pub fn find_tools<'a>(&'a self, request: &'a Request) -> Result<Vec<Found<'a>>> {
        let turn = self.ingest(request, Context::default())?;
        Ok(find_tools(&turn, &self.bundle()))
    }

    /// Takes what people said of this pack's decisions before, as the store has kept it, so that it counts from the first
    /// question on; for packs whose tools are chosen by what is written about them.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub async fn read_lessons(&self) -> Result<()> {
        self.lessons.read(&self.parts.pack, self.parts.store.as_ref()).await
    }

    /// Takes feedback on a decision, which counts from the next question on; see [`feedback::give`].
    ///
    /// # Errors
    ///
    /// As [`feedback::give`].
    pub async fn feedback(&self, feedback: &Feedback) -> Result<Option<Label>> {
        let label = feedback::give(&self.parts.pack, self.parts.store.as_ref(), feedback).await?;
        self.lessons.take(&self.parts.pack, label.as_slice());
        Ok(label)
    }

    /// Empties the ledger of a turn into the store. The only other events are those of audits and of what
    /// happens beside the turns, such as drift.
    fn emit(&self, turn: &Turn<'_>, decision: &Decision, ledger: Ledger) {
        let records = ledger.records(turn, decision);
        let Some(audits) = &self.audits else { return self.parts.store.append(records) };
        let due: Vec<Record> =
            records.iter().filter(|record| audits.takes(record)).cloned().collect();
        // First into the store, where an audit looks for them.
        self.parts.store.append(records);
        due.into_iter().for_each(|record| audits.offer(record));
    }
}

/// Writes down that something beside the turns of a pack did not work, such as learning from them.
pub fn report(store: &dyn Store, pack: &str, at: &str, what: &str, error: &Error) {
    store.append(vec![Record {
        decision_id: String::new(),
        session_id: None,
        pack: pack.to_owned(),
        at: at.to_owned(),
        era: Era::default(),
        event: Event::degraded(what, error),
    }]);
}

/// The events that tell what the surface took out of a request.
fn dropped(request: &Request) -> impl Iterator<Item = Event> {
    request.dropped.iter().map(|what| untrusted(what))
}

fn untrusted(what: &str) -> Event {
    Event::Dropped { what: what.to_owned(), why: "the caller is not trusted".to_owned() }
}
