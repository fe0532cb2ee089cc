//! Gives the ends of a stretch of numbers to the arguments for a least and a most: "between 20 and 40 dollars", "at least 3%".
//!
//! Which end an argument takes is told by its name, `price_min` or `beta_lower_than`, as a server writes it; which of several
//! quantities is meant, by the words beside the stretch, by the unit, and by what is usual.

use std::collections::BTreeMap;

use waypost_text::extract::Bounds;
use waypost_text::text::Span;

use super::amount::Fit;
use super::features::TOLD;
use super::number::{Numbers, form, is_usual};
use super::said::Item;
use super::{Dealt, Group, Slot, amount};
use crate::decide::slots::cues::nearest;
use crate::pack::suggest::words_of;
use crate::understand::Turn;

/// An end of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Most,
}

/// Words of the names of arguments that take one end.
const LEAST: [&str; 10] =
    ["min", "minimum", "least", "more", "above", "over", "greater", "higher", "gt", "gte"];
const MOST: [&str; 10] =
    ["max", "maximum", "most", "less", "lower", "below", "under", "fewer", "lt", "lte"];
/// Words of such names that say nothing of the quantity.
const JOINTS: [&str; 4] = ["than", "at", "bound", "limit"];

/// Returns whether an argument is for the end of a stretch.
pub(super) fn is_end(name: &str) -> bool {
    bounded(name).is_some()
}

/// The end that an argument takes, and the quantity that it bounds.
fn bounded(name: &str) -> Option<(End, String)> {
    let mut words = words_of(name);
    let ends =
        |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let end = match (ends(&words, &LEAST), ends(&words, &MOST)) {
        (true, false) => End::Least,
        // A lower bound is a least.
        (false, true) if ends(&words, &["bound"]) && ends(&words, &["lower"]) => End::Least,
        (false, true) => End::Most,
        _ if ends(&words, &["upper"]) => End::Most,
        _ => return None,
    };
    words.retain(|word| {
        let known = [&LEAST[..], &MOST, &JOINTS, &["upper"]];
        !known.iter().any(|known| known.contains(&word.as_str()))
    });
    Some((end, words.join(" ")))
}

/// The arguments for the ends of each quantity, by their places.
type Quantities = BTreeMap<String, Vec<(End, usize)>>;

/// Gives both ends of each range of the text the same scale: "200 to 300 thousand".
pub(super) fn scale(turn: &Turn<'_>, items: &mut [Item<'_>]) {
    for range in turn.said.bounds() {
        if let [first, second] = within(items, range.span)[..] {
            share_scale(items, first, second);
        }
    }
}

