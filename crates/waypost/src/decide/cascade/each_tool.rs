//! Each tool by itself: a text may need any set of them. Source: S3-1, S3-2, S3-6.

use waypost_learning::{Bundle, Scores};
use waypost_text::text::Span;

use super::clauses::{self, BORNE_OUT, Clause};
use super::linear::best;
use crate::pack::spec::Access;
use crate::student::heads::{NEEDED, tool_of_head};
use crate::turn::Turn;

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
    let refused = |head: usize| turn.failed.contains(&bundle.tools()[head]);
    let needed = |head: usize| {
        if refused(head) {
            return false;
        }
        let whole = scores.tools[head];
        whole >= NEEDED
            || whole >= BORNE_OUT && clauses.iter().any(|clause| by_clause(clause, head))
    };
    let mut heads: Vec<usize> = (0..scores.tools.len()).filter(|head| needed(*head)).collect();
    if heads.is_empty() {
        let left: Vec<f32> = (0..scores.tools.len())
            .map(|head| if refused(head) { 0.0 } else { scores.tools[head] })
            .collect();
        heads.extend(best(&left).map(|(head, _)| head));
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
        let own = clauses
            .iter()
            .filter(|clause| changes && by_clause(clause, head) && turn.names_within(clause.span));
        let own: Vec<Option<Span>> = own.map(|clause| Some(clause.span)).collect();
        let own = if own.len() > 1 { own } else { vec![None] };
        own.into_iter().map(move |span| (head, span))
    };
    heads.into_iter().flat_map(of_head).collect()
}
