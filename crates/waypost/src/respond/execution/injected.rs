//! Fills the arguments that nobody says: who asks, in which conversation, and what other tools gave. It is the last step before
//! the wire, so that no decision, no question and no prompt holds them.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::Provided;
use crate::decide::injected;
use crate::pack::Tool;
use crate::pack::spec::Access;
use crate::understand::Turn;

/// The arguments with those of the request. What a caller gave for them does not count.
pub(super) fn into<'a>(
    turn: &Turn<'_>,
    tool: &Tool,
    arguments: &'a Map<String, Json>,
    provided: &Provided,
) -> Cow<'a, Map<String, Json>> {
    let mut filled = Cow::Borrowed(arguments);
    // The user approves the exact call: nothing is added to it.
    let added = tool.provided().iter().filter(|_| turn.access(&tool.spec.name) == Access::Read);
    for (name, from) in added.filter(|(name, _)| !arguments.contains_key(name)) {
        if let Some(value) = provided.value(name, from) {
            filled.to_mut().insert(name.clone(), value);
        }
    }
    for (name, what) in tool.injected() {
        filled.to_mut().insert(name.clone(), Json::from(injected(turn, *what)));
    }
    filled
}
