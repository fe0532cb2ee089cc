//! Names that one tool of a family takes and another does not, in one text: "Bitcoin and Coinbase, the price of both" makes
//! calls of both tools.

use waypost_core::records::decision::Call;

use super::matchers::named::{each_vocabulary, vocabulary};
use super::{DraftCall, Filled, fill_tool, scope};
use crate::pack::Tool;
use crate::understand::Turn;
use crate::understand::mention::{Mention, Stance};

/// Adds the calls of the others of a tool's family for the names that the tool has no use for, in the order of the text.
pub(super) fn join(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, mut best: Filled) -> Filled {
    let is_open = |filled: &Filled| !filled.gaps.is_empty() || filled.unanswered;
    if is_open(&best) || !named(turn, draft, tool) {
        return best;
    }
    let others = turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    let others = others.filter(|other| named(turn, draft, other));
    let more: Vec<Filled> = others
        .map(|other| fill_tool(turn, draft, other))
        .filter(|filled| !is_open(filled))
        .collect();
    for filled in more {
        best.calls.extend(filled.calls);
        best.leftover.retain(|span| filled.leftover.contains(span));
        let known = |sentence: &_| best.assumptions.contains(sentence);
        let new: Vec<_> =
            filled.assumptions.into_iter().filter(|sentence| !known(sentence)).collect();
        best.assumptions.extend(new);
        best.calls.sort_by_key(|call| place(turn, call));
    }
    best
}

/// Returns whether a part of the text names what a tool makes calls of, before it is anything else of the family.
fn named(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> bool {
    let Some(own) = each_vocabulary(tool) else { return false };
    let family = |name: &str| turn.pack.family(tool).any(|one| each_vocabulary(one) == Some(name));
    let is_own = |mention: &Mention| {
        let first = mention.entries.iter().map(|(name, _)| name).find(|name| family(name));
        first.is_some_and(|name| name == own)
    };
    let here = |mention: &Mention| scope::is_named(draft, mention.span);
    let mut mentions = turn.said.discourse.mentions.iter().filter(|mention| !mention.typo);
    mentions.any(|mention| {
        here(mention) && is_own(mention) && turn.said.stance(mention.span) == Stance::Said
    })
}

/// Where the text names what a call is about.
fn place(turn: &Turn<'_>, call: &Call) -> Option<usize> {
    let tool = turn.pack.tool(&call.tool)?;
    let (argument, _) = tool.annotations().find(|(_, note)| note.each)?;
    let key = call.arguments.get(argument)?.as_str()?;
    let own = vocabulary(tool, argument);
    let mut mentions = turn.said.discourse.mentions.iter();
    let mention = mentions.find(|mention| mention.key(own).any(|other| other == key))?;
    Some(mention.span.start)
}
