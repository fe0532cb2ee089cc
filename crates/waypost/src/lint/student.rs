//! Finds routes and tools that the student confuses, by its answers on examples that it was not
//! trained on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Map;
use waypost_learning::data::validation::contradictions;

use super::examples::{FEW, shown};
use super::{Finding, Level, Linted};

/// From this share of the one's examples on, two routes or tools are called confusable.
const CONFUSED: f64 = 0.05;
/// From this share on they are hardly two.
const HARDLY_TWO: f64 = 0.3;
/// Fewer texts than this may be chance.
const FEWEST: usize = 3;

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    // A text with two routes is one finding already, and no student can be right about both.
    let torn: BTreeSet<usize> = contradictions(&linted.labelled)
        .into_iter()
        .flat_map(|contradiction| contradiction.examples)
        .collect();
    let routes = linted.held_out.iter().filter(|held| !torn.contains(&held.index)).map(|held| {
        (held.index, linted.labelled[held.index].route.clone(), Some(held.route.clone()))
    });
    let mut findings = confusions(linted, "routes", routes);
    // Only texts that ask for one tool count: of two tools each may be the likelier. Tools that do the same are one.
    let same = |tool: &str| linted.pack.canonical(tool, &Map::new()).0.to_owned();
    let tools = linted.held_out.iter().filter_map(|held| {
        match linted.labelled[held.index].tools.as_slice() {
            [only] => Some((held.index, same(only), held.tool.as_deref().map(same))),
            _ => None,
        }
    });
    findings.extend(confusions(linted, "tools", tools));
    findings
}

fn confusions(
    linted: &Linted<'_>,
    kind: &str,
    taken: impl Iterator<Item = (usize, String, Option<String>)>,
) -> Vec<Finding> {
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (index, own, predicted) in taken {
        *totals.entry(own.clone()).or_default() += 1;
        if let Some(predicted) = predicted.filter(|predicted| *predicted != own) {
            wrong.entry((own, predicted)).or_default().push(index);
        }
    }
    let mut findings = Vec::new();
    for ((own, other), texts) in wrong {
        let total = totals.get(&own).copied().unwrap_or_default();
        let share = texts.len() as f64 / total.max(1) as f64;
        if texts.len() < FEWEST || share < CONFUSED {
            continue;
        }
        // Of a handful nothing can be said for certain; that they are a handful is told by itself.
        let is_error = share >= HARDLY_TWO && total >= FEW;
        let level = if is_error { Level::Error } else { Level::Warning };
        let message = format!(
            "of the {kind} `{own}` and `{other}`, {:.0}% of the examples of the first ({} of \
             {total}) are taken for the second: {}",
            100.0 * share,
            texts.len(),
            shown(linted, &texts)
        );
        let why =
            "a student that did not see them takes one for the other, and so it will with users";
        let hint = "check their labels, add examples that show the difference, or make one of both";
        let first = texts.first().copied();
        let finding = linted.example(level, "confusable", first, message).because(why, hint);
        findings.push(Finding { texts: linted.texts(&texts), ..finding });
    }
    findings
}
