//! Decides what a pack begins with before anybody has asked anything: the words of each tool on itself, and questions to try.
//!
//! Requests that nobody has typed are worse than none: made of names and sample values, they sent "the last 2 commits" to
//! `git_commit`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_text::language::Language;

use super::phrases::Phrases;
use super::{Draft, DraftTool};
use crate::catalog::spelled;
use crate::pack::Example;
use crate::pack::spec::Access;

/// The one route of such a pack.
const ROUTE: &str = "tool";
/// The most siblings that an example says it is not for.
const SIBLINGS: usize = 2;
/// How much of what is written about two tools is the same where they are siblings.
const ALIKE: f64 = 0.25;

/// The words of tools on themselves, an example each.
pub(super) fn own_words(tools: &[DraftTool]) -> Vec<Example> {
    tools.iter().map(|tool| example(tool.summary.clone(), Language::En, tool)).collect()
}

/// An example of a tool.
pub(super) fn example(text: String, lang: Language, tool: &DraftTool) -> Example {
    Example {
        text,
        lang,
        route: ROUTE.to_owned(),
        tools: vec![tool.name.clone()],
        arguments: Map::new(),
        not: Vec::new(),
    }
}

/// The lines of `examples.jsonl`.
pub(super) fn lines(examples: &[Example]) -> String {
    let line = |example: &Example| {
        let mut line = serde_json::to_value(example).unwrap_or_default();
        if let Some(map) = line.as_object_mut() {
            let is_empty = |value: &Value| {
                value.as_array().is_some_and(Vec::is_empty)
                    || value.as_object().is_some_and(Map::is_empty)
            };
            map.retain(|_, value| !is_empty(value));
        }
        format!("{line}\n")
    };
    examples.iter().map(line).collect()
}

/// The name of a tool as a wish.
fn plain(phrases: &Phrases, tool: &DraftTool) -> String {
    let named = phrases.named(&tool.remote, &tool.server);
    match &named.verb {
        Some(verb) => format!("{verb} {}", named.object),
        None if tool.access == Access::Read => format!("show the {}", named.object),
        None => named.object,
    }
}

/// The arguments that somebody has to say.
fn open(tool: &DraftTool) -> Vec<String> {
    let names = tool.arguments.required.iter();
    names.filter(|name| !tool.defaults.contains_key(*name)).cloned().collect()
}

/// A value for an argument, by what its schema lists, the words of its name, or its type; `None` for what nobody types.
fn sample(tool: &DraftTool, argument: &str) -> Option<String> {
    const SAMPLES: [(&[&str], &str); 11] = [
        (&["url", "uri", "link"], "https://example.com"),
        (&["path", "file", "files", "filename", "source"], "notes.txt"),
        (&["directory", "folder", "destination"], "./docs"),
        (&["branch", "ref", "revision", "target"], "main"),
        (&["date", "day", "when", "time", "start"], "tomorrow"),
        (&["email", "mail", "recipient"], "ada@example.com"),
        (&["timezone", "zone"], "Asia/Tokyo"),
        (&["longitude", "lon"], "121.75"),
        (&["latitude", "lat"], "25.15"),
        (&["name", "title"], "\"demo\""),
        (&["query", "text", "message", "content", "description", "body"], "\"the weekly report\""),
    ];
    let schema = tool.arguments.properties.get(argument);
    let listed = schema.and_then(|schema| schema.get("enum")?.as_array()?.first()?.as_str());
    if let Some(listed) = listed {
        return Some(listed.replace('_', " "));
    }
    let words = spelled(argument);
    let has = |known: &[&str]| words.split_whitespace().any(|word| known.contains(&word));
    if let Some((_, value)) = SAMPLES.iter().find(|(known, _)| has(known)) {
        return Some((*value).to_owned());
    }
    match schema.and_then(|schema| schema.get("type")?.as_str()) {
        Some("integer" | "number") => Some("5".to_owned()),
        Some("string") => Some("\"demo\"".to_owned()),
        _ => None,
    }
}

/// The words of a tool that tell it from others.
fn words(tool: &DraftTool) -> BTreeSet<String> {
    let text = format!("{} {}", spelled(&tool.remote), tool.summary.to_lowercase());
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// The tools of the same server that a tool is most easily taken for.
pub(super) fn siblings(tool: &DraftTool, all: &[DraftTool]) -> Vec<String> {
    let others = all.iter().filter(|other| other.server == tool.server);
    let alike = by_likeness(tool, others).into_iter().filter(|(share, _)| *share >= ALIKE);
    alike.take(SIBLINGS).map(|(_, other)| other.name.clone()).collect()
}

/// The tools of all servers that are most like a tool, however little.
pub(super) fn nearest<'a>(
    tool: &DraftTool,
    all: &'a [DraftTool],
    most: usize,
) -> Vec<&'a DraftTool> {
    by_likeness(tool, all.iter()).into_iter().take(most).map(|(_, other)| other).collect()
}

/// Other tools, each with how much of what is written about it and a tool is the same, the most first.
fn by_likeness<'a>(
    tool: &DraftTool,
    all: impl Iterator<Item = &'a DraftTool>,
) -> Vec<(f64, &'a DraftTool)> {
    let own = words(tool);
    let others = all.filter(|other| other.name != tool.name);
    let mut alike: Vec<(f64, &DraftTool)> = others
        .map(|other| {
            let theirs = words(other);
            let (both, any) = (own.intersection(&theirs).count(), own.union(&theirs).count());
            (both as f64 / any.max(1) as f64, other)
        })
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    alike
}

/// A question for each of the tools that need the least said: those that only read, before those that change something. One
/// of the examples in `said` is better than one that is made of names.
pub(super) fn questions(draft: &Draft, said: &[Example]) -> Vec<(String, String)> {
    let phrases = Phrases::read();
    let mut tools: Vec<&DraftTool> = draft.tools.iter().collect();
    tools.sort_by_key(|tool| (tool.access, open(tool).len()));
    let question = |tool: &DraftTool| {
        let said = said.iter().find(|example| example.tools == [tool.name.as_str()]);
        let wish = || phrases.wish(&tool.description).unwrap_or_else(|| plain(&phrases, tool));
        let open = open(tool).into_iter().filter_map(|name| sample(tool, &name));
        let made = || std::iter::once(wish()).chain(open).collect::<Vec<_>>().join(" ");
        said.map_or_else(made, |example| example.text.clone())
    };
    tools.into_iter().map(|tool| (tool.name.clone(), question(tool))).collect()
}
