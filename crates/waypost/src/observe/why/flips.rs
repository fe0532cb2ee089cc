//! Finds how little would have changed a decision: the thresholds around its confidence, and the
//! likeliest other route or tool.

use serde::Serialize;
use waypost_core::records::decision::{Decision, GateName, LayerName, Outcome as Decided, round};

use super::student::{Learned, Likely};
use super::{LayerState, LayerView};
use crate::decide::cascade::DecisionDependencies;
use crate::understand::Turn;

/// A change of a confidence that would have led elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flip {
    /// The confidence of the decision.
    pub confidence: f64,
    /// The value that it is measured by: a threshold, or the probability of the other class.
    pub against: f64,
    /// The change it needs, below 0 for less. A threshold is reached from below and left below.
    pub change: f64,
    /// The outcome that it would have led to.
    pub to: FlipsTo,
}

/// The outcome that a change would have led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlipsTo {
    /// The teacher would have been asked.
    Teacher,
    /// The student would have decided, and nobody after it would have been asked.
    Student,
    /// The work would have run.
    Run,
    /// One question would have been asked.
    Ask,
    /// The user would have been asked to say it in other words.
    Rephrase,
    /// Another route would have been likelier.
    Route(String),
    /// Another tool would have been likelier.
    Tool(String),
}

/// All changes of a confidence that lead elsewhere, the smallest first.
pub(super) fn flips(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    decision: &Decision,
    layers: &[LayerView],
    student: &Learned,
) -> Vec<Flip> {
    let linear = layers.iter().find(|view| view.layer == LayerName::Linear);
    let is_on = turn.permits.enabled.layer(LayerName::Llm.name());
    let has_teacher = dependencies.model.is_some() && is_on;
    let mut flips = Vec::new();
    if has_teacher && let Some(view) = linear {
        flips.extend(teacher(view));
    }
    // Below its threshold the student has no say in what the gates see, where there is a teacher.
    let below = !(has_teacher && decision.layer == LayerName::Linear);
    if matches!(decision.layer, LayerName::Linear | LayerName::Llm) {
        flips.extend(at_the_gate(turn, decision, below));
    }
    if decision.layer == LayerName::Linear {
        let route = |name: &str| FlipsTo::Route(name.to_owned());
        let tool = |name: &str| FlipsTo::Tool(name.to_owned());
        // The routes share one probability: what one loses, the others gain.
        flips.extend(rival(&student.routes, 0.5, route));
        if !decision.calls.is_empty() {
            flips.extend(rival(&student.tools, 1.0, tool));
        }
    }
    flips.sort_by(|a, b| a.change.abs().total_cmp(&b.change.abs()));
    flips
}

fn teacher(view: &LayerView) -> Option<Flip> {
    let (confidence, threshold) = (view.confidence?, view.threshold?);
    let to = match view.state {
        LayerState::Decided => FlipsTo::Teacher,
        LayerState::Abstained => FlipsTo::Student,
        _ => return None,
    };
    Some(flip(confidence, threshold, to))
}

/// The changes after which the confidence gate would have said something else. A closed gate before
/// it hides them.
fn at_the_gate(turn: &Turn<'_>, decision: &Decision, below: bool) -> Vec<Flip> {
    let Some(route) = turn.pack.route(&decision.route) else { return Vec::new() };
    let tools = decision.calls.iter().map(|call| call.tool.as_str());
    let run = turn.pack.runs_from(route, tools, &|tool| turn.access(tool));
    let ask = turn.pack.spec.policy.ask;
    let by_confidence = decision.reason == Some(GateName::Confidence.into());
    let weaker = if ask < run { FlipsTo::Ask } else { FlipsTo::Rephrase };
    let confidence = decision.confidence;
    match decision.decision {
        Decided::Run if below && decision.reason.is_none() => vec![flip(confidence, run, weaker)],
        Decided::Clarify if by_confidence => {
            vec![flip(confidence, run, FlipsTo::Run), flip(confidence, ask, FlipsTo::Rephrase)]
        }
        Decided::Rephrase if by_confidence => {
            let stronger = if ask < run { FlipsTo::Ask } else { FlipsTo::Run };
            vec![flip(confidence, ask.min(run), stronger)]
        }
        _ => Vec::new(),
    }
}

fn rival(likely: &[Likely], share: f64, to: impl Fn(&str) -> FlipsTo) -> Option<Flip> {
    let [first, second, ..] = likely else { return None };
    let change = (second.probability - first.probability) * share;
    Some(Flip {
        confidence: first.probability,
        against: second.probability,
        change: round(change),
        to: to(&second.name),
    })
}

fn flip(confidence: f64, threshold: f64, to: FlipsTo) -> Flip {
    Flip { confidence, against: threshold, change: round(threshold - confidence), to }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(state: LayerState, confidence: f64) -> LayerView {
        LayerView {
            layer: LayerName::Linear,
            state,
            proposal: None,
            confidence: Some(confidence),
            threshold: Some(0.7),
            rationale: None,
        }
    }

    #[test]
    fn the_bar_of_the_student_is_crossed_both_ways() {
        let down = teacher(&view(LayerState::Decided, 0.71)).unwrap();
        assert_eq!((down.change, down.to), (-0.01, FlipsTo::Teacher));
        let up = teacher(&view(LayerState::Abstained, 0.6)).unwrap();
        assert_eq!((up.change, up.to), (0.1, FlipsTo::Student));
        assert_eq!(teacher(&view(LayerState::NotAsked, 0.6)), None);
    }

    #[test]
    fn what_one_route_loses_the_other_has_more() {
        let likely = |name: &str, probability: f64| Likely { name: name.to_owned(), probability };
        let both = [likely("a", 0.6), likely("b", 0.3)];
        let flip = rival(&both, 0.5, |name| FlipsTo::Route(name.to_owned())).unwrap();
        assert_eq!((flip.change, flip.to), (-0.15, FlipsTo::Route("b".to_owned())));
        assert_eq!(rival(&both[..1], 0.5, |_| FlipsTo::Run), None);
    }
}
