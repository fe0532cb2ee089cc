//! Each tool by itself: a text may need any set of them. Source: S3-1, S3-2, S3-6.

use std::collections::BTreeSet;

use waypost_learning::{Bundle, Scores};
use waypost_text::text::Span;

use super::clauses::{self, BORNE_OUT, Clause, LIST};
use super::linear::best;
use crate::pack::spec::{Access, Selection};
use crate::student::heads::{NEEDED, tool_of_head};
use crate::understand::Turn;

/// The tool that a clause asks for with a thing that no chosen tool takes: who says "the weather, and how about the water
/// temperature" wants something of the water, however little the whole says of it. Only where another clause asks for a chosen
/// one: to note, or to look for, what is said of a thing names it all the same.
fn unclaimed(turn: &Turn<'_>, bundle: &Bundle, clause: &Clause, chosen: &[usize]) -> Option<usize> {
    let takes = |head: &usize| takes_named(turn, &bundle.tools()[*head]);
    let names = &turn.said.discourse.mentions;
    let is_named = names.iter().any(|name| clause.span.contains(name.span));
    if chosen.is_empty() || chosen.iter().any(takes) || !is_named {
        return None;
    }
    let (head, own) = best(&clause.scores.tools)?;
    let is_sure = f64::from(own.min(clauses::runs(turn, bundle, &clause.scores)))
        >= turn.pack.spec.policy.select;
    let asks_for_chosen = chosen.iter().any(|other| clause.scores.tools[*other] >= NEEDED);
    (takes(&head) && is_sure && !asks_for_chosen).then_some(head)
}

/// Takes the tools out of the scores that cannot serve: those that said in this turn that they are the wrong ones, and those that
/// are gone, unless nothing else is asked for; then their server says so itself.
pub(super) fn leave_out(turn: &Turn<'_>, bundle: &Bundle, scores: &mut Scores) {
    if turn.pack.spec.selection != Selection::PerTool {
        return;
    }
    let is_gone = |head: usize| {
        let tool = tool_of_head(turn.pack, &bundle.tools()[head]);
        tool.is_some_and(|tool| turn.permits.gone.contains(&tool.spec.name))
    };
    let heads = 0..scores.tools.len();
    let others = heads.clone().any(|head| scores.tools[head] >= NEEDED && !is_gone(head));
    for head in heads {
        let is_wrong = turn.permits.failed.iter().any(|wrong| wrong.name == bundle.tools()[head]);
        if is_wrong || others && is_gone(head) {
            scores.tools[head] = 0.0;
        }
    }
}

/// Returns whether an argument of a tool takes one of the things that the words name.
fn takes_named(turn: &Turn<'_>, head: &str) -> bool {
    let Some(tool) = tool_of_head(turn.pack, head) else { return false };
    let taken: Vec<&str> =
        tool.annotations().filter_map(|(_, note)| note.gazetteer.as_deref()).collect();
    let names = turn.said.discourse.mentions.iter().flat_map(|mention| &mention.entries);
    names.into_iter().any(|(vocabulary, _)| taken.contains(&vocabulary.as_str()))
}

/// The heads that clauses with words of their own are sure of, even if such a clause alone hardly asks for anything: "plot it".
fn listed(turn: &Turn<'_>, bundle: &Bundle, clauses: &[Clause]) -> BTreeSet<usize> {
    const LEAST_RUNS: f32 = 0.2;
    if clauses.len() < LIST {
        return BTreeSet::new();
    }
    let own = clauses.iter().filter(|clause| {
        clauses::runs(turn, bundle, &clause.scores) >= LEAST_RUNS
            && turn.said.says_beside(&[], clause.span)
    });
    let heads = own.filter_map(|clause| best(&clause.scores.tools));
    let heads = heads.filter(|(head, _)| !clauses::writes(turn, bundle, *head));
    let select = turn.pack.spec.policy.select;
    heads.filter(|(_, own)| f64::from(*own) >= select).map(|(head, _)| head).collect()
}

/// The heads of the tools that a text needs, in the order of the pack, each with the part that asks for it where that is not all
/// of the text: those that the whole says, and those that one of its clauses surely says and the whole bears out.
pub(super) fn asked(
    turn: &Turn<'_>,
    bundle: &Bundle,
    scores: &Scores,
    clauses: &[Clause],
) -> Vec<(usize, Option<Span>)> {
    let select = turn.pack.spec.policy.select;
    let by_clause = |clause: &Clause, head: usize| {
        let runs = clauses::runs(turn, bundle, &clause.scores);
        f64::from(runs.min(clause.scores.tools[head])) >= select
    };
    let said = |head: usize| clauses.iter().any(|clause| by_clause(clause, head));
    let listed = listed(turn, bundle, clauses);
    // If much is asked for, the whole text is unsure of each tool, so the clauses decide.
    let is_list = listed.len() >= LIST
        && clauses::may_list(turn)
        && listed.iter().filter(|head| said(**head)).count() >= 2;
    let needed = |head: usize| {
        let whole = scores.tools[head];
        whole >= NEEDED
            || whole >= BORNE_OUT && said(head)
            || whole > 0.0 && is_list && listed.contains(&head)
    };
    let mut heads: Vec<usize> = (0..scores.tools.len()).filter(|head| needed(*head)).collect();
    let others: Vec<usize> =
        clauses.iter().filter_map(|clause| unclaimed(turn, bundle, clause, &heads)).collect();
    heads.extend(others.into_iter().filter(|head| scores.tools[*head] > 0.0));
    heads.sort_unstable();
    heads.dedup();
    if heads.is_empty() {
        // What the words name is there for something: a tool that takes it comes first.
        let left = |takes: bool| -> Vec<f32> {
            let open = |head: usize| !takes || takes_named(turn, &bundle.tools()[head]);
            (0..scores.tools.len())
                .map(|head| if open(head) { scores.tools[head] } else { 0.0 })
                .collect()
        };
        let some = |left: Vec<f32>| best(&left).filter(|(_, p)| *p > 0.0).map(|(head, _)| head);
        heads.extend(some(left(true)).or_else(|| some(left(false))));
    }
    let place = |head: usize| {
        let tool = tool_of_head(turn.pack, &bundle.tools()[head]);
        turn.pack
            .tools
            .iter()
            .position(|own| tool.is_some_and(|tool| own.spec.name == tool.spec.name))
    };
    heads.sort_by_key(|head| place(*head));
    let of_head = |head: usize| {
        let tool = tool_of_head(turn.pack, &bundle.tools()[head]);
        let changes = tool.is_some_and(|tool| turn.access(&tool.spec.name) != Access::Read);
        // "Set A to 5 and B to 3" changes two things, each by its own value.
        let own = clauses.iter().filter(|clause| {
            changes && by_clause(clause, head) && turn.said.names_within(clause.span)
        });
        let own: Vec<Option<Span>> = own.map(|clause| Some(clause.span)).collect();
        let own = if own.len() > 1 { own } else { vec![None] };
        own.into_iter().map(move |span| (head, span))
    };
    heads.into_iter().flat_map(of_head).collect()
}
