//! Writes `pack.yaml` for people to go on with, key by key, so that an update can tell what was edited.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Draft, DraftTool, yaml};
use crate::pack::digest;
use crate::pack::spec::{Access, ServerSpec};

/// The column of a tool's keys.
pub(super) const INDENT: usize = 4;

/// The text of `pack.yaml`.
pub(super) fn page(draft: &Draft) -> String {
    let servers: Vec<&str> = draft.servers.iter().map(|server| server.name.as_str()).collect();
    let servers = servers.join(", ");
    let languages: Vec<&str> = draft.languages.iter().map(|language| language.tag()).collect();
    let mut page = format!(
        "# The tools of {servers}, as `waypost init` found them.\n\
         # All of it may be edited: `waypost init --update` keeps summaries, arguments, answers and examples that\n\
         # people changed, and takes descriptions and schemas from the servers.\n"
    );
    let serves = format!("Runs the tools of {servers}.");
    let wants = format!("The user wants something that a tool of {servers} does.");
    for (key, value) in [
        ("name", json!(draft.name)),
        ("summary", json!(serves)),
        ("format", json!(1)),
        ("languages", json!(languages)),
        ("tz", json!("UTC")),
    ] {
        page.push_str(&yaml::entry(key, &value, 0));
    }
    page.push_str("\nroutes:\n  - name: tool\n    handler: tool\n");
    page.push_str(&yaml::entry("summary", &json!(wants), INDENT));
    page.push_str("fallback: tool\n");
    page.push_str(
        "\n# Tools are chosen by what is written about them, and by what people really say as far as examples.jsonl has it.\n\
         selection: catalog\n\nservers:\n",
    );
    draft.servers.iter().for_each(|spec| page.push_str(&server(spec)));
    page.push_str("\ntools:\n");
    let tools: Vec<String> = draft.tools.iter().map(block).collect();
    page.push_str(&tools.join("\n"));
    if tools.is_empty() {
        page.truncate(page.len() - "tools:\n".len());
        page.push_str("tools: []\n");
    }
    page
}

/// A server as an item of the list.
pub(super) fn server(spec: &ServerSpec) -> String {
    let written = serde_json::to_value(spec).unwrap_or_default();
    let keys = written.as_object().into_iter().flatten();
    let keys = keys.filter(|(_, value)| !value.is_null() && **value != json!([]));
    let keys: Vec<String> = keys.map(|(key, value)| yaml::entry(key, value, INDENT)).collect();
    item(&keys)
}

/// A tool as an item of the list.
pub(super) fn block(tool: &DraftTool) -> String {
    let keys: Vec<String> = keys(tool).into_iter().map(|(_, text)| text).collect();
    item(&keys)
}

/// Keys as an item of a list: a dash before the first.
fn item(keys: &[String]) -> String {
    let text = keys.concat();
    format!("{}- {}", " ".repeat(INDENT - 2), text.trim_start())
}

/// The keys of a tool, each with its text.
pub(super) fn keys(tool: &DraftTool) -> Vec<(&'static str, String)> {
    let access = match tool.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Destructive => "destructive",
    };
    let mut keys = vec![("name", json!(tool.name)), ("server", json!(tool.server))];
    if tool.remote != tool.name {
        keys.push(("remote", json!(tool.remote)));
    }
    keys.extend([("summary", json!(tool.summary)), ("access", json!(access))]);
    if !tool.defaults.is_empty() {
        let arguments: serde_json::Map<String, Value> = tool
            .defaults
            .iter()
            .map(|(name, value)| (name.clone(), json!({ "default": value })))
            .collect();
        keys.push(("arguments", Value::Object(arguments)));
    }
    if !tool.description.is_empty() && tool.description != tool.summary {
        keys.push(("description", json!(tool.description)));
    }
    keys.push(("schema", tool.schema.clone()));
    keys.into_iter().map(|(key, value)| (key, yaml::entry(key, &value, INDENT))).collect()
}

/// The hashes of the keys of a tool as they are written.
pub(super) fn wrote(tool: &DraftTool) -> BTreeMap<String, String> {
    keys(tool).into_iter().map(|(key, text)| (key.to_owned(), hash(&text))).collect()
}

/// The hash of the text of a key; spaces at its end do not matter.
pub(super) fn hash(text: &str) -> String {
    digest(text.trim_end()).chars().take(16).collect()
}
