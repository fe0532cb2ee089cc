//! How long it takes to choose among few tools and among very many, and what they cost in memory.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;
use waypost::catalog::weights::{Beside, Weights};
use waypost::catalog::{Asked, Catalog, Written};
use waypost::language::Language;

use super::super::{machine, print, timing};

/// The numbers of tools.
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
/// Texts that are timed at each size.
const TEXTS: usize = 400;

/// Prints the table.
pub(super) fn run() -> Result<()> {
    let (tools, texts) = invented()?;
    print(&format!("Machine: {}.\n", machine()));
    print("| tools | read ms | memory MiB | choose µs, p50 | p99 |\n|--:|--:|--:|--:|--:|");
    for size in SIZES {
        let written: Vec<Written> = (0..size).map(|at| tool(&tools, at)).collect();
        let before = resident();
        let start = Instant::now();
        let catalog = Catalog::read(&written, &[]);
        let read = start.elapsed();
        let memory = resident().saturating_sub(before);
        let mut times = Vec::new();
        for text in texts.iter().cycle().take(TEXTS) {
            let start = Instant::now();
            let asked = Asked::read(text, Language::En);
            let candidates = catalog.candidates(&asked, &[]);
            let known = catalog.known(&asked);
            std::hint::black_box(Weights::built_in().rank(&candidates, known, &Beside::default()));
            times.push(start.elapsed());
        }
        let spread = timing::percentiles(times);
        print(&format!(
            "| {size} | {:.1} | {:.1} | {:.0} | {:.0} |",
            read.as_secs_f64() * 1e3,
            memory as f64 / f64::from(1 << 20),
            spread.p50.as_secs_f64() * 1e6,
            spread.p99.as_secs_f64() * 1e6,
        ));
    }
    Ok(())
}

/// The tools and the English requests of the invented servers.
fn invented() -> Result<(Vec<Written>, Vec<String>)> {
    let (mut tools, mut texts) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(crate::root().join("spec/catalogs"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let server: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)
            .with_context(|| path.display().to_string())?;
        for tool in server["tools"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let properties = tool["inputSchema"]["properties"].as_object().into_iter().flatten();
            tools.push(Written {
                name: text(&tool["name"]),
                description: text(&tool["description"]),
                arguments: properties
                    .map(|(name, schema)| (name.clone(), text(&schema["description"]), Vec::new()))
                    .collect(),
                ..Written::default()
            });
        }
        let requests = server["requests"].as_array().into_iter().flatten();
        let english = requests.filter(|one| one["lang"] == "en");
        texts.extend(english.filter_map(|one| Some(one["text"].as_str()?.to_lowercase())));
    }
    Ok((tools, texts))
}

/// The tool at a place: beyond the invented ones, one of them with a word of its own in its name.
fn tool(tools: &[Written], at: usize) -> Written {
    let (round, own) = (at / tools.len(), &tools[at % tools.len()]);
    let mut tool = own.clone();
    if round > 0 {
        tool.name = format!("{}_unit{round}", tool.name);
    }
    tool
}

/// The memory that the process holds, in bytes; 0 where the system does not say.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}
