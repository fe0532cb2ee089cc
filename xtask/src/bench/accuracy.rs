//! `cargo xtask bench accuracy`: the student on public sets, beside its peers.

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

/// Figures of the peers in percent, measured from the same files on a two-core machine: aurelio
/// semantic-router 1.1.1 with MiniLM, TF-IDF with a linear model, and the goal without download.
const PEERS: &[(&str, [f64; 3])] = &[
    ("clinc150 full accuracy", [85.8, 92.9, 93.5]),
    ("clinc150 10-shot accuracy", [78.9, 82.6, 85.0]),
    ("banking77 full accuracy", [90.2, 91.6, 92.5]),
    ("banking77 10-shot accuracy", [78.8, 74.5, 77.0]),
    ("hwu64 full accuracy", [80.6, 88.0, 89.0]),
    ("hwu64 10-shot accuracy", [67.4, 70.5, 73.0]),
    ("snips full accuracy", [92.7, 98.4, 98.6]),
    ("clinc150 full ece", [3.2, 1.6, 1.5]),
    ("clinc150 10-shot ece", [3.8, 2.9, 2.5]),
    ("clinc150 full auroc_oos", [95.9, 95.6, 96.5]),
    ("clinc150 full oos recall", [73.0, 80.0, 82.0]),
    ("clinc150 full accuracy in scope", [83.6, 90.1, 91.5]),
];

/// What is measured, with figures in percent.
struct Figure {
    name: String,
    value: f64,
}

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let data = super::option(arguments, "--data")
        .map_or_else(|| super::root().join("../shared/data"), PathBuf::from);
    let split = super::option(arguments, "--split").unwrap_or("test");
    let only = super::option(arguments, "--only");
    let options = options(arguments)?;
    let mut figures = Vec::new();
    for (set, joined) in SETS {
        if only.is_none_or(|only| only.split(',').any(|name| name == *set)) {
            figures.extend(measure(&data, set, *joined, split, &options)?);
        }
    }
    let shown = if arguments.iter().any(|a| a == "--json") {
        let rows = figures.iter().map(|f| (f.name.clone(), json!(f.value)));
        serde_json::to_string_pretty(&Value::Object(rows.collect()))?
    } else {
        table(&figures)
    };
    print(&shown);
    Ok(())
}

/// The defaults with `--set name=value` changes, for tuning on `--split valid`.
fn options(arguments: &[String]) -> anyhow::Result<Options> {
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
    add("full ece", 100.0 * report.ece);
    add("full coverage_at_99", 100.0 * report.coverage_at_99);
    add("full cross-validated accuracy", 100.0 * bundle.metrics().accuracy);
    if let Some(auroc) = report.auroc_oos {
        add("full auroc_oos", 100.0 * auroc);
        let (recall, accuracy) = scope_at_half(&bundle, &test, &outside);
        add("full oos recall", 100.0 * recall);
        add("full accuracy in scope", 100.0 * accuracy);
    }
    add("full training seconds", elapsed.as_secs_f64());
    add("full bundle MB", bundle.to_bytes().len() as f64 / 1e6);

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
    add("10-shot ece", 100.0 * mean(total.1));
    if !outside.is_empty() {
        add("10-shot auroc_oos", 100.0 * mean(total.2));
    }
    add("10-shot training seconds", mean(total.3));
    Ok(figures)
}

fn timed(examples: &[Example], options: &Options) -> anyhow::Result<(Bundle, Duration)> {
    let examples = labelled(examples);
    let start = Instant::now();
    let bundle = train(&examples, options, &mut |_| {})?;
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
    let mut out = String::from(
        "| figure | waypost | semantic-router + MiniLM | TF-IDF + linear | goal |\n|---|---|---|---|---|\n",
    );
    for Figure { name, value } in figures {
        let peers = PEERS.iter().find(|p| p.0 == name).map_or_else(
            || "| | | |".to_owned(),
            |(_, p)| format!("| {:.1} | {:.1} | {:.1} |", p[0], p[1], p[2]),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {name} | {value:.2} {peers}");
    }
    out + "\nThe other columns were measured once, from the same files, on a two-core machine."
}

#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn print(text: &str) {
    println!("{text}");
}
