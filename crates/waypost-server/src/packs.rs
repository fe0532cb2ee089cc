//! Loads packs: those in the binary by name, others from a folder.

use std::borrow::Cow;
use std::fs;
use std::io::Read;
use std::path::Path;

use tracing::warn;
use waypost::pack::{Fault, Files, LOCK_FILE, Pack, did_you_mean};
use waypost::{Code, Error};

use crate::failure::Failure;

/// A pack in this binary.
pub(crate) struct Embedded {
    pub(crate) name: &'static str,
    /// Its files: name and text.
    files: &'static [(&'static str, &'static str)],
    /// Its cases: questions that are no examples, with the right answers. Empty where it has none.
    cases: &'static str,
    /// The bytes of its trained student.
    student: Option<&'static [u8]>,
}

/// The packs in this binary. A static, because each use of a constant would copy megabytes.
pub(crate) static EMBEDDED: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The file of a folder with the trained student of its pack: `waypost train --out` writes it.
const STUDENT_FILE: &str = "student.bin";

/// The largest student that is read beside a pack, in bytes.
const MAX_STUDENT_BYTES: u64 = 64 * 1024 * 1024;

/// The largest file of a pack, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The most files of a pack.
const MAX_FILES: usize = 1000;

/// Loads a pack by its name in the binary or from a folder.
pub(crate) fn load(name: &str) -> Result<Pack, Failure> {
    with_files(name).map(|(_, pack)| pack)
}

/// The name of a pack, whether or not it has faults: the one that its `pack.yaml` gives, or else that of its folder.
pub(crate) fn name(pack: &str) -> String {
    let folder = Path::new(pack);
    let file = fs::File::open(folder.join("pack.yaml"));
    let mut text = String::new();
    if let Some(file) = file.ok().filter(|_| embedded(pack).is_none()) {
        // What is no text ends it.
        let _ = file.take(MAX_FILE_BYTES).read_to_string(&mut text);
    }
    let given = text.lines().find_map(|line| line.strip_prefix("name:"));
    let given = given.map(|name| name.split(" #").next().unwrap_or_default());
    let given =
        given.map(|name| name.trim_matches(|c: char| c.is_whitespace() || "\"'".contains(c)));
    let of_folder = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let given = given.filter(|name| !name.is_empty()).map(str::to_owned);
    given.or_else(of_folder).unwrap_or_else(|| pack.to_owned())
}

/// The pack of this name in this binary.
pub(crate) fn embedded(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|pack| pack.name == name)
}

/// Loads a pack as [`load`] does, and returns its files too.
pub(crate) fn with_files(name: &str) -> Result<(Files, Pack), Failure> {
    let (files, student): (Files, Option<Cow<'static, [u8]>>) = match embedded(name) {
        Some(pack) => {
            let text = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
            (pack.files.iter().map(text).collect(), pack.student.map(Cow::Borrowed))
        }
        None => (read(name)?, student(Path::new(name)).map(Cow::Owned)),
    };
    let mut pack = Pack::load(&files).map_err(|faults| Failure::usage(report(name, &faults)))?;
    pack.student = student;
    Ok((files, pack))
}

/// The bytes of the student beside a pack in a folder. One that cannot be read is told, and the pack does without it.
fn student(folder: &Path) -> Option<Vec<u8>> {
    let path = folder.join(STUDENT_FILE);
    let file = fs::File::open(&path).ok()?;
    let mut bytes = Vec::new();
    let fault = match file.take(MAX_STUDENT_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 <= MAX_STUDENT_BYTES => return Some(bytes),
        Ok(_) => format!("it has more than {MAX_STUDENT_BYTES} bytes, the limit"),
        Err(error) => error.to_string(),
    };
    warn!("cannot read `{}`: {fault}; the pack does without it", path.display());
    None
}

/// The text of the cases of a pack, by its name in the binary or from its folder; empty where it has
/// none.
pub(crate) fn cases(name: &str) -> Result<String, Failure> {
    match embedded(name) {
        Some(pack) => Ok(pack.cases.to_owned()),
        None => Ok(read(name)?.remove("cases.jsonl").unwrap_or_default()),
    }
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
        let known = EMBEDDED.iter().map(|pack| pack.name);
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
