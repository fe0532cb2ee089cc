//! Finds out whether a store can be written, whether it still lies where it did, and whether its file
//! is whole.

use std::path::{Path, PathBuf};

use sqlx::SqlitePool;
use waypost_core::{Result, Severity};

use super::{SqliteStore, unavailable};
use crate::bounds::detail;

/// The file that was opened, by what the system knows it by: another may lie at its path later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    path: PathBuf,
    identity: Option<Identity>,
}

/// The device and the number of a file on it; elsewhere, that there is one.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = ();

impl Place {
    /// The file that lies at a path now.
    pub(super) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: identity(path) }
    }

    /// Returns whether another file lies there now, or none: what is written to the one that was
    /// opened is then lost with it.
    fn is_left(&self) -> bool {
        identity(&self.path) != self.identity
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|_| ())
}

impl SqliteStore {
    /// Fails where the file was moved away or replaced while it was open.
    pub(super) fn in_place(&self) -> Result<()> {
        if self.file.as_ref().is_some_and(Place::is_left) {
            // Nothing that is done again with this file succeeds.
            let error =
                unavailable(&self.place, "was moved away", "a new one is made in its place");
            return Err(error.with_severity(Severity::Critical));
        }
        Ok(())
    }

    /// Writes a page that says nothing new, as durably as a session.
    pub(super) async fn probe(&self) -> Result<()> {
        self.in_place()?;
        let _turn = self.turns.lock().await;
        let written = sqlx::query(MARK).execute(&self.durable).await;
        written.map(drop).map_err(|error| self.fault(&error))
    }

    /// Returns what SQLite's quick check finds first, if anything. It reads the whole file.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the file cannot be read.
    pub async fn damage(&self) -> Result<Option<String>> {
        let found = quick_check(&self.quick).await.map_err(|error| self.fault(&error))?;
        Ok(found.map(|found| detail(&found)))
    }
}

/// Marks the file as one of Waypost, by which `file` knows it: "Wayp" as a number.
const MARK: &str = "PRAGMA application_id = 1466005872";

async fn quick_check(pool: &SqlitePool) -> sqlx::Result<Option<String>> {
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(pool).await?;
    Ok((found != "ok").then_some(found))
}
