//! Explains why a turn was decided as it was: what every layer said and its threshold, what the
//! student saw, where the arguments came from, which gates were open, and how little would have
//! changed it.
//!
//! It decides nothing and asks nobody anew: the layers are asked as the cascade asked them, and a
//! model's reply is the one that was given.

mod flips;
mod student;
#[cfg(test)]
mod tests;

pub use flips::{Flip, FlipsTo};
pub(crate) use student::nearest_examples;
pub use student::{ClassView, Learned, Likely, Nearest, Piece};

use serde::Serialize;
use serde_json::Value as Json;
use waypost_core::error::Result;
use waypost_core::records::decision::{Decision, Evidence, LayerName, Outcome, Reason, round};
use waypost_text::extract;
use waypost_text::text::Span;

use crate::decide::cascade::{Aim, DecisionDependencies, Proposal, Step, with_own};
use crate::decide::decide;
use crate::decide::gates;
use crate::decide::slots::trace::trace;
use crate::pack::messages::Messages;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// The explanation of a decision.
#[derive(Debug, Clone, Serialize)]
pub struct Why {
    /// The user's own words.
    pub text: String,
    /// The text as the student sees it: every value by its kind.
    pub masked: String,
    /// The decision.
    pub decision: Decision,
    /// Every layer, in the order of asking.
    pub layers: Vec<LayerView>,
    /// The student's view of the text, whether it was asked or not.
    pub student: Learned,
    /// The values that the extractors found, as `parse` prints them.
    pub values: Vec<Json>,
    /// The pack's values that the words name.
    pub mentions: Vec<Named>,
    /// The tools that were proposed, with where every argument came from.
    pub calls: Vec<CallView>,
    /// Every gate, in the order of asking.
    pub gates: Vec<GateView>,
    /// Changes of a confidence that would have led elsewhere, the smallest first. Empty where the
    /// decision hangs on none.
    pub flips: Vec<Flip>,
}

/// The answer of one layer.
#[derive(Debug, Clone, Serialize)]
pub struct LayerView {
    /// The layer.
    pub layer: LayerName,
    /// The state that says whether it was asked, and what came of it.
    pub state: LayerState,
    /// The route, tools or other end that it proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// Its confidence in that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The confidence that it needed; left out where it decides by rule, or could not have decided.
    #[serde(rename = "bar", skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Its reason, or what failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// The state of a layer: whether it was asked, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    /// It is turned off.
    Off,
    /// The model that it needs is not configured.
    Absent,
    /// A layer before it decided.
    NotAsked,
    /// It left the decision to others.
    Abstained,
    /// It did not work as configured.
    Failed,
    /// It decided.
    Decided,
}

impl LayerState {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            LayerState::Off => "off",
            LayerState::Absent => "not configured",
            LayerState::NotAsked => "not asked",
            LayerState::Abstained => "abstained",
            LayerState::Failed => "failed",
            LayerState::Decided => "decided",
        }
    }
}

/// Words that name a value of the pack.
#[derive(Debug, Clone, Serialize)]
pub struct Named {
    /// The words.
    pub text: String,
    /// The place of the words, in characters.
    #[serde(flatten)]
    pub span: Span,
    /// The vocabularies and values that they may name.
    pub names: Vec<(String, String)>,
    /// The sense in which it is meant: `said`, `denied` or `withdrawn`.
    pub stance: &'static str,
    /// True if it is only nearly a name.
    pub typo: bool,
}

/// A tool that was proposed.
#[derive(Debug, Clone, Serialize)]
pub struct CallView {
    /// The tool.
    pub tool: String,
    /// Its arguments, in the order of the schema.
    pub arguments: Vec<ArgumentView>,
}

/// An argument, where its value came from and what lost to it.
#[derive(Debug, Clone, Serialize)]
pub struct ArgumentView {
    /// Its name.
    pub name: String,
    /// True if the schema requires it.
    pub required: bool,
    /// Its value; nothing where it stayed open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The matcher that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<&'static str>,
    /// What speaks for it, where values were weighed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Speaks>,
    /// Other values that were offered, the surest first.
    pub lost: Vec<Lost>,
}

/// A thing that speaks for a value as that of an argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speaks {
    /// What it is, in words.
    pub feature: &'static str,
    /// How much it adds; words speak for an argument from 1 on.
    pub adds: f64,
}

/// A value that was offered for an argument and not taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lost {
    /// The matcher that offered it.
    pub matcher: &'static str,
    /// The value; several where it could not decide between them.
    pub values: Vec<Json>,
    /// The words that it was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What speaks for it, where values were weighed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Speaks>,
}

/// A gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateView {
    /// Its name.
    pub gate: &'static str,
    /// The state that says whether it was asked, and what it said.
    pub state: GateState,
    /// The reason why it is closed, as the decision names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// The state of a gate: whether it was asked, and what it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// It let the calls pass.
    Open,
    /// It is the first that did not.
    Closed,
    /// One before it was closed, or there was nothing to run.
    NotAsked,
}

/// Decides a turn and says why.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the caller declared a route that the pack does not have; `CANCELLED`.
pub(crate) async fn why(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    messages: &Messages,
) -> Result<Why> {
    let decided = decide(turn, dependencies, messages).await?;
    let decision = decided.decision.clone();
    let layers = replay(turn, dependencies).await?;
    let (student, masked) = student::learned(turn, dependencies).await?;
    let flips = flips::flips(turn, dependencies, &decision, &layers, &student);
    Ok(Why {
        text: turn.said.text.original().to_owned(),
        masked,
        layers,
        student,
        values: turn.said.values.iter().map(extract::record).collect(),
        mentions: mentions(turn),
        calls: calls(turn, &decided.proposed.proposal, &decision),
        gates: gates(&decision),
        flips,
        decision,
    })
}

