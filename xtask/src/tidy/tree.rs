//! The files that tidy looks at: every tracked or new text file that git does not ignore.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result};

/// The text files of the repository by their path from its root, with `/` between the parts.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<String, String>,
    /// The files that hold no text.
    pub(crate) others: Vec<String>,
}

impl Tree {
    /// Reads the files below `root`. Files that are not UTF-8 hold no text.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let (mut files, mut others) = (BTreeMap::new(), Vec::new());
        for name in names(root)? {
            match fs::read(root.join(&name)) {
                Ok(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => drop(files.insert(name, text)),
                    Err(_) => others.push(name),
                },
                // Removed, and git has not been told yet.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("cannot read `{name}`")),
            }
        }
        Ok(Self { files, others })
    }

    /// The files whose name has this ending.
    pub(crate) fn ending<'a>(
        &'a self,
        ending: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        all.filter(move |(name, _)| name.ends_with(ending))
    }

    /// The text of a file.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Returns whether there is a file or a folder of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let folder = format!("{}/", name.trim_end_matches('/'));
        self.files.contains_key(name) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// A tree for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let owned = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Self { files: owned.collect(), others: Vec::new() }
    }
}

fn names(root: &Path) -> Result<Vec<String>> {
    let git = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output();
    match git {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
        }
        // A source archive has no git: then everything counts that is not a build output.
        _ => {
            let mut names = Vec::new();
            walk(root, root, &mut names).context("cannot list the files of the repository")?;
            Ok(names)
        }
    }
}

fn walk(root: &Path, folder: &Path, names: &mut Vec<String>) -> io::Result<()> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            if name != "target" && name != ".git" {
                walk(root, &path, names)?;
            }
        } else {
            names.push(name);
        }
    }
    Ok(())
}
