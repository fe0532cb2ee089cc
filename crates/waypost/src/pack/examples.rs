//! The examples of a pack: texts that people write, each with its route and tools.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::Files;
use super::check::{did_you_mean, plain};
use super::source::Fault;
use super::spec::PackSpec;

/// The label of texts that no route serves.
pub const OUT_OF_SCOPE: &str = "out_of_scope";

/// The file of a pack that holds them, one JSON object a line.
const FILE: &str = "examples.jsonl";

/// The label of texts that leave open what is wanted, in a pack where asking is always active.
pub const CLARIFY: &str = "clarify";

/// A text with its route and tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The text, as someone wrote it.
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

/// The examples of a pack, as far as they can be read.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) examples: Vec<Example>,
    /// The text of each example, normalized: done once here for all who need it, since it is most of
    /// the time that loading takes.
    pub(super) normalized: Vec<String>,
    /// The line of each example.
    lines: Vec<u64>,
    /// In the order of the lines.
    pub(super) faults: Vec<Fault>,
}

impl Loaded {
    /// Adds the faults of examples that do not fit the pack.
    pub(super) fn check(&mut self, spec: &PackSpec) {
        for (number, example) in self.lines.iter().zip(&self.examples) {
            let faults = check(example, spec).into_iter();
            self.faults.extend(faults.map(|(text, hint)| fault(*number, 1, text).hint(hint)));
        }
        self.faults.sort_by_key(|fault| fault.line);
    }
}

/// Reads the examples of a pack, with the faults that need no other file to be seen.
pub(super) fn read(files: &Files) -> Loaded {
    let mut loaded = Loaded::default();
    let Some(text) = files.get(FILE) else {
        let fault = Fault::whole(FILE, "the pack has no examples");
        let hint = "write one JSON object a line: {\"text\", \"lang\", \"route\"}";
        loaded.faults.push(fault.hint(hint));
        return loaded;
    };
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Example>(line) {
            Err(error) => {
                loaded.faults.push(unread(FILE, number, &error));
            }
            Ok(example) => {
                loaded.lines.push(number);
                let text = Text::new(&example.text);
                loaded.normalized.push(text.normalized().trim().to_owned());
                loaded.examples.push(example);
            }
        }
    }
    loaded
}

fn fault(line: u64, column: u64, message: String) -> Fault {
    Fault { file: FILE.to_owned(), line, column, message, hint: None }
}

/// The lines that are not examples, whatever the pack is like.
pub(crate) fn unreadable(files: &Files) -> Vec<Fault> {
    let lines = files.get(FILE).map(String::as_str).unwrap_or_default().lines().enumerate();
    let faults = lines.filter(|(_, line)| !line.trim().is_empty()).filter_map(|(index, line)| {
        let error = serde_json::from_str::<Example>(line).err()?;
        Some(unread(FILE, index as u64 + 1, &error))
    });
    faults.collect()
}

/// The fault of a line that is no example: the parser's sentence without its own line number, which is
/// always 1 here.
pub(super) fn unread(file: &str, line: u64, error: &serde_json::Error) -> Fault {
    let text = error.to_string();
    let (message, hint) = plain(text.split(" at line ").next().unwrap_or(&text));
    Fault { file: file.to_owned(), hint, ..fault(line, error.column() as u64, message) }
}

fn check(example: &Example, spec: &PackSpec) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    let own = spec.always_active.iter().map(String::as_str).filter(|name| *name == CLARIFY);
    let routes =
        spec.routes.iter().map(|route| route.name.as_str()).chain([OUT_OF_SCOPE]).chain(own);
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
