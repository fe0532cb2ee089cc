//! The flow: one function reads as the whole system, and each stage is a function of what came before.
//! A decision is frozen once it is made: what is streamed, stored and answered is one record, and what
//! comes of it stands beside it.

use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost_core::error::Result;
use waypost_core::ports::model::Model;
use waypost_core::records::answer::{Answer, Part};
use waypost_core::records::decision::{Decision, Outcome};
use waypost_core::records::event::{Event, Outline, Purpose};
use waypost_core::records::label::{Label, LabelKind};
use waypost_core::records::request::{Context, Request};
use waypost_core::records::session::Session;
use waypost_learning::Bundle;

use super::memory::{Memory, SessionTurn};
use super::{AnswerOptions, Router, dropped, earlier, runs, untrusted};
use crate::decide::cascade::{DecisionDependencies, declared};
use crate::decide::gates::Approved;
use crate::decide::{Decided, conclude, decide, propose};
use crate::feedback::labels::{bearing, labels};
use crate::observe::contract::mirrored;
use crate::observe::events::{choice_events, choice_outcome, replies, router_event};
use crate::observe::ledger::Ledger;
use crate::observe::meter::Meter;
use crate::observe::shadow::{Once, shadow_events};
use crate::pack::Tool;
use crate::pack::spec::{Access, HandlerName};
use crate::respond::dialogue;
use crate::respond::envelope::envelope;
use crate::respond::execution::{Writes, milliseconds};
use crate::respond::handlers::Work;
use crate::understand::{EarlierRun, Turn, WrongTool};

