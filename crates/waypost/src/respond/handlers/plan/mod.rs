//! Runs the calls of a turn as the steps of a plan: each after those that it needs something of, those of one level side by side,
//! and what failed by its severity. What comes next is for [`next`](next::next); this does it.

mod next;
mod recorded;

use std::time::Duration;

use serde_json::Value as Json;
use waypost_core::error::{Code, Error, Result, Severity};
use waypost_core::ports::tools::ToolResult;
use waypost_core::records::decision::Call;
use waypost_core::records::event::{Event, PlanRun, Status};
use waypost_core::records::run::{Run as Earlier, RunEnd};

use self::next::{Limit, Next, State, next, wait};
use self::recorded::Recorder;
use super::agent::{goes_on, make};
use super::{HandlerDependencies, Job};
use crate::decide::{providers, steps};
use crate::pack::spec::{Access, Orchestration, PlanSpec};
use crate::pack::{Pack, Tool};
use crate::respond::execution::{Done, Provided, pause_jittered};
use crate::understand::{EarlierRun, WrongTool};

/// The outcome of a plan.
#[derive(Debug)]
pub(super) struct Planned {
    /// The calls that were made, in the order of the decision; one that was tried again as it ended.
    pub(super) done: Vec<Done>,
    /// The events of tries that were followed by others, and of the plan itself.
    pub(super) events: Vec<Event>,
    /// The tool that says that it is the wrong one: the turn may choose again without it.
    pub(super) refused: Option<WrongTool>,
    /// The fault that kept the work from being recorded.
    pub(super) fault: Option<Error>,
}

/// Runs the approved calls as a plan.
///
/// # Errors
///
/// `CANCELLED`.
pub(super) async fn run(
    job: Job<'_>,
    dependencies: HandlerDependencies<'_>,
    spec: &PlanSpec,
) -> Result<Planned> {
    let earlier = earlier(job);
    let mut recorder = Recorder::new(job, dependencies, earlier);
    let mut run = Run::new(job, dependencies, spec);
    if let Some(earlier) = earlier {
        run.take(earlier);
    }
    let worked = run.through(&mut recorder).await;
    recorder.end(run.end(worked.is_ok())).await;
    worked?;
    let mut planned = run.ended();
    planned.fault = recorder.fault();
    Ok(planned)
}

/// The run of an earlier turn that goes on in this one.
fn earlier<'a>(job: Job<'a>) -> Option<&'a Earlier> {
    let (Some(EarlierRun::Resumed(run) | EarlierRun::Waiting(run)), Some(_)) =
        (&job.turn.run, &job.decision.resumes)
    else {
        return None;
    };
    Some(run)
}

/// Returns whether the result of a call only serves another call that was made: people read what came of that.
pub(super) fn is_on_the_way(pack: &Pack, done: &[Done], one: &Done) -> bool {
    let Some(own) = pack.tool(&one.call.tool).filter(|_| one.result.is_ok()) else { return false };
    let needs = |other: &Tool| other.spec.needs.iter().any(|need| own.spec.provides.contains(need));
    done.iter().filter_map(|other| pack.tool(&other.call.tool)).any(needs)
}

/// A plan on its way.
struct Run<'a> {
    job: Job<'a>,
    dependencies: HandlerDependencies<'a>,
    spec: &'a PlanSpec,
    state: State,
    started: Duration,
    /// The level of each call.
    levels: Vec<usize>,
    /// The outcome of each call, once it has one.
    outcomes: Vec<Option<Done>>,
    /// The calls that failed for good.
    lost: Vec<usize>,
    /// The calls that are due, where one step is chosen at a time.
    chosen: Option<usize>,
    provided: Provided,
    events: Vec<Event>,
    record: PlanRun,
    refused: Option<WrongTool>,
}

impl<'a> Run<'a> {
    fn new(job: Job<'a>, dependencies: HandlerDependencies<'a>, spec: &'a PlanSpec) -> Self {
        let calls = job.approved.calls();
        Self {
            job,
            dependencies,
            spec,
            state: State {
                direct_chat: job.turn.talks_to().is_some() && calls.len() == 1,
                reclassifications: u32::try_from(job.turn.permits.failed.len()).unwrap_or(u32::MAX),
                ..State::default()
            },
            started: dependencies.clock.elapsed(),
            levels: steps::levels(job.turn.pack, &job.decision.steps, calls),
            outcomes: calls.iter().map(|_| None).collect(),
            lost: Vec::new(),
            chosen: None,
            provided: Provided::default(),
            events: Vec::new(),
            record: PlanRun::default(),
            refused: None,
        }
    }

