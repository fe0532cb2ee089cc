//! `cargo xtask students`: trains the students that the packs of this repository come with.
//!
//! A training gives the same bytes on every run, so `--check` trains again and compares. The files hold the weights
//! that are not 0, in one byte each: at most 1 MiB a pack.

use std::fs;

use anyhow::{Context, Result, bail};
use waypost::pack::Pack;
use waypost::student::heads::train_student;

use crate::tidy::packs::files;
use crate::tidy::tree::Tree;
use crate::{only, root, say};

/// The file of a pack with its student.
const FILE: &str = "student.bin";

/// The largest file, in bytes.
const MOST: usize = 1 << 20;

/// Writes the student of each pack; with `--check` it fails where one is not the same, and writes nothing.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--check"])?;
    let check = !arguments.is_empty();
    let (tree, mut stale) = (Tree::read(&root())?, Vec::new());
    for name in names(&tree) {
        let folder = format!("packs/{name}/");
        let pack = Pack::load(&files(&tree, &folder)).map_err(|faults| {
            anyhow::anyhow!("the pack `{name}` has {} faults: see `waypost lint`", faults.len())
        })?;
        let bytes = train_student(&pack, None, &mut |_| {})?.to_bytes();
        if bytes.len() > MOST {
            bail!("the student of `{name}` has {} bytes, the limit is {MOST}", bytes.len());
        }
        let path = root().join(folder).join(FILE);
        if fs::read(&path).is_ok_and(|known| known == bytes) {
            say(&format!("{name}: {} kB, as before", bytes.len() / 1000));
        } else if check {
            stale.push(name);
        } else {
            fs::write(&path, &bytes).with_context(|| path.display().to_string())?;
            say(&format!("{name}: {} kB, written", bytes.len() / 1000));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("stale students of {}: run `cargo xtask students`", stale.join(", "))
}

/// The names of the packs.
fn names(tree: &Tree) -> Vec<String> {
    let folders = tree.ending("/pack.yaml").filter_map(|(path, _)| {
        let name = path.strip_prefix("packs/")?.strip_suffix("/pack.yaml")?;
        (!name.contains('/')).then(|| name.to_owned())
    });
    folders.collect()
}