impl Router {
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
        let turn = self.wait_for_turn(request, cancel).await?;
        self.answer_in_turn(turn, request, options, out, cancel).await
    }

    /// Answers a request whose turn has come; the rest of [`Router::answer`].
    ///
    /// `turn` is that of this very request.
    ///
    /// # Errors
    ///
    /// As [`Router::answer`].
    pub async fn answer_in_turn(
        &self,
        turn: SessionTurn,
        request: &Request,
        options: AnswerOptions,
        out: &Sender<Part>,
        cancel: &CancellationToken,
    ) -> Result<Answer> {
        request.check()?;
        let request = &*declared::as_meant(&self.parts.pack, request);
        let (started, mut ledger) = (turn.since, Ledger::default());
        // One student for the whole turn, whatever is put in service while it runs.
        let bundle = self.bundle();
        let memory = self.memory(request, turn, &mut ledger).await;
        let context = context(request, &memory.session, &mut ledger);
        self.lessons.settle(self.parts.store.as_ref()).await;
        let earlier_run = self.earlier_run(request, &context, &mut ledger).await?;
        let resumed = match &earlier_run {
            Some(EarlierRun::Resumed(run)) => Some(runs::again(request, run)),
            _ => None,
        };
        let mut turn = self.ingest(resumed.as_ref().unwrap_or(request), context)?;
        turn.run = earlier_run;
        turn.era = memory.session.era;
        turn.permits.gone = self.gone(request, cancel).await;
        let meter = Meter::new(&self.parts.clock, &self.parts.pack);
        let model = self.deciding(&meter);
        let once = model.as_ref().map(|model| Once::new(model));
        let dependencies = self.recalling(&bundle, once.as_ref(), cancel);

        let mut proposed = propose(&turn, &dependencies).await?;
        if self.learn(&mut turn, &proposed.tools(&self.parts.pack), cancel).await {
            // Once, when a server tells for the first time that a tool does more than reading: layers look at that, too.
            proposed = propose(&turn, &dependencies).await?;
        }
        let mut decided = conclude(&turn, &dependencies, &self.messages, proposed).await?;
        if self.learn(&mut turn, &self.approved(&decided), cancel).await {
            // The arguments led to another tool, and the gates have not seen yet what it does.
            decided = decided.judged_again(&turn, &bundle, &self.messages);
        }
        let classified = self.since(started);
        let mut read = Vec::new();
        if let Some(tested) = self.tested(&turn, &decided, out, &mut read, cancel).await {
            // The gates have not seen yet whether the condition holds.
            turn.context.tested = vec![tested];
            decided = decided.judged_again(&turn, &bundle, &self.messages);
        }
        ledger.note(self.observed(&turn, &decided, &dependencies, once.as_ref(), classified));
        ledger.note(read);
        ledger.note(meter.take(&decided.decision.route, Purpose::Decide));
        let _ = out.send(Part::Decided(Box::new(decided.decision.clone()))).await;
        let earlier = earlier::words(&turn, &self.messages, &memory);
        if let Some(earlier) = &earlier {
            let _ = out.send(Part::Token(format!("{earlier}\n"))).await;
        }

        // Beside the work, so that a model in shadow holds the answer up as little as it can.
        let shadowed = self.shadowed(&turn, &decided.decision, &dependencies, once.as_ref());
        let worked = self.worked(&turn, &decided, out, cancel);
        let (worked, shadowed) = futures_util::future::join(worked, shadowed).await;
        let (mut work, mut writes) = worked?;
        ledger.note(shadowed);
        ledger.note(meter.take(&decided.decision.route, Purpose::Shadow));
        if let Some(wrong) = work.refused.take()
            && let Some(other) = self.without(&turn, &wrong, &dependencies).await?
        {
            // Once: the tools are chosen again without the one that says that it is the wrong one.
            writes.tell().await.iter().for_each(|fault| ledger.note_failure("writes", fault));
            drop(writes);
            ledger.note(std::mem::take(&mut work.events));
            turn.permits.failed.push(wrong);
            decided = other;
            let _ = out.send(Part::Decided(Box::new(decided.decision.clone()))).await;
            (work, writes) = self.worked(&turn, &decided, out, cancel).await?;
        }
        let decision = &decided.decision;
        let work = self.opened(&turn, decision, &memory.session, work);

        let session = self.remember(&turn, decision, &work, memory, &mut ledger).await;
        writes.tell().await.iter().for_each(|fault| ledger.note_failure("writes", fault));
        let total = self.since(started);
        let trace = options.trace.then_some((classified, total));
        let pending = session.pending.as_ref();
        let answer = envelope(&turn, &self.messages, decision, &work, pending, trace);
        let answer = earlier::before(earlier, answer);
        ledger.note(work.events);
        ledger.note([answered(&answer, total)]);
        self.emit(&turn, decision, ledger);
        Ok(answer)
    }

    /// Decides without a tool that says that it is the wrong one; `None` where nothing else is asked for, so that what it said is
    /// the answer.
    async fn without(
        &self,
        turn: &Turn<'_>,
        wrong: &WrongTool,
        dependencies: &DecisionDependencies<'_>,
    ) -> Result<Option<Decided>> {
        // What is settled before any word is read would be chosen as before.
        if turn.is_settled() {
            return Ok(None);
        }
        let mut turn = turn.clone();
        turn.permits.failed.push(wrong.clone());
        let decided = decide(&turn, dependencies, &self.messages).await?;
        let serves = decided.decision.decision != Outcome::Rephrase
            && !decided.proposed.proposal.calls.is_empty();
        Ok(serves.then_some(decided))
    }

    /// Does the work of a decision, with the record of what it changes.
    async fn worked<'t>(
        &'t self,
        turn: &'t Turn<'_>,
        decided: &'t Decided,
        out: &Sender<Part>,
        cancel: &'t CancellationToken,
    ) -> Result<(Work, Writes<'t>)> {
        let writes = Writes::new(self.parts.store.as_ref(), turn, &decided.decision, cancel);
        // A write that has begun goes on when its client leaves, and so does the rest of its turn.
        let goes_on = CancellationToken::new();
        let until = if changes(turn, decided) { &goes_on } else { cancel };
        let work = self.work(turn, decided, &writes, out, until).await?;
        Ok((work, writes))
    }

    /// Learns from the servers what tools do of which the pack does not say it, and tells the turn; returns whether one does more
    /// than was thought.
    async fn learn(
        &self,
        turn: &mut Turn<'_>,
        tools: &[&Tool],
        cancel: &CancellationToken,
    ) -> bool {
        let clock = self.parts.clock.as_ref();
        let stronger = self.known.learn(tools, &self.parts.servers, clock, cancel).await;
        if stronger {
            turn.context.access = self.known.unsaid(&self.parts.pack);
        }
        stronger
    }

    /// The tools of the calls that passed the gates.
    fn approved(&self, decided: &Decided) -> Vec<&Tool> {
        let calls = decided.approved.iter().flat_map(Approved::calls);
        calls.filter_map(|call| self.parts.pack.tool(&call.tool)).collect()
    }

    /// The time since an instant of the clock.
    fn since(&self, started: Duration) -> Duration {
        self.parts.clock.elapsed().saturating_sub(started)
    }

    /// The dependencies of a decision that is answered: it may recall, and keep.
    fn recalling<'a>(
        &'a self,
        bundle: &'a Bundle,
        once: Option<&'a Once<'a>>,
        cancel: &'a CancellationToken,
    ) -> DecisionDependencies<'a> {
        let model = once.map(|once| once as &dyn Model);
        DecisionDependencies {
            recall: self.parts.recall.as_deref(),
            ..self.dependencies(bundle, model, cancel)
        }
    }

    /// Tells how the turn was decided, as events.
    fn observed(
        &self,
        turn: &Turn<'_>,
        decided: &Decided,
        dependencies: &DecisionDependencies<'_>,
        once: Option<&Once<'_>>,
        classified: Duration,
    ) -> Vec<Event> {
        let (decision, bundle) = (&decided.decision, dependencies.bundle);
        let replies = replies(turn, dependencies, once, decided);
        let monitor = self.drift_monitor.as_ref();
        let mut events = decided.proposed.events.clone();
        events.push(router_event(turn, decision, replies, classified));
        events.extend(mirrored(turn, decision, bundle));
        events.extend(monitor.and_then(|monitor| monitor.observe(turn, decision, bundle)));
        events.extend(choice_events(turn, decision));
        events.extend(choice_outcome(turn, decision));
        events
    }

    /// Decides once more with each key in shadow.
    async fn shadowed(
        &self,
        turn: &Turn<'_>,
        decision: &Decision,
        dependencies: &DecisionDependencies<'_>,
        once: Option<&Once<'_>>,
    ) -> Vec<Event> {
        let shadows = self.parts.rollout.shadows(&self.unit(turn));
        let standing = Outline::of(decision);
        shadow_events(turn, &standing, &shadows, once, dependencies, &self.messages).await
    }

    /// Remembers the turn and what it teaches, and returns the conversation as it is now.
    async fn remember(
        &self,
        turn: &Turn<'_>,
        decision: &Decision,
        work: &Work,
        memory: Memory,
        ledger: &mut Ledger,
    ) -> Session {
        // The turn of the conversation ends when all is written.
        let Memory { mut session, durable, untold, cut: _, turn: _turn } = memory;
        let bearing = bearing(turn, decision);
        let learned = borne_out(labels(turn, decision, bearing, &session), decision, work);
        self.learn_from(work, &mut session.flags);
        session.close_without(|tool| self.parts.pack.tool(tool).is_some());
        session.remember(turn.said.text.original(), bearing, decision, &work.outcome);
        if self.is_answer(decision, work) {
            session.answered(&work.text);
        }
        if let Some(id) = turn.request.session.as_ref().filter(|_| durable)
            && let Err(error) = self.parts.store.save_session(id, &session).await
        {
            ledger.note_failure("store", &error);
        }
        self.note_told(untold, ledger).await;
        self.save_labels(&learned, ledger).await;
        session
    }

    /// Returns whether the words are worth going back to: an answer, and not small talk about one.
    fn is_answer(&self, decision: &Decision, work: &Work) -> bool {
        let handler = self.parts.pack.route(&decision.route).map(|route| route.handler);
        let answered = decision.decision == Outcome::Run && work.error.is_none();
        answered && handler != Some(HandlerName::Converse)
    }

    /// Sets the flags that the tools' results say. No text sets a flag.
    fn learn_from(&self, work: &Work, flags: &mut Map<String, Json>) {
        for done in &work.succeeded {
            let sets = self.parts.pack.tool(&done.tool).map(|tool| &tool.spec.sets);
            for set in sets.into_iter().flatten() {
                match set.after(&done.result) {
                    Some(Some(value)) => drop(flags.insert(set.flag.clone(), value)),
                    Some(None) => drop(flags.remove(&set.flag)),
                    None => {}
                }
            }
        }
    }

    /// The work with the offer of the call that a gate held back before, where the gate is open now.
    fn opened(&self, turn: &Turn<'_>, decision: &Decision, session: &Session, work: Work) -> Work {
        let Some(blocked) = &session.blocked else { return work };
        let mut turn = turn.clone();
        self.learn_from(&work, &mut turn.context.flags);
        dialogue::with_opened(&turn, &self.messages, decision, blocked, work)
    }

    /// Makes labels durable before the answer is given; a store that fails costs them, not the answer.
    async fn save_labels(&self, labels: &[Label], ledger: &mut Ledger) {
        if labels.is_empty() {
            return;
        }
        self.lessons.take(&self.parts.pack, labels);
        if let Err(error) = self.parts.store.save_labels(labels).await {
            ledger.note_failure("labels", &error);
        }
    }
}