    /// Does what comes next until nothing does. Bounded by the steps and the time of the pack.
    async fn through(&mut self, recorder: &mut Recorder<'_>) -> Result<()> {
        loop {
            self.state.elapsed = self.dependencies.clock.elapsed().saturating_sub(self.started);
            self.state.is_killed = self.dependencies.cancel.is_cancelled();
            match next(self.spec, &self.state) {
                Next::Plan => self.plan(),
                Next::Orchestrate => self.orchestrate(),
                Next::Step(step) => self.step(step, recorder).await?,
                Next::Retry(step) => self.retry(step, recorder).await?,
                Next::DirectChat => self.chat(recorder).await?,
                Next::End => return Ok(()),
                Next::Reclassify => {
                    self.note("reclassify");
                    self.refused = self.failed().map(|place| self.wrong_tool(place));
                    return Ok(());
                }
                Next::Fail(Limit::Killed) => {
                    return Err(Error::new(Code::Cancelled, "the request was stopped"));
                }
                Next::Fail(limit) => {
                    self.record.stopped = Some(limit.name().to_owned());
                    return Ok(());
                }
            }
        }
    }

    /// Takes what is on record of an earlier turn: its results need not be fetched again.
    fn take(&mut self, earlier: &Earlier) {
        let mut taken = 0;
        for (place, call) in self.job.approved.calls().iter().enumerate() {
            let output = earlier.output(&call.tool, &call.arguments);
            // What changes something and is among the calls is to be done, or to be done again.
            let reads = self.job.turn.access(&call.tool) == Access::Read;
            if let Some(output) = output.filter(|_| reads) {
                self.outcomes[place] = Some(recorded(call, output));
                taken += 1;
            }
        }
        let steps = earlier.steps.iter().filter_map(|step| Some((step, step.output.as_ref()?)));
        for (step, output) in steps {
            if let Some(tool) = self.job.turn.pack.tool(&step.tool) {
                self.provided.take(tool, output);
            }
        }
        self.note(format!("resume {taken}"));
    }

    /// The end of the work for its record.
    fn end(&self, went_through: bool) -> RunEnd {
        match (went_through, &self.record.stopped) {
            (false, _) => RunEnd::Cancelled,
            (true, None) if self.lost.is_empty() => RunEnd::Done,
            (true, _) => RunEnd::Stopped,
        }
    }

    fn note(&mut self, what: impl Into<String>) {
        self.record.happened.push(what.into());
    }

    /// Makes the plan; another one takes nothing of the results that did not serve the first.
    fn plan(&mut self) {
        self.note("plan");
        self.state.plans += 1;
        self.state.steps += 1;
        if let Err(fault) = steps::check(self.job.turn.pack, &self.job.decision.steps) {
            self.note(fault.to_string());
            self.record.stopped = Some("plan".to_owned());
            self.state.is_answered = true;
            return;
        }
        if self.state.fault.take().is_some() {
            self.begin_anew();
        }
        let last = self.levels.iter().max().map_or(0, |level| level + 1);
        // The step behind them answers.
        self.state.plan = Some(last + 1);
        self.state.step = 0;
        self.state.retries = 0;
    }

    /// Forgets what the failed step took, so that those who gave it run again.
    fn begin_anew(&mut self) {
        let Some(place) = self.failed() else { return };
        let needs = self.spec_of(place).map(|tool| tool.spec.needs.clone()).unwrap_or_default();
        self.provided.forget(&needs);
        for other in 0..self.outcomes.len() {
            let gives = self
                .spec_of(other)
                .is_some_and(|tool| tool.spec.provides.iter().any(|given| needs.contains(given)));
            if other == place || gives {
                self.supersede(other);
            }
        }
    }

    /// Chooses one step by what the steps before gave: the first call whose needs are met.
    fn orchestrate(&mut self) {
        self.note("orchestrate");
        self.state.steps += 1;
        if self.state.fault.take().is_some() {
            self.lost.extend(self.failed());
        }
        self.chosen =
            (0..self.outcomes.len()).find(|place| self.is_open(*place) && self.is_ready(*place));
        self.state.retries = 0;
        match self.chosen {
            Some(_) => (self.state.plan, self.state.step) = (Some(1), 0),
            None => self.answer(),
        }
    }

