//! The work of a decided turn, within the time that a turn may take.

use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::model::{Model, Slot};
use waypost_core::records::answer::Part;
use waypost_core::records::event::Purpose;

use super::Router;
use crate::decide::Decided;
use crate::observe::contract::Watch;
use crate::observe::meter::Meter;
use crate::pack::messages::Sentence;
use crate::pack::spec::Policy;
use crate::respond::dialogue;
use crate::respond::envelope::{failed, said};
use crate::respond::execution::{Pulse, Writes};
use crate::respond::handlers::{self, Job, Work};
use crate::understand::Turn;

/// The name of a fault: the route asks for the light model, and none is configured.
const LIGHT_BY_MAIN: &str = "light:main";

impl Router {
    /// Does the work of a decided turn; where nothing may run, the decision says what is said instead.
    ///
    /// # Errors
    ///
    /// `CANCELLED`, and a decision for a route that the pack does not have; other faults are in
    /// [`Work::error`].
    pub(super) async fn work(
        &self,
        turn: &Turn<'_>,
        decided: &Decided,
        writes: &Writes<'_>,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Work> {
        let decision = &decided.decision;
        let Some(approved) = &decided.approved else {
            return Ok(dialogue::with_unserved(turn, &self.messages, decision, said(decision)));
        };
        let route = turn.pack.route(&decision.route).ok_or_else(|| {
            Error::internal(format!("decided route {} is not in the pack", decision.route))
        })?;
        let has = |slot| self.parts.models.contains_key(&slot);
        let (watch, meter) =
            (Watch::new(route, has), Meter::new(&self.parts.clock, &self.parts.pack));
        let job = Job { turn, decision, route, approved, part: None };
        let mut work = match self.in_time(job, &watch, &meter, writes, out, cancel).await {
            Err(error) if error.code() != Code::Cancelled => self.failed(turn, writes, error).await,
            other => other?,
        };
        work.events.extend(watch.take());
        work.events.extend(meter.take(&route.name, Purpose::Write));
        if decision.model_slot == Some(Slot::Light) && !has(Slot::Light) {
            work.outcome.degraded.insert(0, LIGHT_BY_MAIN.to_owned());
        }
        let work = self.explained(job, work, writes, out, cancel).await?;
        let work = dialogue::with_unserved(turn, &self.messages, decision, work);
        Ok(dialogue::with_next_step(turn, &self.messages, decision, work))
    }

    /// The words where the work failed. A write that had begun by then may have been done.
    async fn failed(&self, turn: &Turn<'_>, writes: &Writes<'_>, error: Error) -> Work {
        let mut work = failed(turn, &self.messages, error);
        let (tools, events) = writes.give_up().await;
        if !tools.is_empty() {
            let maybe = |tool: &String| Sentence::new("maybe_done").with("tool", tool.as_str());
            let said = tools.iter().map(|tool| self.messages.say(turn.said.language, &maybe(tool)));
            work.text = said.collect::<Vec<_>>().join("\n");
            work.sentence = Some(work.text.clone());
        }
        work.events.extend(events);
        work
    }

    /// The work with an answer to what the text asks to be explained beside it. Only the first is
    /// answered: two questions at once are common, three are a list.
    ///
    /// # Errors
    ///
    /// `CANCELLED`; an explanation that fails otherwise is named as not answered.
    async fn explained(
        &self,
        job: Job<'_>,
        mut work: Work,
        writes: &Writes<'_>,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Work> {
        let Some((route, part)) = dialogue::beside(job.turn, job.decision) else { return Ok(work) };
        let watch = Watch::new(route, |slot| self.parts.models.contains_key(&slot));
        let meter = Meter::new(&self.parts.clock, &self.parts.pack);
        let beside = Job { route, part: Some(part), ..job };
        match self.in_time(beside, &watch, &meter, writes, out, cancel).await {
            Ok(explained) if explained.error.is_none() => {
                work.text = dialogue::followed_by(&work.text, &explained.text);
                work.outcome.degraded.extend(explained.outcome.degraded);
                work.outcome.explained = true;
                work.events.extend(explained.events);
            }
            Err(error) if error.code() == Code::Cancelled => return Err(error),
            _ => {}
        }
        work.events.extend(watch.take());
        work.events.extend(meter.take(&route.name, Purpose::Write));
        Ok(work)
    }

    /// Looks up what the work needs and does it, unless the turn takes too long.
    async fn in_time(
        &self,
        job: Job<'_>,
        watch: &Watch<'_>,
        meter: &Meter,
        writes: &Writes<'_>,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Work> {
        let model = self.model(job.route.model);
        let model = model.map(|(slot, model)| (slot, meter.model(slot, model)));
        let model = model.as_ref().map(|(slot, model)| watch.model(*slot, model));
        let retriever = watch.retriever(self.parts.retriever.as_ref());
        let runs = job.turn.pack.spec.plans.as_ref().and_then(|_| self.parts.store.runs());
        let (child, pulse) = (cancel.child_token(), Pulse::default());
        let dependencies = handlers::HandlerDependencies {
            servers: &self.parts.servers,
            known: &self.known,
            pulse: &pulse,
            writes,
            runs: runs.as_deref(),
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
        let limit = std::pin::pin!(self.limit(&job.turn.pack.spec.policy, &pulse));
        match select(std::pin::pin!(work), limit).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => {
                child.cancel();
                Err(Error::new(Code::DeadlineExceeded, "the turn took too long"))
            }
        }
    }

    /// Waits until a turn is too long: at most as long as the policy says, and then again for as long
    /// as its tools went on reporting, up to the longest turn.
    async fn limit(&self, policy: &Policy, pulse: &Pulse) {
        let mut left = policy.longest_turn_ms.max(policy.turn_timeout_ms);
        let mut beats = 0;
        while left > 0 {
            let wait = policy.turn_timeout_ms.clamp(1, left);
            self.parts.clock.sleep(Duration::from_millis(wait)).await;
            left -= wait;
            if pulse.beats() == beats {
                return;
            }
            beats = pulse.beats();
        }
    }

    /// The model of a slot, and whose it is; `light` falls back to `main`.
    fn model(&self, slot: Option<Slot>) -> Option<(Slot, &dyn Model)> {
        let of = |slot: Slot| Some((slot, self.parts.models.get(&slot)?.as_ref()));
        slot.and_then(of).or_else(|| slot.and_then(|_| of(Slot::Main)))
    }
}
