//! `waypost tools`: the catalog at both levels, what it costs in tokens, and what fits a text.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use waypost::Result as Outcome;
use waypost::learning::Scratch;
use waypost::pack::spec::{Access, HandlerName};
use waypost::pack::{Pack, Summary, Tool, nearest};
use waypost::records::request::{Context, Request};
use waypost::text::Text;
use waypost::turn;

use super::accept;
use crate::assemble::{self, AssemblyOptions};
use crate::cli::ToolsArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::{encoders, sources};

/// The score below which a tool does not fit a text.
const FITS: f64 = 0.2;
/// The widest line.
const WIDTH: usize = 80;

pub(super) async fn run(args: &ToolsArgs, config: &Config) -> Result<u8, Failure> {
    if let Some(("accept", names)) =
        args.search.split_first().map(|(verb, rest)| (verb.as_str(), rest))
    {
        return accept::run(&args.source, names, args.json, config).await;
    }
    let sourced = sources::load(&args.source, config, &AssemblyOptions::default()).await?;
    let pack = sourced.pack;
    match args.search.split_first() {
        None if args.json => output::json_pretty(&catalog(&pack))?,
        None => list(&pack)?,
        Some((verb, words)) if verb == "search" && !words.is_empty() => {
            let found = search(&pack, &words.join(" "), config)?;
            if args.json {
                output::json_pretty(&found_record(&pack, &found))?;
            } else {
                show_found(&found)?;
            }
        }
        Some((verb, _)) => {
            const USE: &str = "write `waypost tools search 'tides at Keelung'`";
            let (message, hint) = match verb.as_str() {
                "search" => ("there is nothing to search for".to_owned(), USE.to_owned()),
                other => {
                    let advice = nearest(other, ["search", "accept"].into_iter());
                    let advice = advice.map(|best| format!("did you mean `{best}`? "));
                    let message = format!("`waypost tools` has no `{other}`");
                    (message, format!("{}{USE}", advice.unwrap_or_default()))
                }
            };
            return Err(Failure::usage(waypost::Error::invalid(message).with_hint(hint)));
        }
    }
    Ok(0)
}

/// The catalog for people.
pub(super) fn list(pack: &Pack) -> Result<(), Failure> {
    let (mut summaries, mut schemas) = (0, 0);
    for (tool, first) in pack.tools.iter().zip(pack.summaries()) {
        let (summary, schema) = (first.tokens(), tool.schema_tokens());
        summaries += summary;
        schemas += schema;
        let name = output::bold(&tool.spec.name);
        let cost = output::dim(&format!("{}, {summary} / {schema} tokens", access(tool)));
        output::line(name + "  " + cost)?;
        output::line(Shown::text(&wrapped(&first.one_liner)))?;
        output::line(Shown::text(&wrapped(&arguments(tool).join(", "))))?;
    }
    let count = pack.tools.len();
    output::line(output::dim(&format!(
        "{count} tools: about {summaries} tokens as summaries, {schemas} with full schemas"
    )))?;
    output::line(output::dim("(* required; tokens are estimated, alike for every model)"))
}

/// The catalog for programs.
fn catalog(pack: &Pack) -> Json {
    let tools: Vec<Json> = pack.tools.iter().map(|tool| record(pack, tool)).collect();
    let total = |level: &str| -> u64 {
        tools.iter().filter_map(|tool| tool["tokens"][level].as_u64()).sum()
    };
    let tokens = json!({ "summary": total("summary"), "schema": total("schema") });
    json!({ "pack": pack.id, "tokens": tokens, "tools": tools })
}

fn record(pack: &Pack, tool: &Tool) -> Json {
    let first = pack.summary(&tool.spec.name);
    let argument = |name: &str| json!({ "name": name, "required": tool.requires(name) });
    let mut record = json!({
        "name": tool.spec.name,
        "server": tool.spec.server,
        "access": tool.spec.access.unwrap_or(Access::Read),
        "summary": tool.spec.summary,
        "arguments": tool.arguments().map(argument).collect::<Vec<_>>(),
        "schema": tool.spec.schema,
        "tokens": { "summary": first.map(Summary::tokens), "schema": tool.schema_tokens() },
    });
    if let Some(first) = first {
        record["capabilities"] = json!(first.capabilities);
        record["typical_use"] = json!(first.typical_use);
        record["not_for"] = json!(first.not_for);
    }
    // What its server says of it, where that is more than the summary.
    if let Some(description) = &tool.spec.description {
        record["description"] = json!(description);
    }
    record
}

