//! The flow: one function reads as the whole system, and each stage is a function of what came
//! before. Only here are events emitted and sessions written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::Value as Json;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::clock::Clock;
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::model::{Model, Slot};
use waypost_core::ports::retrieval::Retriever;
use waypost_core::ports::store::{Filter, Store};
use waypost_core::ports::warmup::warm;
use waypost_core::records::answer::{Answer, Part};
use waypost_core::records::decision::{Decision, Outcome};
use waypost_core::records::event::{Event, Outline, Record};
use waypost_core::records::label::{Label, LabelKind};
use waypost_core::records::request::{Context, Request};
use waypost_core::records::rollout::{Rollout, Share};
use waypost_core::records::session::Session;
use waypost_learning::Bundle;
use waypost_learning::drift;

use crate::decide::cascade::{self, Recall};
use crate::decide::gates::Approved;
use crate::decide::{Decided, decide, identity};
use crate::feedback::audit::{Audits, audit};
use crate::feedback::labels::{bearing, labels};
use crate::feedback::replay::{ReplayDependencies, Replayed, replay};
use crate::feedback::{self, Feedback};
use crate::observe::contract::{Watch, mirrored};
use crate::observe::drift_monitor::DriftMonitor;
use crate::observe::events::{choice_events, choice_outcome, replies, router_event};
use crate::observe::shadow::{Once, shadow_events};
use crate::observe::why::{Nearest, Why, nearest_examples, why};
use crate::pack::Pack;
use crate::pack::messages::Messages;
use crate::pack::spec::HandlerName;
use crate::respond::dialogue;
use crate::respond::envelope::{envelope, failed, said};
use crate::respond::execution::{Servers, milliseconds};
use crate::respond::handlers::{self, Job, Work};
use crate::respond::render::Renderer;
use crate::student::in_service::InService;
use crate::turn::{Turn, ingest};

/// Everything that a router works with: passed, never global.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The pack that it serves.
    pub pack: Arc<Pack>,
    /// The student in service.
    pub bundle: InService,
    /// The models that are configured.
    pub models: BTreeMap<Slot, Arc<dyn Model>>,
    /// Where tools run.
    pub servers: Servers,
    /// Turns words into vectors, if one is configured.
    pub encoder: Option<Arc<dyn Encoder>>,
    /// Looks up documents.
    pub retriever: Arc<dyn Retriever>,
    /// Remembers sessions and events.
    pub store: Arc<dyn Store>,
    /// Measures and waits.
    pub clock: Arc<dyn Clock>,
    /// How far layers, matchers and handlers are rolled out.
    pub rollout: Rollout,
    /// What models decided before; `None` asks them each time.
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
}

