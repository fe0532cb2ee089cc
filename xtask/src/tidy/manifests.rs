//! Rules for the manifests of the crates.

use toml::{Table, Value};

use super::Fault;
use super::tree::Tree;

/// The crates of this workspace that each may use, and those that its tests may use besides.
const DIRECTION: &[(&str, &[&str], &[&str])] = &[
    ("waypost-text", &[], &[]),
    ("waypost-corpora", &["waypost-text"], &[]),
    ("waypost-core", &["waypost-text"], &[]),
    ("waypost-learning", &["waypost-core", "waypost-text"], &[]),
    ("waypost", &["waypost-core", "waypost-learning", "waypost-text"], &["waypost-testing"]),
    ("waypost-encoder", &[], &[]),
    ("waypost-testing", &["waypost-core", "waypost-text"], &[]),
    ("waypost-demo", &[], &["waypost-testing"]),
    (
        "waypost-backends",
        &["waypost-core", "waypost-encoder", "waypost-learning", "waypost-text"],
        &["waypost", "waypost-testing"],
    ),
    ("waypost-server", &["waypost", "waypost-backends", "waypost-demo"], &["waypost-testing"]),
    ("waypost-examples", &["waypost", "waypost-backends"], &[]),
    ("xtask", &["waypost", "waypost-corpora", "waypost-encoder"], &["waypost-testing"]),
];

fn manifests(tree: &Tree) -> impl Iterator<Item = (&str, Result<Table, toml::de::Error>)> {
    // The fuzz targets are built with another compiler, as a workspace of their own.
    let outside = ["Cargo.toml", "fuzz/Cargo.toml"];
    let files = tree.ending("Cargo.toml").filter(move |(name, _)| !outside.contains(name));
    files.map(|(name, text)| (name, text.parse::<Table>()))
}

/// Every crate takes the lints of the workspace.
pub(crate) fn lints_inherited(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, manifest) in manifests(tree) {
        match manifest {
            Err(error) => faults.push(Fault::new(name, 0, error.message())),
            Ok(manifest) => {
                let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
                if lints != Some(&Value::Boolean(true)) {
                    faults.push(Fault::new(name, 0, "`[lints] workspace = true` is missing"));
                }
            }
        }
    }
    faults
}

/// The program uses the backends, both use the library; never the other way.
pub(crate) fn crate_direction(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (file, manifest) in manifests(tree) {
        let Ok(manifest) = manifest else { continue };
        let name = manifest.get("package").and_then(|package| package.get("name"));
        let name = name.and_then(Value::as_str).unwrap_or_default();
        let Some((_, normal, tests)) = DIRECTION.iter().find(|(known, ..)| *known == name) else {
            let message = format!("`{name}` has no place among the crates (DIRECTION in tidy)");
            faults.push(Fault::new(file, 0, message));
            continue;
        };
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let Some(used) = manifest.get(kind).and_then(Value::as_table) else { continue };
            for used in used.keys().filter(|used| DIRECTION.iter().any(|known| known.0 == **used)) {
                let for_tests = kind == "dev-dependencies" && tests.contains(&used.as_str());
                if !for_tests && !normal.contains(&used.as_str()) {
                    faults.push(Fault::new(file, 0, format!("`{name}` must not use `{used}`")));
                }
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_points_up_is_found() {
        let text = "[package]\nname = \"waypost\"\n[dependencies]\nwaypost-backends = \"1\"\nserde = \"1\"\n";
        let tree = Tree::of(&[("crates/waypost/Cargo.toml", text)]);
        assert_eq!(crate_direction(&tree).len(), 1);
        assert_eq!(lints_inherited(&tree).len(), 1);
    }
}
