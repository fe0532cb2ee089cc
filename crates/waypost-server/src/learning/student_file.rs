//! Stored students and static tables: read from files or the versions in the home, bounded, and
//! checked against the pack that they are for.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tracing::warn;
use waypost::learning::{Bundle, StaticTable};
use waypost::pack::Pack;
use waypost::student::reload::{Reloaded, reload};
use waypost::{Error, Result};
use waypost_backends::students::{Registry, Version};

/// The largest bundle that is read, in bytes: 10,000 routes take 130 MB.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// Loads the student in a file, for a pack; warns of one that is out of date.
pub(crate) fn load(pack: &Pack, path: &Path) -> Result<Arc<Bundle>> {
    let reloaded = reload(pack, None, &read(path)?).map_err(|error| at(path, &error))?;
    if let Some(stale) = reloaded.stale {
        let hint = format!("`waypost train --pack {} --out {}`", pack.spec.name, path.display());
        warn!("{}: {stale} (hint: {hint})", path.display());
    }
    Ok(reloaded.bundle)
}

/// The version of the pack that serves, with its student; `None` where none was promoted.
pub(crate) fn serving(pack: &Pack, home: &Path) -> Result<Option<(Version, Reloaded)>> {
    let registry = Registry::open(home, &pack.spec.name)?;
    let Some(version) = registry.champion()? else { return Ok(None) };
    let reloaded = stored(pack, &registry, &version)?;
    Ok(Some((version, reloaded)))
}

/// The student of a version.
pub(crate) fn stored(pack: &Pack, registry: &Registry, version: &Version) -> Result<Reloaded> {
    reload(pack, None, &registry.bytes(version)?).map_err(|error| {
        let message =
            format!("version {} does not fit the pack: {}", version.number, error.message());
        let name = registry.pack();
        Error::new(error.code(), message).with_hint(format!(
            "train a new one: `waypost train --labels --pack {name}`, or go back: \
             `waypost rollback --pack {name}`"
        ))
    })
}

/// Returns the student of the version that serves. Warns of one that is out of date, and of one
/// that cannot be used; instead of that one, the student that the pack trains goes on.
pub(crate) fn champion(pack: &Pack, home: &Path) -> Option<Arc<Bundle>> {
    match serving(pack, home) {
        Ok(None) => None,
        Ok(Some((version, reloaded))) => {
            if let Some(stale) = reloaded.stale {
                let hint = format!("`waypost train --labels --pack {}`", pack.spec.name);
                warn!("version {}: {stale} (hint: {hint})", version.number);
            }
            Some(reloaded.bundle)
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
            warn!("{}; the student of the pack itself decides{hint}", error.message());
            None
        }
    }
}

/// The static table in a file.
pub(crate) fn table(path: &Path) -> Result<Arc<StaticTable>> {
    let table = StaticTable::from_bytes(&read(path)?).map_err(|error| at(path, &error))?;
    Ok(Arc::new(table))
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Error::invalid(format!("cannot read `{}`: {why}", path.display()))
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    // One byte more than is taken, so that a longer file is seen to be longer.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable(&format!("it has more than {MAX_BYTES} bytes, the limit")));
    }
    Ok(bytes)
}

/// Returns the same error with the file that it is about.
pub(crate) fn at(path: &Path, error: &Error) -> Error {
    let named = Error::new(error.code(), format!("{}: {}", path.display(), error.message()));
    match error.hint() {
        Some(hint) => named.with_hint(hint),
        None => named,
    }
}
