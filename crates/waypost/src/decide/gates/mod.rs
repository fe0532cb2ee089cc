//! Gates: checks between a decision and its execution, outside every model, always last.
//!
//! They are pure functions in a fixed order. The first closed one decides what happens instead: one
//! question with the choices that lead on, or a refusal. Only [`check`] can make an [`Approved`],
//! and execution takes nothing else.

mod approval;
mod bounds;
mod budget;
mod completeness;
mod confidence;
mod exact;
mod fork;
mod limits;
mod permission;
mod plan;
#[cfg(test)]
mod tests;
mod unusual;
mod values;
mod workflow;

pub(crate) use approval::conditions;

use std::cell::LazyCell;

use serde_json::Value as Json;
use waypost_core::records::decision::{Call, Outcome, PlannedStep, Reason};
use waypost_core::records::request::{Choice, PastCall};
use waypost_text::extract::Value;
use waypost_text::text::Span;

use crate::decide::slots::Gap;
use crate::pack::Pack;
use crate::pack::messages::{Ask, Messages, Sentence};
use crate::pack::spec::{Access, RouteSpec};
use crate::understand::Turn;

/// The meanings that the user may have had, found when somebody looks.
pub type Meanings<'a> = LazyCell<Vec<Choice>, Box<dyn FnOnce() -> Vec<Choice> + 'a>>;

/// A proposal in its turn, as the gates see it.
#[derive(Debug)]
pub struct Check<'a> {
    /// The turn.
    pub turn: &'a Turn<'a>,
    /// The route.
    pub route: &'a RouteSpec,
    /// The calls, as far as they are known.
    pub calls: &'a [Call],
    /// The arguments that are missing.
    pub gaps: &'a [Gap],
    /// The values and names that were said and fill no argument.
    pub leftover: &'a [Span],
    /// The values that cannot be real, each with the sentence for it.
    pub faults: &'a [(Sentence, &'a Value)],
    /// The sentences from which labels of choices are taken.
    pub messages: &'a Messages,
    /// The calibrated probability that route and tools are right.
    pub confidence: f64,
    /// The call that the user has just approved.
    pub approved: Option<&'a PastCall>,
    /// The steps that the calls are, where the pack has plans.
    pub steps: &'a [PlannedStep],
    /// True if the user has just said yes to these calls as a plan.
    pub planned: bool,
    /// The meanings that the user may have had, as choices. They are looked for only where they are asked
    /// about: each fills the arguments of a tool anew.
    pub meanings: Meanings<'a>,
}

impl<'a> Check<'a> {
    /// Calls that nobody doubts, that lack nothing, and whose plan needs no yes.
    pub fn settled(
        turn: &'a Turn<'_>,
        route: &'a RouteSpec,
        calls: &'a [Call],
        messages: &'a Messages,
    ) -> Self {
        Self {
            turn,
            route,
            calls,
            gaps: &[],
            leftover: &[],
            faults: &[],
            messages,
            confidence: 1.0,
            approved: None,
            steps: &[],
            planned: true,
            meanings: LazyCell::new(Box::new(Vec::new)),
        }
    }
}

impl Check<'_> {
    fn pack(&self) -> &Pack {
        self.turn.pack
    }

    /// A word of Waypost's own in the user's language.
    fn say(&self, name: &'static str) -> String {
        self.messages.say(self.turn.said.language, &Sentence::new(name))
    }

    /// A sentence of Waypost's own in the user's language.
    fn sentence(&self, sentence: &Sentence) -> String {
        self.messages.say(self.turn.said.language, sentence)
    }

    /// Returns whether a flag of the workflow is set.
    fn flag(&self, name: &str) -> bool {
        self.turn.context.flags.get(name).is_some_and(|value| *value == Json::Bool(true))
    }

    /// The kind of access that the tool of a call has to the world.
    fn access(&self, call: &Call) -> Access {
        self.turn.access(&call.tool)
    }
}

