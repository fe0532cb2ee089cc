//! The cases as they are written in `spec/odd`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The kinds of cases, each a file of the folder.
pub(crate) const KINDS: [&str; 11] = [
    "keywords",
    "drafts",
    "refs",
    "unions",
    "values",
    "said",
    "names",
    "results",
    "replies",
    "lists",
    "greetings",
];

/// A server that is odd, and what is right with it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) odd: String,
    /// The entries of the list of tools, in whatever form.
    pub(crate) tools: Vec<Json>,
    /// The acts of a call; the tool just runs if there are none.
    pub(crate) reply: Option<Vec<Json>>,
    /// The pages of its list by their cursors, if it has a server of its own.
    pub(crate) list: Option<Map<String, Json>>,
    /// The acts of the greeting.
    pub(crate) hello: Option<Vec<Json>>,
    kept: Option<Vec<String>>,
    /// True if it has a program of its own.
    #[serde(default)]
    pub(crate) alone: bool,
    pub(crate) tries: Vec<Try>,
}

/// A call or words, and what is right then.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Try {
    #[serde(deserialize_with = "given")]
    pub(crate) call: Option<Json>,
    pub(crate) say: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) sent: Option<Json>,
    pub(crate) sent_any: Option<Vec<Json>>,
    pub(crate) asks: Option<Vec<String>>,
    pub(crate) refused: Option<Vec<String>>,
    pub(crate) fails: Option<String>,
    pub(crate) shown: Vec<String>,
    pub(crate) hidden: Vec<String>,
    pub(crate) approves: bool,
    pub(crate) either: bool,
}

/// Reads a value of which null is one.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl Case {
    /// The names that the catalog must have.
    pub(crate) fn kept(&self) -> Vec<String> {
        self.kept.clone().unwrap_or_else(|| self.names())
    }

    /// The names of its tools that have one.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.tools.iter().filter_map(|tool| tool.get("name")?.as_str());
        names.map(str::to_owned).collect()
    }

    /// The tool that a try means.
    pub(crate) fn tool(&self, one: &Try) -> String {
        let first = || self.kept().into_iter().next();
        one.tool.clone().or_else(first).unwrap_or_default()
    }
}

impl Try {
    /// The arguments of its call; `None` if the key is left out.
    pub(crate) fn arguments(&self) -> Option<&Json> {
        self.call.as_ref().filter(|arguments| **arguments != "ABSENT")
    }

    /// What is tried, for a table.
    pub(crate) fn label(&self) -> String {
        let label = match (&self.say, &self.call) {
            (Some(words), _) => words.clone(),
            (None, Some(arguments)) => arguments.to_string(),
            (None, None) => String::new(),
        };
        label.chars().take(80).collect()
    }
}

/// The folder of the cases.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/odd")
}

/// The cases of a kind, in their order.
pub(crate) fn cases(kind: &str) -> Vec<Case> {
    let text = fs::read_to_string(folder().join(kind).with_extension("jsonl")).unwrap();
    let mut seen = BTreeSet::new();
    let read = |line: &str| {
        let value = expanded(serde_json::from_str(line).expect(line));
        let case: Case = serde_json::from_value(value).expect(line);
        assert!(case.id.starts_with(&format!("{kind}.")), "`{}` is not of {kind}", case.id);
        assert!(seen.insert(case.id.clone()), "`{}` is there twice", case.id);
        assert!(!case.odd.is_empty(), "`{}` does not say what is odd", case.id);
        case
    };
    text.lines().map(read).collect()
}

/// Writes out the texts that repeat.
fn expanded(value: Json) -> Json {
    match value {
        Json::Object(map) => {
            if let (1, Some(times)) = (map.len(), map.get("$times")) {
                let count = usize::try_from(times[0].as_u64().unwrap()).unwrap();
                return times[1].as_str().unwrap().repeat(count).into();
            }
            map.into_iter().map(|(key, value)| (key, expanded(value))).collect::<Map<_, _>>().into()
        }
        Json::Array(list) => list.into_iter().map(expanded).collect(),
        other => other,
    }
}

/// The cases that are not right yet, with the reason.
pub(crate) fn known() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("known.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let (id, why) = line.split_once(' ').unwrap_or_else(|| panic!("`{line}` has no reason"));
        (id.to_owned(), why.trim().to_owned())
    };
    lines.map(read).collect()
}

/// Takes cases out of those that are not right yet.
pub(crate) fn forget(ids: &[String]) {
    let path = folder().join("known.txt");
    let text = fs::read_to_string(&path).unwrap();
    let is_left =
        |line: &&str| line.split(' ').next().is_none_or(|id| !ids.iter().any(|out| out == id));
    let left: String = text.lines().filter(is_left).map(|line| format!("{line}\n")).collect();
    fs::write(path, left).unwrap();
}