/// Returns whether a call that may run changes something.
fn changes(turn: &Turn<'_>, decided: &Decided) -> bool {
    let calls = decided.approved.iter().flat_map(Approved::calls);
    calls.into_iter().any(|call| turn.access(&call.tool) != Access::Read)
}

/// Lays the session under the request, and notes the parts of the request that are not believed.
fn context(request: &Request, session: &Session, ledger: &mut Ledger) -> Context {
    if !request.trusted && !request.context.flags.is_empty() {
        ledger.note([untrusted("context.flags")]);
    }
    ledger.note(dropped(request));
    session.context(&request.context, request.trusted)
}

/// The event that the answer was given.
fn answered(answer: &Answer, total: Duration) -> Event {
    Event::AnswerEvent {
        mode: answer.mode.clone(),
        t_total_ms: milliseconds(total),
        code: answer.error.as_ref().map(|fault| fault.code),
    }
}

/// Drops the labels of a turn whose work speaks against them: if the work or a tool of it failed,
/// the model that chose it may have been wrong.
fn borne_out(mut labels: Vec<Label>, decision: &Decision, work: &Work) -> Vec<Label> {
    let succeeded = |tool: &String| work.succeeded.iter().any(|done| done.tool == *tool);
    if work.error.is_some() || !decision.tools().iter().all(succeeded) {
        labels.retain(|label| label.kind != LabelKind::Teacher);
    }
    labels
}
