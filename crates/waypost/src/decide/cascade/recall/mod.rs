//! The LLM call cache: a question that a model has decided once is not asked again.
//!
//! Only sure decisions of a model are kept. A rule decides for its moment alone, and the student
//! decides anew in microseconds; only a model's decision cost a call. The proposal is what is kept:
//! the arguments are filled and the gates asked each time. A turn that used what came before it
//! (memory, history, a word that points back, an open question, injected text) neither leaves
//! anything here nor finds anything.

mod question;
mod shelf;
mod slip;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::records::decision::LayerName;
use waypost_core::records::event::Recalled;

use super::{Aim, DecisionDependencies, Layer, Proposal, Step};
use crate::decide::slots::DraftCall;
use crate::pack::spec::Policy;
use crate::understand::Turn;
use question::Question;
use shelf::Shelf;

/// The kept decisions of models. The caller owns it, and it reads no clock but that of requests.
#[derive(Debug)]
pub struct Recall {
    shelf: Mutex<Shelf>,
}

impl Recall {
    /// Makes room for `entries` decisions, each kept for `ttl` on the clock of the requests. The
    /// least recently used leaves first.
    pub fn new(entries: usize, ttl: Duration) -> Self {
        Self { shelf: Mutex::new(Shelf::new(entries, ttl)) }
    }

    /// Makes the room that a pack wants.
    pub fn of(policy: &Policy) -> Self {
        Self::new(policy.recall_entries, Duration::from_secs(policy.recall_ttl_s))
    }

    /// The number of decisions that are kept.
    pub fn len(&self) -> usize {
        self.shelf().len()
    }

    /// Returns whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.shelf().clear();
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(super) struct Recalls;

#[async_trait]
impl Layer for Recalls {
    fn name(&self) -> LayerName {
        LayerName::Recall
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        if let Some(recalled) = dependencies.recalled {
            return Ok(Step::Decided(again(recalled)));
        }
        let found = dependencies.recall.filter(|recall| !recall.is_empty()).and_then(|recall| {
            let question = Question::of(turn, dependencies)?;
            recall.shelf().find(&question, &turn.now, turn.pack)
        });
        Ok(found.map_or(Step::Abstained(None), |proposal| {
            let rationale = format!("decided before: {}", proposal.rationale);
            Step::Decided(Proposal { layer: LayerName::Recall, rationale, ..proposal })
        }))
    }
}

/// The recalled decision, for the record; `None` where another layer decided.
pub(super) fn told(proposal: &Proposal) -> Option<Recalled> {
    (proposal.layer == LayerName::Recall).then(|| recalled(proposal))
}

/// A proposal as it is recalled: route, calls, and how sure it is.
fn recalled(proposal: &Proposal) -> Recalled {
    let route = match &proposal.aim {
        Aim::Route(name) => Some(name.clone()),
        _ => None,
    };
    let calls = proposal.calls.iter().map(|call| (call.tool.clone(), call.proposed.clone()));
    Recalled {
        route,
        calls: calls.collect(),
        confidence: proposal.confidence,
        rationale: proposal.rationale.clone(),
    }
}

/// The proposal that was recalled.
fn again(recalled: &Recalled) -> Proposal {
    let aim = recalled.route.clone().map_or(Aim::OutOfScope, Aim::Route);
    let calls = recalled.calls.iter().map(|(tool, proposed)| DraftCall {
        tool: tool.clone(),
        proposed: proposed.clone(),
        ..DraftCall::default()
    });
    Proposal {
        calls: calls.collect(),
        confidence: recalled.confidence,
        ..Proposal::sure(LayerName::Recall, aim, recalled.rationale.clone())
    }
}

/// Keeps what a model has decided, if it may be said again.
pub(super) fn keep(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>, proposal: &Proposal) {
    let on = turn.permits.enabled.layer(LayerName::Recall.name());
    let Some(recall) = dependencies.recall.filter(|_| on && is_worth(turn, proposal)) else {
        return;
    };
    let Some(plain) = plain(turn, proposal) else { return };
    let Some(question) = Question::of(turn, dependencies) else { return };
    // A tool's arguments may have been read from the day ("the latest"); a route alone hangs on the
    // day only where the words do.
    let of_day = !proposal.calls.is_empty() || question.is_relative(turn);
    recall.shelf().put(question, plain, &turn.now, of_day);
}

/// Returns whether a proposal is sure, comes from a model, and depends on nothing but the words.
fn is_worth(turn: &Turn<'_>, proposal: &Proposal) -> bool {
    let policy = &turn.pack.spec.policy;
    let route = match &proposal.aim {
        Aim::Route(name) => turn.pack.route(name).and_then(|route| route.run),
        Aim::OutOfScope => None,
        Aim::Unclear(_) | Aim::Ask(_) | Aim::Stopped | Aim::Status | Aim::Switched => return false,
    };
    let tools = proposal.calls.iter().filter_map(|call| turn.pack.tool(&call.tool)?.spec.run);
    let threshold = tools.chain(route).fold(policy.run, f64::max);
    proposal.layer == LayerName::Llm && proposal.confidence >= threshold
}

/// The proposal without what else was likely; `None` for one that holds more than is recalled.
fn plain(turn: &Turn<'_>, proposal: &Proposal) -> Option<Proposal> {
    let plain = Proposal { layer: proposal.layer, ..again(&recalled(proposal)) };
    let mut bare = Proposal {
        alternatives: Vec::new(),
        floor: 0.0,
        fault: None,
        effort: None,
        ..proposal.clone()
    };
    // Where a tool stands alone, that no other of its family is meant says nothing.
    for call in &mut bare.calls {
        let tool = turn.pack.tool(&call.tool);
        call.exact &= tool.is_some_and(|tool| turn.pack.family(tool).count() > 1);
    }
    (plain == bare).then_some(plain)
}
