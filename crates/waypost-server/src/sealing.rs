//! The key with which the state of a question is sealed that a client carries: one for a home, so that any process of it can
//! finish what another began.

use std::fs;
use std::path::Path;

use tracing::warn;
use waypost::Result;

use crate::files;
use crate::surfaces::mcp::{SealingKey, random_key};

/// The name of the file in the home.
const FILE: &str = "seal.key";

/// The key of a home, made the first time. Where none can be kept, it is one of this process alone.
///
/// # Errors
///
/// If the system has no random numbers.
pub(crate) fn key(home: &Path) -> Result<SealingKey> {
    let path = home.join(FILE);
    if let Some(key) = fs::read(&path).ok().and_then(|bytes| SealingKey::try_from(bytes).ok()) {
        return Ok(key);
    }
    let key = random_key()?;
    // Two processes that begin at once have one key: that of the file.
    let kept = files::make_home(home).is_ok() && files::replace_private(&path, key).is_ok();
    if !kept {
        warn!("a question over MCP can be answered by this process alone: its key cannot be kept");
    }
    let again = fs::read(&path).ok().and_then(|bytes| SealingKey::try_from(bytes).ok());
    Ok(again.unwrap_or(key))
}
