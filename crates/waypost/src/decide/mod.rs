//! From a turn to a decision: the cascade proposes, the arguments are filled, the gates have the
//! last word.
//!
//! A turn passes the stages in one direction. Each takes the results of the stages before it and
//! returns its own; the record is put together once, from all of them.

pub mod cascade;
mod filling;
pub(crate) mod further;
pub mod gates;
pub(crate) mod planner;
pub(crate) mod progress;
pub(crate) mod providers;
mod search;
pub mod slots;

pub(crate) mod clarify;
pub(crate) mod conditions;
mod proposal;
pub(crate) mod steps;
pub(crate) mod switches;
pub(crate) mod task;
mod verdict;

mod record;
#[cfg(test)]
mod tests;

pub use cascade::declared::fault_of;
pub use filling::Matchers;
pub(crate) use record::{identity, injected};
pub use search::{Found, find_tools};
use waypost_core::error::Result;
use waypost_core::records::decision::Decision;
use waypost_learning::Bundle;

use crate::pack::messages::Messages;
use crate::pack::spec::{Access, RouteSpec};
use crate::understand::Turn;
use cascade::{Aim, DecisionDependencies, Proposal, Proposed};
use gates::Approved;
use slots::DraftCall;

/// A decision, what may run of it, and how it was made.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The record. Nothing that happens later changes it.
    pub(crate) decision: Decision,
    /// The calls that passed the gates; `None` unless the decision is `run`.
    pub(crate) approved: Option<Approved>,
    /// What the gates judged.
    pub(crate) proposed: Proposed,
}

impl Decided {
    /// The same proposal before the gates again, where they may know more now: no layer is asked and no argument filled.
    pub(crate) fn judged_again(
        self,
        turn: &Turn<'_>,
        bundle: &Bundle,
        messages: &Messages,
    ) -> Self {
        judge(turn, self.proposed, bundle, messages)
    }
}

/// Decides a turn.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the caller declared a route that the pack does not have; `CANCELLED`.
pub(crate) async fn decide(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    messages: &Messages,
) -> Result<Decided> {
    let proposed = propose(turn, dependencies).await?;
    conclude(turn, dependencies, messages, proposed).await
}

/// Asks the layers about a turn.
///
/// # Errors
///
/// As [`decide`].
pub(crate) async fn propose(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<Proposed> {
    let proposed = cascade::cascade(turn, dependencies).await?;
    dependencies.goes_on()?;
    Ok(proposed)
}

/// Fills the arguments of what the layers propose and asks the gates about it. Where it is to run, the turn knows by now what its
/// tools do.
///
/// # Errors
///
/// `CANCELLED`.
pub(crate) async fn conclude(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    messages: &Messages,
    mut proposed: Proposed,
) -> Result<Decided> {
    proposed.proposal = cascade::held(turn, proposed.proposal);
    without_supposed(turn, &mut proposed.proposal);
    providers::complete(turn, &mut proposed.proposal);
    task::extract(turn, dependencies, &mut proposed).await?;
    let route = served(turn, &proposed.proposal.aim);
    filling::fill(turn, dependencies, route, &mut proposed).await?;
    planner::steps(turn, dependencies, &mut proposed).await?;
    dependencies.goes_on()?;
    Ok(judge(turn, proposed, dependencies.bundle, messages))
}

/// Takes the changes out of a proposal that the words only suppose: "what would happen if I set QF2 to 125 A?" asks for none.
fn without_supposed(turn: &Turn<'_>, proposal: &mut Proposal) {
    let changes = |call: &DraftCall| turn.access(&call.tool) != Access::Read;
    if proposal.approved.is_some() || !proposal.calls.iter().any(changes) || !turn.only_supposes() {
        return;
    }
    proposal.calls.retain(|call| !changes(call));
    if proposal.calls.is_empty() {
        proposal.aim = Aim::Unclear(cascade::VAGUE);
        proposal.rationale = "it asks what a change would do, and asks for none".to_owned();
    }
}

/// Asks the gates about a proposal, and writes down what they say.
fn judge(turn: &Turn<'_>, proposed: Proposed, bundle: &Bundle, messages: &Messages) -> Decided {
    let proposal = &proposed.proposal;
    let route = served(turn, &proposal.aim);
    let verdict = match route {
        // Last, as arguments and layers read the text too.
        _ if turn.said.is_unread() => verdict::unread(turn, route, messages),
        Some(route) => verdict::of_gates(turn, route, &proposed, messages),
        None => verdict::without_route(turn, proposal, messages),
    };
    let bundle = bundle.id();
    let decision = record::record(turn, bundle, route, &proposed, &verdict, messages);
    Decided { decision, approved: verdict.approved, proposed }
}

/// The route that a proposal aims at, if its handler is on: a route without one is not served.
fn served<'a>(turn: &Turn<'a>, aim: &Aim) -> Option<&'a RouteSpec> {
    let Aim::Route(name) = aim else { return None };
    turn.pack.route(name).filter(|route| turn.permits.enabled.handler(route.handler.name()))
}
