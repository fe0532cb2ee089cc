//! The cascade: layers in order, cheapest first; the first confident one decides.
//!
//! A layer sees the turn and the opinions of the layers before it; it decides or abstains, perhaps
//! with a weak opinion. History reaches no layer but the rules, which use it only for texts that
//! mean nothing without it, and the model's prompt, for references.

pub(crate) mod catalog;
mod clauses;
mod counted;
pub(crate) mod declared;
mod each_tool;
mod foreign;
pub(crate) mod interpret;
pub(crate) mod json;
mod linear;
mod llm;
mod own;
mod recall;
mod rules;
mod unknown;

pub use catalog::{Senses, candidates};
pub(crate) use clauses::runs;
pub(crate) use foreign::FOREIGN;
pub(crate) use linear::{VAGUE, vector};

use std::fmt;

use async_trait::async_trait;
pub(crate) use llm::NEEDED_REPLY;

pub(crate) use llm::shown_history;
pub use llm::{Teaching, Worth, Worths, probes, reply_fault};
pub use own::OwnLayer;
pub use recall::Recall;
pub(crate) use rules::signal::is_given as gives_signal;
pub(super) use rules::withdrawn::{TOOL_GONE, withdrawn};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::model::Model;
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::{Alternative, LayerName, Unserved};
use waypost_core::records::event::{ContractRule, Event, Recalled};
use waypost_core::records::request::PastCall;
use waypost_learning::Bundle;

use self::counted::CountedModel;
use waypost_text::text::Span;

use crate::decide::slots::DraftCall;
use crate::pack::{Pack, Tool};
use crate::understand::Turn;

/// The outcome that a layer proposes.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// A route of the pack, by name.
    Route(String),
    /// No route serves it.
    OutOfScope,
    /// It cannot be made out; the name of the sentence that says so.
    Unclear(&'static str),
    /// A question in a model's words.
    Ask(String),
    /// Nothing more: the user stops what is under way.
    Stopped,
    /// A report on the state of the workflow.
    Status,
    /// The commands of the text alone: it asks for nothing.
    Switched,
}

/// The proposal of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The outcome that is proposed.
    pub aim: Aim,
    /// The tools, on a route that runs tools.
    pub calls: Vec<DraftCall>,
    /// The calibrated probability that this is right.
    pub confidence: f64,
    /// The layer that proposes it.
    pub layer: LayerName,
    /// The reason, in one sentence.
    pub rationale: String,
    /// The other possibilities, likeliest first.
    pub alternatives: Vec<Alternative>,
    /// The least probability of a meaning in the student's conformal prediction set; 0 where no
    /// student promises one.
    pub floor: f64,
    /// The part that did not work as configured; the draft was made without it.
    pub fault: Option<Error>,
    /// The call that the user has just approved. Only a rule sets it, never a model.
    pub approved: Option<PastCall>,
    /// The user has just said yes to these calls as a plan. Only a rule sets it.
    pub planned: bool,
    /// The levels of the calls of that plan, where they are not what the tools say.
    pub levels: Option<Vec<usize>>,
    /// The parts of the text that ask for something else beside it.
    pub unserved: Vec<Unserved>,
}

impl Draft {
    /// A sure proposal without calls.
    pub fn sure(layer: LayerName, aim: Aim, rationale: impl Into<String>) -> Self {
        Self {
            aim,
            calls: Vec::new(),
            confidence: 1.0,
            layer,
            rationale: rationale.into(),
            alternatives: Vec::new(),
            floor: 0.0,
            fault: None,
            approved: None,
            planned: false,
            levels: None,
            unserved: Vec::new(),
        }
    }

    /// The same where these words chose: they say nothing else.
    pub(crate) fn consuming(mut self, words: &[Span]) -> Self {
        self.calls.iter_mut().for_each(|call| call.consumed.extend(words));
        self
    }
}

