//! `cargo xtask bench accuracy`: the student on public sets, beside its peers.
//!
//! It prints the table of `docs/ACCURACY.md`; `--check` measures one set and holds its floors.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::{Value, json};
use waypost::learning::evaluate::{Report, Row, evaluate};
use waypost::learning::{Bundle, Options, Scratch, train};

use super::sets::{Example, few, labelled, read};

/// Sets, and whether the full training joins `valid` to `train`: BANKING77 has no split of its
/// own, so its full training is what was published as its training set.
const SETS: &[(&str, bool)] =
    &[("clinc150", false), ("banking77", true), ("hwu64", false), ("snips", false)];

const SHOTS: usize = 10;
const SEEDS: u64 = 5;

/// A figure of the peers, in percent.
struct Peer {
    name: &'static str,
    /// In the order of [`COLUMNS`]; measured once, from the same files, on a two-core machine.
    peers: [f64; 4],
    /// What is wanted of a student that downloads nothing.
    goal: f64,
}

/// The peers, as the head of the table names them.
const COLUMNS: [&str; 4] =
    ["semantic-router 1.1.1 + MiniLM", "TF-IDF + linear", "MiniLM + linear", "both, concatenated"];

const PEERS: &[Peer] = &[
    peer("clinc150 full accuracy", [85.8, 92.9, 95.3, 96.1], 93.5),
    peer("clinc150 10-shot accuracy", [78.9, 82.6, 90.9, 91.4], 85.0),
    peer("banking77 full accuracy", [90.2, 91.6, 92.8, 94.0], 92.5),
    peer("banking77 10-shot accuracy", [78.8, 74.5, 84.5, 85.0], 77.0),
    peer("hwu64 full accuracy", [80.6, 88.0, 90.8, 92.1], 89.0),
    peer("hwu64 10-shot accuracy", [67.4, 70.5, 82.2, 83.9], 73.0),
    peer("snips full accuracy", [92.7, 98.4, 97.6, 98.9], 98.6),
    peer("clinc150 full calibration error", [3.2, 1.6, 0.7, 1.2], 1.5),
    peer("clinc150 10-shot calibration error", [3.8, 2.9, 1.4, 1.4], 2.5),
    peer("clinc150 full out-of-scope AUROC", [95.9, 95.6, 97.2, 96.6], 96.5),
    peer("clinc150 full out-of-scope recall", [73.0, 80.0, 85.0, 86.0], 82.0),
    peer("clinc150 full accuracy where taken as in scope", [83.6, 90.1, 92.3, 93.1], 91.5),
];

const fn peer(name: &'static str, peers: [f64; 4], goal: f64) -> Peer {
    Peer { name, peers, goal }
}

/// What `--check` holds: below these, in percent, the student has become worse.
const FLOORS: &[(&str, f64)] =
    &[("clinc150 full accuracy", 92.5), ("clinc150 10-shot accuracy", 82.0)];

/// The set that `--check` measures; the others take minutes more and say nothing else.
const CHECKED: &str = "clinc150";

/// What is measured, with figures in percent where the name has no unit.
struct Figure {
    name: String,
    value: f64,
}

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = ["--data", "--split", "--only", "--set"];
    super::known(arguments, &["--check", "--json"], &options)?;
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let split = super::option(arguments, "--split").unwrap_or("test");
    let check = super::flag(arguments, "--check");
    let only = super::option(arguments, "--only").or(check.then_some(CHECKED));
    let options = settings(arguments)?;
    let mut figures = Vec::new();
    for (set, joined) in SETS {
        if only.is_none_or(|only| only.split(',').any(|name| name == *set)) {
            figures.extend(measure(&data, set, *joined, split, &options)?);
        }
    }
    let shown = if super::flag(arguments, "--json") {
        let rows = figures.iter().map(|f| (f.name.clone(), json!(f.value)));
        serde_json::to_string_pretty(&Value::Object(rows.collect()))?
    } else {
        table(&figures)
    };
    super::print(&shown);
    if check { above_floors(&figures) } else { Ok(()) }
}

fn above_floors(figures: &[Figure]) -> anyhow::Result<()> {
    let mut missed = Vec::new();
    for (name, floor) in FLOORS {
        match figures.iter().find(|figure| figure.name == *name) {
            Some(figure) if figure.value >= *floor => {}
            Some(figure) => missed.push(format!("{name} is {:.2}, not {floor}", figure.value)),
            None => missed.push(format!("{name} was not measured")),
        }
    }
    if missed.is_empty() { Ok(()) } else { bail!("{}", missed.join("; ")) }
}

/// The defaults with `--set name=value` changes, for tuning on `--split valid`.
fn settings(arguments: &[String]) -> anyhow::Result<Options> {
    let mut options = Options::default();
    for pair in arguments.windows(2).filter(|pair| pair[0] == "--set") {
        let Some((name, value)) = pair[1].split_once('=') else {
            bail!("`{}` is not name=value", pair[1]);
        };
        match name {
            "c" => options.c = value.parse()?,
            "positive_cost" => options.positive_cost = value.parse()?,
            "epochs" => options.epochs = value.parse()?,
            "folds" => options.folds = value.parse()?,
            "scope_groups" => options.scope_groups = value.parse()?,
            "names" => options.names_as_examples = value.parse()?,
            "name_weight" => options.name_weight = value.parse()?,
            "word_bits" => options.features.word_bits = value.parse()?,
            "character_bits" => options.features.character_bits = value.parse()?,
            "word_weight" => options.features.word_weight = value.parse()?,
            "character_weight" => options.features.character_weight = value.parse()?,
            "mark_weight" => options.features.mark_weight = value.parse()?,
            _ => bail!("`{name}` cannot be set"),
        }
    }
    Ok(options)
}

