//! `cargo xtask bench tools`: how well tools are chosen by what is written about them, on public sets, beside BM25 and
//! the cosine of vectors, with no language model and, but for one set, no example.
//!
//! Every catalog of a set becomes a pack as the list of `--mcp` does. Nothing is executed. The weights were learned on the
//! invented servers of `spec/catalogs`: no row of these sets has been seen.

mod rankers;
mod scale;
mod semantic_router;
pub(super) mod sets;

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use self::rankers::{Ranker, Ranking};
use self::sets::Set;
use super::vectors::Vectors;

/// A figure of the rankings of a set, in percent.
type Measure = fn(&[Ranked]) -> f64;

/// The figures: name, set, measure, and the goal with MiniLM, in percent.
const FIGURES: [(&str, &str, Measure, f64); 9] = [
    ("MetaTool, first", "metatool", first, 62.0),
    ("MetaTool, among five", "metatool", among::<5>, 83.0),
    ("MetaTool with its examples, first", "metatool with examples", first, 85.0),
    ("BFCL multiple, first", "multiple", first, 99.0),
    ("BFCL live_multiple, first", "live_multiple", first, 92.0),
    ("LiveMCPBench, recall at 5", "livemcpbench", recall::<5>, 45.0),
    ("LiveMCPBench, recall at 20", "livemcpbench", recall::<20>, 65.0),
    ("BFCL irrelevance, AUROC", "irrelevance", auroc, 95.0),
    ("BFCL live_irrelevance, AUROC", "live_irrelevance", auroc, 86.0),
];

/// A question whose tools were ranked.
struct Ranked {
    ranking: Ranking,
    /// The places of the tools that serve it; none where it is out of scope.
    right: Vec<usize>,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(
        arguments,
        &["--json", "--scale"],
        &["--data", "--encoder", "--only", "--semantic-router", "--split"],
    )?;
    if super::flag(arguments, "--scale") {
        return scale::run();
    }
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let only = super::option(arguments, "--only");
    let split = super::option(arguments, "--split").unwrap_or("test");
    let encoder =
        super::option(arguments, "--encoder").map(|folder| Vectors::open(Path::new(folder)));
    let encoder = encoder.transpose()?;
    let python = super::option(arguments, "--semantic-router");
    let semantic_router = semantic_router::column(python, encoder.as_ref())?;
    let rankers = rankers::all(encoder.as_ref(), semantic_router);
    let mut rows = Vec::new();
    let mut last: Option<(&str, Vec<Vec<Ranked>>)> = None;
    for (name, set, measure, goal) in FIGURES {
        if only.is_some_and(|only| only != set) {
            continue;
        }
        if last.as_ref().is_none_or(|(other, _)| *other != set) {
            let read = sets::read(&data, set, split)?;
            let ranked = rankers.iter().map(|ranker| rank(ranker.as_ref(), &read));
            last = Some((set, ranked.collect::<Result<_>>()?));
        }
        let figures: Vec<f64> =
            last.iter().flat_map(|(_, all)| all).map(|ranked| measure(ranked)).collect();
        rows.push((name, figures, goal));
    }
    let names: Vec<&str> = rankers.iter().map(|ranker| ranker.name()).collect();
    if super::flag(arguments, "--json") {
        let rows = rows.iter().map(|(name, figures, goal)| {
            let named = names.iter().copied().zip(figures.iter().map(|x| json!(x)));
            let mut row: serde_json::Map<String, Value> =
                named.map(|(name, x)| (name.to_owned(), x)).collect();
            row.insert("goal".to_owned(), json!(goal));
            ((*name).to_owned(), Value::Object(row))
        });
        super::print(&serde_json::to_string_pretty(&Value::Object(rows.collect()))?);
    } else {
        super::print(&table(&names, &rows));
    }
    Ok(())
}

fn rank(ranker: &dyn Ranker, set: &Set) -> Result<Vec<Ranked>> {
    let mut ranked = Vec::new();
    for catalog in &set.catalogs {
        let order = ranker.read(catalog)?;
        for question in &catalog.questions {
            ranked.push(Ranked { ranking: order(&question.text)?, right: question.right.clone() });
        }
    }
    Ok(ranked)
}

fn table(names: &[&str], rows: &[(&str, Vec<f64>, f64)]) -> String {
    let mut lines = vec![
        format!("| % | {} | goal with MiniLM |", names.join(" | ")),
        format!("|---|{}", "--:|".repeat(names.len() + 1)),
    ];
    for (name, figures, goal) in rows {
        let figures: Vec<String> = figures.iter().map(|x| format!("{x:.1}")).collect();
        lines.push(format!("| {name} | {} | {goal} |", figures.join(" | ")));
    }
    lines.join("\n")
}

/// The share of questions whose first tool serves them.
fn first(all: &[Ranked]) -> f64 {
    among::<1>(all)
}

/// The share of questions that one of the first `N` tools serves.
fn among<const N: usize>(all: &[Ranked]) -> f64 {
    let serves = |one: &&Ranked| one.ranking.order.iter().take(N).any(|at| one.right.contains(at));
    100.0 * all.iter().filter(serves).count() as f64 / all.len().max(1) as f64
}

/// The mean share of a question's tools that are among the first `N`.
fn recall<const N: usize>(all: &[Ranked]) -> f64 {
    let share = |one: &Ranked| {
        let first = one.ranking.order.iter().take(N);
        let found = first.filter(|at| one.right.contains(at)).count();
        found as f64 / one.right.len().max(1) as f64
    };
    100.0 * all.iter().map(share).sum::<f64>() / all.len().max(1) as f64
}

/// The probability that a question which a tool serves seems more in scope than one that none serves.
fn auroc(all: &[Ranked]) -> f64 {
    let (inside, outside): (Vec<&Ranked>, Vec<&Ranked>) =
        all.iter().partition(|one| !one.right.is_empty());
    let above = |one: &Ranked| -> f64 {
        let than = |other: &&Ranked| match one.ranking.scope.total_cmp(&other.ranking.scope) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        outside.iter().map(than).sum()
    };
    let pairs = (inside.len() * outside.len()).max(1);
    100.0 * inside.iter().map(|one| above(one)).sum::<f64>() / pairs as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(order: &[usize], right: &[usize], scope: f64) -> Ranked {
        Ranked { ranking: Ranking { order: order.to_vec(), scope }, right: right.to_vec() }
    }

    #[test]
    fn figures_count_what_serves_a_question() {
        let all = [ranked(&[2, 0, 1], &[2], 0.9), ranked(&[0, 1, 2], &[1, 2], 0.4)];
        assert!((first(&all) - 50.0).abs() < 1e-9);
        assert!((among::<2>(&all) - 100.0).abs() < 1e-9);
        assert!((recall::<2>(&all) - 75.0).abs() < 1e-9);
    }

    #[test]
    fn scope_is_compared_in_pairs() {
        let all = [ranked(&[0], &[0], 0.9), ranked(&[0], &[0], 0.2), ranked(&[0], &[], 0.2)];
        assert!((auroc(&all) - 75.0).abs() < 1e-9);
    }
}
