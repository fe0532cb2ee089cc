//! What a stretch of time means for arguments that take no time: a value that lasts as long ("the past three months" is
//! `3M`), or a number of periods ("the last eight quarters" is 8 of `quarter`).

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Value};
use waypost_text::text::Text;

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::deal::amount;
use crate::decide::slots::scope;
use crate::pack::Tool;

/// The share by which a length may differ: 90 days are three months.
const SLACK: f64 = 0.15;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let &Wanted { turn, draft, tool, name, annotation, .. } = wanted;
    let counter = tool.annotations().any(|(_, note)| note.counts.as_deref() == Some(name));
    let lasts = annotation.values.values().any(|naming| naming.lasts.is_some());
    if annotation.counts.is_none() && !counter && !lasts {
        return None;
    }
    scope::values(turn, draft).into_iter().find_map(|value| {
        let (form, is_shared) = match annotation.counts.as_deref() {
            Some(periods) => (json!(counted(tool, periods, value)?.1), false),
            None if counter => (json!(counted(tool, name, value)?.0), true),
            None => (json!(as_long(tool, name, value)?), false),
        };
        found(tool, name, value, form, is_shared)
    })
}

fn found(tool: &Tool, name: &str, value: &Value, form: Json, is_shared: bool) -> Option<Match> {
    let spans = if is_shared { Vec::new() } else { vec![value.span] };
    let evidence = Evidence::span(value.text.clone(), By::Typed(value.rule));
    let fits = tool.accepts(name, &form);
    fits.then_some(Match::Found(FilledValue { value: form, evidence, spans }))
}

/// The lengths of an argument's values, each with how often a stretch of time holds it.
fn lengths<'a>(tool: &'a Tool, name: &str, value: &Value) -> Vec<(&'a str, f64)> {
    let annotation = tool.annotation(name).into_iter();
    let values = annotation.flat_map(|note| &note.values);
    let lengths = values.filter_map(|(key, naming)| {
        let lasts = naming.lasts.as_ref()?;
        Some((key.as_str(), amount::length(value, &lasts.unit)? / lasts.number))
    });
    lengths.collect()
}

/// The value that lasts as long as a stretch of time.
fn as_long<'a>(tool: &'a Tool, name: &str, value: &Value) -> Option<&'a str> {
    let off = |times: f64| (times - 1.0).abs();
    let near = lengths(tool, name, value).into_iter().filter(|(_, times)| off(*times) <= SLACK);
    near.min_by(|a, b| off(a.1).total_cmp(&off(b.1))).map(|(key, _)| key)
}

/// The period that a stretch of time counts, and how many of it: the one that its words name, or else the longest of which
/// it is a whole number.
fn counted<'a>(tool: &'a Tool, name: &str, value: &Value) -> Option<(&'a str, u64)> {
    let words = Text::new(&value.text);
    let is_named = |key: &str| {
        let naming = tool.annotation(name).and_then(|note| note.values.get(key));
        let mut names = naming.into_iter().flat_map(|naming| &naming.words);
        names.any(|word| find_word(words.normalized(), Text::new(word).normalized()).is_some())
    };
    let lengths = lengths(tool, name, value);
    let named: Vec<_> = lengths.iter().copied().filter(|(key, _)| is_named(key)).collect();
    let whole = |(_, times): &(&str, f64)| *times >= 0.95 && (times - times.round()).abs() < 0.05;
    let candidates = if named.is_empty() { lengths } else { named };
    let fewest = candidates.into_iter().filter(whole).min_by(|a, b| a.1.total_cmp(&b.1));
    fewest.map(|(key, times)| (key, times.round() as u64))
}

/// The unit of an amount, where it is an argument of its own: "4 inches" is a radius of 4 and a unit of inches.
pub(in crate::decide::slots) fn unit(wanted: &Wanted<'_>) -> Option<Match> {
    let words = wanted.tool.words(wanted.name);
    let [only] = words else { return None };
    let is_unit = ["unit", "units"].contains(&only.as_str());
    if !is_unit || !wanted.tool.is_free_text(wanted.name) || wanted.annotation.kind.is_some() {
        return None;
    }
    // Where the numbers say their units themselves, it is the unit of something else.
    let mut numbers = wanted.tool.arguments().filter(|name| wanted.tool.is_number(name));
    let told = |name: &str| wanted.tool.suggested(name).is_some_and(|own| own.unit.is_some());
    if numbers.any(told) {
        return None;
    }
    let values = scope::values(wanted.turn, wanted.draft).into_iter();
    let amounts = values.filter(|value| value.kind == Kind::Quantity);
    let units = amounts.map(|value| {
        let sign = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '-');
        value.text.trim_start_matches(sign)
    });
    let mut units: Vec<&str> = units.collect();
    units.dedup();
    let [unit] = units[..] else { return None };
    let value = json!(unit);
    // The words of the amount are its number's, too.
    let fits = !unit.is_empty() && wanted.tool.accepts(wanted.name, &value);
    fits.then(|| Match::Found(FilledValue::new(value, Evidence::span(unit, By::Text))))
}
