//! Arguments that take one value of which the words may name several: as many calls, in the order of the words.

use super::matchers::Wanted;
use super::matchers::named::said;
use super::{DraftCall, settable};
use crate::pack::Tool;
use crate::understand::Turn;

/// The value of an argument that one of several calls is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Each {
    pub(crate) argument: String,
    pub(crate) key: String,
}

/// The values that the words name for the first argument of a tool of which each makes a call; none where fewer than two
/// are named, or the argument is settled.
pub(super) fn values(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Vec<Each> {
    let argument = tool
        .annotations()
        .find(|(name, note)| note.each && !tool.is_list(name) && !draft.given.contains_key(*name));
    let wanted = argument.and_then(|(name, _)| Wanted::of(turn, draft, tool, name));
    let Some(wanted) = wanted else { return Vec::new() };
    let argument = wanted.name;
    let keys = said(&wanted);
    let several = keys.len() > 1;
    let keys = settable::of(turn, tool, argument, keys).into_iter().filter(|_| several);
    keys.map(|key| Each { argument: argument.to_owned(), key: key.to_owned() }).collect()
}
