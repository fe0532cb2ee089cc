//! Files that are there whole or not at all: written beside their place, then renamed.

use std::path::{Path, PathBuf};
use std::{fs, io};

use waypost::Error;

use crate::failure::Failure;

/// A name beside a file's own that no other process writes to.
pub(crate) fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}

/// Writes a file that nobody ever reads half of.
pub(crate) fn replace(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let beside = beside(file);
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        unwritable(file, &error)
    })
}

/// The same for a file that only its owner may read.
pub(crate) fn replace_private(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let beside = beside(file);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&beside)
        .and_then(|mut open| io::Write::write_all(&mut open, bytes.as_ref()))
        .and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        unwritable(file, &error)
    })
}

/// The failure of a file that cannot be written where it was asked for.
pub(crate) fn unwritable(file: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {error}", file.display());
    let hint = "name a file in a folder that exists and that you may write to";
    Failure::usage(Error::invalid(message).with_hint(hint))
}
