//! A tool runs only with every argument that it requires; the first missing one is asked for.

use waypost_core::records::decision::GateName;

use super::{Check, Closed};
use crate::pack::messages::Ask;

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let gap = proposal.gaps.first()?;
    let ask = Ask {
        sentence: gap.sentence.clone(),
        choices: gap.choices.clone(),
        tool: Some(gap.tool.clone()),
        argument: Some(gap.argument.clone()),
        again: false,
    };
    Some(Closed::asking(GateName::Completeness, ask))
}
