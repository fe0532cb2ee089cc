//! Measures the size of the code: the lines that ship, crate by crate, and the shape of the
//! library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::tidy::source;
use crate::tidy::tree::Tree;
use crate::{print, root};

/// The folder whose entries and depth are printed: the library's.
const ROOMS: &str = "crates/waypost/src/";

/// The number of files, and of their lines.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Size {
    files: usize,
    /// Lines with comments and blank ones, without the items and files of tests and benchmarks.
    lines: usize,
}

/// Prints the figures of this repository, or of another copy of it: `size [FOLDER]`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let folder = match arguments {
        [] => root(),
        [folder] => PathBuf::from(folder),
        _ => bail!("one folder at most"),
    };
    let tree = Tree::read(&folder)?;
    let crates = sizes(&tree);
    print("crate                 files   lines without tests");
    for (name, size) in &crates {
        print(&format!("{name:20} {:6} {:9}", size.files, size.lines));
    }
    let (files, lines) =
        crates.values().fold((0, 0), |sum, size| (sum.0 + size.files, sum.1 + size.lines));
    print(&format!("{:20} {files:6} {lines:9}", "all"));
    let (entries, depth) = shape(&tree, ROOMS);
    print(&format!("{ROOMS}: {entries} entries, folders {depth} deep"));
    Ok(())
}

/// The lines that ship, of all crates.
pub(crate) fn lines(tree: &Tree) -> u64 {
    sizes(tree).values().map(|size| size.lines as u64).sum()
}

/// The files that ship and their lines, by crate.
fn sizes(tree: &Tree) -> BTreeMap<String, Size> {
    let tests = source::test_files(tree);
    let mut crates: BTreeMap<String, Size> = BTreeMap::new();
    for (name, text) in tree.ending(".rs").filter(|(name, _)| !tests.contains(*name)) {
        let path = name.strip_prefix("crates/").unwrap_or(name);
        let size = crates.entry(path.split('/').next().unwrap_or(path).to_owned()).or_default();
        size.files += 1;
        size.lines += source::shipped_lines(text);
    }
    crates
}

/// Returns the number of entries of a folder, and the depth of its deepest file in folders.
fn shape(tree: &Tree, folder: &str) -> (usize, usize) {
    let paths: Vec<&str> = tree.files.keys().filter_map(|name| name.strip_prefix(folder)).collect();
    let entries: BTreeSet<&str> = paths.iter().filter_map(|path| path.split('/').next()).collect();
    let depth = paths.iter().map(|path| path.matches('/').count()).max().unwrap_or(0);
    (entries.len(), depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_see_does_not_count() {
        let text = "//! A.\n#[cfg(test)]\nmod tests;\nfn a() {}\n\n#[cfg(test)]\nmod more {\n    fn b() {}\n}\n";
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", text),
            ("crates/a/src/tests.rs", "fn c() {}\n"),
            ("crates/a/src/b/c/mod.rs", "fn d() {}\n"),
            ("crates/a/tests/e.rs", "fn f() {}\n"),
            ("xtask/src/main.rs", "fn main() {}\n"),
        ]);
        let found = sizes(&tree);
        assert_eq!(found["a"], Size { files: 2, lines: 4 });
        assert_eq!(found["xtask"], Size { files: 1, lines: 1 });
        assert_eq!(shape(&tree, "crates/a/src/"), (3, 2));
    }
}
