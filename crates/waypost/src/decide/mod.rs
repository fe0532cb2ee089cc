//! From a turn to a decision: the cascade proposes, the arguments are filled, the gates have the
//! last word.
//!
//! A turn passes the stages in one direction. Each takes the results of the stages before it and
//! returns its own; the record is put together once, from all of them.

pub mod arguments;
pub mod cascade;
mod filling;
pub(crate) mod further;
pub mod gates;
pub(crate) mod planner;
pub(crate) mod progress;
pub(crate) mod providers;
mod search;

pub(crate) mod clarify;
pub(crate) mod conditions;
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
use waypost_core::records::event::{Event, Recalled};

use crate::pack::messages::Messages;
use crate::pack::spec::RouteSpec;
use crate::understand::Turn;
use cascade::{Aim, Cascaded, DecisionDependencies, Draft, Failure};
use gates::Approved;

/// A decision, what may run of it, and how it was made.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The record. Nothing that happens later changes it.
    pub(crate) decision: Decision,
    /// The calls that passed the gates; `None` unless the decision is `run`.
    pub(crate) approved: Option<Approved>,
    /// The events on the way.
    pub(crate) events: Vec<Event>,
    /// The proposal that it was made of.
    pub(crate) draft: Draft,
    /// The decision that was recalled, if one was.
    pub(crate) recalled: Option<Recalled>,
    /// The layers that did not work as configured.
    pub(crate) failures: Vec<Failure>,
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
    let mut cascaded = cascade::cascade(turn, dependencies).await?;
    dependencies.goes_on()?;
    providers::complete(turn, &mut cascaded.draft);
    task::extract(turn, dependencies, &mut cascaded).await?;
    let route = served(turn, &cascaded.draft.aim);
    let mut proposed = filling::fill(turn, dependencies, route, cascaded).await?;
    let steps = planner::steps(turn, dependencies, &mut proposed).await?;
    dependencies.goes_on()?;
    let verdict = match route {
        // Last, as arguments and layers read the text too.
        _ if turn.said.is_unread() => verdict::unread(turn, route, messages),
        Some(route) => verdict::of_gates(turn, route, &proposed, &steps, messages),
        None => verdict::without_route(turn, &proposed.cascaded.draft, messages),
    };
    let bundle = dependencies.bundle.id();
    let decision = record::record(turn, bundle, route, &proposed, steps, &verdict, messages);
    let Cascaded { draft, events, recalled, failures, .. } = proposed.cascaded;
    Ok(Decided { decision, approved: verdict.approved, events, draft, recalled, failures })
}

/// The route that a proposal aims at, if its handler is on: a route without one is not served.
fn served<'a>(turn: &Turn<'a>, aim: &Aim) -> Option<&'a RouteSpec> {
    let Aim::Route(name) = aim else { return None };
    turn.pack.route(name).filter(|route| turn.permits.enabled.handler(route.handler.name()))
}
