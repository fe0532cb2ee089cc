//! A tool runs only when the session's flags that it requires are set.

use waypost_core::records::decision::{Call, Evidence, Reason, Source};

use super::{Check, Closed, fork};
use crate::pack::Tool;
use crate::pack::spec::Condition;
use crate::understand::views;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    proposal.calls.iter().find_map(|call| {
        let tool = proposal.pack().tool(&call.tool)?;
        let missing = tool.spec.requires.iter().find(|needed| {
            !proposal.flag(&needed.flag) && counts(&needed.condition, tool, call, proposal)
        })?;
        let ask = fork::ask(proposal, &call.tool, &missing.flag);
        let reason = Reason::Flag(missing.flag.clone());
        Some(Closed { fork: true, ..Closed::asking(reason, ask) })
    })
}

/// Returns whether a requirement counts for this call.
fn counts(condition: &Condition, tool: &Tool, call: &Call, proposal: &Check<'_>) -> bool {
    let Condition { view, with, without } = condition;
    with.as_ref().is_none_or(|argument| is_given(call, argument))
        && without.as_ref().is_none_or(|argument| !is_given(call, argument))
        && view
            .as_ref()
            .is_none_or(|view| views::asked(&tool.spec, proposal.turn, call).contains(view))
}

/// Returns whether anybody gave the argument; the pack's own default does not count.
fn is_given(call: &Call, argument: &str) -> bool {
    let default = |by: &Evidence| by.source == Source::Default;
    call.arguments.contains_key(argument) && !call.evidence.get(argument).is_some_and(default)
}
