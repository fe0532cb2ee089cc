//! The catalog for other people's agents: what `tools_search` and `tools_describe` tell of a pack's tools.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use waypost::decide::Found;
use waypost::pack::spec::Access;
use waypost::pack::{Tool, did_you_mean};
use waypost::records::request::{MAX_TEXT_BYTES, Request, shorten};
use waypost::router::Router;
use waypost::{Error, Result};

use super::arguments::read;
use super::offered::{FOUND, MAX_DESCRIBED, MAX_FOUND};

/// The most characters of a summary: servers write pages where a sentence is wanted.
const SUMMARY: usize = 200;

/// The arguments of `tools_search`.
#[derive(Debug, Deserialize)]
struct Search {
    query: Option<String>,
    /// The words by the name that they have elsewhere.
    text: Option<String>,
    limit: Option<u64>,
}

/// What is said where nothing is found.
const NOTHING: &str =
    "no tool fits this; say it in other words, or list all tools with an empty query";

/// Finds tools, or lists all for an empty query: the words for people, and the record. `allowed` names those that the caller
/// may use, where not all of them are.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a limit or a query beyond the bounds.
pub(super) fn search(
    router: &Router,
    given: Map<String, Json>,
    allowed: Option<&[String]>,
) -> Result<(String, Json)> {
    let Search { query, text, limit } = read(given)?;
    let query = query.filter(|query| !query.is_empty()).or(text).unwrap_or_default();
    if let Some(limit) = limit.filter(|limit| !(1..=MAX_FOUND).contains(limit)) {
        let message = format!("`limit` is {limit}, outside 1..={MAX_FOUND}");
        return Err(Error::invalid(message).with_hint("leave it out for the best five"));
    }
    if query.len() > MAX_TEXT_BYTES {
        let message = format!("the query has more than {MAX_TEXT_BYTES} bytes, the limit");
        return Err(Error::invalid(message).with_hint("say in a sentence what is to be done"));
    }
    let request = Request { now: Some(now()), ..Request::new(query.trim()) };
    let (found, limit) = match request.text.is_empty() {
        true => (listed(router), limit.unwrap_or(u64::MAX)),
        false => (router.find_tools(&request)?, limit.unwrap_or(FOUND)),
    };
    let allowed = found.into_iter().filter(|found| is_allowed(found.tool, allowed));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut lines, mut tools) = (Vec::new(), Vec::new());
    for Found { tool, score } in allowed.take(limit) {
        lines.push(format!("{}: {}", tool.spec.name, shorten(&tool.spec.summary, SUMMARY)));
        let mut record = summary(router, tool);
        record["score"] = json!((score * 1000.0).round() / 1000.0);
        tools.push(record);
    }
    let mut record = json!({ "tools": tools });
    if tools.is_empty() {
        record["hint"] = json!(NOTHING);
        lines.push(NOTHING.to_owned());
    }
    Ok((lines.join("\n"), record))
}

/// All tools, in the order of the pack. None of them fits anything that was asked.
fn listed(router: &Router) -> Vec<Found<'_>> {
    router.pack().tools.iter().map(|tool| Found { tool, score: 0.0 }).collect()
}

/// The present instant, against which the dates of a query are read.
fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// The arguments of `tools_describe`.
#[derive(Debug, Deserialize)]
struct Describe {
    names: Vec<String>,
}

/// Describes tools by name. One that is not known, or not `allowed`, is told of beside the others.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for more names than [`MAX_DESCRIBED`], or if none of them is known.
pub(super) fn describe(
    router: &Router,
    given: Map<String, Json>,
    allowed: Option<&[String]>,
) -> Result<(String, Json)> {
    let Describe { names } = read(given)?;
    if names.len() > MAX_DESCRIBED {
        let message = format!("`names` has {} entries, the limit is {MAX_DESCRIBED}", names.len());
        return Err(Error::invalid(message).with_hint("describe only the tools that you may call"));
    }
    let pack = router.pack();
    let (mut tools, mut unknown) = (Vec::new(), Vec::new());
    for name in &names {
        match pack.tool(name).filter(|tool| is_allowed(tool, allowed)) {
            Some(tool) => tools.push(description(router, tool)),
            None => {
                let name = shorten(name, 60);
                let known = pack.tools.iter().filter(|tool| is_allowed(tool, allowed));
                let hint = did_you_mean(&name, known.map(|tool| tool.spec.name.as_str()));
                unknown.push((name, hint));
            }
        }
    }
    if let (true, Some((name, hint))) = (tools.is_empty(), unknown.first()) {
        return Err(Error::invalid(format!("there is no tool `{name}`")).with_hint(hint.clone()));
    }
    let mut record = json!({ "tools": tools });
    if !unknown.is_empty() {
        let told = unknown.iter().map(|(name, hint)| json!({ "name": name, "hint": hint }));
        record["unknown"] = told.collect();
    }
    Ok((record.to_string(), record))
}

/// Returns whether a caller may use a tool.
fn is_allowed(tool: &Tool, allowed: Option<&[String]>) -> bool {
    allowed.is_none_or(|names| names.contains(&tool.spec.name))
}

/// A tool at the first level: no schema.
fn summary(router: &Router, tool: &Tool) -> Json {
    let spec = &tool.spec;
    let mut record = json!({
        "name": spec.name,
        "server": spec.server,
        "summary": shorten(&spec.summary, SUMMARY),
        "access": access(router, tool),
    });
    if let Some(first) = router.pack().summary(&spec.name) {
        record["category"] = json!(first.category);
        record["capabilities"] = json!(first.capabilities);
        record["returns"] = json!(first.returns);
        record["not_for"] = json!(first.not_for);
    }
    record
}

/// A tool at the second level, with all that a caller has to know of it.
fn description(router: &Router, tool: &Tool) -> Json {
    let spec = &tool.spec;
    let requires: Vec<&str> = spec.requires.iter().map(|needed| needed.flag.as_str()).collect();
    let first = router.pack().summary(&spec.name);
    json!({
        "name": spec.name,
        "server": spec.server,
        "description": tool.description(),
        "returns": first.and_then(|first| first.returns.as_ref()),
        "examples": first.and_then(|first| first.typical_use.as_ref()).as_slice(),
        "access": access(router, tool),
        "hints": {
            "needs_approval": router.access(tool) != Some(Access::Read),
            "requires": requires,
            "timeout_ms": spec.timeout_ms,
        },
        "schema": spec.schema,
    })
}

/// What a tool does to the world; `unknown` until its server was asked.
fn access(router: &Router, tool: &Tool) -> &'static str {
    match router.access(tool) {
        None => "unknown",
        Some(Access::Read) => "read",
        Some(Access::Write) => "write",
        Some(Access::Destructive) => "destructive",
    }
}
