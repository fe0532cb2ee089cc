//! `cargo xtask bench tokens`: what tools cost in a prompt, at both levels, by a real tokenizer (o200k, that of current OpenAI
//! models) beside the estimate that the program counts with.
//!
//! A row is a pack of this repository, the invented servers of `spec/catalogs`, or the tools of LiveMCPBench where the data
//! are there. The share is that of a model which reads the first level of all tools and the schemas of those that it
//! chose, in the mean over the pack's own cases. Source: S2-11, S2-27, S2-34.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;
use tiktoken_rs::CoreBPE;
use waypost::pack::{Pack, Tool};
use waypost::tokens;

use super::tools::sets;
use super::{option, print, samples};
use crate::tools::{invented, pack_of};

/// The packs whose tools a model could choose among.
const PACKS: [&str; 3] = ["finance", "malaria", "ocean"];

/// What the tools of a pack cost, in tokens.
struct Cost {
    name: String,
    tools: usize,
    /// All tools with their schemas, by the tokenizer and by the estimate.
    schemas: [usize; 2],
    /// All tools at the first level.
    summaries: [usize; 2],
    /// The longest of them, with its name.
    longest: usize,
    /// The schemas of the tools that a case wants, in the mean over the cases; 0 without cases.
    wanted: f64,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &[], &["--data"])?;
    let data = option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let tokenizer = tiktoken_rs::o200k_base().context("the tokenizer cannot be read")?;
    let mut costs = Vec::new();
    for name in PACKS {
        let pack = samples::load(&samples::pack_files(name)?)?;
        costs.push(cost(name, &pack, &wanted(name)?, &tokenizer));
    }
    costs.push(cost("invented servers", &invented()?, &[], &tokenizer));
    match sets::listed(&data) {
        Ok(listed) => {
            let pack = pack_of(vec![("livemcpbench", listed)])?;
            costs.push(cost("LiveMCPBench", &pack, &[], &tokenizer));
        }
        Err(error) => print(&format!("LiveMCPBench is left out: {error:#}\n")),
    }
    print(&table(&costs));
    Ok(())
}

fn cost(name: &str, pack: &Pack, cases: &[Vec<String>], tokenizer: &CoreBPE) -> Cost {
    let real = |text: &str| tokenizer.encode_ordinary(text).len();
    let both = |texts: &[String]| {
        [
            texts.iter().map(|text| real(text)).sum(),
            texts.iter().map(|text| tokens::count(text)).sum(),
        ]
    };
    let lines =
        pack.summaries().iter().map(|first| format!("- {}: {}\n", first.name, first.line()));
    let lines: Vec<String> = lines.collect();
    let schemas: Vec<String> = pack.tools.iter().map(whole).collect();
    let of_tool = |name: &String| {
        let place = pack.tools.iter().position(|tool| tool.spec.name == *name);
        place.map_or(0, |place| real(&schemas[place]))
    };
    let sum: usize = cases.iter().flatten().map(of_tool).sum();
    Cost {
        name: name.to_owned(),
        tools: pack.tools.len(),
        schemas: both(&schemas),
        summaries: both(&lines),
        longest: lines.iter().map(|line| real(line)).max().unwrap_or_default(),
        wanted: sum as f64 / cases.len().max(1) as f64,
    }
}

/// A tool as clients send it to a model.
fn whole(tool: &Tool) -> String {
    let words = tool.description();
    serde_json::json!({ "name": tool.spec.name, "description": words, "parameters": tool.spec.schema })
        .to_string()
}

/// The tools that each case of a pack wants, each once.
fn wanted(pack: &str) -> Result<Vec<Vec<String>>> {
    let path = crate::root().join("packs").join(pack).join("cases.jsonl");
    let content = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    let cases = lines.map(|line| {
        let case: Value = serde_json::from_str(line)?;
        let tools = case["expect"]["tools"].as_array().into_iter().flatten();
        let mut tools: Vec<String> = tools.filter_map(Value::as_str).map(str::to_owned).collect();
        tools.sort();
        tools.dedup();
        Ok(tools)
    });
    let cases: Vec<Vec<String>> = cases.collect::<Result<_>>()?;
    Ok(cases.into_iter().filter(|tools| !tools.is_empty()).collect())
}

fn table(costs: &[Cost]) -> String {
    let mut lines = vec![
        "| tools of | number | all schemas | estimated | all summaries | estimated | longest summary | summaries and chosen schemas, % of all schemas |".to_owned(),
        "|---|--:|--:|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for cost in costs {
        let share =
            100.0 * (cost.summaries[0] as f64 + cost.wanted) / cost.schemas[0].max(1) as f64;
        let share = if cost.wanted > 0.0 { format!("{share:.1}") } else { "–".to_owned() };
        lines.push(format!(
            "| {} | {} | {} | {} | {} | {} | {} | {share} |",
            cost.name,
            cost.tools,
            cost.schemas[0],
            cost.schemas[1],
            cost.summaries[0],
            cost.summaries[1],
            cost.longest,
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_an_invented_server_has_at_most_60_tokens_by_a_real_tokenizer() {
        let tokenizer = tiktoken_rs::o200k_base().unwrap();
        let cost = cost("invented", &invented().unwrap(), &[], &tokenizer);
        assert!(cost.longest <= 60, "{}", cost.longest);
    }
}
