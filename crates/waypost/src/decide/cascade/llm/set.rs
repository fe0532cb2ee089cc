//! All that a text asks for, as a model names it: each tool is weighed by itself, the named ones and those that the student sees
//! and the model does not name. Source: S2-12, S2-13.

use std::collections::BTreeSet;

use waypost_core::error::Result;
use waypost_core::records::decision::LayerName;
use waypost_learning::{Bundle, Scores};
use waypost_text::text::Span;

use super::super::clauses::{self, Clause, List};
use super::super::linear;
use super::super::{Aim, DecisionDependencies, Proposal, Step};
use super::reply::Said;
use super::vote;
use crate::decide::slots::DraftCall;
use crate::student::heads::{NEEDED, head_of};
use crate::understand::Turn;

/// What is known of the tools of a turn before a model says anything.
struct Known<'a> {
    turn: &'a Turn<'a>,
    bundle: &'a Bundle,
    whole: Scores,
    clauses: Vec<Clause>,
    list: Option<List>,
}

/// A tool that a model named, and the head of it.
type Named = (String, Option<String>);

/// Weighs the tools that a model named among `choices` possibilities.
///
/// # Errors
///
/// `CANCELLED`, from the encoder.
pub(super) async fn weigh(
    turn: &Turn<'_>,
    dependencies: &DecisionDependencies<'_>,
    opinion: Option<&Proposal>,
    said: Said,
    choices: usize,
) -> Result<Step> {
    let bundle = dependencies.bundle;
    let (whole, _) = linear::scored(turn, dependencies).await?;
    let clauses = clauses::read(turn, bundle);
    let list = clauses::list(turn, bundle, &whole, &clauses);
    let known = Known { turn, bundle, whole, clauses, list };
    let tools = std::iter::once(&said.choice).chain(&said.more).filter_map(|own| own.tool.clone());
    let named: Vec<Named> = tools.map(|tool| (tool.clone(), head_of(turn.pack, &tool))).collect();
    let heads: BTreeSet<&Option<String>> = named.iter().map(|(_, head)| head).collect();
    let vote = vote::Set { named: heads.len(), choices, worth: dependencies.belief.choosing };
    let sure = known.sure(&named, vote, opinion.is_some());
    let route = clauses::route_of_tools(turn, bundle, &known.whole).filter(|_| !sure.is_empty());
    let Some(route) = route else { return Ok(Step::Abstained(opinion.cloned())) };
    let names: Vec<&str> = sure.iter().map(|(head, _)| bundle.tools()[*head].as_str()).collect();
    let rationale = format!("model and student together say {}", names.join(", "));
    let calls = known.calls(&named, &sure);
    let unserved = clauses::beside(turn, bundle, &known.clauses, &route.name, &calls);
    Ok(Step::Decided(Proposal {
        confidence: sure.iter().map(|(_, p)| *p).fold(1.0, f64::min),
        alternatives: opinion.map(|own| own.alternatives.clone()).unwrap_or_default(),
        effort: said.effort,
        calls,
        unserved,
        ..Proposal::sure(LayerName::Llm, Aim::Route(route.name.clone()), rationale)
    }))
}

impl Known<'_> {
    /// The heads of the tools that are needed with their probabilities: the named ones in the order of the model, then those that
    /// only the student sees, if it was asked.
    fn sure(&self, named: &[Named], vote: vote::Set, is_asked: bool) -> Vec<(usize, f64)> {
        let place = |name: &str| named.iter().position(|(_, head)| head.as_deref() == Some(name));
        let weighed = self.bundle.tools().iter().enumerate().map(|(head, name)| {
            let is_named = place(name).is_some();
            let before = if is_asked { self.before(head, is_named) } else { 0.0 };
            (head, vote.weighed(before, is_named))
        });
        let mut sure: Vec<(usize, f64)> =
            weighed.filter(|(_, p)| *p >= f64::from(NEEDED)).collect();
        sure.sort_by_key(|(head, _)| place(&self.bundle.tools()[*head]).unwrap_or(named.len()));
        sure
    }

    /// The probability that a tool is needed, by the text or as an item of a list. A clause alone is sure of many things: it speaks
    /// for a named tool only.
    fn before(&self, head: usize, is_named: bool) -> f64 {
        let of = |scores: &Scores| {
            f64::from(scores.tools[head] * clauses::runs(self.turn, self.bundle, scores))
        };
        let listed = self.list.as_ref().and_then(|list| list.surest.get(&head)).copied();
        let own = self.clauses.iter().filter(|_| is_named).map(|clause| of(&clause.scores));
        own.chain(listed).fold(of(&self.whole), f64::max)
    }

    /// The calls of the tools, one for each part of the text that asks for it. Of a family of which several tools were named, the
    /// values decide which is meant.
    fn calls(&self, named: &[Named], sure: &[(usize, f64)]) -> Vec<DraftCall> {
        let Self { turn, bundle, whole, clauses, list } = self;
        let own = list.as_ref().map(|list| list.wishes.clone());
        let wishes = own.unwrap_or_else(|| linear::one_each(turn, bundle, whole, clauses));
        let mut asked: Vec<(usize, Option<Span>)> = Vec::new();
        for (head, _) in sure {
            let before = asked.len();
            asked.extend(wishes.iter().filter(|wish| wish.0 == *head));
            if asked.len() == before {
                asked.push((*head, None));
            }
        }
        let mut calls = linear::calls(turn, bundle, whole, clauses, &asked);
        for call in &mut calls {
            let head = head_of(turn.pack, &call.tool);
            let mut own = named.iter().filter(|(_, own)| *own == head);
            match (own.next(), own.next()) {
                (Some((tool, _)), None) => call.tool.clone_from(tool),
                (Some(_), Some(_)) => call.exact = false,
                (None, _) => {}
            }
        }
        calls
    }
}
