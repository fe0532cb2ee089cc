//! Lays what servers list now over the files of a pack that people have edited since: what they changed stays, what only
//! servers say is taken over.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waypost_core::error::{Code, Error, Result};

use super::blocks::{Block, Key, Page};
use super::{Draft, DraftTool, examples, names, page};
use crate::pack::spec::Access;
use crate::pack::{Files, LOCK_FILE, Lock, LockedTool};

/// The keys of a tool that are a server's alone.
const OF_SERVERS: [&str; 2] = ["description", "schema"];
/// The keys that people may edit; they are taken over where nobody did.
const OF_PEOPLE: [&str; 3] = ["summary", "access", "arguments"];

/// The files after an update, and what is different.
#[derive(Debug, Clone, Default)]
pub struct Updated {
    /// The files that are written.
    pub files: Files,
    /// The tools that are new.
    pub added: Vec<String>,
    /// The tools of which their server says something else.
    pub changed: Vec<String>,
    /// The tools that no server lists any more.
    pub gone: Vec<String>,
    /// What was edited and stays: `TOOL.KEY`.
    pub kept: Vec<String>,
    /// The tools of which their server says now that they do less than the pack does. What a tool may do is lowered by people
    /// alone.
    pub not_lowered: Vec<String>,
    /// The new list by the names that the pack has now.
    pub draft: Draft,
}

/// Updates the files of a pack. Tools of servers that are not in `draft` stay as they are.
///
/// # Errors
///
/// `FAILED_PRECONDITION` if `pack.yaml` is laid out in another way than `init` does; `INVALID_ARGUMENT` if the
/// lock cannot be read.
pub fn update(files: &Files, draft: &Draft) -> Result<Updated> {
    let text = files.get("pack.yaml").map(String::as_str).unwrap_or_default();
    let mut page = Page::read(text).ok_or_else(|| {
        Error::new(Code::FailedPrecondition, "`pack.yaml` has no list of tools that can be updated")
            .with_hint("write `tools:` as a list with one key a line, as `waypost init` does")
    })?;
    let mut lock =
        files.get(LOCK_FILE).map_or_else(|| Ok(Lock::default()), |text| Lock::read(text))?;
    let mut updated = Updated::default();
    let mut lines = String::new();
    let mut found = BTreeSet::new();
    let mut taken = BTreeSet::new();
    // An example that names a tool which people renamed would spoil the pack.
    let mut tools = Vec::new();
    for block in std::mem::take(&mut page.blocks) {
        let name = block.value("name").unwrap_or_default();
        let server = block.value("server").unwrap_or_default();
        let remote = block.value("remote").unwrap_or_else(|| name.clone());
        let listed = draft.tools.iter().find(|tool| tool.server == server && tool.remote == remote);
        let is_asked = draft.servers.iter().any(|spec| spec.name == server);
        match listed {
            Some(listed) => {
                found.insert((server, remote));
                tools.push(DraftTool { name: name.clone(), ..listed.clone() });
                let locked = lock.tools.entry(name.clone()).or_default();
                page.blocks.push(merged(block, listed, &name, locked, &mut updated));
            }
            None if is_asked => {
                let locked = lock.tools.remove(&name).unwrap_or_default();
                lines.push_str(&farewell(&block, &locked));
                updated.gone.push(name);
                continue;
            }
            None => page.blocks.push(block),
        }
        taken.insert(name);
    }
    let mut new = Vec::new();
    for tool in &draft.tools {
        if !found.contains(&(tool.server.clone(), tool.remote.clone())) {
            let name = names::free(&tool.name, &mut taken);
            new.push(DraftTool { name, ..tool.clone() });
        }
    }
    for tool in &new {
        lines.push('\n');
        lines.push_str(&page::block(tool));
        let locked = LockedTool { accepted: tool.fingerprint.clone(), wrote: page::wrote(tool) };
        lock.tools.insert(tool.name.clone(), locked);
        updated.added.push(tool.name.clone());
    }
    page.before = with_servers(&page.before, draft);
    // A list without tools is none.
    let text = if page.blocks.is_empty() && new.is_empty() {
        format!("{}{lines}{}", page.before.replace("\ntools:\n", "\ntools: []\n"), page.after)
    } else {
        let after = std::mem::replace(&mut page.after, lines);
        page.write() + &after
    };
    let old = files.get("examples.jsonl").map(String::as_str).unwrap_or_default();
    let mut said = kept_examples(old, &updated.gone);
    tools.extend(new.iter().cloned());
    updated.draft = Draft { tools, ..draft.clone() };
    said.push_str(&examples::lines(&examples::own_words(&new)));
    updated.files = files.clone();
    updated.files.insert("pack.yaml".to_owned(), text);
    updated.files.insert("examples.jsonl".to_owned(), said);
    updated.files.insert(LOCK_FILE.to_owned(), lock.write()?);
    Ok(updated)
}

