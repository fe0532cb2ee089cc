//! The agent: makes the calls that were decided, has a model reason over what they gave where there are several, and makes what
//! calls it still needs, within budgets.
//!
//! It decides nothing by itself. Decided calls come approved, further calls pass the same gates (`decide::further`), and the words
//! of a model are held to the figures of the results. Where the model fails, or a guard or a budget ends its work, the results stand
//! and are told by templates; the answer names what ended it. Source: S2-18 to S2-21.

mod budget;
mod figures;
mod prompt;
mod reply;
mod words;

use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value as Json;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::model::{Cut, Model, Piece, Prompt};
use waypost_core::records::answer::{Part, Phase};
use waypost_core::records::decision::Strategy;
use waypost_core::records::event::{AgentRun, Event};
use waypost_core::records::usage::Usage;

use self::budget::Budget;
use self::figures::Figures;
use self::reply::Said;
use self::words::Written;
use crate::decide::further::{Found, Further, Refused, Wish, further};
use crate::decide::gates::Approved;
use crate::pack::Tool;
use crate::pack::messages::Sentence;
use crate::pack::spec::AgentSpec;
use crate::respond::execution::{self, CONCURRENT_CALLS, Done, ExecutionDependencies, Provided};
use crate::respond::handlers::{HandlerDependencies, Job, plan, withdraw};
use crate::tokens;
use crate::understand::WrongTool;

/// The most turns in a row in which nothing new was called.
const IDLE: u32 = 2;

/// What ended the agent's work before it was done: a budget, or a guard against loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Turns,
    Calls,
    Time,
    Tokens,
    Money,
    /// The model asks for what was called already.
    Repeats,
    /// Nothing that the model asks for may be called.
    NoProgress,
}

impl Stop {
    /// The name in records.
    fn name(self) -> &'static str {
        match self {
            Stop::Turns => "turns",
            Stop::Calls => "calls",
            Stop::Time => "time",
            Stop::Tokens => "tokens",
            Stop::Money => "money",
            Stop::Repeats => "repeats",
            Stop::NoProgress => "no_progress",
        }
    }
}

/// A call that was not made, as the model is told.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) tool: String,
    pub(super) why: String,
}

/// What the agent's work gave.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The calls that were made, the decided ones first.
    pub(super) done: Vec<Done>,
    /// A model's words on them, which were sent on.
    pub(super) words: Option<String>,
    /// The reason why they end before the model was done, if they do.
    pub(super) cut: Option<Cut>,
    /// What did not work as configured, by name.
    pub(super) degraded: Vec<(String, Error)>,
    /// The records of the work, beside those of the calls.
    pub(super) events: Vec<Event>,
    /// The tool that says that it is the wrong one for this.
    pub(super) refused: Option<WrongTool>,
}

/// Makes the decided calls, and reasons over them where a model may.
///
/// # Errors
///
/// `CANCELLED`.
pub(super) async fn run(job: Job<'_>, dependencies: HandlerDependencies<'_>) -> Result<Outcome> {
    let started = dependencies.clock.elapsed();
    let decided = job.approved.calls().len();
    if decided > 1 {
        let most = decided.min(CONCURRENT_CALLS).to_string();
        let sentence = Sentence::new("phase_plan").with("calls", decided.to_string());
        tell(job, dependencies, ("planning", "decision"), sentence.with("most", most)).await;
    }
    let mut outcome = decided_calls(job, dependencies).await?;
    goes_on(&outcome.done, dependencies)?;
    let spec = job.turn.pack.spec.agent.as_ref();
    let reasons = spec.zip(dependencies.model).filter(|(spec, _)| decided >= spec.model_from);
    let Some((spec, model)) = reasons else { return Ok(outcome) };
    let mut agent = Agent::new(job, dependencies, spec, model, started);
    // The calls that were decided are the first turn.
    agent.budget.turns = 1;
    agent.budget.calls = decided;
    agent.reason(&mut outcome).await?;
    outcome.events.push(agent.event(job.decision.strategy));
    Ok(outcome)
}

/// Makes the calls that were decided: as the steps of a plan, where the pack has plans.
async fn decided_calls(job: Job<'_>, dependencies: HandlerDependencies<'_>) -> Result<Outcome> {
    let planned = match &job.turn.pack.spec.plans {
        Some(spec) => plan::run(job, dependencies, spec).await?,
        None => {
            let tries = job.turn.pack.spec.policy.max_tries;
            let approved = std::slice::from_ref(job.approved);
            let done = make(job, dependencies, approved, &Provided::default(), tries).await;
            plan::Planned { done, events: Vec::new(), refused: None, fault: None }
        }
    };
    let plan::Planned { done, events, refused, fault } = planned;
    let degraded = fault.map(|fault| ("runs".to_owned(), fault)).into_iter().collect();
    Ok(Outcome { done, words: None, cut: None, degraded, events, refused })
}

