//! Reads and writes files that are whole or not there, and takes locks that end with their process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use waypost_core::{Error, Result};

/// The longest wait for another process that changes the versions; that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two looks.
const RETRY: Duration = Duration::from_millis(20);
/// The bytes of a salt.
const SALT_BYTES: usize = 32;
/// The digits of a process id that are read from a lock.
const PID_BYTES: u64 = 20;

/// Reads a file of at most `most` bytes.
pub(super) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the bound is read, so that a longer file is seen to be longer.
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > most {
        let message = format!("`{}` has more than {most} bytes, the limit", path.display());
        return Err(Error::unavailable(message));
    }
    Ok(bytes)
}

/// Reads a value from a file; `None` where there is no file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Result<Option<T>> {
    match path.try_exists() {
        Ok(false) => return Ok(None),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
        Ok(true) => {}
    }
    let bytes = read_bytes(path, most)?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| Error::unavailable(format!("`{}`: {error}", path.display())))
}

/// Returns the names of the folders in a folder, sorted; none where it is not there.
pub(super) fn folders(path: &Path) -> Result<Vec<String>> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(path, &error))?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Returns whether there is nothing: a home that is no folder holds nothing either.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Writes a value to a file, as [`write_bytes`] does.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|error| Error::internal(error.to_string()))?;
    text.push(b'\n');
    write_bytes(path, &text)
}

/// Writes a file beside its place, makes it durable and renames it: a reader sees the old one or
/// the new one, whatever happens meanwhile. Where only the name cannot be made durable that is an
/// error too, and the new one is in its place.
pub(super) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = Path::new(&beside);
    let written = private(beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(beside);
        let message = format!("cannot write `{}`: {error}", path.display());
        Error::unavailable(message)
            .with_hint("make room on its disk or mend its permissions; nothing was changed")
    })?;
    path.parent().map_or(Ok(()), sync).map_err(|error| {
        let message = format!("cannot make `{}` durable: {error}", path.display());
        Error::unavailable(message)
            .with_hint("check the disk; what was written is there, until the power fails")
    })
}

/// Makes an empty file for this user alone.
pub(super) fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(true).open(path)
}

/// Makes the names in a folder durable.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes a folder for this user alone, with those above it.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder).map_err(|error| {
        Error::unavailable(format!("cannot make the folder `{}`: {error}", folder.display()))
            .with_hint("check its place and permissions")
    })
}

/// A lock that is held: let go of when this is dropped, and by the system when the process ends, so
/// that no lock of a dead process is ever in the way.
#[derive(Debug)]
pub struct Held {
    _file: File,
}

/// A file that one process at a time may hold.
pub(super) struct Lock {
    file: File,
    name: String,
}

impl Lock {
    pub(super) fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let name = path.display().to_string();
        let file = file.map_err(|error| {
            Error::unavailable(format!("cannot open `{name}`: {error}"))
                .with_hint("check its permissions and its disk")
        })?;
        Ok(Self { file, name })
    }

    /// Takes the lock, or returns the id of the process that holds it, if it can be read.
    pub(super) fn try_take(mut self) -> Result<std::result::Result<Held, Option<u32>>> {
        match self.file.try_lock() {
            Ok(()) => {
                // The holder's id is for people only; a full disk is no reason to stop.
                let pid = std::process::id().to_string();
                let _ = self.file.set_len(0).and_then(|()| self.file.write_all(pid.as_bytes()));
                Ok(Ok(Held { _file: self.file }))
            }
            Err(TryLockError::WouldBlock) => Ok(Err(self.holder())),
            Err(TryLockError::Error(error)) => {
                Err(Error::unavailable(format!("cannot lock `{}`: {error}", self.name))
                    .with_hint("put `$WAYPOST_HOME` on a file system with locks"))
            }
        }
    }

    /// Takes the lock as soon as it is free.
    pub(super) fn take(self) -> Result<Held> {
        let begin = Instant::now();
        let path = std::path::PathBuf::from(&self.name);
        let mut lock = self;
        loop {
            match lock.try_take()? {
                Ok(held) => return Ok(held),
                Err(_) if begin.elapsed() < PATIENCE => std::thread::sleep(RETRY),
                Err(holder) => {
                    let who = holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
                    let message = format!("another program is changing the versions{who}");
                    return Err(
                        Error::unavailable(message).with_hint("try again when it has ended")
                    );
                }
            }
            lock = Lock::open(&path)?;
        }
    }

    fn holder(&mut self) -> Option<u32> {
        let mut text = String::new();
        self.file.rewind().ok()?;
        (&mut self.file).take(PID_BYTES).read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    }
}

/// Returns the salt in a file; `None` where there is none.
pub(super) fn salt(path: &Path) -> Result<Option<Vec<u8>>> {
    match path.try_exists() {
        Ok(true) => {}
        _ => return Ok(None),
    }
    let bytes = read_bytes(path, SALT_BYTES as u64)?;
    if bytes.len() == SALT_BYTES {
        return Ok(Some(bytes));
    }
    Err(Error::unavailable(format!("`{}` is damaged", path.display())).with_hint(
        "put it back from a copy, or remove it: sessions of older versions cannot be told then",
    ))
}

/// Makes the salt, unless another process was faster.
pub(super) fn make_salt(path: &Path, lock: &Path) -> Result<Vec<u8>> {
    let _held = Lock::open(lock)?.take()?;
    if let Some(salt) = salt(path)? {
        return Ok(salt);
    }
    let mut bytes = vec![0; SALT_BYTES];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .map_err(|_| Error::internal("the system gives no random bytes"))?;
    write_bytes(path, &bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::unavailable(format!("cannot read `{}`: {error}", path.display()))
}
