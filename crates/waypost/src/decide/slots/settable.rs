//! Fits the value that a thing is set to, in the unit of that thing: 2.5 cm is 25 for a gap in millimeters, and "open it to 40 mm" is a number
//! for what takes numbers.

use std::collections::BTreeMap;

use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::units;

use super::deal::number::plain;
use super::matchers::FilledValue;
use super::{DraftCall, cues, scope};
use crate::pack::Tool;
use crate::pack::spec::{EntrySpec, Settable};
use crate::understand::Turn;

/// Fits the values of a call to the thing that it sets, where that is known.
pub(super) fn fit<'a>(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &'a Tool,
    values: &mut BTreeMap<&'a str, FilledValue>,
) {
    let Some(limits) = &tool.spec.limits else { return };
    let Some(entry) = entry(turn, tool, &limits.of, values) else { return };
    let numbers: Vec<&String> = limits.values.iter().filter(|name| tool.is_number(name)).collect();
    let targets: Vec<&String> = numbers.iter().copied().chain(&limits.changes).collect();
    let is_given = targets.iter().any(|name| draft.given.contains_key(*name));
    if let Some(unit) = &entry.unit
        && !is_given
        && let Some(found) = amount(turn, draft, unit)
        && let Some(name) = told(turn, tool, &targets, &found)
    {
        values.retain(|other, _| !targets.iter().any(|target| target == other));
        values.insert(name, found);
    }
    if limits.changes.iter().any(|name| values.contains_key(name.as_str())) {
        return;
    }
    if let ([name], Some(settable)) = (numbers.as_slice(), &entry.settable)
        && !draft.given.contains_key(*name)
        && let Some(taken) = values.get(name.as_str()).and_then(|found| found.value.as_f64())
        && let Some(found) = within(turn, draft, settable, taken)
    {
        values.insert(name, found);
    }
    // The other sort of value is a word of how it is set.
    let takes_words = entry.settable.as_ref().is_some_and(|settable| !settable.words.is_empty());
    let has_number = numbers.iter().any(|name| values.contains_key(name.as_str()));
    let has_word = limits
        .values
        .iter()
        .any(|name| !numbers.contains(&name) && values.contains_key(name.as_str()));
    if has_number && has_word && entry.settable.as_ref().is_some_and(is_only) {
        let drop = |name: &&str| {
            limits.values.iter().any(|own| own == name)
                && numbers.iter().any(|own| own == name) == takes_words
        };
        values.retain(|name, _| !drop(name));
    }
}

/// The argument whose cue stands nearest to an amount, or else the first: "by 5 A" is how far, "to 5 A" is where.
fn told<'a>(
    turn: &Turn<'_>,
    tool: &Tool,
    targets: &[&'a String],
    found: &FilledValue,
) -> Option<&'a str> {
    let span = *found.spans.first()?;
    let near = |name: &&&'a String| cues::nearest(turn, tool, name, span, &[]);
    // The first of equals stays first.
    let best = targets.iter().rev().max_by(|a, b| near(a).total_cmp(&near(b)))?;
    Some(best.as_str())
}

/// The things among those that are named that a tool may set, where it sets things at all and some of them can be set: in "if the
/// doors are closed, open the valve" it is the valve.
pub(super) fn of<'k>(
    turn: &Turn<'_>,
    tool: &Tool,
    argument: &str,
    keys: Vec<&'k str>,
) -> Vec<&'k str> {
    let gazetteer = tool.annotation(argument).and_then(|note| note.gazetteer.as_ref());
    let limited = tool.spec.limits.as_ref().is_some_and(|limits| limits.of == argument);
    let Some(gazetteer) = gazetteer.filter(|_| limited) else { return keys };
    let can_be = |key: &&&str| {
        let entry = turn.pack.entry(gazetteer, key);
        entry.is_some_and(|entry| entry.settable.is_some())
    };
    let settable: Vec<&str> = keys.iter().filter(can_be).copied().collect();
    if settable.is_empty() { keys } else { settable }
}

/// The one bare number of the words that a thing may be set to, where the one that was taken is none of them.
fn within(
    turn: &Turn<'_>,
    draft: &DraftCall,
    settable: &Settable,
    taken: f64,
) -> Option<FilledValue> {
    let fits = |number: f64| {
        settable.least.is_none_or(|least| number >= least)
            && settable.most.is_none_or(|most| number <= most)
    };
    if fits(taken) {
        return None;
    }
    let said = scope::values(turn, draft).into_iter();
    let mut others = said.filter_map(|value| match value.reading {
        Reading::Number(number) if fits(number) && value.kind == Kind::Number => {
            Some((value, number))
        }
        _ => None,
    });
    let (value, number) = others.next()?;
    if others.next().is_some() {
        return None;
    }
    let evidence = Evidence::span(value.text.clone(), By::Typed(value.rule));
    Some(FilledValue { value: plain(number), evidence, spans: vec![value.span] })
}

/// Returns whether a thing takes numbers or words, and not both.
fn is_only(settable: &Settable) -> bool {
    let numbers = settable.least.is_some() || settable.most.is_some();
    numbers == settable.words.is_empty()
}

/// The entry of the gazetteer that the call is about.
fn entry<'p>(
    turn: &'p Turn<'_>,
    tool: &Tool,
    of: &str,
    values: &BTreeMap<&str, FilledValue>,
) -> Option<&'p EntrySpec> {
    let gazetteer = tool.annotation(of)?.gazetteer.as_ref()?;
    turn.pack.entry(gazetteer, values.get(of)?.value.as_str()?)
}

/// The one amount that the words say in a unit of this kind, in this unit.
fn amount(turn: &Turn<'_>, draft: &DraftCall, unit: &str) -> Option<FilledValue> {
    let said = scope::values(turn, draft).into_iter();
    let mut amounts = said.filter_map(|value| Some((value, converted(value, unit)?)));
    let (value, number) = amounts.next()?;
    if amounts.next().is_some() {
        return None;
    }
    let evidence = Evidence::span(value.text.clone(), By::Typed(value.rule));
    let rounded = (number * 1e9).round() / 1e9;
    Some(FilledValue { value: plain(rounded), evidence, spans: vec![value.span] })
}

fn converted(value: &Value, unit: &str) -> Option<f64> {
    let readings = std::iter::once(&value.reading).chain(&value.alternatives);
    let mut amounts = readings.filter_map(|reading| match reading {
        Reading::Quantity { value, unit: said, .. } => Some((*value, said.to_string())),
        _ => None,
    });
    amounts.find_map(|(number, said)| {
        // Degrees alone are those of whatever has degrees.
        let same = said == unit || said == "deg" && unit == "Cel";
        if same { Some(number) } else { units::convert(number, &said, unit) }
    })
}