/// Tells people which phase the work is in. Source: S2-24.
async fn tell(
    job: Job<'_>,
    dependencies: HandlerDependencies<'_>,
    (phase, action): (&'static str, &'static str),
    sentence: Sentence,
) {
    let content = dependencies.messages.say(job.turn.said.language, &sentence);
    let _ = dependencies.out.send(Part::Phase(Phase { phase, action, content })).await;
}

/// Makes calls that were approved together or one by one, a few at a time, each reading one in at most `max_tries` tries.
pub(super) async fn make(
    job: Job<'_>,
    dependencies: HandlerDependencies<'_>,
    approved: &[Approved],
    provided: &Provided,
    max_tries: u32,
) -> Vec<Done> {
    let calls = || approved.iter().flat_map(Approved::calls);
    for call in calls() {
        let _ = dependencies.out.send(Part::ToolStarted { tool: call.tool.clone() }).await;
    }
    let with = ExecutionDependencies {
        servers: dependencies.servers,
        clock: dependencies.clock,
        known: dependencies.known,
        out: dependencies.out,
        pulse: dependencies.pulse,
        writes: dependencies.writes,
        provided,
        max_tries,
        cancel: dependencies.cancel,
    };
    let runs = approved.iter().map(|approved| execution::run(job.turn, approved, with).boxed());
    let runs: Vec<_> = runs.collect();
    let done: Vec<Vec<Done>> = stream::iter(runs).buffered(CONCURRENT_CALLS).collect().await;
    let done: Vec<Done> = done.into_iter().flatten().collect();
    for done in &done {
        let code = done.result.as_ref().err().map(Error::code);
        let _ = dependencies.out.send(Part::ToolDone { tool: done.call.tool.clone(), code }).await;
    }
    done
}

/// Returns `CANCELLED` where the turn was stopped, or a call with it.
pub(super) fn goes_on(done: &[Done], dependencies: HandlerDependencies<'_>) -> Result<()> {
    let mut errors = done.iter().filter_map(|done| done.result.as_ref().err());
    let is_stopped = errors.any(|error| error.code() == Code::Cancelled);
    if is_stopped || dependencies.cancel.is_cancelled() {
        return Err(Error::new(Code::Cancelled, "the request was stopped"));
    }
    Ok(())
}

/// The model's part of the work.
struct Agent<'a> {
    job: Job<'a>,
    dependencies: HandlerDependencies<'a>,
    model: &'a dyn Model,
    budget: Budget<'a>,
    started: Duration,
    /// The tools that the model may ask for.
    shown: Vec<&'a Tool>,
    notes: Vec<Note>,
    refused: Vec<String>,
    idle: u32,
    stopped: Option<Stop>,
    /// True if words of the model were sent on.
    has_sent: bool,
}

/// What a turn of the agent came to.
enum Turned {
    /// It called something, or may yet.
    On,
    /// The work has ended.
    Over,
}

impl<'a> Agent<'a> {
    fn new(
        job: Job<'a>,
        dependencies: HandlerDependencies<'a>,
        spec: &'a AgentSpec,
        model: &'a dyn Model,
        started: Duration,
    ) -> Self {
        let budget = Budget::new(spec, job.decision.strategy);
        let shown = selected(job, spec.more_tools);
        let (notes, refused) = (Vec::new(), Vec::new());
        Self {
            job,
            dependencies,
            model,
            budget,
            started,
            shown,
            notes,
            refused,
            idle: 0,
            stopped: None,
            has_sent: false,
        }
    }

    fn elapsed(&self) -> Duration {
        self.dependencies.clock.elapsed().saturating_sub(self.started)
    }

    /// Takes turns until the model answers, or something ends it. Bounded by the turns of the strategy.
    async fn reason(&mut self, outcome: &mut Outcome) -> Result<()> {
        loop {
            let is_last = self.budget.is_last();
            if let Err(stop) = self.budget.turn(self.elapsed()) {
                self.stop(stop, outcome);
                return Ok(());
            }
            match self.turn(outcome, is_last).await {
                Ok(Turned::On) => {}
                Ok(Turned::Over) => return Ok(()),
                Err(error) if error.code() == Code::Cancelled => return Err(error),
                Err(error) => {
                    outcome.degraded.push(("model".to_owned(), error));
                    withdraw(self.job, self.dependencies, self.has_sent).await;
                    return Ok(());
                }
            }
        }
    }

