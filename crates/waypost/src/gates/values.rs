//! What was given must be possible: real days, positions on the Earth, the tool's schema.

use super::{Closed, Proposal, ask};
use crate::decision::Outcome;
use crate::messages::{Ask, Sentence};

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    // A conversation may mention February 30th; a tool cannot look it up.
    if proposal.calls.is_empty() && proposal.gaps.is_empty() {
        return None;
    }
    let impossible = proposal.faults.first().map(|(sentence, _)| ask(sentence.clone()));
    let ask = impossible.or_else(|| invalid(proposal))?;
    let tool = proposal.calls.first().map(|call| call.tool.clone());
    let ask = Ask { tool, ..ask };
    Some(Closed { outcome: Outcome::Clarify, reason: "gate:values".to_owned(), ask })
}

/// The first argument that the schema of its tool refuses. What is missing is another gate's.
fn invalid(proposal: &Proposal<'_>) -> Option<Ask> {
    proposal.calls.iter().find_map(|call| {
        let tool = proposal.pack().tool(&call.tool)?;
        let faults = tool.faults(&serde_json::Value::Object(call.arguments.clone()));
        let fault = faults.into_iter().find(|fault| !fault.ends_with("is a required property"))?;
        Some(ask(Sentence::new("invalid_value").with("fault", fault)))
    })
}