    fn answer(&mut self) {
        self.note(steps::RESPOND);
        self.state.is_answered = true;
    }

    /// The calls of a step that are still to be made.
    fn due(&self, step: usize) -> Vec<usize> {
        match self.spec.orchestration {
            Orchestration::React => {
                self.chosen.into_iter().filter(|at| self.is_open(*at)).collect()
            }
            Orchestration::PlanFirst => (0..self.outcomes.len())
                .filter(|at| self.levels[*at] == step && self.is_open(*at) && self.is_ready(*at))
                .collect(),
        }
    }

    /// Returns whether a call has not succeeded yet, and may.
    fn is_open(&self, place: usize) -> bool {
        let succeeded = self.outcomes[place].as_ref().is_some_and(|done| done.result.is_ok());
        !succeeded && !self.lost.contains(&place)
    }

    /// Returns whether everything that a call needs was given, and nothing that it takes into account is still to come.
    fn is_ready(&self, place: usize) -> bool {
        let Some(tool) = self.spec_of(place) else { return true };
        let is_needed = |want: &String| tool.spec.needs.contains(want);
        if self.is_starved(tool, place) {
            return false;
        }
        providers::wants(tool).all(|want| {
            let mut givers = self.givers(want, place);
            let coming = |at: usize| is_needed(want) || self.is_open(at) && self.can_still(at);
            self.provided.has(want) || !givers.any(coming)
        })
    }

    /// The other calls of the plan that give something.
    fn givers<'s>(&'s self, want: &'s String, place: usize) -> impl Iterator<Item = usize> + 's {
        let gives = move |at: &usize| {
            *at != place && self.spec_of(*at).is_some_and(|tool| tool.spec.provides.contains(want))
        };
        (0..self.outcomes.len()).filter(gives)
    }

    async fn step(&mut self, step: usize, recorder: &mut Recorder<'_>) -> Result<()> {
        if self.spec.orchestration == Orchestration::PlanFirst && self.state.plan == Some(step + 1)
        {
            self.answer();
            return Ok(());
        }
        self.make(step, format!("step {step}"), recorder).await
    }

    async fn retry(&mut self, step: usize, recorder: &mut Recorder<'_>) -> Result<()> {
        let first = Duration::from_millis(self.spec.backoff_ms);
        let wait = wait(first, self.spec.backoff_factor, self.state.retries);
        self.state.retries += 1;
        self.state.fault = None;
        let HandlerDependencies { clock, cancel, .. } = self.dependencies;
        pause_jittered(self.job.turn, wait, self.state.retries, clock, cancel).await?;
        self.make(step, format!("retry {step}"), recorder).await
    }

    async fn chat(&mut self, recorder: &mut Recorder<'_>) -> Result<()> {
        self.chosen = Some(0);
        self.make(0, "chat".to_owned(), recorder).await?;
        self.state.is_answered = true;
        Ok(())
    }

    /// Makes the calls of a step that are due, and notes what came of them.
    async fn make(&mut self, step: usize, what: String, recorder: &mut Recorder<'_>) -> Result<()> {
        let due = self.due(step);
        if due.is_empty() {
            self.state.step += 1;
            return Ok(());
        }
        self.note(what);
        self.state.steps += 1;
        let part = self.job.approved.part(&due);
        let began = self.dependencies.clock.elapsed().saturating_sub(self.started);
        let parts = [part];
        let made = make(self.job, self.dependencies, &parts, &self.provided, 1);
        let (done, ()) = futures_util::future::join(made, recorder.begin()).await;
        recorder.steps(&done, began).await;
        goes_on(&done, self.dependencies)?;
        for (place, done) in due.into_iter().zip(done) {
            self.supersede(place);
            if let (Ok(result), Some(tool)) = (&done.result, self.spec_of(place)) {
                self.provided.take(tool, &result.value);
            }
            self.outcomes[place] = Some(done);
        }
        self.weigh();
        Ok(())
    }

    /// Keeps the event of a try that another one follows.
    fn supersede(&mut self, place: usize) {
        self.events.extend(self.outcomes[place].take().map(|done| done.event));
    }

