//! Files that are there whole or not at all: written beside their place, then renamed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use waypost::Error;

use crate::failure::Failure;

/// A file beside another, of a name that nobody can guess, until it takes the other's place; else it goes.
#[derive(Debug)]
pub(crate) struct Part(PathBuf);

impl Part {
    /// A new one, that only its owner may read.
    pub(crate) fn private(file: &Path) -> io::Result<(Self, File)> {
        Self::open(file, owners(&mut OpenOptions::new()))
    }

    fn open(file: &Path, options: &mut OpenOptions) -> io::Result<(Self, File)> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{:016x}.part", u64::from_ne_bytes(random)));
        let opened = options.write(true).create_new(true).open(&name)?;
        Ok((Self(PathBuf::from(name)), opened))
    }

    /// Takes the place of the file.
    pub(crate) fn replace(&self, file: &Path) -> io::Result<()> {
        fs::rename(&self.0, file)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // One that took its place is not there any more.
        let _ = fs::remove_file(&self.0);
    }
}

/// Fails if a file could not be written.
pub(crate) fn writable(file: &Path) -> io::Result<()> {
    Part::open(file, &mut OpenOptions::new()).map(drop)
}

/// Writes a file that nobody ever reads half of.
pub(crate) fn replace(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    replace_of(file, bytes, &mut OpenOptions::new())
}

/// The same for a file that only its owner may read.
pub(crate) fn replace_private(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    replace_of(file, bytes, owners(&mut OpenOptions::new()))
}

fn replace_of(
    file: &Path,
    bytes: impl AsRef<[u8]>,
    options: &mut OpenOptions,
) -> Result<(), Failure> {
    let written = Part::open(file, options).and_then(|(part, mut open)| {
        open.write_all(bytes.as_ref())?;
        part.replace(file)
    });
    written.map_err(|error| unwritable(file, &error))
}

/// Makes the folder of the home where it is not there yet. What is kept in it is for its owner alone.
pub(crate) fn make_home(home: &Path) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(home)
}

/// Opens a file of the home, made where it is not there yet, that only its owner may read: one that others may read is mended.
/// A link in its place is not followed.
pub(crate) fn open_private(file: &Path) -> io::Result<File> {
    let opened = owners(OpenOptions::new().append(true).create(true)).open(file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if opened.metadata()?.permissions().mode() & 0o077 != 0 {
            // Fails for the file of another user, who alone can mend it. It is still written.
            let _ = opened.set_permissions(fs::Permissions::from_mode(0o600));
        }
    }
    Ok(opened)
}

#[cfg(unix)]
fn owners(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let no_links = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    options.mode(0o600).custom_flags(no_links)
}

#[cfg(not(unix))]
fn owners(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The failure of a file that cannot be written where it was asked for.
pub(crate) fn unwritable(file: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {error}", file.display());
    let hint = "name a file in a folder that exists and that you may write to";
    Failure::usage(Error::invalid(message).with_hint(hint))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_the_home_keeps_is_for_its_owner_and_no_link_is_followed() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = folder.path().join("a/home");
        make_home(&home).unwrap();
        make_home(&home).unwrap();
        let file = home.join("keys.lock");
        drop(open_private(&file).unwrap());
        replace_private(&home.join("keys.json"), "{}").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&home), mode(&file), mode(&home.join("keys.json"))),
            (0o700, 0o600, 0o600)
        );

        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        drop(open_private(&file).unwrap());
        assert_eq!(mode(&file), 0o600, "a file that others could read is mended");

        let other = folder.path().join("other");
        fs::write(&other, "as it was").unwrap();
        let link = home.join("audit.jsonl");
        symlink(&other, &link).unwrap();
        assert!(open_private(&link).is_err());
        // A link in the place of a file is replaced and not written through.
        replace_private(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "as it was");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 3, "nothing is left beside them");
    }
}
