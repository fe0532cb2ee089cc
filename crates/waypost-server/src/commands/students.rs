//! `waypost students`: the versions of a pack's student, what each was trained from, and which serves.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost::ports::store::{Filter, Store};
use waypost::records::decision::LayerName;
use waypost::records::event::Event;
use waypost_backends::students::{Change, Listing, Registry, Unreadable, Version};

use super::comparison;
use crate::cli::StudentsArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::{assemble, packs};

/// The number of latest turns from which the model's share is computed.
const TURNS: usize = 10_000;

/// The turns that a bundle took part in, and how many of them the model decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
struct Served {
    turns: u64,
    by_model: u64,
}

/// A version as it is printed.
#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    version: &'a Version,
    /// The share of the latest turns with this student that a model decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_share: Option<f64>,
}

/// The record that `--json` prints.
#[derive(Debug, Serialize)]
struct Printed<'a> {
    pack: &'a str,
    champion: Option<u64>,
    versions: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Hidden<'a>>,
    changes: &'a [Change],
}

/// A version of which nothing else is known.
#[derive(Debug, Serialize)]
struct Hidden<'a> {
    version: u64,
    why: &'a str,
}

pub(super) async fn run(args: &StudentsArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    if let Some(number) = args.version {
        return one(&registry.version(number).map_err(Failure::usage)?, args.json);
    }
    let Listing { champion, versions, unreadable, changes, .. } = registry.list()?;
    let served = if versions.is_empty() { BTreeMap::new() } else { served(&pack, config).await? };
    let rows: Vec<Row<'_>> = versions
        .iter()
        .map(|version| Row { version, llm_share: share(&served, &version.card.bundle) })
        .collect();
    if args.json {
        let (pack, unreadable) = (registry.pack(), unreadable.iter().map(hidden).collect());
        let changes = &changes;
        output::json_pretty(&Printed { pack, champion, versions: rows, unreadable, changes })?;
        return Ok(0);
    }
    for line in lines(&rows) {
        output::line(line)?;
    }
    super::tell_unreadable(&unreadable);
    if champion.is_none() {
        let name = registry.pack();
        output::note(match versions.is_empty() && unreadable.is_empty() {
            true => format!(
                "`{name}` has no versions: the student that it trains itself decides \
                 (`waypost train --labels --pack {name}` makes one)"
            ),
            false => {
                format!("no version serves: the student that `{name}` trains itself decides")
            }
        });
    }
    Ok(0)
}

fn hidden(unreadable: &Unreadable) -> Hidden<'_> {
    Hidden { version: unreadable.number, why: unreadable.error.message() }
}

/// Prints one version with all that is known of it.
fn one(version: &Version, json: bool) -> Result<u8, Failure> {
    if json {
        output::json_pretty(version)?;
        return Ok(0);
    }
    let (card, trained) = (&version.card, &version.card.trained);
    output::line(format!(
        "version {}, {}: bundle {} of {}, trained {}",
        version.number,
        version.state.name(),
        card.bundle,
        card.pack,
        minute(&card.at)
    ))?;
    let labels: u64 = trained.labels.values().sum();
    output::line(format!(
        "learned from {} examples and {} texts of {labels} labels of {} sessions; data {}",
        trained.examples, trained.texts, trained.sessions, trained.data
    ))?;
    if let Some(threshold) = &card.threshold {
        output::line(comparison::threshold_line(threshold))?;
    }
    for change in &version.promoted {
        output::line(format!("promoted by {}", promoted(change)))?;
    }
    match &card.comparison {
        Some(compared) => {
            comparison::lines(compared).into_iter().try_for_each(output::line)?;
        }
        None => output::line("it was never compared with what serves")?,
    }
    Ok(0)
}

/// Counts who decided the latest turns, by bundle.
async fn served(
    pack: &waypost::pack::Pack,
    config: &Config,
) -> Result<BTreeMap<String, Served>, Failure> {
    let mut served: BTreeMap<String, Served> = BTreeMap::new();
    let Some(store) = assemble::kept(config).await? else { return Ok(served) };
    let filter = Filter {
        kind: Some("router_event".to_owned()),
        pack: Some(pack.spec.name.clone()),
        ..Filter::default()
    };
    for record in store.events(&filter, TURNS).await? {
        let Event::RouterEvent(routed) = record.event else { continue };
        let of = served.entry(routed.decision.bundle).or_default();
        of.turns += 1;
        of.by_model += u64::from(routed.layer == LayerName::Llm);
    }
    Ok(served)
}

fn share(served: &BTreeMap<String, Served>, bundle: &str) -> Option<f64> {
    let of = served.get(bundle).filter(|of| of.turns > 0)?;
    Some(of.by_model as f64 / of.turns as f64)
}

/// The table: a head and a line a version, each column as wide as it must be.
fn lines(rows: &[Row<'_>]) -> Vec<Shown> {
    if rows.is_empty() {
        return Vec::new();
    }
    let head =
        ["version", "bundle", "trained", "on", "right", "error", "model", "state", "promoted by"];
    let mut table = vec![head.map(str::to_owned)];
    table.extend(rows.iter().map(cells));
    let width = |column: usize| {
        table.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String; 9]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    table
        .iter()
        .enumerate()
        .map(|(at, row)| if at == 0 { output::dim(&line(row)) } else { line(row).into() })
        .collect()
}

fn cells(row: &Row<'_>) -> [String; 9] {
    let card = &row.version.card;
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let on = match card.trained.texts {
        0 => format!("{} examples", card.trained.examples),
        1 => format!("{} examples, 1 text", card.trained.examples),
        texts => format!("{} examples, {texts} texts", card.trained.examples),
    };
    [
        row.version.number.to_string(),
        card.bundle.clone(),
        minute(&card.at),
        on,
        percent(card.metrics.accuracy),
        percent(card.metrics.ece),
        row.llm_share.map_or_else(|| "-".to_owned(), percent),
        row.version.state.name().to_owned(),
        row.version.promoted.last().map_or_else(|| "-".to_owned(), promoted),
    ]
}

fn promoted(change: &Change) -> String {
    let forced = if change.forced { ", forced" } else { "" };
    let because = change.because.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("{}, {}{forced}{because}", change.by, minute(&change.at))
}

/// An instant without its seconds.
fn minute(at: &str) -> String {
    at.parse::<jiff::Timestamp>()
        .map_or_else(|_| at.to_owned(), |at| at.strftime("%Y-%m-%d %H:%MZ").to_string())
}