/// A closed gate. There is one `ask`, and no way to hold two: a turn asks at most one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// The outcome instead of running.
    pub outcome: Outcome,
    /// The gate.
    pub reason: Reason,
    /// The question, or the sentence that is said.
    pub ask: Ask,
    /// True if the choices are ways on rather than answers: these may be offered again.
    pub fork: bool,
}

impl Closed {
    /// A question of a gate.
    fn asking(gate: impl Into<Reason>, ask: Ask) -> Self {
        Self { outcome: Outcome::Clarify, reason: gate.into(), ask, fork: false }
    }

    /// A refusal of a gate.
    fn refusing(gate: impl Into<Reason>, sentence: Sentence) -> Self {
        Self { outcome: Outcome::Refuse, ..Self::asking(gate, Ask::plain(sentence)) }
    }
}

/// The gate that closes under the name of a flag.
const WORKFLOW: &str = "workflow";

/// A gate: open, or closed with what happens instead.
type Gate = fn(&Check<'_>) -> Option<Closed>;

/// The gates in their order. First come impossible values, then whether the tool may run at all, and
/// only then whether the call is whole and sure enough: an impossible date is named before a missing
/// place is, and a value that is merely unusual waits until it is clear that the tool may run. Approval
/// comes after all that says what the call is: the user approves this very call, or none.
fn gates() -> &'static [(&'static str, Gate)] {
    &[
        ("values", values::closed),
        (WORKFLOW, workflow::closed),
        ("permission", permission::closed),
        ("limits", limits::closed),
        ("unusual", unusual::closed),
        ("completeness", completeness::closed),
        ("confidence", confidence::closed),
        ("plan", plan::closed),
        ("approval", approval::closed),
        ("budget", budget::closed),
    ]
}

/// The names of the gates, in the order in which they are asked.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    gates().iter().map(|(name, _)| *name)
}

/// The gate that closed for a reason, as [`names`] calls it; a flag of the workflow is that gate's.
pub(crate) fn of_reason(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::Gate(gate) => Some(gate.name()),
        Reason::Flag(_) => Some(WORKFLOW),
        _ => None,
    }
}

/// Calls that passed every gate. There is no other way to make one:
///
/// ```compile_fail,E0451
/// let forged = waypost::decide::gates::Approved { calls: Vec::new() };
/// ```
///
/// And nothing runs without one. This compiles:
///
/// ```
/// use waypost::respond::execution::{ExecutionDependencies, run};
/// use waypost::decide::gates::Approved;
///
/// fn work(turn: &waypost::understand::Turn<'_>, approved: &Approved, dependencies: ExecutionDependencies<'_>) {
///     let _ = run(turn, approved, dependencies);
/// }
/// ```
///
/// The same with the calls of a decision, which no gate has seen, does not:
///
/// ```compile_fail,E0308
/// use waypost_core::records::decision::Call;
/// use waypost::respond::execution::{ExecutionDependencies, run};
///
/// fn work(turn: &waypost::understand::Turn<'_>, calls: &[Call], dependencies: ExecutionDependencies<'_>) {
///     let _ = run(turn, calls, dependencies);
/// }
/// ```
///
/// Neither can one be had from nothing or from a text:
///
/// ```compile_fail,E0277
/// let forged: waypost::decide::gates::Approved = Default::default();
/// ```
///
/// ```compile_fail,E0277
/// let forged: waypost::decide::gates::Approved = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    calls: Vec<Call>,
}

impl Approved {
    /// The calls that may run.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Some of them, by their places: a part of what may run may run.
    #[must_use]
    pub(crate) fn part(&self, places: &[usize]) -> Self {
        let calls = places.iter().filter_map(|place| self.calls.get(*place).cloned());
        Self { calls: calls.collect() }
    }
}

/// Asks every gate in order.
///
/// # Errors
///
/// The first closed gate.
pub fn check(proposal: &Check<'_>) -> Result<Approved, Box<Closed>> {
    let closed = || gates().iter().find_map(|(_, gate)| gate(proposal));
    match confidence::doubted(proposal).or_else(closed) {
        Some(closed) => Err(Box::new(closed)),
        None => Ok(Approved { calls: proposal.calls.to_vec() }),
    }
}