fn measure(
    data: &Path,
    set: &str,
    joined: bool,
    split: &str,
    options: &Options,
) -> anyhow::Result<Vec<Figure>> {
    let training = read(data, set, "train")?;
    let mut full = training.clone();
    if joined && split == "test" {
        full.extend(read(data, set, "valid")?);
    }
    let test = read(data, set, split)?;
    let outside =
        if set == "clinc150" { read(data, set, &format!("oos_{split}"))? } else { vec![] };
    let mut figures = Vec::new();
    let mut add = |name: &str, value| figures.push(Figure { name: format!("{set} {name}"), value });

    let (bundle, elapsed) = timed(&full, options)?;
    let report = evaluate(&predict(&bundle, &test, &outside));
    add("full accuracy", 100.0 * report.accuracy);
    add("full calibration error", 100.0 * report.ece);
    add("full share answered at 99% right", 100.0 * report.coverage_at_99);
    add("full cross-validated accuracy", 100.0 * bundle.metrics().accuracy);
    if let Some(auroc) = report.auroc_oos {
        add("full out-of-scope AUROC", 100.0 * auroc);
        let (recall, accuracy) = scope_at_half(&bundle, &test, &outside);
        add("full out-of-scope recall", 100.0 * recall);
        add("full accuracy where taken as in scope", 100.0 * accuracy);
    }
    add("full training, seconds", elapsed.as_secs_f64());
    add("full bundle, MB", bundle.to_bytes().len() as f64 / 1e6);

    let mut total = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let (bundle, elapsed) = timed(&few(&training, SHOTS, seed), options)?;
        let report: Report = evaluate(&predict(&bundle, &test, &outside));
        total.0 += report.accuracy;
        total.1 += report.ece;
        total.2 += report.auroc_oos.unwrap_or_default();
        total.3 += elapsed.as_secs_f64();
    }
    let mean = |sum: f64| sum / SEEDS as f64;
    add("10-shot accuracy", 100.0 * mean(total.0));
    add("10-shot calibration error", 100.0 * mean(total.1));
    if !outside.is_empty() {
        add("10-shot out-of-scope AUROC", 100.0 * mean(total.2));
    }
    add("10-shot training, seconds", mean(total.3));
    Ok(figures)
}

fn timed(examples: &[Example], options: &Options) -> anyhow::Result<(Bundle, Duration)> {
    let examples = labelled(examples);
    let start = Instant::now();
    let bundle = train(&examples, options, None, &mut |_| {})?;
    Ok((bundle, start.elapsed()))
}

fn predict(bundle: &Bundle, inside: &[Example], outside: &[Example]) -> Vec<Row> {
    let mut scratch = Scratch::default();
    let mut row = |example: &Example, label: Option<String>| {
        let scores = bundle.score(&example.text, &mut scratch);
        let (best, confidence) = scores.best().unwrap_or_default();
        let predicted = bundle.routes()[best].clone();
        Row { label, predicted, confidence, in_scope: scores.in_scope }
    };
    let inside = inside.iter().map(|e| (e, Some(e.label.clone())));
    inside.chain(outside.iter().map(|e| (e, None))).map(|(e, label)| row(e, label)).collect()
}

/// Recall of out-of-scope texts and accuracy of those within when `in_scope` below one half means
/// outside.
fn scope_at_half(bundle: &Bundle, inside: &[Example], outside: &[Example]) -> (f64, f64) {
    let rows = predict(bundle, inside, outside);
    let found = rows.iter().filter(|r| r.label.is_none() && r.in_scope < 0.5).count();
    let right = |r: &&Row| r.in_scope >= 0.5 && r.label.as_ref() == Some(&r.predicted);
    let right = rows.iter().filter(right).count();
    (found as f64 / outside.len() as f64, right as f64 / inside.len() as f64)
}

fn table(figures: &[Figure]) -> String {
    let mut out = format!("Machine: {}.\n\n", super::machine());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "| figure | waypost | goal | {} |", COLUMNS.join(" | "));
    let _ = writeln!(out, "|---|---|---|{}", "---|".repeat(COLUMNS.len()));
    for Figure { name, value } in figures {
        let beside = match PEERS.iter().find(|peer| peer.name == name) {
            Some(peer) => {
                let peers = peer.peers.map(|value| format!("{value:.1}"));
                format!("{} | {}", goal(peer, *value), peers.join(" | "))
            }
            None => " |".repeat(COLUMNS.len()),
        };
        let _ = writeln!(out, "| {name} | {value:.2} | {beside} |");
    }
    out.truncate(out.trim_end().len());
    out
}

/// The goal, and how far it is where it is not reached.
fn goal(peer: &Peer, value: f64) -> String {
    let sign = if peer.name.ends_with("error") { -1.0 } else { 1.0 };
    let missing = sign * (peer.goal - value);
    if missing <= 0.0 {
        format!("{:.1}, reached", peer.goal)
    } else {
        format!("{:.1}, {missing:.2} away", peer.goal)
    }
}
