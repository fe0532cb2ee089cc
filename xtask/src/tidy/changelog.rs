//! The changelog keeps the form that its readers know.

use super::Fault;
use super::tree::Tree;

const FILE: &str = "CHANGELOG.md";

/// The kinds of change, as Keep a Changelog names them.
const KINDS: &[&str] = &["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

/// There is a section for what is not released yet, and every section is of a known kind.
pub(crate) fn changelog(tree: &Tree) -> Vec<Fault> {
    let Some(text) = tree.text(FILE) else {
        return vec![Fault::new(FILE, 0, "the repository must have this file")];
    };
    let mut faults = Vec::new();
    if !text.lines().any(|line| line == "## [Unreleased]") {
        faults.push(Fault::new(FILE, 0, "the section `## [Unreleased]` is missing"));
    }
    for (index, line) in text.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("### ")
            && !KINDS.contains(&kind)
        {
            let message = format!("`{kind}` is no kind of change: there is {}", KINDS.join(", "));
            faults.push(Fault::new(FILE, index + 1, message));
        }
    }
    faults
}
