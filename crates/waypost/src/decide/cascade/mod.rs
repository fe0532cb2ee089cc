//! The cascade: layers in order, cheapest first; the first confident one decides.
//!
//! A layer sees the turn and the opinions of the layers before it; it decides or abstains, perhaps
//! with a weak opinion. History reaches no layer but the rules, which use it only for texts that
//! mean nothing without it, and the model's prompt, for references. A sentence that goes on with the one
//! before it sees that one's calls in the same way.

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
mod sections;
mod unknown;

pub use super::proposal::{Aim, Failure, Proposal, Proposed};
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
pub(super) use rules::unasked::told as answered_in_words;
pub(super) use rules::withdrawn::{TOOL_GONE, withdrawn};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::encoder::Encoder;
use waypost_core::ports::model::Model;
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::LayerName;
use waypost_core::records::event::{ContractRule, Event, Recalled};
use waypost_core::records::request::PastCall;
use waypost_learning::Bundle;

use self::counted::CountedModel;
use waypost_text::text::Span;

use crate::decide::slots::DraftCall;
use crate::pack::Tool;
use crate::understand::Turn;

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
    Decided(Proposal),
    /// Somebody else should decide; perhaps with a weak opinion.
    Abstained(Option<Proposal>),
    /// It did not work as configured.
    Failed(Error),
}

impl Step {
    /// The part that did not work as configured on the way to this answer.
    fn fault(&self) -> Option<&Error> {
        match self {
            Step::Decided(proposal) | Step::Abstained(Some(proposal)) => proposal.fault.as_ref(),
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
    fn threshold(&self, _: &Turn<'_>, _: &DecisionDependencies<'_>, _: &Proposal) -> Option<f64> {
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
        opinion: Option<&Proposal>,
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
pub async fn cascade(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>) -> Result<Proposed> {
    let mut opinion: Option<Proposal> = None;
    let none = Aim::Unclear("rephrase");
    let none = Proposal::sure(LayerName::Rules, none, "no layer had an opinion");
    let mut proposed = Proposed::from(none);
    proposed.events = rules::prefix::ignored(turn).into_iter().chain(instructed(turn)).collect();
    let layers = with_own(dependencies.layers);
    for layer in layers.filter(|layer| turn.permits.enabled.layer(layer.name().name())) {
        dependencies.goes_on()?;
        if layer.name() == LayerName::Llm && dependencies.model.is_some() {
            proposed.events.extend(rules::prefix::deciding(turn).map(|prefix| {
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
        proposed.llm_calls += counted.as_ref().map_or(0, CountedModel::calls);
        if let Some(error) = step.fault() {
            proposed.note_failure(layer.name(), error);
        }
        match step {
            Step::Decided(proposal) => {
                recall::keep(turn, dependencies, &proposal);
                proposed.recalled = recall::told(&proposal);
                return Ok(Proposed { proposal, ..proposed });
            }
            Step::Abstained(weak) => opinion = weak.or(opinion),
            Step::Failed(error) if error.code() == Code::Cancelled => return Err(error),
            Step::Failed(error) => proposed.note_failure(layer.name(), &error),
        }
    }
    let failed = proposed.failures.iter().any(|failure| failure.layer == LayerName::Llm);
    // A model that read the words knows whether they answer the question.
    let read = proposed.llm_calls > 0 && !failed;
    let told = rules::unasked::told(turn).filter(|_| !read);
    proposed.proposal = match told.or(opinion) {
        // Inside a step, a text that nobody understood is a strange answer rather than a question.
        Some(proposal) if is_strange(turn, &proposal) => rules::unasked::ask_again(turn, proposal),
        // A weak opinion becomes a question. So does one below every threshold, unless a model was
        // asked and answered badly: then the pack's fallback is kinder than "say it again" (S0-36).
        Some(proposal) if !failed || proposal.confidence >= turn.pack.spec.policy.ask => proposal,
        _ if failed => fallback(turn),
        Some(proposal) => proposal,
        None => proposed.proposal,
    };
    Ok(proposed)
}

/// A proposal beside what waits: a write that nobody asked for is held, and what waits for its yes goes along.
pub(in crate::decide) fn held(turn: &Turn<'_>, proposal: Proposal) -> Proposal {
    rules::settle::with_waiting(turn, rules::unasked::held(turn, proposal))
}

/// Returns whether a weak opinion leads out of the step that is open.
fn is_strange(turn: &Turn<'_>, proposal: &Proposal) -> bool {
    if rules::unasked::begins_write(turn, proposal) {
        return true;
    }
    let Some((active, _)) = turn.asked() else { return false };
    match &proposal.aim {
        Aim::OutOfScope => proposal.confidence < linear::IN_SCOPE,
        Aim::Route(_) => {
            let elsewhere = proposal.calls.iter().all(|call| call.tool != active.spec.name);
            elsewhere
                && proposal.confidence < turn.pack.spec.policy.run
                && !proposal.calls.is_empty()
        }
        _ => false,
    }
}

fn fallback(turn: &Turn<'_>) -> Proposal {
    let route = turn.pack.spec.fallback.clone();
    let mut proposal = Proposal::sure(
        LayerName::Llm,
        Aim::Route(route),
        "the model's reply was not usable and no other layer had an opinion",
    );
    // Just enough to run: it is the last resort, and nobody is sure of it.
    let threshold = turn.pack.route(&turn.pack.spec.fallback).and_then(|route| route.run);
    proposal.confidence = threshold.unwrap_or(turn.pack.spec.policy.run);
    proposal
}