/// Gives the ends of every stretch of the text to the arguments of one quantity.
pub(in crate::decide::slots) fn give(
    numbers: &Numbers<'_>,
    slots: &[Slot<'_>],
    items: &mut [Item<'_>],
    given: &mut [Option<Dealt>],
) {
    let mut quantities = Quantities::new();
    for (place, slot) in slots.iter().enumerate() {
        let is_number = slot.group == Group::Number && !slot.list;
        if let Some((end, quantity)) = bounded(slot.name).filter(|_| is_number) {
            quantities.entry(quantity).or_default().push((end, place));
        }
    }
    if quantities.is_empty() {
        return;
    }
    let taken = given.iter().flatten().filter_map(|given| match given {
        Dealt::Found(items, _) => Some(items.clone()),
        Dealt::Unsure(_) => None,
    });
    let mut used: Vec<usize> = taken.flatten().collect();
    for stretch in numbers.turn.said.bounds() {
        let mut within = within(items, stretch.span);
        within.retain(|index| !used.contains(index));
        let (low, high) = (stretch.interval.low, stretch.interval.high);
        let ends: Vec<(End, usize)> = match (low, high, &within[..]) {
            (Some(_), None, [only]) => vec![(End::Least, *only)],
            (None, Some(_), [only]) => vec![(End::Most, *only)],
            (Some(_), Some(_), [first, second]) => {
                vec![(End::Least, *first), (End::Most, *second)]
            }
            _ => continue,
        };
        let open = quantities.values().filter_map(|of| places(of, &ends, given));
        let scored = open.filter_map(|places| {
            let score = score(numbers, slots, items, &ends, &places, stretch.span)?;
            Some((score, places))
        });
        let mut scored: Vec<(f64, Vec<usize>)> = scored.collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let places = match &scored[..] {
            [(_, only)] => only,
            [(best, places), (next, _), ..] if best > next => places,
            _ => continue,
        };
        for ((_, index), place) in ends.iter().zip(places) {
            let Some(counted) = items[*index].counted else { continue };
            let form = form(numbers.tool, slots[*place].name, items[*index].value, counted);
            given[*place] = Some(Dealt::Found(vec![*index], form));
            used.push(*index);
        }
    }
}

/// Has each argument asked for that takes one number and whose words stand beside a range that was not read as two: "200-300
/// thousand nets". What was read of such a range is only a part of it.
pub(super) fn ask_of_ranges(
    numbers: &Numbers<'_>,
    slots: &[Slot<'_>],
    items: &[Item<'_>],
    given: &mut [Option<Dealt>],
) {
    let ranges = numbers.turn.said.bounds().iter();
    for range in ranges.filter(|range| is_in_part(range, within(items, range.span).len())) {
        for (slot, given) in slots.iter().zip(given.iter_mut()) {
            let is_number = slot.group == Group::Number && !slot.list && !is_end(slot.name);
            if is_number
                && given.is_none()
                && nearest(numbers.turn, numbers.tool, slot.name, range.span, &[]) >= TOLD
            {
                *given = Some(Dealt::Unsure(Vec::new()));
            }
        }
    }
}

/// Returns whether a range has two ends of which so many numbers are not both.
fn is_in_part(range: &Bounds, numbers: usize) -> bool {
    range.interval.low.is_some() && range.interval.high.is_some() && numbers != 2
}

/// Returns whether a number is a part of a range that was not read as two numbers.
pub(super) fn is_part(turn: &Turn<'_>, spans: &[Span], number: Span) -> bool {
    let mut ranges = turn.said.bounds().iter().filter(|range| range.span.overlaps(number));
    ranges.any(|range| {
        let count = spans.iter().filter(|span| span.overlaps(range.span)).count();
        is_in_part(range, count)
    })
}

/// The numbers within a stretch.
fn within(items: &[Item<'_>], stretch: Span) -> Vec<usize> {
    let is_in = |index: &usize| {
        let item = &items[*index];
        item.counted.is_some() && item.value.span.overlaps(stretch)
    };
    (0..items.len()).filter(is_in).collect()
}

/// The arguments of a quantity that take these ends, where all of them are open.
fn places(
    of: &[(End, usize)],
    ends: &[(End, usize)],
    given: &[Option<Dealt>],
) -> Option<Vec<usize>> {
    let open = |end: End| {
        let mut own = of.iter().filter(|(own, place)| *own == end && given[*place].is_none());
        own.next().map(|(_, place)| *place)
    };
    ends.iter().map(|(end, _)| open(*end)).collect()
}

/// How much speaks for arguments; `None` where a number is none of theirs, or unusual.
fn score(
    numbers: &Numbers<'_>,
    slots: &[Slot<'_>],
    items: &[Item<'_>],
    ends: &[(End, usize)],
    places: &[usize],
    stretch: Span,
) -> Option<f64> {
    /// A unit that fits says as much as a word right beside the stretch.
    const UNIT: f64 = 2.0;
    let mut others = numbers.spans.clone();
    others.retain(|span| !span.overlaps(stretch));
    let mut total = 0.0;
    for ((_, index), place) in ends.iter().zip(places) {
        let (name, item) = (slots[*place].name, &items[*index]);
        let fit = amount::fit(numbers.tool, name, item.value, item.counted?)?;
        if !is_usual(numbers.tool, name, fit.number()) {
            return None;
        }
        total += if matches!(fit, Fit::Unit(_)) { UNIT } else { 0.0 };
        total += nearest(numbers.turn, numbers.tool, name, stretch, &others);
    }
    Some(total)
}

/// The scale of the second number is that of the first where this has none: "1 to 20 billion".
fn share_scale(items: &mut [Item<'_>], first: usize, second: usize) {
    let digits = |item: &Item<'_>| {
        let text = item.value.text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        text[..end].parse::<f64>().ok().filter(|digits| *digits > 0.0)
    };
    let both = digits(&items[first]).zip(digits(&items[second]));
    let Some(((low, high), large)) = both.zip(items[second].counted) else { return };
    let scale = large.number / high;
    if let Some(small) = &mut items[first].counted
        && (small.number - low).abs() < f64::EPSILON
        && scale >= 1e3
        && low <= high
    {
        small.number = low * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_end_and_of_what() {
        for (name, end, quantity) in [
            ("price_more_than", End::Least, "price"),
            ("market_cap_lower_than", End::Most, "market cap"),
            ("minPrice", End::Least, "price"),
            ("max_results", End::Most, "results"),
            ("lower_bound", End::Least, ""),
            ("upper_bound", End::Most, ""),
        ] {
            assert_eq!(bounded(name), Some((end, quantity.to_owned())), "{name}");
        }
        assert_eq!(bounded("limit"), None);
        assert_eq!(bounded("price"), None);
    }
}
