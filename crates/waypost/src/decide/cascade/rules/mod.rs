//! Decides what needs no learning: prefixes and signals of the pack, answers to what was just
//! asked, words that steer, follow-ups that mean nothing alone, and texts without content.
//! All of it is exact but for answers that describe what they mean; everything else goes to the next layer.

mod bare;
mod choice;
mod described;
pub(super) mod follow;
pub(crate) mod prefix;
pub(super) mod settle;
pub(crate) mod signal;
pub(super) mod steer;
pub(super) mod unasked;
pub(super) mod withdrawn;

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::records::decision::LayerName;
use waypost_learning::Bundle;

use super::{Aim, Arguments, DecisionDependencies, Layer, Proposal, Step};
use crate::understand::Turn;

#[derive(Debug)]
pub(super) struct Rules;

/// A rule: a sure proposal, or nothing.
enum Rule {
    /// It needs the turn alone.
    Alone(fn(&Turn<'_>) -> Option<Proposal>),
    /// It needs to know what answers mean.
    By(fn(&Turn<'_>, &Bundle) -> Option<Proposal>),
    /// It needs to know what the words say for arguments.
    With(fn(&Turn<'_>, &dyn Arguments) -> Option<Proposal>),
}

impl Rule {
    fn propose(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
    ) -> Option<Proposal> {
        match self {
            Rule::Alone(rule) => rule(turn),
            Rule::By(rule) => rule(turn, dependencies.bundle),
            Rule::With(rule) => rule(turn, dependencies.arguments),
        }
    }
}

/// The rules in their order: a text that the platform marked as its own, an answer about a tool that is gone, a click, words that steer
/// or repeat, a question about the question, an answer to it, a signal, a follow-up of the last call, and only then a
/// text that says nothing at all ("2" is an answer before it is noise). Of answers, one that names several values and surely
/// means one comes first, since names alone would take all of them; one that describes a value comes last, since
/// names and places in the list are exact.
fn rules() -> &'static [Rule] {
    &[
        Rule::Alone(prefix::prefixed),
        Rule::Alone(withdrawn::answered),
        Rule::Alone(choice::clicked),
        Rule::Alone(steer::steered),
        Rule::Alone(follow::repeated),
        Rule::Alone(steer::surely_asked_back),
        Rule::By(described::preferred),
        Rule::By(choice::pointed),
        Rule::Alone(choice::named),
        Rule::Alone(choice::consented),
        Rule::With(follow::answered),
        Rule::By(described::described),
        Rule::Alone(steer::asked_back),
        Rule::Alone(signal::signaled),
        Rule::With(follow::followed),
        Rule::Alone(empty),
    ]
}

#[async_trait]
impl Layer for Rules {
    fn name(&self) -> LayerName {
        LayerName::Rules
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        dependencies: &DecisionDependencies<'_>,
        _: Option<&Proposal>,
    ) -> Result<Step> {
        let decided = rules().iter().find_map(|rule| rule.propose(turn, dependencies));
        Ok(decided.map_or(Step::Abstained(None), Step::Decided))
    }
}

/// Fewer than two letters or digits, or one character over and over. Source: R0.2.
fn empty(turn: &Turn<'_>) -> Option<Proposal> {
    let mut letters = turn.said.text.normalized().chars().filter(|c| c.is_alphanumeric());
    let first = letters.next();
    let name = match first {
        None => "empty",
        Some(first) if !letters.all(|c| c == first) => return None,
        // "2": an answer, and nothing is open that it could answer.
        Some(_) if !turn.said.values.is_empty() && unasked::is_unasked(turn) => "nothing_asked",
        Some(_) => "rephrase",
    };
    Some(Proposal::sure(LayerName::Rules, Aim::Unclear(name), "the text says nothing"))
}
