//! The sets: catalogs of tools, each with questions and the tools that serve them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use waypost::ports::tools::ToolDescription;

use super::super::arguments::row;

/// A set.
pub(in crate::bench) struct Set {
    pub(in crate::bench) catalogs: Vec<Catalog>,
}

/// Tools that are listed together.
pub(in crate::bench) struct Catalog {
    pub(in crate::bench) tools: Vec<ToolDescription>,
    /// Texts that asked for a tool, by its place.
    pub(super) examples: Vec<(usize, String)>,
    pub(in crate::bench) questions: Vec<Question>,
}

/// A question to a catalog.
pub(in crate::bench) struct Question {
    pub(in crate::bench) text: String,
    /// The places of the tools that serve it.
    pub(in crate::bench) right: Vec<usize>,
}

/// The rows of BFCL that a tool serves, beside those that none does.
const SERVED: [(&str, &[&str]); 2] = [
    ("irrelevance", &["simple_python", "multiple"]),
    ("live_irrelevance", &["live_simple", "live_multiple"]),
];

/// Reads a set by its name; `split` is that of MetaTool, the others have none.
pub(in crate::bench) fn read(data: &Path, set: &str, split: &str) -> Result<Set> {
    let catalogs = match set {
        "metatool" => vec![metatool(data, split, false)?],
        "metatool with examples" => vec![metatool(data, split, true)?],
        "livemcpbench" => vec![livemcpbench(data)?],
        "multiple" | "live_multiple" => bfcl(data, set)?,
        _ => {
            let Some((_, served)) = SERVED.iter().find(|(name, _)| *name == set) else {
                bail!("there is no set `{set}`");
            };
            let mut all = bfcl(data, set)?;
            for set in *served {
                all.extend(bfcl(data, set)?);
            }
            all
        }
    };
    Ok(Set { catalogs })
}

fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let content = std::fs::read_to_string(path).with_context(|| {
        format!("cannot read `{}`; give the folder with --data", path.display())
    })?;
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).context("a line is no row")).collect()
}

/// A tool of a set, by itself or of a server.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    server: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    input_schema: Value,
}

fn described(one: Listed) -> ToolDescription {
    let input_schema = match one.input_schema {
        Value::Object(map) => Value::Object(map),
        _ => json!({ "type": "object" }),
    };
    ToolDescription {
        name: one.name,
        description: one.description.unwrap_or_default(),
        input_schema,
        ..Default::default()
    }
}

fn metatool(data: &Path, split: &str, with_examples: bool) -> Result<Catalog> {
    #[derive(Deserialize)]
    struct Row {
        text: String,
        label: String,
    }
    let folder = data.join("metatool");
    let listed: Vec<Listed> = lines(&folder.join("tools.jsonl"))?;
    let tools: Vec<ToolDescription> = listed.into_iter().map(described).collect();
    let places: HashMap<String, usize> =
        tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
    let rows = |split: &str| -> Result<Vec<(usize, String)>> {
        let rows: Vec<Row> = lines(&folder.join(format!("{split}.jsonl")))?;
        Ok(rows.into_iter().filter_map(|row| Some((*places.get(&row.label)?, row.text))).collect())
    };
    let examples = if with_examples { rows("train")? } else { Vec::new() };
    let questions = rows(split)?.into_iter();
    let questions = questions.map(|(tool, text)| Question { text, right: vec![tool] }).collect();
    Ok(Catalog { tools, examples, questions })
}

fn livemcpbench(data: &Path) -> Result<Catalog> {
    #[derive(Deserialize)]
    struct Task {
        text: String,
        tools: Vec<String>,
    }
    let folder = data.join("livemcpbench");
    let listed: Vec<Listed> = lines(&folder.join("tools.jsonl"))?;
    // Names that several servers have: the annotators' lists hold names alone, and any of them counts.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    let mut tools = Vec::new();
    for (at, mut tool) in listed.into_iter().enumerate() {
        let others = places.entry(tool.name.clone()).or_default();
        if !others.is_empty() {
            tool.name = format!("{}_{}", tool.name, tool.server.replace(' ', "_"));
        }
        others.push(at);
        tools.push(described(tool));
    }
    let tasks: Vec<Task> = lines(&folder.join("tasks.jsonl"))?;
    let question = |task: Task| {
        let known = task.tools.iter().filter_map(|name| places.get(name)?.first().copied());
        Question { right: known.collect(), text: task.text }
    };
    let questions = tasks.into_iter().map(question).filter(|one| !one.right.is_empty()).collect();
    Ok(Catalog { tools, examples: Vec::new(), questions })
}

/// The tools of LiveMCPBench, with the servers' names where two have a name in common.
pub(in crate::bench) fn listed(data: &Path) -> Result<Vec<ToolDescription>> {
    Ok(livemcpbench(data)?.tools)
}

/// A catalog for each row.
fn bfcl(data: &Path, set: &str) -> Result<Vec<Catalog>> {
    let catalog = |row: row::Row| {
        let tools: Vec<ToolDescription> = row.tools().into_iter().map(|(tool, _)| tool).collect();
        let names = row.answer.iter().flat_map(|call| call.keys());
        let right = names.filter_map(|name| tools.iter().position(|tool| tool.name == *name));
        let questions = vec![Question { right: right.collect(), text: row.text }];
        Catalog { tools, examples: Vec::new(), questions }
    };
    let rows = row::read(data, set)?.into_iter().filter(|row| !row.functions.is_empty());
    Ok(rows.map(catalog).collect())
}