/// How a request is answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerOptions {
    /// Whether the answer carries timings, tries and relaxations.
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
        }
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

    /// Audits what is due, one turn after the other, until `cancel`; returns at once where nothing
    /// is to be audited or there is no model.
    pub async fn audit(&self, cancel: &CancellationToken) {
        let (Some(audits), Some(model)) = (&self.audits, self.parts.models.get(&Slot::Main)) else {
            return;
        };
        loop {
            let next = std::pin::pin!(audits.next());
            let record = match select(next, std::pin::pin!(cancel.cancelled())).await {
                Either::Left((record, _)) => record,
                Either::Right(_) => return,
            };
            let event = self.audited(&record, model.as_ref(), cancel).await;
            let events = event.into_iter().map(|event| Record { event, ..record.clone() });
            self.parts.store.append(events.collect());
        }
    }

    /// How many turns were to be audited and could not wait, since too many did.
    pub fn unaudited(&self) -> u64 {
        self.audits.as_ref().map_or(0, Audits::passed)
    }

    /// What came of an audit, as an event; its label is kept. Of a turn that was forgotten nothing is
    /// asked, and nothing is written down once more.
    async fn audited(
        &self,
        record: &Record,
        model: &dyn Model,
        cancel: &CancellationToken,
    ) -> Option<Event> {
        if !self.is_kept(record).await {
            return None;
        }
        let bundle = self.bundle();
        let place = ReplayDependencies {
            pack: &self.parts.pack,
            bundle: &bundle,
            encoder: self.parts.encoder.as_deref(),
            messages: &self.messages,
        };
        let audited = audit(record, &place, model, cancel).await;
        // While a model thinks there is time to forget, for another process as well.
        if !self.is_kept(record).await {
            return None;
        }
        match audited {
            Ok((event, label)) => {
                let labels: Vec<Label> = label.into_iter().collect();
                match self.parts.store.save_labels(&labels).await {
                    Ok(()) => event,
                    Err(error) => Some(Event::degraded("store", &error)),
                }
            }
            Err(error) if error.code() == Code::Cancelled => None,
            Err(error) => Some(Event::degraded("audit", &error)),
        }
    }

    /// Whether the store still has the record of a turn. One that cannot be read could hardly take
    /// what would be kept of it, and the turns tell of that.
    async fn is_kept(&self, record: &Record) -> bool {
        let filter = Filter {
            decision: Some(record.decision_id.clone()),
            kind: Some(record.event.name().to_owned()),
            ..Filter::default()
        };
        self.parts.store.events(&filter, 1).await.is_ok_and(|found| !found.is_empty())
    }

    /// The pack that it serves.
    pub fn pack(&self) -> &Pack {
        &self.parts.pack
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

    /// Decides only: reads and writes no session, runs nothing, and tells of nothing but what was
    /// dropped of the request.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request that cannot be read; `CANCELLED`.
    pub async fn route(&self, request: &Request, cancel: &CancellationToken) -> Result<Decision> {
        let bundle = self.bundle();
        let context = request.context.clone();
        let mut turn = ingest(&self.parts.pack, request, context)?;
        turn.enabled = self.parts.rollout.enabled(&self.unit(&turn));
        let model = self.parts.models.get(&Slot::Main).map(AsRef::as_ref);
        let dependencies = self.dependencies(&bundle, model, cancel);
        let decision = decide(&turn, &dependencies, &self.messages).await?.decision;
        // Nothing else is told of what is only looked at.
        if !request.dropped.is_empty() {
            self.emit(request, &turn, &decision, dropped(request));
        }
        Ok(decision)
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

    /// Decides as [`Router::route`] does, and says why: reads and writes no session, runs nothing,
    /// and asks a model at most once.
    ///
    /// # Errors
    ///
    /// As [`Router::route`].
    pub async fn why(&self, request: &Request, cancel: &CancellationToken) -> Result<Why> {
        let bundle = self.bundle();
        let context = request.context.clone();
        let mut turn = ingest(&self.parts.pack, request, context)?;
        turn.enabled = self.parts.rollout.enabled(&self.unit(&turn));
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
            masked.push(turn.masked());
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
        let (pack, bundle) = (self.parts.pack.as_ref(), self.bundle());
        let encoder = self.parts.encoder.as_deref();
        replay(
            record,
            &ReplayDependencies { pack, bundle: &bundle, encoder, messages: &self.messages },
        )
        .await
    }

    /// Writes what waits to be written; called before a process ends.
    pub async fn close(&self) {
        // Telemetry that cannot be written is lost; there is nobody left to tell.
        let _ = self.parts.store.flush().await;
    }

    /// Whom a share counts: the conversation, or without one the request.
    fn unit(&self, turn: &Turn<'_>) -> String {
        match &turn.request.session {
            Some(session) => session.clone(),
            None if self.parts.rollout.is_plain() => String::new(),
            None => identity(turn),
        }
    }

    /// What the cascade works with where a turn is only looked at: nothing is recalled and nothing kept.
    fn dependencies<'a>(
        &'a self,
        bundle: &'a Bundle,
        model: Option<&'a dyn Model>,
        cancel: &'a CancellationToken,
    ) -> cascade::DecisionDependencies<'a> {
        let encoder = self.parts.encoder.as_deref();
        cascade::DecisionDependencies {
            bundle,
            encoder,
            model,
            recall: None,
            recalled: None,
            cancel,
        }
    }

    /// Answers a request: decides, runs what the gates approve, remembers, and says what happened.
    ///
    /// Pieces go to `out` as they come; the answer is whole without them.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request that cannot be read; `CANCELLED`. Faults of upstreams are
    /// answers with mode `error`.
    pub async fn answer(
        &self,
        request: &Request,
        options: AnswerOptions,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Answer> {
        let started = self.parts.clock.elapsed();
        // The one student of this turn, whatever is put in service while it runs.
        let bundle = self.bundle();
        let mut events = Vec::new();
        let remembered = self.session(request, &mut events).await;
        let durable = remembered.is_some();
        let mut session = remembered.unwrap_or_default();
        let context = self.context(request, &session, &mut events);
        let mut turn = ingest(&self.parts.pack, request, context)?;
        let unit = self.unit(&turn);
        turn.enabled = self.parts.rollout.enabled(&unit);
        let once = self.parts.models.get(&Slot::Main).map(|model| Once::new(model.as_ref()));
        let dependencies = cascade::DecisionDependencies {
            recall: self.parts.recall.as_deref(),
            ..self.dependencies(&bundle, once.as_ref().map(|once| once as &dyn Model), cancel)
        };
        let Decided { mut decision, approved, events: more, recalled, .. } =
            decide(&turn, &dependencies, &self.messages).await?;
        let replies = replies(&dependencies, once.as_ref(), recalled, &decision);
        let classified = self.parts.clock.elapsed().saturating_sub(started);
        events.extend(more);
        events.push(router_event(&turn, &decision, replies, classified));
        events.extend(mirrored(&turn, &decision, &bundle));
        events.extend(
            self.drift_monitor
                .as_ref()
                .and_then(|drift_monitor| drift_monitor.observe(&turn, &decision, &bundle)),
        );
        events.extend(choice_events(&turn, &decision));
        events.extend(choice_outcome(&turn, &decision));
        let bearing = bearing(&turn, &decision);
        let learned = labels(&turn, &decision, bearing, &session);
        let _ = out.send(Part::Decided(Box::new(decision.clone()))).await;
        // Beside the work, so that a model in shadow holds the answer up as little as it can.
        let (standing, shadows) = (Outline::of(&decision), self.parts.rollout.shadows(&unit));
        let shadowed =
            shadow_events(&turn, &standing, &shadows, once.as_ref(), &dependencies, &self.messages);
        let work = async {
            match &approved {
                Some(approved) => self.work(&turn, &mut decision, approved, out, cancel).await,
                None => Ok(said(&decision)),
            }
        };
        let (work, shadowed) = futures_util::future::join(work, shadowed).await;
        let mut work = work?;
        let learned = borne_out(learned, &decision, &work);
        events.extend(shadowed);
        if let Some(next) = dialogue::next_step(&turn, &self.messages, &decision, &work) {
            work.text = dialogue::followed_by(&work.text, &next.text);
            decision.question = Some(next);
        }
        self.learn_from(&work, &mut session);
        decision.degraded.extend(work.degraded.iter().cloned());
        session.remember(turn.text.original(), bearing, &decision);
        if self.is_answer(&decision, &work) {
            session.answered(&work.text);
        }
        if durable {
            self.save(request, &session, &mut events).await;
        }
        self.save_labels(&learned, &mut events).await;
        let total = self.parts.clock.elapsed().saturating_sub(started);
        let mut answer = envelope(
            &turn,
            &self.messages,
            &decision,
            &work,
            options.trace.then_some((classified, total)),
        );
        if let Some(open) = dialogue::still_open(session.pending.as_ref()) {
            answer.text = dialogue::followed_by(&answer.text, &open.question);
            answer.choices.clone_from(&open.options);
        }
        events.extend(work.events);
        events.push(Event::AnswerEvent {
            mode: answer.mode.clone(),
            t_total_ms: milliseconds(total),
            code: answer.error.as_ref().map(|fault| fault.code),
        });
        self.emit(request, &turn, &decision, events);
        Ok(answer)
    }

    /// What the conversation remembers; a store that fails costs the memory, not the answer.
    ///
    /// `None` where there is no memory to write back to: what could not be read is not overwritten.
    async fn session(&self, request: &Request, events: &mut Vec<Event>) -> Option<Session> {
        let id = request.session.as_ref()?;
        match self.parts.store.session(id).await {
            Ok(session) => Some(session),
            Err(error) => {
                events.push(Event::degraded("store", &error));
                None
            }
        }
    }

    fn context(&self, request: &Request, session: &Session, events: &mut Vec<Event>) -> Context {
        if !request.trusted && !request.context.flags.is_empty() {
            events.push(untrusted("context.flags"));
        }
        events.extend(dropped(request));
        session.context(&request.context, request.trusted)
    }

    async fn work(
        &self,
        turn: &Turn<'_>,
        decision: &mut Decision,
        approved: &Approved,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Work> {
        let route = turn.pack.route(&decision.route).ok_or_else(|| {
            Error::internal(format!("decided route {} is not in the pack", decision.route))
        })?;
        let watch = Watch::new(route, |slot| self.parts.models.contains_key(&slot));
        let model = self.model(decision.model_slot);
        let model = model.map(|(slot, model)| watch.model(slot, model));
        let retriever = watch.retriever(self.parts.retriever.as_ref());
        if decision.model_slot == Some(Slot::Light) && !self.parts.models.contains_key(&Slot::Light)
        {
            decision.degraded.push("light:main".to_owned());
        }
        let limit =
            self.parts.clock.sleep(Duration::from_millis(turn.pack.spec.policy.turn_timeout_ms));
        let child = cancel.child_token();
        let job = Job { turn, decision, route, approved };
        let dependencies = handlers::HandlerDependencies {
            servers: &self.parts.servers,
            model: model.as_ref().map(|model| model as &dyn Model),
            renderer: &self.renderer,
            messages: &self.messages,
            clock: self.parts.clock.as_ref(),
            cancel: &child,
            out,
        };
        let work = async {
            let prepared = handlers::prepare(job, &retriever).await?;
            let _ = out.send(Part::Prepared { passages: prepared.passages.len() }).await;
            handlers::run(job, &prepared, dependencies).await
        };
        let work = std::pin::pin!(work);
        let result = match select(work, limit).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => {
                child.cancel();
                Err(Error::new(Code::DeadlineExceeded, "the turn took too long"))
            }
        };
        let mut work = match result {
            Err(error) if error.code() != Code::Cancelled => failed(turn, &self.messages, error),
            other => other?,
        };
        work.events.extend(watch.take());
        Ok(work)
    }

    /// The model of a slot, and whose it is; `light` falls back to `main`.
    fn model(&self, slot: Option<Slot>) -> Option<(Slot, &dyn Model)> {
        let of = |slot: Slot| Some((slot, self.parts.models.get(&slot)?.as_ref()));
        slot.and_then(of).or_else(|| slot.and_then(|_| of(Slot::Main)))
    }

    /// Whether the words are worth going back to: an answer, and not small talk about one.
    fn is_answer(&self, decision: &Decision, work: &Work) -> bool {
        let handler = self.parts.pack.route(&decision.route).map(|route| route.handler);
        let answered = decision.decision == Outcome::Run && work.error.is_none();
        answered && handler != Some(HandlerName::Converse)
    }

    /// Flags are set by tools' results, never by text.
    fn learn_from(&self, work: &Work, session: &mut Session) {
        for done in &work.succeeded {
            let sets = self.parts.pack.tool(&done.tool).map(|tool| &tool.spec.sets);
            for set in sets.into_iter().flatten().filter(|set| set.is_set_by(&done.result)) {
                session.flags.insert(set.flag.clone(), Json::Bool(true));
            }
        }
    }

    async fn save(&self, request: &Request, session: &Session, events: &mut Vec<Event>) {
        let Some(id) = &request.session else { return };
        if let Err(error) = self.parts.store.save_session(id, session).await {
            events.push(Event::degraded("store", &error));
        }
    }

    /// Takes a word on a decision; see [`feedback::give`].
    ///
    /// # Errors
    ///
    /// As [`feedback::give`].
    pub async fn feedback(&self, feedback: &Feedback) -> Result<Option<Label>> {
        feedback::give(&self.parts.pack, self.parts.store.as_ref(), feedback).await
    }

    /// Makes labels durable before the answer is given; a store that fails costs them, not the answer.
    async fn save_labels(&self, labels: &[Label], events: &mut Vec<Event>) {
        if labels.is_empty() {
            return;
        }
        if let Err(error) = self.parts.store.save_labels(labels).await {
            events.push(Event::degraded("labels", &error));
        }
    }

    fn emit(&self, request: &Request, turn: &Turn<'_>, decision: &Decision, events: Vec<Event>) {
        let at = turn.now.timestamp().to_string();
        let records = events.into_iter().map(|event| Record {
            decision_id: decision.id.clone(),
            session_id: request.session.clone(),
            pack: turn.pack.spec.name.clone(),
            at: at.clone(),
            event,
        });
        let records: Vec<Record> = records.collect();
        let Some(audits) = &self.audits else { return self.parts.store.append(records) };
        let due: Vec<Record> =
            records.iter().filter(|record| audits.takes(record)).cloned().collect();
        // First into the store, where an audit looks for them.
        self.parts.store.append(records);
        due.into_iter().for_each(|record| audits.offer(record));
    }
}

/// What is left of the labels of a turn once its work is done: where that failed, or a tool of it did,
/// the model that chose it may have been wrong.
fn borne_out(mut labels: Vec<Label>, decision: &Decision, work: &Work) -> Vec<Label> {
    let succeeded = |tool: &String| work.succeeded.iter().any(|done| done.tool == *tool);
    if work.error.is_some() || !decision.tools().iter().all(succeeded) {
        labels.retain(|label| label.kind != LabelKind::Teacher);
    }
    labels
}

/// Writes down that something beside the turns of a pack did not work, such as learning from them.
pub fn report(store: &dyn Store, pack: &str, at: &str, what: &str, error: &Error) {
    store.append(vec![Record {
        decision_id: String::new(),
        session_id: None,
        pack: pack.to_owned(),
        at: at.to_owned(),
        event: Event::degraded(what, error),
    }]);
}

/// What the surface took out of a request.
fn dropped(request: &Request) -> Vec<Event> {
    request.dropped.iter().map(|what| untrusted(what)).collect()
}

fn untrusted(what: &str) -> Event {
    Event::Dropped { what: what.to_owned(), why: "the caller is not trusted".to_owned() }
}