/// Answers a layer's questions about arguments. Arguments are filled once, after the layers: a
/// layer learns only whether the words say something for them, and where.
pub trait Arguments: fmt::Debug + Sync {
    /// Returns `true` if the words would fill anything of a call that was not known of it before.
    fn adds(&self, turn: &Turn<'_>, call: &DraftCall) -> bool;

    /// Finds the spans where the words count something that a tool takes, with the words that name
    /// it; empty where they count nothing of it. `memory` is the call that may go on.
    fn counted(&self, turn: &Turn<'_>, tool: &Tool, memory: Option<&PastCall>) -> Vec<Span>;
}

/// The parts that a layer needs beside the turn.
#[derive(Debug, Clone, Copy)]
pub struct DecisionDependencies<'a> {
    /// The student in service.
    pub bundle: &'a Bundle,
    /// Knows which words count for arguments.
    pub arguments: &'a dyn Arguments,
    /// The encoder that the student may have been trained with.
    pub encoder: Option<&'a dyn Encoder>,
    /// The teacher, where one is configured.
    pub model: Option<&'a dyn Model>,
    /// What the teacher is shown.
    pub teaching: &'a Teaching,
    /// How far it is believed.
    pub belief: Belief,
    /// The decisions that were made before, where they are remembered.
    pub recall: Option<&'a Recall>,
    /// The recalled decision, where a turn that once recalled it is decided again.
    pub recalled: Option<&'a Recalled>,
    /// The layers of an embedder.
    pub layers: &'a [OwnLayer],
    /// Stops the work.
    pub cancel: &'a CancellationToken,
}

/// The answer of a layer.
#[derive(Debug)]
pub enum Step {
    /// This is it.
    Decided(Draft),
    /// Somebody else should decide; perhaps with a weak opinion.
    Abstained(Option<Draft>),
    /// It did not work as configured.
    Failed(Error),
}

impl Step {
    /// The part that did not work as configured on the way to this answer.
    fn fault(&self) -> Option<&Error> {
        match self {
            Step::Decided(draft) | Step::Abstained(Some(draft)) => draft.fault.as_ref(),
            Step::Abstained(None) | Step::Failed(_) => None,
        }
    }
}

/// A classifier of the cascade.
///
/// An implementer never blocks, makes at most one model call, and abstains rather than guess. It
/// returns the same for the same turn (a replay and an explanation ask again). It proposes and no more:
/// the gates have the last word. One from outside is an [`OwnLayer`], which says what else it owes.
#[async_trait]
pub trait Layer: fmt::Debug + Send + Sync {
    /// Its name in records.
    fn name(&self) -> LayerName;

    /// The confidence that a proposal needs to decide; `None` where the layer decides by rule.
    fn threshold(&self, _: &Turn<'_>, _: &DecisionDependencies<'_>, _: &Draft) -> Option<f64> {
        None
    }

    /// Decides, or leaves it to the next layer. `opinion` is the latest of the layers before.
    ///
    /// # Errors
    ///
    /// Those that end the turn; a layer that merely did not work returns [`Step::Failed`].
    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        opinion: Option<&Draft>,
    ) -> Result<Step>;
}

/// The layers in the order in which they are asked: cheapest first, and each only if the one
/// before was not confident.
pub(crate) fn layers() -> &'static [&'static dyn Layer] {
    &[&declared::Declared, &rules::Rules, &recall::Recalls, &linear::Linear, &llm::Llm]
}

/// The same with those of an embedder, which come right after the rules: later the student of a small
/// pack would have decided already.
pub(crate) fn with_own(own: &[OwnLayer]) -> impl Iterator<Item = &dyn Layer> {
    layers().iter().flat_map(move |layer| {
        let own = if layer.name() == LayerName::Rules { own } else { &[] };
        std::iter::once(*layer).chain(own.iter().map(|layer| layer as &dyn Layer))
    })
}

/// The result of the cascade.
#[derive(Debug)]
pub struct Cascaded {
    /// The proposal that stands.
    pub draft: Draft,
    /// The number of model calls that it took.
    pub llm_calls: u32,
    /// The layers that did not work as configured.
    pub failures: Vec<Failure>,
    /// The events on the way.
    pub events: Vec<Event>,
    /// The decision that was recalled, if one was.
    pub recalled: Option<Recalled>,
}

/// A layer that did not work as configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The layer.
    pub layer: LayerName,
    /// The code of its failure.
    pub code: Code,
}

/// Writes it as records name it: `llm:DEADLINE_EXCEEDED`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.layer.name(), self.code)
    }
}

impl DecisionDependencies<'_> {
    /// Checks that somebody still waits for the decision.
    ///
    /// # Errors
    ///
    /// `CANCELLED` if not.
    pub(crate) fn goes_on(&self) -> Result<()> {
        match self.cancel.is_cancelled() {
            true => Err(Error::new(Code::Cancelled, "the request was stopped")),
            false => Ok(()),
        }
    }
}

/// Reports orders to whoever answers that stood beside the user's words: they may be an attempt.
fn instructed(turn: &Turn<'_>) -> Option<Event> {
    let why = "they are addressed to whoever answers, and decide nothing".to_owned();
    turn.said.had_orders.then(|| Event::Dropped { what: "instructions".to_owned(), why })
}