/// Asks the layers once more, as the cascade does: in order, until one decides.
async fn replay(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
) -> Result<Vec<LayerView>> {
    let mut views = Vec::new();
    let mut opinion: Option<Proposal> = None;
    let mut decided = false;
    for layer in with_own(dependencies.layers) {
        let mut view = LayerView {
            layer: layer.name(),
            state: LayerState::NotAsked,
            proposal: None,
            confidence: None,
            threshold: None,
            rationale: None,
        };
        if !turn.permits.enabled.layer(layer.name().name()) {
            view.state = LayerState::Off;
        } else if layer.name() == LayerName::Llm && dependencies.model.is_none() {
            view.state = LayerState::Absent;
        } else if !decided {
            let proposal = match layer.decide(turn, dependencies, opinion.as_ref()).await? {
                Step::Decided(proposal) => {
                    view.state = LayerState::Decided;
                    decided = true;
                    Some(proposal)
                }
                Step::Abstained(weak) => {
                    view.state = LayerState::Abstained;
                    weak
                }
                Step::Failed(error) => {
                    view.state = LayerState::Failed;
                    view.rationale = Some(error.message().to_owned());
                    None
                }
            };
            if let Some(proposal) = proposal {
                let threshold = layer
                    .threshold(turn, dependencies, &proposal)
                    .filter(|threshold| threshold.is_finite());
                view.proposal = Some(said(&proposal));
                view.confidence = Some(round(proposal.confidence));
                view.threshold = threshold;
                view.rationale = Some(proposal.rationale.clone());
                opinion = Some(proposal);
            }
        }
        views.push(view);
    }
    Ok(views)
}

/// The aim of a proposal, in few words.
fn said(proposal: &Proposal) -> String {
    match &proposal.aim {
        Aim::Route(route) if proposal.calls.is_empty() => route.clone(),
        Aim::Route(route) => {
            let tools: Vec<&str> = proposal.calls.iter().map(|call| call.tool.as_str()).collect();
            format!("{route}: {}", tools.join(", "))
        }
        Aim::OutOfScope => crate::pack::OUT_OF_SCOPE.to_owned(),
        Aim::Unclear(_) => "say it in other words".to_owned(),
        Aim::Ask(_) => "a question of the model's".to_owned(),
        Aim::Stopped => "stop".to_owned(),
        Aim::Status => "where things stand".to_owned(),
        Aim::Switched => "what the commands switch".to_owned(),
    }
}

fn mentions(turn: &Turn<'_>) -> Vec<Named> {
    let named = |mention: &crate::understand::mention::Mention| Named {
        text: mention.text.clone(),
        span: mention.span,
        names: mention.entries.clone(),
        stance: match turn.said.stance(mention.span) {
            Stance::Said => "said",
            Stance::Denied => "denied",
            Stance::Withdrawn => "withdrawn",
        },
        typo: mention.typo,
    };
    turn.said.discourse.mentions.iter().map(named).collect()
}

/// The calls of the decision, each with the values that the matchers offer for every argument.
fn calls(turn: &Turn<'_>, proposal: &Proposal, decision: &Decision) -> Vec<CallView> {
    let traced: Vec<_> = proposal.calls.iter().filter_map(|call| trace(turn, call)).collect();
    let view = |call: &waypost_core::records::decision::Call| {
        let tool = turn.pack.tool(&call.tool)?;
        let offers = |name: &str| {
            let own = traced.iter().find(|traced| traced.tool == call.tool)?;
            own.arguments.iter().find(|(known, _)| known == name).map(|(_, offers)| offers)
        };
        let argument = |name: &str| {
            let value = call.arguments.get(name).cloned();
            let offers = offers(name).map(Vec::as_slice).unwrap_or_default();
            let differs =
                |values: &[Json]| values.iter().any(|other| Some(other) != value.as_ref());
            let lost = offers.iter().filter(|offer| differs(&offer.values)).map(|offer| Lost {
                matcher: offer.matcher,
                values: offer.values.clone(),
                text: offer.text.clone(),
                features: speaks(&offer.features),
            });
            let winner = offers.iter().find(|offer| !differs(&offer.values));
            ArgumentView {
                name: name.to_owned(),
                required: tool.requires(name),
                evidence: call.evidence.get(name).cloned(),
                matcher: winner.map(|offer| offer.matcher),
                features: winner.map(|offer| speaks(&offer.features)).unwrap_or_default(),
                lost: lost.collect(),
                value,
            }
        };
        Some(CallView {
            tool: call.tool.clone(),
            arguments: tool.arguments().map(argument).collect(),
        })
    };
    decision.calls.iter().filter_map(view).collect()
}

fn speaks(features: &[(&'static str, f64)]) -> Vec<Speaks> {
    features.iter().map(|&(feature, adds)| Speaks { feature, adds: round(adds) }).collect()
}

fn gates(decision: &Decision) -> Vec<GateView> {
    let closed = decision.reason.as_ref().and_then(gates::of_reason);
    let mut state = match (decision.decision, closed) {
        (_, Some(_)) => GateState::Open,
        // A word that only navigates has a reply and no work, and no gate was asked.
        (Outcome::Run, None) if decision.reply.is_none() => GateState::Open,
        _ => GateState::NotAsked,
    };
    let mut views = Vec::new();
    for gate in gates::names() {
        if Some(gate) == closed {
            let reason = decision.reason.clone();
            views.push(GateView { gate, state: GateState::Closed, reason });
            state = GateState::NotAsked;
        } else {
            views.push(GateView { gate, state, reason: None });
        }
    }
    views
}
