//! Lists of numbers: those that commas and brackets join, or all that are left.

use serde_json::Value as Json;
use waypost_text::extract::{Kind, Value};
use waypost_text::text::Span;

use super::amount::Candidate;
use super::assign::{all, is_serial};
use super::cues::nearest;
use super::number::{Numbers, plain};
use super::{DraftCall, Match};
use crate::pack::Tool;
use crate::understand::Turn;

/// The arguments that take a list of numbers and are open.
fn lists<'a>(tool: &'a Tool, draft: &DraftCall) -> Vec<&'a str> {
    let lists = tool.arguments().filter(|name| {
        let kind = tool.annotation(name).and_then(|note| note.kind);
        tool.is_list(name) && kind == Some(Kind::Number) && !draft.given.contains_key(*name)
    });
    lists.collect()
}

/// Gives the lists of the text to the arguments that take one: the only one, those of a series in the
/// order of the text, or each by the words of the argument before it.
pub(super) fn give_runs(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    candidates: &[Candidate<'_>],
    used: &mut [bool],
    numbers: &mut Numbers,
) {
    let names = lists(tool, draft);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        match runs.last_mut().filter(|run| candidates[run[0]].run == candidate.run) {
            Some(run) if candidate.run.is_some() => run.push(index),
            _ if candidate.run.is_some() => runs.push(vec![index]),
            _ => {}
        }
    }
    let bracketed = |run: &Vec<usize>| is_bracketed(turn, candidates, run);
    if runs.iter().any(bracketed) {
        runs.retain(bracketed);
    }
    if names.is_empty() || runs.is_empty() {
        return;
    }
    let given: Vec<(&str, &Vec<usize>)> = match (&names[..], &runs[..]) {
        ([name], [run]) => vec![(*name, run)],
        _ if names.len() == runs.len() && is_serial(&names) => {
            names.iter().copied().zip(&runs).collect()
        }
        _ => cued(turn, tool, &names, &runs, candidates),
    };
    for (name, run) in given {
        if let Some(list) = list(turn, tool, name, candidates, run) {
            run.iter().for_each(|index| used[*index] = true);
            numbers.insert(name.to_owned(), list);
        }
    }
}

/// Each list with the argument whose words stand before it, where they stand before no other.
fn cued<'a, 'r>(
    turn: &Turn<'_>,
    tool: &Tool,
    names: &[&'a str],
    runs: &'r [Vec<usize>],
    candidates: &[Candidate<'_>],
) -> Vec<(&'a str, &'r Vec<usize>)> {
    /// The least score at which words speak for a list.
    const ENOUGH: f64 = 1.0;
    let spans: Vec<Span> = candidates.iter().map(|candidate| candidate.value.span).collect();
    let score = |name: &str, run: &[usize]| {
        let first = candidates[run[0]].value.span;
        nearest(turn, tool, name, first, &spans)
    };
    let mut found: Vec<(&str, &Vec<usize>)> = Vec::new();
    for run in runs {
        let mut scored: Vec<(f64, &str)> =
            names.iter().map(|name| (score(name, run), *name)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let clear = scored.get(1).is_none_or(|second| second.0 < scored[0].0);
        let (best, name) = scored[0];
        if best >= ENOUGH && clear && found.iter().all(|(known, _)| *known != name) {
            found.push((name, run));
        }
    }
    found
}

fn is_bracketed(turn: &Turn<'_>, candidates: &[Candidate<'_>], run: &[usize]) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
    let start = candidates[*first].value.span.start;
    let end = candidates[*last].value.span.end;
    let before =
        start.checked_sub(1).map(|at| turn.said.text.slice(Span { start: at, end: start }));
    before.is_some_and(|sign| sign.contains(['[', '(', '{']))
        && turn.said.text.slice(Span { start: end, end: end + 1 }).contains([']', ')', '}'])
}

/// The one list of numbers that a tool takes holds all that are left.
pub(super) fn give_rest(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    candidates: &[Candidate<'_>],
    used: &[bool],
    numbers: &mut Numbers,
) {
    let [name] = lists(tool, draft)[..] else { return };
    let left = (0..candidates.len()).filter(|index| !used[*index] && candidates[*index].bare);
    let left: Vec<usize> = left.collect();
    if numbers.contains_key(name) || left.is_empty() {
        return;
    }
    if let Some(list) = list(turn, tool, name, candidates, &left) {
        numbers.insert(name.to_owned(), list);
    }
}

fn list(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    candidates: &[Candidate<'_>],
    items: &[usize],
) -> Option<Match> {
    let forms: Vec<Json> = items.iter().map(|index| plain(candidates[*index].number)).collect();
    let values: Vec<&Value> = items.iter().map(|index| candidates[*index].value).collect();
    let spans = values.iter().map(|value| value.span).collect();
    tool.accepts(name, &Json::Array(forms.clone())).then(|| all(turn, &values, spans, forms))
}