    /// Goes on where nothing failed, or where what failed ends nothing else.
    fn weigh(&mut self) {
        let Some(place) = self.failed() else {
            (self.state.step, self.state.retries) = (self.state.step + 1, 0);
            return;
        };
        self.state.fault = Some(self.severity(place));
        let ends = next(self.spec, &self.state) == Next::Fail(Limit::Step);
        let fatal = self.state.fault == Some(Severity::Fatal);
        if ends && !fatal {
            self.lost.push(place);
            let goes_on = (0..self.outcomes.len()).any(|at| self.is_open(at) && self.can_still(at));
            if goes_on {
                self.state.fault = None;
                // Others of this step may have failed as well.
                self.weigh();
            }
        }
    }

    /// Returns whether a call needs nothing of a call that is lost.
    fn can_still(&self, place: usize) -> bool {
        let Some(tool) = self.spec_of(place) else { return true };
        let may_come = |want: &String| {
            let mut givers = self.givers(want, place);
            self.provided.has(want)
                || givers.all(|at| !self.lost.contains(&at) && self.can_still(at))
        };
        tool.spec.needs.iter().all(may_come) && !self.is_starved(tool, place)
    }

    /// Returns whether a call was to work on what others give, and all of those are lost: a chart of nothing says nothing.
    fn is_starved(&self, tool: &Tool, place: usize) -> bool {
        let said = &self.job.approved.calls()[place].arguments;
        let mut unsaid = tool.provided().iter().filter(|(name, _)| !said.contains_key(name));
        unsaid.any(|(_, from)| {
            let mut givers = from.iter().flat_map(|want| self.givers(want, place)).peekable();
            let is_lost = |at: usize| self.lost.contains(&at) || !self.can_still(at);
            !from.iter().any(|want| self.provided.has(want))
                && givers.peek().is_some()
                && givers.all(is_lost)
        })
    }

    /// The tool of a call, with what its server said of it.
    fn wrong_tool(&self, place: usize) -> WrongTool {
        let error = self.outcomes[place].as_ref().and_then(|done| done.result.as_ref().err());
        let words = error.and_then(|error| error.words()).map(str::to_owned);
        WrongTool { name: self.tool(place).to_owned(), words }
    }

    /// The first call that failed and is not lost.
    fn failed(&self) -> Option<usize> {
        (0..self.outcomes.len()).find(|at| {
            let failed = self.outcomes[*at].as_ref().is_some_and(|done| done.result.is_err());
            failed && !self.lost.contains(at)
        })
    }

    /// The way to recover from the failure of a call. Nothing that changes something is tried again here.
    fn severity(&self, place: usize) -> Severity {
        let error = self.outcomes[place].as_ref().and_then(|done| done.result.as_ref().err());
        let Some(error) = error else { return Severity::Critical };
        if self.job.turn.access(self.tool(place)) != Access::Read {
            return Severity::Critical;
        }
        let needs = self.spec_of(place).is_some_and(|tool| !tool.spec.needs.is_empty());
        match (error.severity(), error.code()) {
            (Severity::Critical, Code::FailedPrecondition) if needs => Severity::Replan,
            (Severity::Critical, Code::Unimplemented) => Severity::Reclassify,
            // Who has waited for an answer in vain is not made to wait again for the same.
            (Severity::Retriable, Code::DeadlineExceeded) => Severity::Critical,
            (severity, _) => severity,
        }
    }

    fn tool(&self, place: usize) -> &'a str {
        &self.job.approved.calls()[place].tool
    }

    fn spec_of(&self, place: usize) -> Option<&'a Tool> {
        self.job.turn.pack.tool(self.tool(place))
    }

    fn ended(mut self) -> Planned {
        if self.record.stopped.is_none() && !self.lost.is_empty() {
            self.record.stopped = Some(Limit::Step.name().to_owned());
        }
        self.record.plans = self.state.plans;
        self.events.push(Event::PlanEvent(self.record));
        Planned {
            done: self.outcomes.into_iter().flatten().collect(),
            events: self.events,
            refused: self.refused,
            fault: None,
        }
    }
}

/// A call of which the result is on record: it was made in an earlier turn, and its event tells of no new try.
fn recorded(call: &Call, output: &Json) -> Done {
    let event = Event::ToolEvent {
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        status: Status::Success,
        tool_latency_ms: 0.0,
        tries: 0,
        relaxed: Vec::new(),
        errors: Vec::new(),
    };
    let result = Ok(ToolResult::from(output.clone()));
    Done { call: call.clone(), result, event, became: None, write: None }
}
