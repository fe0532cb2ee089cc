//! The folder of a pack: what may be written where, and from where its commands find their files.

use std::fs;
use std::path::Path;

use waypost::Error;
use waypost::pack::spec::ServerSpec;
use waypost::pack::{Files, LOCK_FILE};

use crate::failure::Failure;
use crate::files;

/// Fails if something is in a folder already.
pub(super) fn check_free(folder: &Path) -> Result<(), Failure> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    if is_free {
        return Ok(());
    }
    let name = folder.display();
    let error = Error::invalid(format!("`{name}` is there already, and not empty")).with_hint(
        format!("name another folder, or list its tools again: `waypost init --update {name}`"),
    );
    Err(Failure::usage(error))
}

/// Writes the files of a pack.
pub(super) fn write(folder: &Path, files: &Files) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| files::unwritable(folder, &error))?;
    files.iter().try_for_each(|(name, text)| files::replace(&folder.join(name), text))
}

/// The files that init writes; the others of a pack are people's.
pub(super) fn own(files: &Files) -> Files {
    let is_own = |name: &str| ["pack.yaml", "examples.jsonl", LOCK_FILE].contains(&name);
    let own = files.iter().filter(|(name, _)| is_own(name));
    own.map(|(name, text)| (name.clone(), text.clone())).collect()
}

/// Makes the paths of a command whole, so that the pack works from every folder.
pub(super) fn anchor(spec: &mut ServerSpec) {
    for word in &mut spec.command {
        let is_relative =
            word.starts_with('.') || word.contains('/') && !word.starts_with(['/', '-', '@']);
        if is_relative && Path::new(word.as_str()).exists() {
            let whole = fs::canonicalize(word.as_str());
            *word = whole.map_or_else(|_| word.clone(), |path| path.to_string_lossy().into_owned());
        }
    }
}
