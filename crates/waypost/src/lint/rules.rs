//! Finds prefixes and signals that decide nothing, since another stands before them or no text
//! gives them, and signals that take examples of other routes.

use waypost_core::error::Result;
use waypost_core::records::request::{Context, Request};

use super::{Finding, Level, Linted};
use crate::decide::cascade::gives_signal;
use crate::pack::squeeze;
use crate::understand::ingest;

/// The most cases and examples that are read: enough for every pack, and a bound.
const MOST_TEXTS: usize = 50_000;

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = prefixes(linted);
    findings.extend(signals(linted));
    findings
}

fn prefixes(linted: &Linted<'_>) -> Vec<Finding> {
    let prefixes = &linted.pack.prefixes;
    let mut findings = Vec::new();
    for (index, own) in prefixes.iter().enumerate() {
        let text = squeeze(&own.spec.text);
        // A shorter one with another route is a fault of loading.
        let others = prefixes.iter().enumerate().filter(|(other, _)| *other != index);
        let shorter = others.into_iter().find(|(other, prefix)| {
            let same = squeeze(&prefix.spec.text) == text;
            prefix.place(&text) == Some(0) && (!same || *other < index)
        });
        let Some((_, shorter)) = shorter else { continue };
        let message = format!(
            "the prefix `{}` decides nothing: `{}` begins every text that it begins",
            own.spec.text, shorter.spec.text
        );
        let why = "both lead to one route; whoever changes this one changes nothing";
        let at = format!("/prefixes/{index}");
        findings
            .push(linted.at(Level::Warning, "unreachable", &at, message).because(why, "remove it"));
    }
    findings
}

/// Finds signals that take examples of other routes, that no example and no case gives, or that
/// only come after an earlier signal.
fn signals(linted: &Linted<'_>) -> Vec<Finding> {
    let signals = &linted.pack.signals;
    if signals.is_empty() {
        return Vec::new();
    }
    let mut first = vec![0_usize; signals.len()];
    let mut decided = vec![0_usize; signals.len()];
    let mut behind: Vec<Option<usize>> = vec![None; signals.len()];
    let mut astray: Vec<Vec<usize>> = vec![Vec::new(); signals.len()];
    let examples = linted.pack.examples.iter().enumerate();
    let examples = examples.map(|(index, example)| (example.text.clone(), Some(index)));
    let cases = linted.cases.iter().map(|text| (text.clone(), None));
    for (text, example) in examples.chain(cases).take(MOST_TEXTS) {
        let Ok(given) = given(linted, text) else { continue };
        if let Some((winner, others)) = given.split_first() {
            first[*winner] += 1;
            decided[*winner] += usize::from(example.is_some());
            others.iter().for_each(|other| behind[*other] = Some(*winner));
            let wrong =
                |index: &usize| linted.pack.examples[*index].route != signals[*winner].spec.route;
            astray[*winner].extend(example.filter(wrong));
        }
    }
    let mut findings = Vec::new();
    for (index, signal) in signals.iter().enumerate() {
        let at = format!("/signals/{index}");
        let name = &signal.spec.name;
        if !astray[index].is_empty() {
            findings.push(strays(linted, index, &astray[index], decided[index]));
        }
        if first[index] > 0 {
            continue;
        }
        let (message, hint) = match behind[index] {
            Some(other) => (
                format!(
                    "the signal `{name}` decides nothing: `{}` always does first",
                    signals[other].spec.name
                ),
                "put it before the other, or remove it",
            ),
            None => (
                format!("no example and no case gives the signal `{name}`"),
                "add cases that it should decide, and see whether it does",
            ),
        };
        let why = "nobody has seen it decide, and a slip in its words goes unseen";
        findings.push(linted.at(Level::Warning, "unreachable", &at, message).because(why, hint));
    }
    findings
}

/// The finding of a signal that takes examples of other routes, of `decided` that it takes in all. It is
/// an error where the signal is wrong more often than its confidence says.
fn strays(linted: &Linted<'_>, index: usize, texts: &[usize], decided: usize) -> Finding {
    let spec = &linted.pack.signals[index].spec;
    let right = 1.0 - texts.len() as f64 / decided.max(1) as f64;
    let level = if right < spec.confidence { Level::Error } else { Level::Warning };
    let message = format!(
        "the signal `{}` sends examples of other routes to `{}`, {} of {decided}, and its confidence \
         is {}: {}",
        spec.name,
        spec.route,
        texts.len(),
        spec.confidence,
        super::examples::shown(linted, texts),
    );
    let why = "a signal decides before the student is asked";
    let hint = "add words to `unless`, narrow `within`, or say a `confidence` that holds";
    let finding = linted.at(level, "astray", &format!("/signals/{index}"), message);
    Finding { texts: linted.texts(texts), ..finding.because(why, hint) }
}

/// The signals that a text gives, in their order.
fn given(linted: &Linted<'_>, text: String) -> Result<Vec<usize>> {
    // The date does not matter to the kind of a value.
    let request = Request { now: Some("2025-01-15".to_owned()), ..Request::new(text) };
    let turn = ingest(linted.pack, &request, Context::default())?;
    let signals = linted.pack.signals.iter().enumerate();
    Ok(signals.filter(|(_, signal)| gives_signal(&turn, signal)).map(|(index, _)| index).collect())
}
