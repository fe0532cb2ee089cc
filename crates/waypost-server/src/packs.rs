//! Loads packs: those in the binary by name, others from a folder.

use std::fs;
use std::path::Path;

use waypost::pack::{Fault, Files, LOCK_FILE, Pack, did_you_mean};
use waypost::{Code, Error};

use crate::failure::Failure;

/// The packs in this binary: name, then file name and text.
pub(crate) const EMBEDDED: &[(&str, &[(&str, &str)])] =
    include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The cases of the packs in this binary that have some: questions that are no examples, with the
/// right answers.
const CASES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// The largest file of a pack, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The most files of a pack.
const MAX_FILES: usize = 1000;

/// Loads a pack by its name in the binary or from a folder.
pub(crate) fn load(name: &str) -> Result<Pack, Failure> {
    with_files(name).map(|(_, pack)| pack)
}

/// Loads a pack as [`load`] does, and returns its files too.
pub(crate) fn with_files(name: &str) -> Result<(Files, Pack), Failure> {
    let files: Files = match EMBEDDED.iter().find(|(known, _)| *known == name) {
        Some((_, files)) => {
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        }
        None => read(name)?,
    };
    let pack = Pack::load(&files).map_err(|faults| Failure::usage(report(name, &faults)))?;
    Ok((files, pack))
}

/// The text of the cases of a pack, by its name in the binary or from its folder; empty where it has
/// none.
pub(crate) fn cases(name: &str) -> Result<String, Failure> {
    if EMBEDDED.iter().any(|(known, _)| *known == name) {
        let cases = CASES.iter().find(|(known, _)| *known == name);
        return Ok(cases.map(|(_, text)| (*text).to_owned()).unwrap_or_default());
    }
    Ok(read(name)?.remove("cases.jsonl").unwrap_or_default())
}

pub(crate) fn report(name: &str, faults: &[Fault]) -> Error {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let count = match faults.len() {
        1 => "1 fault".to_owned(),
        n => format!("{n} faults"),
    };
    Error::invalid(format!("the pack `{name}` has {count}\n{}", lines.join("\n")))
}

/// The files of a pack's folder, whatever they hold.
pub(crate) fn read(name: &str) -> Result<Files, Failure> {
    let folder = Path::new(name);
    if !folder.is_dir() {
        let known = EMBEDDED.iter().map(|(name, _)| *name);
        let error = Error::new(Code::InvalidArgument, format!("there is no pack `{name}`"))
            .with_hint(format!(
                "{} (or give a folder that holds a `pack.yaml`)",
                did_you_mean(name, known)
            ));
        return Err(Failure::usage(error));
    }
    let mut files = Files::new();
    if !folder.join("pack.yaml").is_file() {
        // Nothing else of a folder that is no pack is read; the loader says what is missing.
        return Ok(files);
    }
    collect(folder, "", &["yaml", "jsonl", LOCK_FILE], &mut files)?;
    if folder.join("docs").is_dir() {
        collect(&folder.join("docs"), "docs/", &["md"], &mut files)?;
    }
    Ok(files)
}

/// Reads the files of one folder with one of the endings; links are not followed.
fn collect(folder: &Path, prefix: &str, kinds: &[&str], files: &mut Files) -> Result<(), Failure> {
    let unreadable = |path: &Path, why: &dyn std::fmt::Display| {
        Failure::usage(Error::invalid(format!("cannot read `{}`: {why}", path.display())))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let wanted = kinds.iter().any(|kind| name == *kind || name.ends_with(&format!(".{kind}")));
        let metadata = entry.metadata().map_err(|error| unreadable(&path, &error))?;
        if !wanted || !metadata.is_file() || files.len() >= MAX_FILES {
            continue;
        }
        if metadata.len() > MAX_FILE_BYTES {
            let why = format!("it has {} bytes, the limit is {MAX_FILE_BYTES}", metadata.len());
            return Err(unreadable(&path, &why));
        }
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        files.insert(format!("{prefix}{name}"), text);
    }
    Ok(())
}
