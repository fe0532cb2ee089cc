//! What the tools of a proposal need beside themselves: those that provide it, and the order of all. Source: S3-33.

use super::cascade::Draft;
use crate::decide::arguments::DraftCall;
use crate::pack::{Pack, Tool};
use crate::turn::Turn;

/// The proposal with the calls of the tools that provide what its calls need, each before the first that needs it.
///
/// A result of an earlier turn provides nothing: it may be of another time or another thing. A call that the caller declared is
/// that call alone.
pub(super) fn complete(turn: &Turn<'_>, draft: &mut Draft) {
    if turn.request.call.is_some() {
        return;
    }
    let mut at = 0;
    // Every round adds a tool that was not there, so that there are no more rounds than tools.
    while let Some(call) = draft.calls.get(at) {
        at += 1;
        let Some(tool) = turn.pack.tool(&call.tool) else { continue };
        for need in &tool.spec.needs {
            let provided = draft.calls.iter().any(|call| provides(turn.pack, &call.tool, need));
            let mut tools = turn.pack.tools.iter();
            let provider = tools.find(|tool| tool.spec.provides.contains(need));
            let Some(provider) = provider.filter(|_| !provided) else { continue };
            draft.rationale +=
                &format!("; {} needs the {need} of {}", tool.spec.name, provider.spec.name);
            let needing = &draft.calls[at - 1];
            draft.calls.push(DraftCall {
                tool: provider.spec.name.clone(),
                clause: needing.clause,
                told: needing.told.clone(),
                memory: needing.memory.clone(),
                consumed: needing.consumed.clone(),
                exact: true,
                ..DraftCall::default()
            });
        }
    }
    let ranks = ranks(turn.pack, &draft.calls);
    let mut ranked: Vec<(usize, DraftCall)> =
        ranks.into_iter().zip(std::mem::take(&mut draft.calls)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    draft.calls = ranked.into_iter().map(|(_, call)| call).collect();
}

fn provides(pack: &Pack, tool: &str, need: &str) -> bool {
    pack.tool(tool).is_some_and(|tool| tool.spec.provides.iter().any(|own| own == need))
}

/// How many calls in a row must come before each one: 0 for one that needs nothing of the others.
fn ranks(pack: &Pack, calls: &[DraftCall]) -> Vec<usize> {
    let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    levels(pack, &tools)
}

/// What a tool takes of others where they are called: what it needs, what fills its arguments, and what it comes after.
pub(crate) fn wants(tool: &Tool) -> impl Iterator<Item = &String> {
    let filled = tool.provided().iter().flat_map(|(_, from)| from);
    tool.spec.needs.iter().chain(&tool.spec.after).chain(filled)
}

/// The level of each of some tools: 0 where it needs nothing that another of them provides, else one more than the highest that
/// provides it. Tools that need each other in a circle end on the last level that they reach.
pub(crate) fn levels(pack: &Pack, tools: &[&str]) -> Vec<usize> {
    let mut levels = vec![0; tools.len()];
    for _ in 0..tools.len() {
        let before = levels.clone();
        for (at, tool) in tools.iter().enumerate() {
            let wants = pack.tool(tool).into_iter().flat_map(wants);
            let own = wants.flat_map(|need| {
                let others = tools.iter().zip(&before);
                others.filter(|(other, _)| *other != tool && provides(pack, other, need))
            });
            levels[at] = own.map(|(_, level)| level + 1).max().unwrap_or(0);
        }
        if levels == before {
            break;
        }
    }
    levels
}
