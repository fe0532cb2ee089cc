//! `bench encoder`: the encoder beside ONNX Runtime and sentence-transformers, and how many callers
//! it serves, as the tables of `docs/PERFORMANCE.md`.
//!
//! Two examples do the work, so that no other benchmark has to build what they need.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{known, machine, option, print};
use crate::cargo;

/// The engine whose times all others are divided by.
const YARDSTICK: &str = "ONNX Runtime fp32";
/// The goals of the design, for the fastest row of each precision.
const GOALS: [(&str, f64); 2] = [("f32", 0.7), ("int8", 0.25)];

/// Runs it: `--model FOLDER`, and `--python PROGRAM` of an environment with the peers.
pub(super) fn run(arguments: &[String]) -> Result<()> {
    known(arguments, &[], &["--model", "--python"])?;
    let Some(model) = option(arguments, "--model") else {
        bail!("`--model` wants the folder of an encoder, such as that of all-MiniLM-L6-v2");
    };
    let mut asked = vec![model];
    asked.extend(option(arguments, "--python"));
    print(&format!("Machine: {}.\n", machine()));
    let beside = example(&["--release", "-p", "waypost-encoder", "--example", "beside"], &asked)?;
    print(&beside_table(&beside));
    let callers = ["-p", "waypost-backends", "--features", "encoder", "--example", "callers"];
    let callers = example(&callers, &asked[..1])?;
    print(&callers_table(&callers));
    Ok(())
}

/// Runs an example and reads the lines that it prints.
fn example(which: &[&str], arguments: &[&str]) -> Result<Vec<Value>> {
    let output = cargo()
        .args(["run", "--quiet"])
        .args(which)
        .arg("--")
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be run")?;
    if !output.status.success() {
        bail!("the example failed: {}", output.status);
    }
    let text = String::from_utf8(output.stdout).context("the example prints no text")?;
    text.lines().map(|line| serde_json::from_str(line).context("a line is no JSON")).collect()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_default()
}

fn beside_table(rows: &[Value]) -> String {
    let (first, rows) = rows.split_first().unwrap_or((&Value::Null, rows));
    let versions: Vec<&str> =
        first["versions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut lines = vec![
        format!("Peers: {}.\n", if versions.is_empty() { "none".into() } else { versions.join(", ") }),
        "| one text, one thread | tokens | p10 ms | p50 ms | p90 ms | × ONNX Runtime fp32, p10 | p50 | least cosine | load s | goal |".to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    for row in rows {
        let name = row["engine"].as_str().unwrap_or_default();
        let of = |other: &&Value| other["engine"] == YARDSTICK && other["tokens"] == row["tokens"];
        let yardstick = rows.iter().find(of);
        let ratio = |key: &str| yardstick.map(|other| number(row, key) / number(other, key));
        let shown = |key: &str| ratio(key).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let load = number(row, "load_seconds");
        lines.push(format!(
            "| {name} | {} | {:.2} | {:.2} | {:.2} | {} | {} | {:.6} | {} | {} |",
            row["tokens"],
            number(row, "p10_us") / 1e3,
            number(row, "p50_us") / 1e3,
            number(row, "p90_us") / 1e3,
            shown("p10_us"),
            shown("p50_us"),
            number(row, "least_cosine"),
            if load > 0.0 { format!("{load:.2}") } else { String::new() },
            if row["own"] == true { goal(name, ratio("p10_us")) } else { String::new() },
        ));
    }
    lines.join("\n") + "\n"
}

/// Writes the goal of the design for a row that counts no tokenizing, and whether it is reached.
fn goal(name: &str, ratio: Option<f64>) -> String {
    let wanted = GOALS.iter().find(|(precision, _)| name.starts_with(precision));
    // The goal is for machines with AVX-512, and from tokens on.
    let counts = !name.contains("tokenizing") && !name.contains("avx2");
    match (wanted, ratio) {
        (Some((_, goal)), Some(ratio)) if counts => {
            let reached = if ratio <= *goal { "reached" } else { "not reached" };
            format!("≤ {goal}: {reached}")
        }
        _ => String::new(),
    }
}

fn callers_table(rows: &[Value]) -> String {
    let mut lines = vec![
        "| callers at a time | precision | texts a second | p50 ms | p90 ms |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for row in rows {
        lines.push(format!(
            "| {} | {} | {:.0} | {:.2} | {:.2} |",
            row["callers"],
            row["precision"].as_str().unwrap_or_default(),
            number(row, "per_second"),
            number(row, "p50_us") / 1e3,
            number(row, "p90_us") / 1e3
        ));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_held_against_the_yardstick_of_its_length() {
        let row = |engine: &str, own: bool, tokens: u32, time: f64| {
            json!({ "engine": engine, "own": own, "tokens": tokens, "p10_us": time, "p50_us": time,
                    "p90_us": time, "least_cosine": 1.0, "load_seconds": 0.0 })
        };
        let rows = [
            json!({ "versions": ["onnxruntime 1"] }),
            row("f32, avx512-vnni", true, 11, 600.0),
            row("int8, avx512-vnni", true, 11, 300.0),
            row(YARDSTICK, false, 11, 1000.0),
            row(YARDSTICK, false, 32, 9000.0),
        ];
        let table = beside_table(&rows);
        let line = |name: &str| table.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(
            line("| f32").ends_with("| 0.60 | 0.60 | 1.000000 |  | ≤ 0.7: reached |"),
            "{table}"
        );
        assert!(line("| int8").ends_with("| ≤ 0.25: not reached |"), "{table}");
    }
}
