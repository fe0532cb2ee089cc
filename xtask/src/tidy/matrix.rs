//! A row of the fault matrix is shown by a test that is there.

use super::Fault;
use super::tree::Tree;

/// The document with the matrix.
const DOCUMENT: &str = "docs/RELIABILITY.md";
/// The columns of a row, and which of them names its tests.
const COLUMNS: usize = 5;

/// Every row of the matrix names a test or a file, and each that it names is there.
pub(crate) fn fault_matrix(tree: &Tree) -> Vec<Fault> {
    let Some(text) = tree.text(DOCUMENT) else { return Vec::new() };
    let mut faults = Vec::new();
    for (line, row) in text.lines().enumerate() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let is_row = row.starts_with("| ") && cells.len() == COLUMNS && cells[4] != "test";
        if !is_row {
            continue;
        }
        let named: Vec<&str> = cells[4].split('`').skip(1).step_by(2).collect();
        if named.is_empty() {
            faults.push(Fault::new(DOCUMENT, line + 1, "the row names no test"));
        }
        for name in named.into_iter().filter(|name| !is_there(tree, name)) {
            let message = format!("there is no test `{name}`");
            faults.push(Fault::new(DOCUMENT, line + 1, message));
        }
    }
    faults
}

/// Returns whether there is a function or a folder of that name.
fn is_there(tree: &Tree, name: &str) -> bool {
    let function = format!("fn {name}(");
    tree.has(name) || tree.ending(".rs").any(|(_, text)| text.contains(&function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_its_test_is_a_fault() {
        let document = "| part | fault | sees | kept | test |\n|---|---|---|---|---|\n\
            | a | b | c | d | `it_holds` |\n| a | b | c | d | `it_is_gone` |\n| a | b | c | d | none |\n";
        let tree = Tree::of(&[(DOCUMENT, document), ("a.rs", "fn it_holds() {}")]);
        let faults: Vec<String> = fault_matrix(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "docs/RELIABILITY.md:4: there is no test `it_is_gone`",
                "docs/RELIABILITY.md:5: the row names no test",
            ]
        );
    }
}
