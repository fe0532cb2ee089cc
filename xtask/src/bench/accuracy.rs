//! `cargo xtask bench accuracy`: the student on public sets, beside its peers.
//!
//! It prints the table of `docs/ACCURACY.md`, with `--encoder FOLDER` beside a student that sees
//! the vectors of that encoder; `--check` holds floors.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::{Value, json};
use waypost::learning::evaluate::{Report, Row, evaluate};
use waypost::learning::{Bundle, Input, Scratch, TrainOptions, slipped, train};
use waypost::ports::encoder::Encoder;

use super::sets::{Example, few, labelled, read};
use super::vectors::Vectors;

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
    /// The goals for a student that downloads nothing, and for one with MiniLM.
    goals: [f64; 2],
}

/// The peers, as the head of the table names them.
const COLUMNS: [&str; 4] =
    ["semantic-router 1.1.1 + MiniLM", "TF-IDF + linear", "MiniLM + linear", "both, concatenated"];

const PEERS: &[Peer] = &[
    peer("clinc150 full accuracy", [85.8, 92.9, 95.3, 96.1], [93.5, 97.0]),
    peer("clinc150 10-shot accuracy", [78.9, 82.6, 90.9, 91.4], [85.0, 93.0]),
    peer("banking77 full accuracy", [90.2, 91.6, 92.8, 94.0], [92.5, 94.5]),
    peer("banking77 10-shot accuracy", [78.8, 74.5, 84.5, 85.0], [77.0, 87.0]),
    peer("hwu64 full accuracy", [80.6, 88.0, 90.8, 92.1], [89.0, 92.5]),
    peer("hwu64 10-shot accuracy", [67.4, 70.5, 82.2, 83.9], [73.0, 86.0]),
    peer("snips full accuracy", [92.7, 98.4, 97.6, 98.9], [98.6, 99.0]),
    peer("clinc150 full calibration error", [3.2, 1.6, 0.7, 1.2], [1.5, 1.0]),
    peer("clinc150 10-shot calibration error", [3.8, 2.9, 1.4, 1.4], [2.5, 1.5]),
    peer("clinc150 full out-of-scope AUROC", [95.9, 95.6, 97.2, 96.6], [96.5, 98.0]),
    peer("clinc150 full out-of-scope recall", [73.0, 80.0, 85.0, 86.0], [82.0, 90.0]),
    peer("clinc150 full accuracy where taken as in scope", [83.6, 90.1, 92.3, 93.1], [91.5, 94.0]),
];

const fn peer(name: &'static str, peers: [f64; 4], goals: [f64; 2]) -> Peer {
    Peer { name, peers, goals }
}

/// The floors that `--check` holds: below these, in percent, the student has become worse.
const FLOORS: &[(&str, f64)] = &[
    ("clinc150 full accuracy", 93.5),
    ("clinc150 10-shot accuracy", 84.5),
    ("banking77 full accuracy", 92.0),
    ("banking77 10-shot accuracy", 76.5),
    ("hwu64 full accuracy", 88.5),
    ("hwu64 10-shot accuracy", 74.5),
];

/// The seed of the slips of `--slips`, in percent of the letters.
const SLIPS_SEED: u64 = 16;

/// The sets that `--check` measures.
const CHECKED: &str = "clinc150,banking77,hwu64";

