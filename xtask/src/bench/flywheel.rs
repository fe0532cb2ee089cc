//! `cargo xtask bench flywheel`: a student that learns from its teacher's traffic, the curve of its
//! learning, and what a guessing teacher, people who lie and changed traffic do to it.

mod attack;
mod curve;
mod drift;
mod guess;
mod stream;
mod world;

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};

use stream::{Plan, Run};
use world::World;

/// The parts that `--only` may name.
const PARTS: &[&str] = &["stream", "guess", "attack", "drift"];

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = ["--data", "--svg", "--only", "--seed", "--threshold", "--audit", "--shots"];
    super::known(arguments, &["--json"], &options)?;
    let number = |name: &str, usual: f64| -> anyhow::Result<f64> {
        super::option(arguments, name).map_or(Ok(usual), |text| {
            text.parse().with_context(|| format!("`{name} {text}` is no number"))
        })
    };
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let only = super::option(arguments, "--only");
    if let Some(only) = only.filter(|only| !PARTS.contains(only)) {
        anyhow::bail!("`{only}` is no part: choose one of {}", PARTS.join(", "));
    }
    let wants = |part: &str| only.is_none_or(|only| only == part);
    let world =
        World::read(&data, number("--shots", 3.0)? as usize, number("--seed", 0.0)? as u64)?;
    let threshold = super::option(arguments, "--threshold").map(str::parse).transpose();
    let threshold = threshold.context("`--threshold` is no number")?;
    let plan = Plan { threshold, audit: number("--audit", 0.01)?, ..Plan::default() };
    let mut parts: Vec<(&str, Value, String)> = Vec::new();
    if wants("stream") || wants("attack") || wants("drift") {
        let run = stream::run(&world, &plan)?;
        parts.push(("stream", json!(run.figures()), table(&run)));
        if let Some(path) = super::option(arguments, "--svg") {
            std::fs::write(path, curve::draw(&run.points, &run.promoted))
                .with_context(|| format!("cannot write `{path}`"))?;
        }
        if wants("attack") {
            let found = attack::run(&world, &run)?;
            parts.push(("attack", json!(found), attack::table(&found)));
        }
        if wants("drift") {
            let found = drift::run(&world, &run);
            parts.push(("drift", json!(found), drift::table(&found)));
        }
    }
    if wants("guess") {
        let found = guess::run(&world)?;
        let text = format!(
            "A teacher that guesses: {} of {} challengers promoted with curation, {} without.",
            found.promoted, found.seeds, found.promoted_uncurated
        );
        parts.push(("guess", json!(found), text));
    }
    let shown = if super::flag(arguments, "--json") {
        let rows = parts.into_iter().map(|(name, value, _)| (name.to_owned(), value));
        serde_json::to_string_pretty(&Value::Object(rows.collect()))?
    } else {
        parts.into_iter().map(|(_, _, text)| text).collect::<Vec<_>>().join("\n\n")
    };
    super::print(&shown);
    Ok(())
}

/// The stream as a table: what each stretch cost and how right it was, and each training.
fn table(run: &Run) -> String {
    let mut out = String::from(
        "| requests | asked the teacher, % | with audits, % | right, % | teacher alone right, % |\n\
         |--:|--:|--:|--:|--:|\n",
    );
    for point in &run.points {
        let [asked, all, right, teacher] =
            [point.asked, point.asked_and_audited, point.right, point.teacher].map(|x| 100.0 * x);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {asked:.1} | {all:.1} | {right:.1} | {teacher:.1} |",
            point.until
        );
    }
    out.push_str(
        "\n| trained after | labels | texts that count | agreement | verdict on cases | gained, lost | on traffic | in service | threshold |\n\
         |--:|--:|--:|--:|---|---|---|---|--:|\n",
    );
    for training in &run.trainings {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {}, {} | {} | {} | {:.2} |",
            training.at,
            training.labels,
            training.kept,
            training.agreement.map_or("-".to_owned(), |x| format!("{x:.2}")),
            training.verdict,
            training.gained,
            training.lost,
            training.traffic,
            if training.promoted { "yes" } else { "no" },
            training.threshold
        );
    }
    let figures = run.figures();
    let _ = write!(
        out,
        "\nLast {} requests: {:.2}% asked the teacher ({:.2}% with audits), {:.2}% right, teacher alone {:.2}%.",
        figures.rows,
        100.0 * figures.asked,
        100.0 * figures.asked_and_audited,
        100.0 * figures.right,
        100.0 * figures.teacher
    );
    out
}
