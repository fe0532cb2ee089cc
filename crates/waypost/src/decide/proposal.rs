//! The proposal of a layer, and all that is found about it on the way to the gates.

use std::fmt;

use waypost_core::error::{Code, Error};
use waypost_core::records::decision::{
    Alternative, Call, Complexity, LayerName, PlannedStep, Strategy, Unserved,
};
use waypost_core::records::event::{Event, Recalled};
use waypost_core::records::request::PastCall;
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::text::Span;

use super::slots::{DraftCall, Filled, Gap};
use crate::pack::messages::Sentence;
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
pub struct Proposal {
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
    /// The part that did not work as configured; the proposal was made without it.
    pub fault: Option<Error>,
    /// The call that the user has just approved. Only a rule sets it, never a model.
    pub approved: Option<PastCall>,
    /// The user has just said yes to these calls as a plan. Only a rule sets it.
    pub planned: bool,
    /// The levels of the calls of that plan, where they are not what the tools say.
    pub levels: Option<Vec<usize>>,
    /// The parts of the text that ask for something else beside it.
    pub unserved: Vec<Unserved>,
    /// The work that a model says it takes.
    pub effort: Option<(Complexity, Strategy)>,
}

impl Proposal {
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
            effort: None,
        }
    }

    /// The same where these words chose: they say nothing else.
    pub(crate) fn consuming(mut self, words: &[Span]) -> Self {
        self.calls.iter_mut().for_each(|call| call.consumed.extend(words));
        self
    }
}

/// A proposal with what is known of it by now: each stage adds its part, and the gates judge the whole.
#[derive(Debug)]
pub struct Proposed {
    /// The proposal that stands.
    pub proposal: Proposal,
    /// Its calls with their arguments, one for each tool that is proposed.
    pub(super) filled: Vec<Filled>,
    /// How the calls depend on each other.
    pub(super) steps: Vec<PlannedStep>,
    /// The number of model calls that it took.
    pub llm_calls: u32,
    /// The layers that did not work as configured.
    pub failures: Vec<Failure>,
    /// The events on the way.
    pub events: Vec<Event>,
    /// The decision that was recalled, if one was.
    pub recalled: Option<Recalled>,
}

impl From<Proposal> for Proposed {
    fn from(proposal: Proposal) -> Self {
        Self {
            proposal,
            filled: Vec::new(),
            steps: Vec::new(),
            llm_calls: 0,
            failures: Vec::new(),
            events: Vec::new(),
            recalled: None,
        }
    }
}

impl Proposed {
    /// The tools that are proposed.
    pub(crate) fn tools<'p>(&self, pack: &'p Pack) -> Vec<&'p Tool> {
        self.proposal.calls.iter().filter_map(|call| pack.tool(&call.tool)).collect()
    }

    /// The calls, in order.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.filled.iter().flat_map(|filled| &filled.calls)
    }

    /// The gaps, in order.
    pub(super) fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.filled.iter().flat_map(|filled| &filled.gaps)
    }

    /// The values and names that were said and that no call was read from, in the order of the text.
    pub(super) fn leftover(&self) -> impl Iterator<Item = Span> {
        let by_one = self.filled.iter().flat_map(|filled| filled.leftover.iter().copied());
        // What one tool has no use for may be another's.
        by_one.filter(|span| {
            let is_elsewhere = |filled: &Filled| {
                filled.section.as_ref().is_some_and(|own| !own.holds(*span))
                    || filled.clause.is_some_and(|own| !own.contains(*span))
            };
            let mut all = self.filled.iter();
            all.all(|filled| filled.leftover.contains(span) || is_elsewhere(filled))
        })
    }

    /// The values that no call was read from, in the order of the text: "above 100" or "since yesterday", if nothing takes it. An
    /// answer to the rest says what it leaves out.
    pub(super) fn unused<'t>(&self, turn: &'t Turn<'_>) -> Vec<&'t str> {
        let left: Vec<Span> = self.leftover().collect();
        let said = &turn.said;
        let values = said.values.iter().filter(|value| left.contains(&value.span));
        let mut spans: Vec<Span> = Vec::new();
        for value in values.filter(|value| is_worth_saying(turn, value)) {
            let mut ranges = said.bounds().iter().filter(|own| own.span.overlaps(value.span));
            let range = ranges.next().map_or(value.span, |own| own.span);
            let start = range.start.min(value.span.start);
            let end = range.end.max(value.span.end);
            match spans.last_mut() {
                Some(last) if last.end > start => last.end = last.end.max(end),
                _ => spans.push(Span { start, end }),
            }
        }
        spans.into_iter().map(|span| said.text.slice(span).trim()).collect()
    }

    /// The sentences for values that were assumed rather than said.
    pub(super) fn assumptions(&self) -> impl Iterator<Item = &Sentence> {
        self.filled.iter().flat_map(|filled| &filled.assumptions)
    }

    /// Notes that a layer did not work as configured; the turn goes on.
    pub(crate) fn note_failure(&mut self, layer: LayerName, error: &Error) {
        self.failures.push(Failure { layer, code: error.code() });
        self.events.push(Event::degraded(layer.name(), error));
    }
}

/// Returns whether a value says something that an answer without it leaves out: no word for one or for the present, nor how often
/// something is given, nor the name of a place right beside its coordinates.
fn is_worth_saying(turn: &Turn<'_>, value: &Value) -> bool {
    /// The most characters between a name and its coordinates.
    const BESIDE: usize = 6;
    let has_digits = || value.text.contains(|c: char| c.is_ascii_digit());
    let is_beside = |other: &Value| {
        let (start, end) =
            (value.span.start.max(other.span.start), value.span.end.min(other.span.end));
        matches!(other.kind, Kind::Point | Kind::Bbox) && start.saturating_sub(end) <= BESIDE
    };
    let says = match value.kind {
        Kind::Boolean | Kind::Recurring | Kind::Duration => false,
        Kind::Number | Kind::Ordinal | Kind::Quantity | Kind::Percentage | Kind::Time => {
            has_digits()
        }
        Kind::Date => value.reading != Reading::Date(turn.now.date()),
        Kind::Entity => !turn.said.values.iter().any(is_beside),
        _ => true,
    };
    // "Again" stands for what was said before.
    says && !turn.said.references().iter().any(|own| own.overlaps(value.span))
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
