//! The rules of this repository that no compiler knows, as one table; also a test, so that
//! `cargo test --workspace` holds them.

mod changelog;
mod code;
mod dependencies;
mod layers;
mod manifests;
mod matrix;
pub(crate) mod packs;
mod promises;
mod purity;
pub(crate) mod source;
mod spdx;
mod tables;
mod text;
pub(crate) mod tree;

use std::fmt;

use anyhow::{Result, bail};

use crate::{only, requirements, root, say};
use tree::Tree;

/// A broken rule, where it is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    pub(crate) file: String,
    /// From 1; 0 where the fault is of the whole file.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// A rule: its name, and the function that finds where it is broken.
type Rule = (&'static str, fn(&Tree) -> Vec<Fault>);

/// Every rule, from the single character to the whole.
const RULES: &[Rule] = &[
    ("white-space", text::white_space),
    ("binaries", text::binaries),
    ("machine-paths", text::machine_paths),
    ("registry-hosts", text::registry_hosts),
    ("module-docs", code::module_docs),
    ("file-length", code::file_length),
    ("marks", code::marks),
    ("json-lines", packs::json_lines),
    ("cases-unseen", packs::cases_unseen),
    ("packs-load", packs::packs_load),
    ("message-keys", packs::message_keys),
    ("documented-example", packs::documented_example),
    ("documented-keys", packs::documented_keys),
    ("purity", purity::purity),
    ("module-order", layers::module_order),
    ("tables", tables::tables),
    ("read-once", purity::read_once),
    ("entered-once", purity::entered_once),
    ("events-from-router", purity::events_from_router),
    ("approved-by-gates", purity::approved_by_gates),
    ("lints-inherited", manifests::lints_inherited),
    ("crate-direction", manifests::crate_direction),
    ("golden-files", promises::golden_files),
    ("fault-matrix", matrix::fault_matrix),
    ("changelog", changelog::changelog),
    ("requirements", requirements::faults),
    ("bans", dependencies::bans),
    ("licenses", dependencies::licenses),
];

/// Checks every rule on the tracked files.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    let faults = check(&Tree::read(&root())?);
    for (rule, fault) in &faults {
        say(&format!("{fault}  [{rule}]"));
    }
    match faults.len() {
        0 => Ok(()),
        1 => bail!("tidy found 1 fault"),
        count => bail!("tidy found {count} faults"),
    }
}

fn check(tree: &Tree) -> Vec<(&'static str, Fault)> {
    let found = |(name, rule): &Rule| {
        let mut faults = rule(tree);
        faults.sort();
        faults.into_iter().map(|fault| (*name, fault)).collect::<Vec<_>>()
    };
    RULES.iter().flat_map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let faults = check(&Tree::read(&root()).unwrap());
        let lines: Vec<String> =
            faults.iter().map(|(rule, fault)| format!("{fault}  [{rule}]")).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }
}