/// A measured figure, in percent where the name has no unit.
struct Figure {
    name: String,
    /// Without an encoder.
    value: f64,
    /// With one.
    with: Option<f64>,
}

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = ["--data", "--split", "--only", "--set", "--encoder", "--slips"];
    super::known(arguments, &["--check", "--json"], &options)?;
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let split = super::option(arguments, "--split").unwrap_or("test");
    let check = super::flag(arguments, "--check");
    let only = super::option(arguments, "--only").or(check.then_some(CHECKED));
    let slips = super::option(arguments, "--slips").map_or(Ok(0.0), str::parse::<f64>)? / 100.0;
    let options = settings(arguments)?;
    let encoder =
        super::option(arguments, "--encoder").map(|folder| Vectors::open(Path::new(folder)));
    let encoder = encoder.transpose()?;
    let mut figures = Vec::new();
    for (set, joined) in SETS {
        if only.is_none_or(|only| only.split(',').any(|name| name == *set)) {
            let rows = Rows::read(&data, set, *joined, split)?.with_slips(slips);
            let alone = measure(&rows, &options, None)?;
            let with = encoder.as_ref().map(|encoder| measure(&rows, &options, Some(encoder)));
            let with = with.transpose()?.unwrap_or_default();
            figures.extend(alone.into_iter().enumerate().map(|(at, (name, value))| Figure {
                name: format!("{set} {name}"),
                value,
                with: with.get(at).map(|(_, value)| *value),
            }));
        }
    }
    let shown = if super::flag(arguments, "--json") {
        let rows = figures.iter().map(|f| match f.with {
            Some(with) => (f.name.clone(), json!({ "alone": f.value, "with_encoder": with })),
            None => (f.name.clone(), json!(f.value)),
        });
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
fn settings(arguments: &[String]) -> anyhow::Result<TrainOptions> {
    let mut options = TrainOptions::default();
    for pair in arguments.windows(2).filter(|pair| pair[0] == "--set") {
        let Some((name, value)) = pair[1].split_once('=') else {
            bail!("`{}` is not name=value", pair[1]);
        };
        match name {
            "c" => options.c = value.parse()?,
            "positive_cost" => options.positive_cost = value.parse()?,
            "epochs" => options.epochs = value.parse()?,
            "coverage" => options.coverage = value.parse()?,
            "folds" => options.folds = value.parse()?,
            "scope_groups" => options.scope_groups = value.parse()?,
            "names" => options.names_as_examples = value.parse()?,
            "spelling" => options.spelling = value.parse()?,
            "slips" => options.slips = value.parse()?,
            "slip_weight" => options.slip_weight = value.parse()?,
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

/// The rows of a set.
struct Rows {
    training: Vec<Example>,
    full: Vec<Example>,
    test: Vec<Example>,
    /// Out of scope; empty where the set has none.
    outside: Vec<Example>,
}

impl Rows {
    fn read(data: &Path, set: &str, joined: bool, split: &str) -> anyhow::Result<Self> {
        let training = read(data, set, "train")?;
        let mut full = training.clone();
        if joined && split == "test" {
            full.extend(read(data, set, "valid")?);
        }
        let test = read(data, set, split)?;
        let outside =
            if set == "clinc150" { read(data, set, &format!("oos_{split}"))? } else { vec![] };
        Ok(Self { training, full, test, outside })
    }

    /// The same with so many letters of the test texts wrong.
    fn with_slips(mut self, rate: f64) -> Self {
        for row in self.test.iter_mut().chain(&mut self.outside) {
            if let Some(copy) = slipped(&row.text, rate, SLIPS_SEED) {
                row.text = copy;
            }
        }
        self
    }
}

fn measure(
    rows: &Rows,
    options: &TrainOptions,
    encoder: Option<&Vectors>,
) -> anyhow::Result<Vec<(String, f64)>> {
    let mut figures = Vec::new();
    let mut add = |name: &str, value| figures.push((name.to_owned(), value));

    if let Some(encoder) = encoder {
        // Training seconds are those of training, not of the encoder.
        encoder.know(rows.full.iter().chain(&rows.test).chain(&rows.outside))?;
    }
    let (bundle, elapsed) = timed(&rows.full, options, encoder)?;
    let predicted = predict(&bundle, rows, encoder)?;
    let report = evaluate(&predicted.rows);
    add("full accuracy", 100.0 * report.accuracy);
    add("full calibration error", 100.0 * report.ece);
    add("full share answered at 99% right", 100.0 * report.coverage_at_99);
    add("full cross-validated accuracy", 100.0 * bundle.metrics().accuracy);
    let sets = predicted.sets;
    add("full choices: the right one among them", 100.0 * sets.covered);
    add("full choices: decided without asking", 100.0 * sets.single);
    add("full choices: two to four", 100.0 * sets.few);
    add("full choices: how many on average", sets.mean);
    if let Some(auroc) = report.auroc_oos {
        add("full out-of-scope AUROC", 100.0 * auroc);
        let (recall, accuracy) = scope_at_half(&predicted.rows);
        add("full out-of-scope recall", 100.0 * recall);
        add("full accuracy where taken as in scope", 100.0 * accuracy);
    }
    add("full training, seconds", elapsed.as_secs_f64());
    add("full bundle, MB", bundle.to_bytes().len() as f64 / 1e6);

    let mut total = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let (bundle, elapsed) = timed(&few(&rows.training, SHOTS, seed), options, encoder)?;
        let report: Report = evaluate(&predict(&bundle, rows, encoder)?.rows);
        total.0 += report.accuracy;
        total.1 += report.ece;
        total.2 += report.auroc_oos.unwrap_or_default();
        total.3 += elapsed.as_secs_f64();
    }
    let mean = |sum: f64| sum / SEEDS as f64;
    add("10-shot accuracy", 100.0 * mean(total.0));
    add("10-shot calibration error", 100.0 * mean(total.1));
    if !rows.outside.is_empty() {
        add("10-shot out-of-scope AUROC", 100.0 * mean(total.2));
    }
    add("10-shot training, seconds", mean(total.3));
    Ok(figures)
}

fn timed(
    examples: &[Example],
    options: &TrainOptions,
    encoder: Option<&Vectors>,
) -> anyhow::Result<(Bundle, Duration)> {
    let examples = labelled(examples);
    let start = Instant::now();
    let encoder = encoder.map(|encoder| encoder as &dyn Encoder);
    let bundle = train(&examples, options, encoder, &mut |_| {})?;
    Ok((bundle, start.elapsed()))
}

/// The predictions of a student for the rows of a test.
struct Predicted {
    rows: Vec<Row>,
    sets: Sets,
}

/// The quality of the conformal prediction sets, in fractions of the texts in scope.
#[derive(Default)]
struct Sets {
    covered: f64,
    single: f64,
    few: f64,
    /// The mean size.
    mean: f64,
}

fn predict(bundle: &Bundle, rows: &Rows, encoder: Option<&Vectors>) -> anyhow::Result<Predicted> {
    let mut scratch = Scratch::default();
    let mut predicted = Predicted { rows: Vec::new(), sets: Sets::default() };
    let share = 1.0 / rows.test.len().max(1) as f64;
    let inside = rows.test.iter().map(|example| (example, true));
    for (example, is_inside) in inside.chain(rows.outside.iter().map(|e| (e, false))) {
        let vector = encoder.map(|encoder| encoder.vector(&example.text)).transpose()?;
        let input = Input { text: &example.text, language: Some("en"), vector: vector.as_deref() };
        let scores = bundle.score(input, &mut scratch);
        let (best, confidence) = scores.best().unwrap_or_default();
        let label = is_inside.then(|| example.label.clone());
        if is_inside {
            let choices = bundle.choices(&scores);
            let set: Vec<usize> = (0..scores.routes.len())
                .filter(|route| *route == best || scores.routes[*route] >= choices.floor(*route))
                .collect();
            let holds = set.iter().any(|route| bundle.routes()[*route] == example.label);
            predicted.sets.covered += share * f64::from(u8::from(holds));
            predicted.sets.single += share * f64::from(u8::from(set.len() == 1));
            predicted.sets.few += share * f64::from(u8::from((2..=4).contains(&set.len())));
            predicted.sets.mean += share * set.len() as f64;
        }
        let (route, in_scope) = (bundle.routes()[best].clone(), scores.in_scope);
        predicted.rows.push(Row { label, predicted: route, confidence, in_scope });
    }
    Ok(predicted)
}

/// Recall of out-of-scope texts and accuracy of those within when `in_scope` below one half means
/// outside.
fn scope_at_half(rows: &[Row]) -> (f64, f64) {
    let (inside, outside): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|r| r.label.is_some());
    let found = outside.iter().filter(|row| row.in_scope < 0.5).count();
    let right = |r: &&&Row| r.in_scope >= 0.5 && r.label.as_ref() == Some(&r.predicted);
    let right = inside.iter().filter(right).count();
    (found as f64 / outside.len().max(1) as f64, right as f64 / inside.len().max(1) as f64)
}

fn table(figures: &[Figure]) -> String {
    let mut out = format!("Machine: {}.\n\n", super::machine());
    let with = figures.iter().any(|figure| figure.with.is_some());
    let own = if with { "waypost | goal | waypost + encoder | goal" } else { "waypost | goal" };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "| figure | {own} | {} |", COLUMNS.join(" | "));
    let columns = 2 + COLUMNS.len() + if with { 2 } else { 0 };
    let _ = writeln!(out, "|---|{}", "---|".repeat(columns));
    for Figure { name, value, with: other } in figures {
        let peer = PEERS.iter().find(|peer| peer.name == name);
        let _ = write!(out, "| {name} | {value:.2} | {} |", goal(peer, 0, *value));
        if let Some(value) = other {
            let _ = write!(out, " {value:.2} | {} |", goal(peer, 1, *value));
        }
        let beside = peer.map(|peer| peer.peers.map(|value| format!("{value:.1}")));
        let _ = writeln!(out, " {} |", beside.unwrap_or_default().join(" | "));
    }
    out.truncate(out.trim_end().len());
    out
}

/// The goal, and how far it is where it is not reached.
fn goal(peer: Option<&Peer>, which: usize, value: f64) -> String {
    let Some(peer) = peer else { return String::new() };
    let sign = if peer.name.ends_with("error") { -1.0 } else { 1.0 };
    let goal = peer.goals[which];
    let missing = sign * (goal - value);
    if missing <= 0.0 {
        format!("{goal:.1}, reached")
    } else {
        format!("{goal:.1}, {missing:.2} away")
    }
}
