//! What must come first: a tool runs only when the session's flags that it requires are set.

use super::{Closed, Proposal};
use crate::decision::Outcome;
use crate::messages::{Ask, Sentence};
use crate::request::Choice;

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    proposal.calls.iter().find_map(|call| {
        let tool = proposal.pack().tool(&call.tool)?;
        let flag = &tool.spec.requires.iter().find(|needed| !proposal.flag(&needed.flag))?.flag;
        let sentence = Sentence::new("requires").with("flag", flag.replace('_', " "));
        let ask = Ask {
            sentence,
            choices: leading_on(proposal, flag),
            tool: Some(call.tool.clone()),
            argument: None,
        };
        Some(Closed { outcome: Outcome::Clarify, reason: format!("gate:{flag}"), ask })
    })
}

/// The tools whose success opens this gate.
fn leading_on(proposal: &Proposal<'_>, flag: &str) -> Vec<Choice> {
    let tools = proposal
        .pack()
        .tools
        .iter()
        .filter(|tool| tool.spec.sets.iter().any(|set| set.flag == flag));
    tools
        .map(|tool| Choice {
            label: tool.spec.summary.clone(),
            value: serde_json::json!({ "tool": tool.spec.name }),
        })
        .collect()
}
