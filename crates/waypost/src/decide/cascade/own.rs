//! A layer of an embedder's, held to what a layer may propose: a route and tools. It cannot say that
//! the user approved, chose or passed over something, and it reaches no model.

use std::sync::Arc;

use async_trait::async_trait;
use waypost_core::error::{Code, Error, Result};
use waypost_core::records::decision::LayerName;

use super::{Aim, DecisionDependencies, Layer, Proposal, Step};
use crate::decide::slots::DraftCall;
use crate::understand::Turn;

/// A layer from outside, asked right after the rules and on where they are on.
///
/// It speaks as a rule: records name it `rules`, so that its rationale should name it, and what it
/// decides while a question is open counts as the answer. The words of a turn that it leaves alone
/// go on to the next layer.
///
/// A proposal that claims more than a route and tools is not taken: the layer counts as failed, and
/// the turn goes on without it.
#[derive(Debug, Clone)]
pub struct OwnLayer(Arc<dyn Layer>);

impl OwnLayer {
    /// Holds `layer` to these duties.
    pub fn new(layer: Arc<dyn Layer>) -> Self {
        Self(layer)
    }
}

#[async_trait]
impl Layer for OwnLayer {
    fn name(&self) -> LayerName {
        LayerName::Rules
    }

    fn threshold(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        proposal: &Proposal,
    ) -> Option<f64> {
        self.0.threshold(turn, dependencies, proposal)
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        opinion: Option<&Proposal>,
    ) -> Result<Step> {
        let alone =
            DecisionDependencies { model: None, recall: None, recalled: None, ..*dependencies };
        let step = match self.0.decide(turn, &alone, opinion).await {
            Err(error) if error.code() != Code::Cancelled => Step::Failed(error),
            said => said?,
        };
        Ok(match step {
            Step::Decided(proposal) => {
                held(turn, proposal).map_or_else(Step::Failed, Step::Decided)
            }
            Step::Abstained(Some(weak)) => {
                held(turn, weak).map_or_else(Step::Failed, |weak| Step::Abstained(Some(weak)))
            }
            other => other,
        })
    }
}

/// The proposal as one of a rule.
fn held(turn: &Turn<'_>, proposal: Proposal) -> Result<Proposal> {
    let fault = match &proposal.aim {
        Aim::Route(name) if turn.pack.route(name).is_none() => {
            Some(format!("the pack has no route `{name}`"))
        }
        _ if !(0.0..=1.0).contains(&proposal.confidence) => {
            Some(format!("`{}` is no confidence", proposal.confidence))
        }
        _ if proposal.approved.is_some() => Some("only the user approves a call".to_owned()),
        _ => proposal.calls.iter().find_map(|call| fault(turn, call)),
    };
    match fault {
        Some(fault) => Err(Error::invalid(fault).with_hint("see the duties of `OwnLayer`")),
        None => Ok(Proposal { layer: LayerName::Rules, floor: 0.0, ..proposal }),
    }
}

/// Says what is wrong with a call: arguments are filled by matchers, which have to show the words.
fn fault(turn: &Turn<'_>, call: &DraftCall) -> Option<String> {
    let tool = &call.tool;
    if turn.pack.tool(tool).is_none() {
        return Some(format!("the pack has no tool `{tool}`"));
    }
    let fills = !call.given.is_empty() || !call.proposed.is_empty();
    let claims = fills || call.memory.is_some() || call.skipped;
    claims.then(|| format!("a layer fills no argument of `{tool}`: matchers do"))
}