/// Asks the layers that are on, in their order.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the caller declared a route that the pack does not have; `CANCELLED`.
pub async fn cascade(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>) -> Result<Cascaded> {
    let mut opinion: Option<Draft> = None;
    let mut cascaded = Cascaded {
        draft: Draft::sure(LayerName::Rules, Aim::Unclear("rephrase"), "no layer had an opinion"),
        llm_calls: 0,
        failures: Vec::new(),
        events: rules::prefix::ignored(turn).into_iter().chain(instructed(turn)).collect(),
        recalled: None,
    };
    let layers = with_own(dependencies.layers);
    for layer in layers.filter(|layer| turn.permits.enabled.layer(layer.name().name())) {
        dependencies.goes_on()?;
        if layer.name() == LayerName::Llm && dependencies.model.is_some() {
            cascaded.events.extend(rules::prefix::deciding(turn).map(|prefix| {
                Event::ContractEvent {
                    rule: ContractRule::Rc01,
                    detail: format!("a model was asked about the prefix `{}`", prefix.spec.text),
                }
            }));
        }
        let counted = dependencies.model.map(CountedModel::new);
        let counting = DecisionDependencies {
            model: counted.as_ref().map(|model| model as &dyn Model),
            ..*dependencies
        };
        let step = layer.decide(turn, &counting, opinion.as_ref()).await?;
        cascaded.llm_calls += counted.as_ref().map_or(0, CountedModel::calls);
        if let Some(error) = step.fault() {
            cascaded.note_failure(layer.name(), error);
        }
        match step {
            Step::Decided(draft) => {
                recall::keep(turn, dependencies, &draft);
                cascaded.recalled = recall::told(&draft);
                return Ok(Cascaded { draft, ..cascaded });
            }
            Step::Abstained(weak) => opinion = weak.or(opinion),
            Step::Failed(error) if error.code() == Code::Cancelled => return Err(error),
            Step::Failed(error) => cascaded.note_failure(layer.name(), &error),
        }
    }
    let failed = cascaded.failures.iter().any(|failure| failure.layer == LayerName::Llm);
    // A model that read the words knows whether they answer the question.
    let read = cascaded.llm_calls > 0 && !failed;
    let told = rules::unasked::told(turn).filter(|_| !read);
    cascaded.draft = match told.or(opinion) {
        // Inside a step, a text that nobody understood is a strange answer rather than a question.
        Some(draft) if is_strange(turn, &draft) => rules::unasked::ask_again(turn, draft),
        // A weak opinion becomes a question. So does one below every threshold, unless a model was
        // asked and answered badly: then the pack's fallback is kinder than "say it again" (S0-36).
        Some(draft) if !failed || draft.confidence >= turn.pack.spec.policy.ask => draft,
        _ if failed => fallback(turn),
        Some(draft) => draft,
        None => cascaded.draft,
    };
    Ok(cascaded)
}

/// A draft beside what waits: a write that nobody asked for is held, and what waits for its yes goes along.
pub(in crate::decide) fn held(turn: &Turn<'_>, draft: Draft) -> Draft {
    rules::settle::with_waiting(turn, rules::unasked::held(turn, draft))
}

impl Cascaded {
    /// The tools that are proposed.
    pub(crate) fn tools<'p>(&self, pack: &'p Pack) -> Vec<&'p Tool> {
        self.draft.calls.iter().filter_map(|call| pack.tool(&call.tool)).collect()
    }

    /// Notes that a layer did not work as configured; the turn goes on.
    pub(crate) fn note_failure(&mut self, layer: LayerName, error: &Error) {
        self.failures.push(Failure { layer, code: error.code() });
        self.events.push(Event::degraded(layer.name(), error));
    }
}

/// Returns whether a weak opinion leads out of the step that is open.
fn is_strange(turn: &Turn<'_>, draft: &Draft) -> bool {
    if rules::unasked::begins_write(turn, draft) {
        return true;
    }
    let Some((active, _)) = turn.asked() else { return false };
    match &draft.aim {
        Aim::OutOfScope => draft.confidence < linear::IN_SCOPE,
        Aim::Route(_) => {
            let elsewhere = draft.calls.iter().all(|call| call.tool != active.spec.name);
            elsewhere && draft.confidence < turn.pack.spec.policy.run && !draft.calls.is_empty()
        }
        _ => false,
    }
}

fn fallback(turn: &Turn<'_>) -> Draft {
    let route = turn.pack.spec.fallback.clone();
    let mut draft = Draft::sure(
        LayerName::Llm,
        Aim::Route(route),
        "the model's reply was not usable and no other layer had an opinion",
    );
    // Just enough to run: it is the last resort, and nobody is sure of it.
    let threshold = turn.pack.route(&turn.pack.spec.fallback).and_then(|route| route.run);
    draft.confidence = threshold.unwrap_or(turn.pack.spec.policy.run);
    draft
}
