//! How sure a decision must be: run, ask one question, or ask to rephrase. Source: S1-8.

use super::{Closed, Proposal};
use crate::decision::Outcome;
use crate::messages::{Ask, Sentence};

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    let policy = &proposal.pack().spec.policy;
    let run = proposal.route.run.unwrap_or(policy.run);
    if proposal.confidence >= run {
        return None;
    }
    let asked = proposal.confidence >= policy.ask && proposal.meanings.len() > 1;
    let (outcome, name) =
        if asked { (Outcome::Clarify, "did_you_mean") } else { (Outcome::Rephrase, "rephrase") };
    let choices = if asked { proposal.meanings.to_vec() } else { Vec::new() };
    let ask = Ask { sentence: Sentence::new(name), choices, tool: None, argument: None };
    Some(Closed { outcome, reason: "gate:confidence".to_owned(), ask })
}