    async fn turn(&mut self, outcome: &mut Outcome, is_last: bool) -> Result<Turned> {
        let sentence = Sentence::new("phase_reasoning")
            .with("turn", self.budget.turns.to_string())
            .with("most", self.budget.most_turns().to_string());
        tell(self.job, self.dependencies, ("reasoning", "turn"), sentence).await;
        let prompt = prompt::prompt(
            self.job,
            &self.shown,
            &outcome.done,
            &self.notes,
            &self.budget,
            is_last,
        );
        match self.ask(&prompt, outcome).await? {
            Said::Words => Ok(Turned::Over),
            Said::Calls(_) if is_last => {
                self.stop(Stop::Turns, outcome);
                Ok(Turned::Over)
            }
            Said::Calls(wishes) => self.call(wishes, outcome).await,
        }
    }

    /// Asks the model. Words are sent on as they come; a reply that may be calls is read once it is whole.
    async fn ask(&mut self, prompt: &Prompt, outcome: &mut Outcome) -> Result<Said> {
        let mut figures = given(self.job, &outcome.done);
        figures.add_text(self.job.turn.said.text.original());
        let mut words = Written::new(&figures);
        let (mut whole, mut sent, mut usage, mut cut) = (String::new(), 0, None, None);
        let mut pieces = self.model.stream(prompt, self.dependencies.cancel).await?;
        while let Some(piece) = pieces.next().await {
            match piece? {
                Piece::Usage(tokens) => usage = Some(tokens),
                Piece::Cut(own) => cut = Some(own),
                Piece::Words(piece) => whole += &piece,
            }
            if whole.len() > MOST_REPLY {
                cut = Some(Cut::Length);
                break;
            }
            if !reply::may_be_calls(&whole) && sent < whole.len() {
                let Some(ready) = words.push(&whole[sent..]) else {
                    cut = Some(Cut::Length);
                    break;
                };
                sent = whole.len();
                self.has_sent |= !ready.is_empty();
                send(self.dependencies, ready).await;
            }
        }
        let usage = usage.unwrap_or_else(|| estimated(prompt, &whole));
        self.budget.spend(usage, self.model.cost(usage));
        if sent == 0 && cut.is_some() {
            // A call that was to follow would be lost without a word.
            return Err(Error::unavailable("the model's reply was cut before it was whole"));
        }
        if sent == 0
            && let said @ Said::Calls(_) = reply::read(&whole)
        {
            return Ok(said);
        }
        if sent == 0 {
            // It began like calls and is none: JSON or tags are no words for people.
            return Err(Error::unavailable("the model's reply was neither calls nor words"));
        }
        let rest = words.finish();
        send(self.dependencies, rest).await;
        if words.left_out > 0 {
            let message = format!("{} sentences had figures of their own", words.left_out);
            let error = Error::new(Code::FailedPrecondition, message);
            outcome.degraded.push(("agent:figures".to_owned(), error));
        }
        outcome.cut = cut;
        outcome.words = Some(words.text).filter(|text| !text.is_empty());
        Ok(Said::Words)
    }

    /// Makes those of the wished calls that are new and pass the gates.
    async fn call(&mut self, wishes: Vec<Wish>, outcome: &mut Outcome) -> Result<Turned> {
        let (mut approved, mut repeats) = (Vec::new(), 0);
        for wish in wishes {
            match self.decide(&wish, &outcome.done, &approved) {
                Ok(Some(further)) => {
                    self.note_left_out(&wish.tool, &further.left_out, outcome);
                    approved.push(further.approved);
                }
                Ok(None) => {
                    repeats += 1;
                    let why = "it was called already, its result is above".to_owned();
                    self.notes.push(Note { tool: wish.tool, why });
                }
                Err((refused, why)) => {
                    let what = format!("agent:{}", refused.name());
                    outcome
                        .degraded
                        .push((what, Error::new(Code::FailedPrecondition, why.clone())));
                    self.refused.push(format!("{}:{}", wish.tool, refused.name()));
                    self.notes.push(Note { tool: wish.tool, why });
                }
            }
        }
        if approved.is_empty() {
            self.idle += 1;
            if self.idle >= IDLE {
                self.stop(if repeats > 0 { Stop::Repeats } else { Stop::NoProgress }, outcome);
                return Ok(Turned::Over);
            }
            return Ok(Turned::On);
        }
        self.idle = 0;
        if let Err(stop) = self.budget.call(approved.len()) {
            self.stop(stop, outcome);
            return Ok(Turned::Over);
        }
        let tools: Vec<&str> =
            approved.iter().flat_map(Approved::calls).map(|call| call.tool.as_str()).collect();
        let sentence = Sentence::new("phase_calls").with("tools", tools.join(", "));
        tell(self.job, self.dependencies, ("reasoning", "calls"), sentence).await;
        let tries = self.job.turn.pack.spec.policy.max_tries;
        let more = make(self.job, self.dependencies, &approved, &Provided::default(), tries).await;
        goes_on(&more, self.dependencies)?;
        outcome.done.extend(more);
        Ok(Turned::On)
    }

