//! Lists: the numbers that commas and brackets join, and what is joined to the items of a list.

use serde_json::Value as Json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Value};
use waypost_text::text::Span;

use super::amount::exact;
use super::features::{Features, TOLD};
use super::number::{Numbers, plain};
use super::said::Item;
use super::{Alone, Dealt, Group, Offer, Slot, is_serial};
use crate::decide::slots::cues::nearest;
use crate::decide::slots::matchers::{FilledValue, Match};
use crate::decide::slots::phrase;
use crate::decide::slots::phrase::is_joined;
use crate::pack::Tool;
use crate::understand::Turn;

/// A number as an item of a list of numbers, for which no words speak.
pub(in crate::decide::slots) fn offer(
    (item, said): (usize, &Item<'_>),
    (slot, _): (usize, &Slot<'_>),
) -> Option<Offer> {
    let counted = said.counted.filter(|counted| counted.bare)?;
    let form = exact(said.value).unwrap_or_else(|| plain(counted.number));
    let features = Features::default();
    Some(Offer { item, slot, features, form, alone: Alone::Yes, in_order: false, class: 0 })
}

/// Gives the lists of the text to the arguments that take one: the only one, those of a series in the
/// order of the text, or each by the words of the argument before it.
pub(in crate::decide::slots) fn give_runs(
    numbers: &Numbers<'_>,
    slots: &[Slot<'_>],
    items: &[Item<'_>],
    given: &mut [Option<Dealt>],
) {
    let takes = |slot: &usize| slots[*slot].list && slots[*slot].group == Group::Number;
    let lists: Vec<usize> = (0..slots.len()).filter(takes).collect();
    if lists.is_empty() {
        return;
    }
    let mut runs = runs(numbers.turn, items);
    let bracketed = |run: &Vec<usize>| is_bracketed(numbers.turn, items, run);
    if runs.iter().any(bracketed) {
        runs.retain(bracketed);
    }
    let names: Vec<&str> = lists.iter().map(|slot| slots[*slot].name).collect();
    let dealt: Vec<(usize, &Vec<usize>)> = match (&lists[..], &runs[..]) {
        (_, []) => return,
        ([slot], [run]) => vec![(*slot, run)],
        _ if lists.len() == runs.len() && is_serial(&names) => {
            lists.iter().copied().zip(&runs).collect()
        }
        _ => cued(numbers, slots, &lists, &runs, items),
    };
    for (slot, run) in dealt {
        let form = |item: &usize| {
            let item = &items[*item];
            let plain = item.counted.map(|counted| plain(counted.number));
            exact(item.value).or(plain)
        };
        let list = Json::Array(run.iter().filter_map(form).collect());
        if numbers.tool.accepts(slots[slot].name, &list) {
            given[slot] = Some(Dealt::Found(run.clone(), list));
        }
    }
}

/// The numbers that are joined to lists: "3, 5 and 8", "[3, 5, 8]".
fn runs(turn: &Turn<'_>, items: &[Item<'_>]) -> Vec<Vec<usize>> {
    let bare = |item: &usize| items[*item].counted.is_some_and(|counted| counted.bare);
    let bare: Vec<usize> = (0..items.len()).filter(bare).collect();
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for pair in bare.windows(2) {
        let (before, own) = (items[pair[0]].value.span, items[pair[1]].value.span);
        let gap = Span { start: before.end, end: own.start.max(before.end) };
        if before.end > own.start || !is_joined(turn, gap) {
            continue;
        }
        match runs.last_mut().filter(|run| run.last() == Some(&pair[0])) {
            Some(run) => run.push(pair[1]),
            None => runs.push(pair.to_vec()),
        }
    }
    runs
}

/// Each list with the argument whose words stand before it, where they stand before no other.
fn cued<'r>(
    numbers: &Numbers<'_>,
    slots: &[Slot<'_>],
    lists: &[usize],
    runs: &'r [Vec<usize>],
    items: &[Item<'_>],
) -> Vec<(usize, &'r Vec<usize>)> {
    let score = |slot: usize, run: &[usize]| {
        let first = items[run[0]].value.span;
        nearest(numbers.turn, numbers.tool, slots[slot].name, first, &numbers.spans)
    };
    let mut found: Vec<(usize, &Vec<usize>)> = Vec::new();
    for run in runs {
        let scored = lists.iter().map(|slot| (score(*slot, run), *slot));
        let mut scored: Vec<(f64, usize)> = scored.collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let clear = scored.get(1).is_none_or(|second| second.0 < scored[0].0);
        let (best, slot) = scored[0];
        if best >= TOLD && clear && found.iter().all(|(known, _)| *known != slot) {
            found.push((slot, run));
        }
    }
    found
}

fn is_bracketed(turn: &Turn<'_>, items: &[Item<'_>], run: &[usize]) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
    let start = items[*first].value.span.start;
    let end = items[*last].value.span.end;
    let before =
        start.checked_sub(1).map(|at| turn.said.text.slice(Span { start: at, end: start }));
    before.is_some_and(|sign| sign.contains(['[', '(', '{']))
        && turn.said.text.slice(Span { start: end, end: end + 1 }).contains([']', ')', '}'])
}

/// A list with the words that commas and "and" join to its values: those that no language has are items too ("17 and zeta"), and of
/// others nobody knows. `is_cut` says that the text has more values than are looked at.
pub(in crate::decide::slots) fn whole(
    turn: &Turn<'_>,
    tool: &Tool,
    slot: &Slot<'_>,
    values: &[&Value],
    mut forms: Vec<Json>,
    is_cut: bool,
) -> Match {
    let mut spans: Vec<Span> = values.iter().map(|value| value.span).collect();
    let mut unsure = is_cut;
    if slot.group == Group::Of(Kind::Identifier) {
        for word in phrase::joined(turn, &spans) {
            let is_known = turn.said.has_word(word.text);
            let goes_on = spans.iter().any(|span| {
                let gap = Span { start: word.span.end, end: span.start };
                gap.start <= gap.end && is_joined(turn, gap)
            });
            unsure |= is_known && (word.is_last || goes_on);
            let form = Json::from(word.text);
            if !is_known && tool.accepts_item(slot.name, &form) {
                let at = spans.iter().filter(|span| **span < word.span).count();
                spans.insert(at, word.span);
                forms.insert(at, form);
            }
        }
    }
    if unsure {
        // A part of it is no choice.
        return Match::Unsure(Vec::new());
    }
    // The receipt holds the words from the first to the last.
    let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
    let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
    let words = turn.said.text.slice(Span { start, end });
    let by = values.first().map_or(By::Words, |value| By::Rule(value.rule));
    let evidence = Evidence::span(words, by);
    Match::Found(FilledValue { value: Json::Array(forms), evidence, spans })
}
