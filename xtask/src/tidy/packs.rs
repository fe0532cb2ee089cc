//! Rules for data: packs, their cases, the sentences of the program, and the documented example.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use waypost::pack::{Files, Pack};

use super::Fault;
use super::tree::Tree;

/// Every line of a `.jsonl` file is JSON.
pub(crate) fn json_lines(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".jsonl") {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if let Err(error) = serde_json::from_str::<Value>(line) {
                faults.push(Fault::new(name, index + 1, format!("not JSON: {error}")));
            }
        }
    }
    faults
}

/// No case that tests a pack is a text that its student has learned by heart.
pub(crate) fn cases_unseen(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for folder in folders(tree) {
        let name = format!("{folder}/cases.jsonl");
        for file in ["examples.jsonl", "answers.jsonl"] {
            let learned = texts(tree, &format!("{folder}/{file}"));
            for (text, line) in texts(tree, &name) {
                if let Some(known) = learned.get(&text) {
                    let message = format!("the text is also in {file}, line {known}");
                    faults.push(Fault::new(&name, line, message));
                }
            }
        }
    }
    faults
}

/// The texts of a file with their lines; texts that differ in case, width or their last sign alone are the same.
fn texts(tree: &Tree, name: &str) -> BTreeMap<String, usize> {
    let lines = tree.text(name).unwrap_or_default().lines().enumerate();
    let texts = lines.filter_map(|(index, line)| {
        let record: Value = serde_json::from_str(line).ok()?;
        let text: String = record.get("text")?.as_str()?.nfkc().collect();
        let ends = |c: char| c.is_whitespace() || ".?!。".contains(c);
        Some((text.to_lowercase().trim().trim_end_matches(ends).to_owned(), index + 1))
    });
    texts.collect()
}

/// The folders that hold a pack.
fn folders(tree: &Tree) -> impl Iterator<Item = &str> {
    tree.ending("/pack.yaml").filter_map(|(name, _)| name.strip_suffix("/pack.yaml"))
}

/// Every pack of this repository loads, those of the documents among them.
pub(crate) fn packs_load(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for folder in folders(tree) {
        let prefix = format!("{folder}/");
        if let Err(found) = Pack::load(&files(tree, &prefix)) {
            faults.extend(found.iter().map(|fault| {
                let line = usize::try_from(fault.line).unwrap_or_default();
                Fault::new(&format!("{prefix}{}", fault.file), line, fault.message.clone())
            }));
        }
    }
    faults
}

/// The files below a folder, which ends with `/`.
pub(crate) fn files(tree: &Tree, folder: &str) -> Files {
    let inside = |(name, text): (&String, &String)| {
        Some((name.strip_prefix(folder)?.to_owned(), text.clone()))
    };
    tree.files.iter().filter_map(inside).collect()
}

/// The folder of the program's own sentences.
const MESSAGES: &str = "crates/waypost/src/pack/messages/";

/// Every language has every sentence.
pub(crate) fn message_keys(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut keys: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in tree.ending(".yaml").filter(|(name, _)| name.starts_with(MESSAGES)) {
        match serde_saphyr::from_str::<Value>(text) {
            Err(error) => faults.push(Fault::new(name, 0, error.to_string())),
            Ok(value) => {
                let mut found = BTreeSet::new();
                flatten(&value, "", &mut found);
                keys.insert(name, found);
            }
        }
    }
    if keys.len() < 5 {
        faults.push(Fault::new(MESSAGES, 0, "there must be a file for each of the five languages"));
    }
    let all: BTreeSet<&String> = keys.values().flatten().collect();
    for (name, found) in &keys {
        let missing = all.iter().filter(|key| !found.contains(**key));
        faults.extend(missing.map(|key| Fault::new(name, 0, format!("`{key}` is missing"))));
    }
    faults
}

fn flatten(value: &Value, at: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                flatten(value, &at, keys);
            }
        }
        _ => {
            keys.insert(at.to_owned());
        }
    }
}

/// The page that explains packs, and the folder of its example.
const GUIDE: &str = "docs/PACKS.md";
const EXAMPLE: &str = "examples/packs/minimal/";

/// The example in the guide is the example in the folder, word for word.
pub(crate) fn documented_example(tree: &Tree) -> Vec<Fault> {
    let guide = tree.text(GUIDE).unwrap_or_default();
    let mut faults = Vec::new();
    for (name, text) in tree.files.iter().filter(|(name, _)| name.starts_with(EXAMPLE)) {
        let title = format!("`{name}`:\n\n```");
        let block = guide.split_once(&title).and_then(|(_, rest)| {
            let (_, body) = rest.split_once('\n')?;
            body.split_once("\n```\n").map(|(body, _)| format!("{body}\n"))
        });
        let message = match block {
            None => format!("`{name}:` and its text are missing"),
            Some(block) if block != *text => format!("`{name}` reads differently in the file"),
            Some(_) => continue,
        };
        faults.push(Fault::new(GUIDE, 0, message));
    }
    faults
}

/// The guide explains every key of `pack.yaml`, and so of the schema that editors use.
pub(crate) fn documented_keys(tree: &Tree) -> Vec<Fault> {
    let guide = tree.text(GUIDE).unwrap_or_default();
    let mut keys = BTreeSet::new();
    properties(&Pack::schema(), &mut keys);
    let missing = keys.iter().filter(|key| !guide.contains(&format!("`{key}`")));
    missing.map(|key| Fault::new(GUIDE, 0, format!("the key `{key}` is not explained"))).collect()
}

/// The names of all properties in a schema, wherever they stand.
fn properties(schema: &Value, keys: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(known)) = map.get("properties") {
                keys.extend(known.keys().cloned());
            }
            map.values().for_each(|value| properties(value, keys));
        }
        Value::Array(items) => items.iter().for_each(|item| properties(item, keys)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_was_learned_is_found_however_it_is_written() {
        let tree = Tree::of(&[
            ("p/pack.yaml", ""),
            ("p/examples.jsonl", "{\"text\": \"sst at １２Ｅ\"}\n"),
            ("p/cases.jsonl", "{\"text\": \"tides\"}\n{\"text\": \" SST at 12E \"}\n"),
        ]);
        let lines: Vec<usize> = cases_unseen(&tree).iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn a_sentence_that_a_language_lacks_is_named() {
        let file = |tag: &str| format!("{MESSAGES}{tag}.yaml");
        let names = ["en", "es", "vi", "zh-Hans", "zh-Hant"].map(file);
        let mut files: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "a: x\nb:\n  c: y\n")).collect();
        files[2].1 = "a: x\n";
        let found: Vec<String> =
            message_keys(&Tree::of(&files)).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["crates/waypost/src/pack/messages/vi.yaml: `b.c` is missing"]);
    }
}
