//! A record that leaves the process is a promise, and a golden file of `spec/wire` shows it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Fault;
use super::source::shipped;
use super::tree::Tree;

/// The folder where records are declared.
const RECORDS: &str = "crates/waypost-core/src/records/";
/// The folder of their golden files.
const GOLDEN: &str = "spec/wire/";

/// Every public record that can be written is named in `types` of a golden file.
pub(crate) fn golden_files(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let shown = shown(tree);
    for (file, text) in tree.ending(".rs").filter(|(name, _)| name.starts_with(RECORDS)) {
        for (line, name) in written(&shipped(text)) {
            if !shown.contains(name.as_str()) {
                let message =
                    format!("`{name}` derives `Serialize`, and no file of `{GOLDEN}` shows it");
                faults.push(Fault::new(file, line, message));
            }
        }
    }
    faults
}

/// The types that golden files name.
fn shown(tree: &Tree) -> BTreeSet<String> {
    let files = tree.ending(".json").filter(|(name, _)| name.starts_with(GOLDEN));
    let values = files.filter_map(|(_, text)| serde_json::from_str::<Value>(text).ok());
    let types = values.filter_map(|value| value.get("types")?.as_array().cloned());
    types.flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// The public types of a file that derive `Serialize`, each with its line.
fn written(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    for (at, _) in code.match_indices("#[derive(") {
        let Some(end) = code[at..].find(")]") else { continue };
        let derived = code[at..at + end].split(|c: char| !c.is_alphanumeric());
        let item = code[at + end..].split("#[derive(").next().unwrap_or_default();
        if derived.into_iter().any(|word| word == "Serialize")
            && let Some(name) = public_type(item)
        {
            found.push((line(at), name));
        }
    }
    found
}

/// The name of the first type of an item, if it is public.
fn public_type(item: &str) -> Option<String> {
    let mut lines = item.lines().map(str::trim_start);
    let declares = |line: &&str| line.contains("struct ") || line.contains("enum ");
    let rest = lines.find(declares)?.strip_prefix("pub ")?;
    let name = rest.strip_prefix("struct ").or_else(|| rest.strip_prefix("enum "))?;
    Some(word(name))
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_a_golden_file_is_found() {
        let record = "//! x\n\n#[derive(Debug, Serialize)]\n#[serde(default)]\npub struct Told {}\n\n\
                      #[derive(Debug, Deserialize)]\npub struct Read {}\n\n\
                      #[derive(Serialize)]\nstruct Own {}\n\n\
                      #[derive(Clone, Serialize)]\npub enum Word {}\n";
        let golden = "{ \"types\": [\"Told\"] }";
        let file = "crates/waypost-core/src/records/told.rs";
        let bare = Tree::of(&[(file, record)]);
        let lines: Vec<usize> = golden_files(&bare).iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [3, 13]);
        let shown = Tree::of(&[(file, record), ("spec/wire/records/told.json", golden)]);
        assert_eq!(golden_files(&shown).len(), 1, "`Word` is not shown still");
    }
}
