//! Examples: what people write, and where it belongs. The student learns from nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_text::language::Language;

use super::Files;
use super::check::did_you_mean;
use super::source::Fault;
use super::spec::PackSpec;

/// The label of texts that no route serves.
pub const OUT_OF_SCOPE: &str = "out_of_scope";

/// The file of a pack that holds them, one JSON object a line.
const FILE: &str = "examples.jsonl";

/// A text and where it belongs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What someone wrote.
    pub text: String,
    /// Its language.
    pub lang: Language,
    /// Its route, or [`OUT_OF_SCOPE`].
    pub route: String,
    /// The tools that it asks for.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Arguments that it states, for the reader.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// Tools that it must not be taken for.
    #[serde(default)]
    pub not: Vec<String>,
}

/// Loads the examples of a pack with all their faults.
pub(crate) fn load(files: &Files, spec: &PackSpec) -> (Vec<Example>, Vec<Fault>) {
    let Some(text) = files.get(FILE) else {
        let fault = Fault::whole(FILE, "the pack has no examples");
        return (
            Vec::new(),
            vec![fault.hint("write one JSON object a line: {\"text\", \"lang\", \"route\"}")],
        );
    };
    let mut examples = Vec::new();
    let mut faults = Vec::new();
    let mut seen: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let number = index as u64 + 1;
        let fault = |column: u64, message: String| Fault {
            file: FILE.to_owned(),
            line: number,
            column,
            message,
            hint: None,
        };
        match serde_json::from_str::<Example>(line) {
            Err(error) => faults.push(fault(error.column() as u64, describe(&error))),
            Ok(example) => {
                for (message, hint) in check(&example, spec) {
                    faults.push(fault(1, message).hint(hint));
                }
                let key =
                    waypost_text::text::Text::new(&example.text).normalized().trim().to_owned();
                match seen.get(&key) {
                    Some((first, route)) if *route != example.route => faults.push(
                        fault(
                            1,
                            format!(
                                "the same text is `{route}` on line {first} and `{}` here",
                                example.route
                            ),
                        )
                        .hint("keep the one that is right"),
                    ),
                    _ => {
                        seen.insert(key, (number, example.route.clone()));
                    }
                }
                examples.push(example);
            }
        }
    }
    (examples, faults)
}

/// The lines that are no examples, whatever the pack is like.
pub(crate) fn unreadable(files: &Files) -> Vec<Fault> {
    let lines = files.get(FILE).map(String::as_str).unwrap_or_default().lines().enumerate();
    let faults = lines.filter(|(_, line)| !line.trim().is_empty()).filter_map(|(index, line)| {
        let error = serde_json::from_str::<Example>(line).err()?;
        Some(Fault {
            file: FILE.to_owned(),
            line: index as u64 + 1,
            column: error.column() as u64,
            message: describe(&error),
            hint: None,
        })
    });
    faults.collect()
}

/// The parser's sentence without its own line number, which is always 1 here.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

fn check(example: &Example, spec: &PackSpec) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    let routes = spec.routes.iter().map(|route| route.name.as_str()).chain([OUT_OF_SCOPE]);
    if !routes.clone().any(|route| route == example.route) {
        let message = format!("there is no route `{}`", example.route);
        faults.push((message, did_you_mean(&example.route, routes)));
    }
    for tool in example.tools.iter().chain(&example.not) {
        let tools = spec.tools.iter().map(|tool| tool.name.as_str());
        if !tools.clone().any(|name| name == tool) {
            faults.push((format!("there is no tool `{tool}`"), did_you_mean(tool, tools)));
        }
    }
    if example.text.trim().is_empty() {
        faults.push(("the text is empty".to_owned(), "remove the line".to_owned()));
    }
    faults
}
