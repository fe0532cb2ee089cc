//! `cargo xtask peers worth`: whether what `waypost doctor --models` says of a model holds. Packs with resampled cases, models of
//! which it is known how often they are right.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;
use waypost::decide::cascade::Worth;
use waypost::hash::mix;

use super::Subject;
use super::oracle::Oracle;
use crate::bench::samples;
use crate::{root, say};

const PACK: &str = "ocean";
const RESAMPLED: u64 = 20;
/// How often the models are right, in turn.
const RIGHT: [f64; 5] = [0.3, 0.5, 0.7, 0.85, 0.95];

pub(super) fn run() -> Result<()> {
    say("| pack | right in truth | right as counted | interval of 95% | holds | decides |");
    say("|---|---|---|---|---|---|");
    let text = std::fs::read_to_string(root().join("packs").join(PACK).join("cases.jsonl"))?;
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut held = 0;
    for seed in 1..=RESAMPLED {
        let drawn = |at: u64| all[(mix(seed * 1_000_003 + at) % all.len() as u64) as usize];
        let cases: Vec<&str> = (0..all.len() as u64).map(drawn).collect();
        let right = RIGHT[(seed % RIGHT.len() as u64) as usize];
        held += u32::from(resampled(seed, &cases, right)?);
    }
    say(&format!("\nThe interval holds for {held} of {RESAMPLED}."));
    Ok(())
}

/// Measures a model on a pack with these cases, and returns whether the interval holds.
fn resampled(seed: u64, cases: &[&str], right: f64) -> Result<bool> {
    let folder = copy(seed, cases)?;
    let pack = samples::load(&samples::folder_files(&folder)?)?;
    let model = Oracle::of(&pack, &cases.join("\n"))?.right_of(right, seed);
    let known = |line: &&&str| {
        let case: Value = serde_json::from_str(line).unwrap_or_default();
        model.knows(case["text"].as_str().unwrap_or_default())
    };
    let truth = cases.iter().filter(known).count() as f64 / cases.len() as f64;
    let subject = Subject::new(&folder.to_string_lossy(), Some(Arc::new(model)))?;
    let (choosing, decides) = subject.measured()?;
    let _ = std::fs::remove_dir_all(&folder);
    let share = choosing.interval();
    let holds = (share.low..=share.high).contains(&truth);
    say(&format!(
        "| {seed} | {:.0}% | {} of {} | {:.0} to {:.0}% | {} | {decides} |",
        100.0 * truth,
        choosing.right,
        choosing.asked,
        100.0 * share.low,
        100.0 * share.high,
        if holds { "yes" } else { "no" },
    ));
    Ok(holds)
}

/// The pack in a folder of its own, with these cases.
fn copy(seed: u64, cases: &[&str]) -> Result<PathBuf> {
    let folder =
        std::env::temp_dir().join(format!("waypost-resampled-{}-{seed}", std::process::id()));
    files(&root().join("packs").join(PACK), &folder)?;
    std::fs::write(folder.join("cases.jsonl"), cases.join("\n") + "\n")?;
    Ok(folder)
}

fn files(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).context("the pack cannot be read")? {
        let entry = entry?;
        let own = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            files(&entry.path(), &own)?;
        } else {
            std::fs::copy(entry.path(), own)?;
        }
    }
    Ok(())
}

/// The counts of a model's choices as they are kept.
pub(super) fn kept(known: &Value) -> Worth {
    let packs = known.as_object().and_then(|models| models.values().next());
    let own = packs.and_then(|packs| packs["packs"].as_object()?.values().next().cloned());
    let choosing = own.map(|own| own["worths"]["choosing"].clone()).unwrap_or_default();
    serde_json::from_value(choosing).unwrap_or_default()
}