/// The first level: the name and one sentence.
fn summary(tool: &Tool) -> String {
    format!("{}: {}", tool.spec.name, tool.spec.summary)
}

/// The second level: the first, and the schema as it is sent.
fn full(tool: &Tool) -> String {
    format!("{}\n{}", summary(tool), tool.spec.schema)
}

fn access(tool: &Tool) -> &'static str {
    match tool.spec.access.unwrap_or(Access::Read) {
        Access::Read => "read",
        Access::Write => "write",
        Access::Destructive => "destructive",
    }
}

fn arguments(tool: &Tool) -> Vec<String> {
    let mark = |name: &str| if tool.requires(name) { format!("{name}*") } else { name.to_owned() };
    tool.arguments().map(mark).collect()
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Words in indented lines of at most [`WIDTH`] columns; a Han character takes two.
fn wrapped(text: &str) -> String {
    let columns = |word: &str| -> usize { word.chars().map(|c| 1 + usize::from(is_han(c))).sum() };
    let mut lines = vec![String::from(" ")];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| columns(line));
        if used + 1 + columns(word) > WIDTH && used > 1 {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// The tools that fit a text, best first, with how well.
///
/// Half of the score is what the student says of the text, which knows every language of the
/// pack's examples; half is how many of its words stand in the tool's own description, which finds
/// a tool by a part of its name.
fn search<'a>(pack: &'a Pack, text: &str, config: &Config) -> Outcome<Vec<(&'a Tool, f64)>> {
    let learned = learned(pack, text, config)?;
    let wanted = words(text);
    let mut found: Vec<(&Tool, f64)> = pack
        .tools
        .iter()
        .zip(learned)
        .map(|(tool, learned)| (tool, f64::midpoint(learned, overlap(&wanted, tool))))
        .filter(|(_, score)| *score >= FITS)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(found)
}

/// Returns what the student says of a text for every tool of the pack.
fn learned(pack: &Pack, text: &str, config: &Config) -> Outcome<Vec<f64>> {
    let request = Request { now: Some(super::now()), ..Request::new(text) };
    let turn = turn::ingest(pack, &request, Context::default())?;
    let encoder = encoders::configured(config)?;
    let options = AssemblyOptions::default();
    let bundle = assemble::student(pack, encoder.as_deref(), config, &options)?;
    let scores = bundle.score(&turn.masked(), &mut Scratch::default());
    let wants_tools: f32 = bundle
        .routes()
        .iter()
        .zip(&scores.routes)
        .filter(|(name, _)| pack.route(name).is_some_and(|r| r.handler == HandlerName::Tool))
        .map(|(_, probability)| probability)
        .sum();
    let of = |tool: &Tool| {
        let head = tool.spec.family.as_deref().unwrap_or(&tool.spec.name);
        let place = bundle.tools().iter().position(|known| known == head);
        let probability = place.and_then(|place| scores.tools.get(place)).copied();
        f64::from(probability.unwrap_or_default() * wants_tools)
    };
    Ok(pack.tools.iter().map(of).collect())
}

/// The share of the wanted words that a tool's description has.
fn overlap(wanted: &BTreeSet<String>, tool: &Tool) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let known = words(&full(tool));
    wanted.intersection(&known).count() as f64 / wanted.len() as f64
}

/// The words of a text, parts of dotted names among them. Shorter ones say nothing.
fn words(text: &str) -> BTreeSet<String> {
    const SHORTEST: usize = 3;
    Text::new(text)
        .normalized()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST)
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect()
}

fn show_found(found: &[(&Tool, f64)]) -> Result<(), Failure> {
    if found.is_empty() {
        output::note("no tool fits this; `waypost tools` lists them all");
    }
    for (tool, score) in found {
        let name = output::bold(&tool.spec.name);
        output::line(name + "  " + output::dim(&format!("{score:.2}")))?;
        output::line(Shown::text(&wrapped(&tool.spec.summary)))?;
    }
    Ok(())
}

fn found_record(pack: &Pack, found: &[(&Tool, f64)]) -> Json {
    let tools = found.iter().map(|(tool, score)| {
        let mut record = record(pack, tool);
        record["score"] = json!((score * 100.0).round() / 100.0);
        record
    });
    json!({ "tools": tools.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_edge() {
        let text = wrapped(&"twelve chars ".repeat(12));
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.starts_with("  ") && line.len() <= WIDTH), "{text}");
    }
}