/// A tool with what its server says now.
fn merged(
    mut block: Block,
    listed: &DraftTool,
    name: &str,
    locked: &mut LockedTool,
    updated: &mut Updated,
) -> Block {
    if locked.accepted != listed.fingerprint {
        updated.changed.push(name.to_owned());
    }
    let new: BTreeMap<&str, String> = page::keys(listed).into_iter().collect();
    for key in OF_PEOPLE.into_iter().chain(OF_SERVERS) {
        let own = block.keys.iter().position(|known| known.name == key);
        let hash = own.map(|place| page::hash(&block.keys[place].text));
        let is_edited = hash.as_ref() != locked.wrote.get(key);
        if is_edited && OF_PEOPLE.contains(&key) {
            updated.kept.push(format!("{name}.{key}"));
            continue;
        }
        if key == "access" && is_less(listed.access, block.value(key).as_deref()) {
            updated.not_lowered.push(name.to_owned());
            continue;
        }
        match (own, new.get(key)) {
            (Some(place), Some(text)) => block.keys[place].text.clone_from(text),
            (Some(place), None) => {
                block.keys.remove(place);
            }
            (None, Some(text)) => {
                block.keys.push(Key { name: key.to_owned(), text: text.clone(), ..Key::default() });
            }
            (None, None) => {}
        }
        match new.get(key) {
            Some(text) => locked.wrote.insert(key.to_owned(), page::hash(text)),
            None => locked.wrote.remove(key),
        };
    }
    locked.accepted.clone_from(&listed.fingerprint);
    block
}

/// Returns whether an access is less than what the pack says, as far as that can be read.
fn is_less(listed: Access, own: Option<&str>) -> bool {
    let own = own.and_then(|own| serde_json::from_value(Value::from(own)).ok());
    own.is_some_and(|own: Access| listed < own)
}

/// A tool that is gone: nothing, or as a comment what people wrote about it.
fn farewell(block: &Block, locked: &LockedTool) -> String {
    let is_own = |key: &Key| locked.wrote.get(&key.name) == Some(&page::hash(&key.text));
    if block.keys.iter().all(is_own) {
        return String::new();
    }
    let lines = block.write();
    let lines = lines.trim().lines().map(|line| format!("#   {line}\n"));
    format!("\n# Its server does not list it any more:\n{}", lines.collect::<String>())
}

/// The beginning of a page with the servers that it does not have yet.
fn with_servers(before: &str, draft: &Draft) -> String {
    let has = |name: &str| {
        before.lines().any(|line| {
            let line = line.trim_start().trim_start_matches("- ");
            line.strip_prefix("name:")
                .is_some_and(|own| own.trim().trim_matches(['"', '\'']) == name)
        })
    };
    let new: String =
        draft.servers.iter().filter(|spec| !has(&spec.name)).map(page::server).collect();
    before.replacen("\nservers:\n", &format!("\nservers:\n{new}"), 1)
}

/// The examples without those of tools that are gone.
fn kept_examples(text: &str, gone: &[String]) -> String {
    let is_gone =
        |value: &Value| value.as_str().is_some_and(|name| gone.iter().any(|gone| gone == name));
    let mut kept = String::new();
    for line in text.lines() {
        let Ok(mut example) = serde_json::from_str::<Value>(line) else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        let has = |example: &Value, key: &str| {
            example
                .get(key)
                .and_then(Value::as_array)
                .is_some_and(|names| names.iter().any(is_gone))
        };
        if has(&example, "tools") {
            continue;
        }
        if has(&example, "not")
            && let Some(not) = example.get_mut("not").and_then(Value::as_array_mut)
        {
            not.retain(|name| !is_gone(name));
            kept.push_str(&format!("{example}\n"));
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}