    /// Decides on a call; `None` for one that was made already.
    fn decide(
        &self,
        wish: &Wish,
        done: &[Done],
        approved: &[Approved],
    ) -> std::result::Result<Option<Further>, (Refused, String)> {
        let found: Vec<Found<'_>> = done
            .iter()
            .filter_map(|done| Some((done.call.tool.as_str(), &done.result.as_ref().ok()?.value)))
            .collect();
        let sure = (self.job.route, self.job.decision.confidence);
        let messages = self.dependencies.messages;
        let further = further(self.job.turn, sure, &self.shown, wish, &found, messages)?;
        let made = done.iter().map(|done| &done.call);
        let made = made.chain(approved.iter().flat_map(Approved::calls));
        let is_new = further.approved.calls().iter().all(|call| {
            !made.clone().any(|other| other.tool == call.tool && other.arguments == call.arguments)
        });
        Ok(is_new.then_some(further))
    }

    /// Notes the arguments that a call is made without.
    fn note_left_out(&mut self, tool: &str, names: &[String], outcome: &mut Outcome) {
        for name in names {
            let message = format!("`{name}` of `{tool}` is borne out by nothing and was left out");
            let error = Error::new(Code::FailedPrecondition, message);
            outcome.degraded.push((format!("agent:{}", Refused::Ungrounded.name()), error));
            self.refused.push(format!("{tool}.{name}:{}", Refused::Ungrounded.name()));
        }
    }

    fn stop(&mut self, stop: Stop, outcome: &mut Outcome) {
        self.stopped = Some(stop);
        let message = format!("the agent was stopped: {}", stop.name());
        let error = Error::new(Code::ResourceExhausted, message);
        outcome.degraded.push((format!("agent:{}", stop.name()), error));
    }

    fn event(self, strategy: Strategy) -> Event {
        Event::AgentEvent(AgentRun {
            strategy,
            turns: self.budget.turns,
            calls: self.budget.calls,
            refused: self.refused,
            tokens: self.budget.tokens,
            cost: self.budget.cost,
            stopped: self.stopped.map(|stop| stop.name().to_owned()),
        })
    }
}

/// The longest reply that is read, in bytes.
const MOST_REPLY: usize = 64 * 1024;

/// The tools whose schemas a model is shown: those that were chosen, and so many likely others. Source: S2-20.
fn selected<'a>(job: Job<'a>, others: usize) -> Vec<&'a Tool> {
    let mut shown: Vec<&Tool> = Vec::new();
    let tool = |name: &str| job.turn.pack.tool(name).filter(|_| job.turn.request.may_use(name));
    let called = job.approved.calls().iter().filter_map(|call| tool(&call.tool));
    let likely = job.decision.alternatives.iter().filter_map(|other| tool(other.tool.as_deref()?));
    let is_new =
        |shown: &[&Tool], tool: &Tool| shown.iter().all(|known| known.spec.name != tool.spec.name);
    for tool in called {
        if is_new(&shown, tool) {
            shown.push(tool);
        }
    }
    let most = shown.len() + others;
    for tool in likely {
        if shown.len() < most && is_new(&shown, tool) {
            shown.push(tool);
        }
    }
    shown
}

/// The figures that a model was given.
fn given(job: Job<'_>, done: &[Done]) -> Figures {
    let mut figures = Figures::default();
    figures.add_text(&job.turn.now.date().to_string());
    for done in done {
        figures.add(&Json::Object(done.call.arguments.clone()));
        if let Ok(result) = &done.result {
            figures.add(&result.value);
        }
    }
    figures
}

/// The tokens of a call whose server counts none.
fn estimated(prompt: &Prompt, reply: &str) -> Usage {
    let sent = prompt.messages.iter().map(|message| tokens::count(&message.content)).sum::<usize>();
    Usage { prompt: sent as u64, cached: 0, reply: tokens::count(reply) as u64 }
}

async fn send(dependencies: HandlerDependencies<'_>, words: String) {
    if !words.is_empty() {
        let _ = dependencies.out.send(Part::Token(words)).await;
    }
}
