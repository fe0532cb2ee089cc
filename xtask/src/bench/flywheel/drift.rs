//! Changed traffic at the end of the stream: how soon the drift monitor raises its alarm, and how
//! often for nothing.

use std::fmt::Write;

use serde::Serialize;
use waypost::learning::drift::{Drift, DriftOptions, DriftSignal, Observation};
use waypost::learning::{Scores, Scratch};

use super::super::sets::Example;
use super::stream::Run;
use super::world::{Random, Said, World};

/// The number of runs of each change, with other draws.
const RUNS: u64 = 100;
/// Requests of unchanged traffic that each run watches after the reference.
const CALM: usize = 10_000;
/// Requests within which a change must be detected.
const WITHIN: usize = 2_000;

/// The outcome of one change.
#[derive(Serialize)]
pub(super) struct Found {
    name: &'static str,
    /// Runs in which it was detected in time, of [`RUNS`]; alarms where nothing changed.
    told: u64,
    /// Requests until it was detected: the median of the runs, and the most.
    middle: usize,
    most: usize,
    /// Alarms in a hundred thousand requests, where nothing changed.
    per_hundred_thousand: Option<f64>,
    signal: Option<DriftSignal>,
}

pub(super) fn run(world: &World, run: &Run) -> Vec<Found> {
    let mut memory = (Scratch::default(), Scores::default());
    let mut say = |text: &str| run.champion.say(text, &mut memory);
    // Rows that no student was trained on.
    let usual: Vec<Said> = world.test.iter().map(|row| say(&row.text)).collect();
    let foreign: Vec<Said> = world.outside.iter().map(|row| say(&row.text)).collect();
    let of_few = |row: &&Example| world.routes[..5].contains(&row.label);
    let few: Vec<Said> = world.test.iter().filter(of_few).map(|row| say(&row.text)).collect();
    vec![
        calm(&usual),
        change("one request in ten is of a new topic", &usual, &foreign, 0.1),
        change("one request in four is of a new topic", &usual, &foreign, 0.25),
        change("one request in five is for five of the routes", &usual, &few, 0.2),
    ]
}

fn draw<'a>(random: &mut Random, rows: &'a [Said]) -> Observation<'a> {
    let said = &rows[random.below(rows.len())];
    Observation { route: &said.route, confidence: said.confidence, in_scope: said.in_scope }
}

fn calm(usual: &[Said]) -> Found {
    let watch = DriftOptions::default();
    let mut alarms = 0u64;
    for seed in 0..RUNS {
        let mut random = Random(seed + 1);
        let mut drift = Drift::new(watch.clone());
        for _ in 0..watch.reference + CALM {
            alarms += u64::from(drift.observe(&draw(&mut random, usual)).is_some());
        }
    }
    let requests = RUNS as f64 * CALM as f64;
    Found {
        name: "nothing changes",
        told: alarms,
        middle: 0,
        most: 0,
        per_hundred_thousand: Some(alarms as f64 * 100_000.0 / requests),
        signal: None,
    }
}

/// Traffic of which a share comes from other rows once the reference is complete.
fn change(name: &'static str, usual: &[Said], other: &[Said], share: f64) -> Found {
    let mut after = Vec::new();
    let mut signal = None;
    for seed in 0..RUNS {
        let mut random = Random(1_000 + seed);
        let mut drift = Drift::new(DriftOptions::default());
        while !drift.is_watching() {
            drift.observe(&draw(&mut random, usual));
        }
        for at in 1..=WITHIN {
            let rows = if random.share() < share { other } else { usual };
            if let Some(alarm) = drift.observe(&draw(&mut random, rows)) {
                after.push(at);
                signal = Some(alarm.signal);
                break;
            }
        }
    }
    after.sort_unstable();
    Found {
        name,
        told: after.len() as u64,
        middle: after.get(after.len() / 2).copied().unwrap_or(0),
        most: after.last().copied().unwrap_or(0),
        per_hundred_thousand: None,
        signal,
    }
}

/// The changes as a table.
pub(super) fn table(found: &[Found]) -> String {
    let mut out = String::from(
        "| change | alarms of 100 runs | requests until then, middle | most | alarms in 100,000 requests |\n\
         |---|--:|--:|--:|--:|\n",
    );
    for change in found {
        let rate = change.per_hundred_thousand.map_or(String::new(), |rate| format!("{rate:.1}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {rate} |",
            change.name, change.told, change.middle, change.most
        );
    }
    out.trim_end().to_owned()
}
