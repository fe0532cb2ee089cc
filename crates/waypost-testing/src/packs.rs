//! The packs that are shipped, as their folders hold them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A shipped pack.
#[derive(Debug)]
pub struct Shipped {
    /// Its name.
    pub name: String,
    /// Its files and documents: name and text.
    pub files: BTreeMap<String, String>,
    /// The bytes of its trained student.
    pub student: Vec<u8>,
}

impl Shipped {
    /// The pack of this name.
    ///
    /// # Panics
    ///
    /// If there is none, or if one of its files cannot be read.
    pub fn named(name: &str) -> Self {
        let folder = packs().join(name);
        let mut files = texts(&folder, "");
        files.extend(texts(&folder.join("docs"), "docs/"));
        let student = fs::read(folder.join("student.bin")).expect("the pack has a student");
        Self { name: name.to_owned(), files, student }
    }

    /// All packs that are shipped.
    ///
    /// # Panics
    ///
    /// If one of their files cannot be read.
    pub fn all() -> Vec<Self> {
        let folders = entries(&packs()).into_iter().filter(|path| path.is_dir());
        folders.map(|folder| Self::named(&name(&folder))).collect()
    }
}

fn packs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs")
}

/// The texts of a folder by their names, each after `prefix`; none if there is no such folder.
fn texts(folder: &Path, prefix: &str) -> BTreeMap<String, String> {
    if !folder.is_dir() {
        return BTreeMap::new();
    }
    let is_text = |path: &PathBuf| path.is_file() && path.extension().is_none_or(|e| e != "bin");
    let paths = entries(folder).into_iter().filter(is_text);
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a text");
            (format!("{prefix}{}", name(&path)), text)
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
