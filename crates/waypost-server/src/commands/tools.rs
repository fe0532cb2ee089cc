//! `waypost tools`: the catalog at both levels, what it costs in tokens, and what fits a text.

use serde_json::{Value as Json, json};
use waypost::Result as Outcome;
use waypost::decide::{Found, find_tools};
use waypost::pack::spec::Access;
use waypost::pack::{Pack, Summary, Tool, nearest};
use waypost::records::request::{Context, Request};
use waypost::understand;

use super::{accept, reads};
use crate::assemble::{self, AssemblyOptions};
use crate::cli::ToolsArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::{encoders, sources};

/// The widest line.
const WIDTH: usize = 80;

pub(super) async fn run(args: &ToolsArgs, config: &Config) -> Result<u8, Failure> {
    if let Some(("accept", names)) =
        args.search.split_first().map(|(verb, rest)| (verb.as_str(), rest))
    {
        return accept::run(&args.source, names, args.json, config).await;
    }
    if let Some(("reads", names)) =
        args.search.split_first().map(|(verb, rest)| (verb.as_str(), rest))
    {
        return reads::run(&args.source, names, args.json, config).await;
    }
    let sourced = sources::load(&args.source, config, &AssemblyOptions::default()).await?;
    let pack = sourced.pack;
    match args.search.split_first() {
        None if args.json => output::json_pretty(&catalog(&pack))?,
        None => list(&pack)?,
        Some((verb, words)) if verb == "search" && !words.is_empty() => {
            let request = Request { now: Some(super::now()), ..Request::new(words.join(" ")) };
            let found = search(&pack, &request, config)?;
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
                    let advice = nearest(other, ["search", "accept", "reads"].into_iter());
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
        record["category"] = json!(first.category);
        record["capabilities"] = json!(first.capabilities);
        record["returns"] = json!(first.returns);
        record["typical_use"] = json!(first.typical_use);
        record["not_for"] = json!(first.not_for);
    }
    // What its server says of it, where that is more than the summary.
    if let Some(description) = &tool.spec.description {
        record["description"] = json!(description);
    }
    record
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
fn search<'a>(pack: &'a Pack, request: &'a Request, config: &Config) -> Outcome<Vec<Found<'a>>> {
    let turn = understand::ingest(pack, request, Context::default())?;
    let encoder = encoders::configured(config)?;
    let options = AssemblyOptions::default();
    let bundle = assemble::student(pack, encoder.as_deref(), config, &options)?;
    Ok(find_tools(&turn, &bundle))
}

fn show_found(found: &[Found<'_>]) -> Result<(), Failure> {
    if found.is_empty() {
        output::note("no tool fits this; `waypost tools` lists them all");
    }
    for Found { tool, score } in found {
        let name = output::bold(&tool.spec.name);
        output::line(name + "  " + output::dim(&format!("{score:.2}")))?;
        output::line(Shown::text(&wrapped(&tool.spec.summary)))?;
    }
    Ok(())
}

fn found_record(pack: &Pack, found: &[Found<'_>]) -> Json {
    let tools = found.iter().map(|Found { tool, score }| {
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
