//! Rules for every file: white space, and nothing that belongs to one machine.

use super::Fault;
use super::tree::Tree;

/// Lines end where their text ends, files end with one line break.
pub(crate) fn white_space(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in &tree.files {
        for (index, line) in text.lines().enumerate() {
            if line.ends_with([' ', '\t', '\u{3000}']) {
                faults.push(Fault::new(name, index + 1, "white space at the end of the line"));
            }
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            let last = text.lines().count();
            faults.push(Fault::new(name, last, "the file must end with exactly one line break"));
        }
        if text.contains('\r') {
            faults.push(Fault::new(name, 0, "lines must end with a line feed alone"));
        }
    }
    faults
}

/// The files without text that belong here: students, pictures, weights of the tests.
const BINARIES: [&str; 3] = [".bin", ".png", ".safetensors"];

/// No file without text comes in unseen, such as a package that somebody downloaded.
pub(crate) fn binaries(tree: &Tree) -> Vec<Fault> {
    let strange = tree.others.iter().filter(|name| !BINARIES.iter().any(|end| name.ends_with(end)));
    strange.map(|name| Fault::new(name, 0, "a file without text that no rule knows")).collect()
}

/// Folders that only one machine has; written in pieces so that this file does not break its rule.
const MACHINE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// No file knows where somebody's copy of it lies.
pub(crate) fn machine_paths(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in &tree.files {
        for (line, found) in hits(text, MACHINE) {
            faults.push(Fault::new(name, line, format!("`{found}` is a path of one machine")));
        }
    }
    faults
}

/// Hosts of package registries, in pieces likewise.
const REGISTRIES: &[&str] = &[
    concat!("crates", ".io"),
    concat!("docs", ".rs"),
    concat!("pypi", ".org"),
    concat!("npmjs", ".com"),
    concat!("npmjs", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("maven", ".org"),
    concat!("deb.debian", ".org"),
];

/// The words with which Cargo.lock names the source of its packages.
const LOCKED: &str =
    concat!("source = \"registry+https://github.com/rust-lang/crates", ".io-index");

/// No file names the host of a package registry; cargo's own lines in Cargo.lock may.
pub(crate) fn registry_hosts(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in &tree.files {
        for (line, found) in hits(text, REGISTRIES) {
            let locked = || text.lines().nth(line - 1).is_some_and(|text| text.starts_with(LOCKED));
            if name != "Cargo.lock" || !locked() {
                faults.push(Fault::new(name, line, format!("`{found}` is a package registry")));
            }
        }
    }
    faults
}

/// Finds the places where one of `words` stands and does not go on from a longer name.
fn hits<'a>(text: &str, words: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut hits = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for word in words {
            let starts = line.match_indices(word).any(|(at, _)| {
                !line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || ".-_".contains(c))
            });
            if starts {
                hits.push((index + 1, *word));
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_found_where_it_is() {
        let tree =
            Tree::of(&[("a", "x \ny\n"), ("b", "x"), ("c", "x\n\n"), ("d", "x\n"), ("e", "")]);
        let found: Vec<String> = white_space(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("a:1: white space"));
        assert!(found[1].starts_with("b:1: ") && found[2].starts_with("c:2: "));
    }

    #[test]
    fn a_package_that_somebody_downloaded_is_found() {
        let others = ["packs/ocean/student.bin", "a.whl", "docs/page.png"].map(str::to_owned);
        let faults = binaries(&Tree { others: others.to_vec(), ..Tree::default() });
        assert_eq!(faults.len(), 1);
        assert!(faults[0].file == "a.whl", "{faults:?}");
    }

    #[test]
    fn paths_of_machines_are_told_from_parts_of_longer_ones() {
        let home = concat!("/ho", "me/");
        let text = format!("see {home}me\nsite{home}page\n");
        let faults = machine_paths(&Tree::of(&[("a", &text)]));
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn only_the_lock_file_names_its_registry() {
        let line = format!("{LOCKED}\"\n");
        assert_eq!(registry_hosts(&Tree::of(&[("Cargo.lock", &line)])), []);
        assert_eq!(registry_hosts(&Tree::of(&[("README.md", &line)])).len(), 1);
    }
}
