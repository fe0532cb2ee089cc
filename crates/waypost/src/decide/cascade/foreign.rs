//! Reads a text in a language that the pack does not have: what is the same in every language leads, and
//! the words of that language say nothing.
//!
//! The student has learned from examples in the languages of the pack. Of another it would take each word for
//! one that it knows by its letters, so it sees only values, places and names. Where these do not say what
//! is asked, the user chooses, and is told which languages are understood.

use waypost_core::records::decision::{Alternative, LayerName, round};
use waypost_learning::{Input, Scratch};

use super::linear::{propose, threshold};
use super::rules::follow;
use super::{Aim, DecisionDependencies, Proposal, Step};
use crate::decide::slots;
use crate::pack::spec::{Access, HandlerName};
use crate::student::heads::tool_of_head;
use crate::understand::Turn;

/// The sentence that says which languages are understood.
pub(crate) const FOREIGN: &str = "foreign";

/// Decides by what is no word of a language, or offers the tools.
pub(super) fn decide(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>) -> Step {
    if let Some(changed) = follow::changed(turn, dependencies.arguments, 0.0, false) {
        return Step::Decided(Proposal { layer: LayerName::Linear, ..changed });
    }
    let (shared, names) = turn.shared();
    let input = Input { text: &shared, language: None, vector: None };
    let scores = dependencies.bundle.score(input, &mut Scratch::default());
    let proposal = propose(turn, dependencies.bundle, &scores, &[]);
    let is_sure = proposal.confidence >= threshold(turn, dependencies, &proposal);
    if names && is_sure && is_whole(turn, &proposal) {
        let rationale = format!("its names and values say so: {}", proposal.rationale);
        return Step::Decided(Proposal { rationale, ..proposal });
    }
    let aim = Aim::Unclear(FOREIGN);
    let mut offer =
        Proposal::sure(LayerName::Linear, aim, "it is in a language that the pack does not have");
    offer.confidence = turn.pack.spec.policy.ask;
    offer.alternatives = offered(turn, dependencies, &scores.tools);
    Step::Abstained(Some(offer))
}

/// Returns whether a proposal only reads, and the words give all that it needs.
fn is_whole(turn: &Turn<'_>, proposal: &Proposal) -> bool {
    let fills = |call| {
        let filled = slots::fill(turn, call);
        filled.is_some_and(|filled| !filled.calls.is_empty() && filled.gaps.is_empty())
    };
    !proposal.calls.is_empty()
        && proposal.calls.iter().all(|call| turn.access(&call.tool) == Access::Read && fills(call))
}

/// The tools that may be meant, the likeliest first.
fn offered(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    scores: &[f32],
) -> Vec<Alternative> {
    let routes = &turn.pack.spec.routes;
    let Some(route) = routes.iter().find(|route| route.handler == HandlerName::Tool) else {
        return Vec::new();
    };
    let heads = dependencies.bundle.tools().iter().zip(scores);
    let mut offered: Vec<Alternative> = heads
        .filter_map(|(head, score)| {
            let tool = tool_of_head(turn.pack, head)?;
            Some(Alternative {
                route: route.name.clone(),
                tool: Some(tool.spec.name.clone()),
                confidence: round(f64::from(*score)),
            })
        })
        .collect();
    offered.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    offered
}
