//! An answer to a question that nobody can serve any more, because the pack has lost the tool that it was about since.
//!
//! The user hears that. The router closes the question after the turn, so it is asked once at most.

use waypost_core::records::decision::LayerName;
use waypost_core::records::session::asked_tools;

use super::super::{Aim, Proposal};
use super::choice::is_bare_answer;
use crate::understand::{Turn, pointing};

/// The name of the sentence.
pub(in crate::decide) const TOOL_GONE: &str = "tool_gone";

/// The tool that the conversation's open question waits for and that is not there any more.
pub(in crate::decide) fn withdrawn<'t>(turn: &'t Turn<'_>) -> Option<&'t str> {
    let context = &turn.context;
    let mut asked = asked_tools(context.active_tool.as_deref(), &context.options);
    asked.find(|tool| turn.pack.tool(tool).is_none()).filter(|_| context.remembered)
}

/// Says so to an answer, such as a yes, a choice or a value alone. Words that ask for something are served as always.
pub(super) fn answered(turn: &Turn<'_>) -> Option<Proposal> {
    withdrawn(turn)?;
    let answers = turn.request.choice.is_some()
        || is_bare_answer(turn)
        || turn.said.is_bare()
        || !pointing::pointed(turn).taken.is_empty();
    (answers && !turn.is_settled()).then(gone)
}

/// The proposal to say that a tool is gone.
pub(super) fn gone() -> Proposal {
    let rationale = "the tool that was asked about is not there any more";
    Proposal::sure(LayerName::Rules, Aim::Unclear(TOOL_GONE), rationale)
}
