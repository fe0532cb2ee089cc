//! Checks the places where things lie: the home, the configuration, the store.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use waypost::{Code, Error};

use super::{Finding, Findings, Patient, size};
use crate::config::{self, Config};
use crate::{assemble, environment};

/// The free space below which a store of some thousand conversations may not fit, in bytes.
const LITTLE_SPACE: u64 = 100_000_000;

/// The time in which the pages of a store are looked at: less than a check may take.
const READING: Duration = Duration::from_secs(10);

pub(super) fn home(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let Ok(config) = &patient.config else { return Vec::new() };
        vec![examine_home(config)]
    })
}

fn examine_home(config: &Config) -> Finding {
    const WHAT: &str = "home";
    let home = &config.home;
    let shown = home.display();
    let failed = |message: String, hint: &str| {
        Finding::fail(WHAT, &Error::new(Code::FailedPrecondition, message).with_hint(hint))
    };
    // A folder that is missing is made where its nearest parent lets it.
    let existing = home.ancestors().find(|folder| folder.exists());
    match (fs::metadata(home), existing) {
        (Ok(metadata), _) if !metadata.is_dir() => {
            return failed(format!("`{shown}` is no folder"), "set `WAYPOST_HOME` to a folder");
        }
        (Ok(_), _) if !is_writable(home) => {
            let hint = "check the permissions of the folder, or set `WAYPOST_HOME`";
            return failed(format!("`{shown}` cannot be written"), hint);
        }
        (Err(_), Some(parent)) if !is_writable(parent) => {
            let hint = "make it, or set `WAYPOST_HOME`";
            return failed(format!("`{shown}` is not there and cannot be made"), hint);
        }
        _ => {}
    }
    let there = if home.exists() { "can be written" } else { "is made when it is needed" };
    match existing.and_then(free_space) {
        Some(free) if free < LITTLE_SPACE => Finding::warn(
            WHAT,
            format!("`{shown}` {there}, {} free", size(free)),
            "make room on its disk",
        ),
        Some(free) => Finding::ok(WHAT, format!("`{shown}` {there}, {} free", size(free))),
        None => Finding::ok(WHAT, format!("`{shown}` {there}")),
    }
}

/// Returns whether this user may make files there. Nothing is made to find out.
#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|metadata| !metadata.permissions().readonly())
}

#[cfg(unix)]
fn free_space(folder: &Path) -> Option<u64> {
    let volume = rustix::fs::statvfs(folder).ok()?;
    volume.f_bavail.checked_mul(volume.f_frsize)
}

#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<u64> {
    None
}

pub(super) fn configuration(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        const WHAT: &str = "configuration";
        let config = match &patient.config {
            Ok(config) => config,
            Err(failure) => return vec![Finding::fail(WHAT, failure.error())],
        };
        let named = patient.config_file.clone();
        let path = named.unwrap_or_else(|| config.home.join(config::FILE));
        let mut says = match path.exists() {
            true => format!("`{}`", path.display()),
            false => format!("none (`{}` is not there)", path.display()),
        };
        let variables = environment::configured();
        if !variables.is_empty() {
            says.push_str(&format!("; the environment sets {}", variables.join(", ")));
        }
        let mut findings = vec![Finding::ok(WHAT, says)];
        if let Ok(pack) = &patient.pack {
            let misnamed = config.misnamed_servers(pack);
            let hint = "the pack's own command runs; rename the table";
            findings.extend(misnamed.into_iter().map(|says| Finding::warn(WHAT, says, hint)));
        }
        let strangers = environment::strangers(&config.variables());
        let hint = "rename it, or unset it";
        findings.extend(strangers.into_iter().map(|says| Finding::warn(WHAT, says, hint)));
        findings
    })
}

pub(super) fn store(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        const WHAT: &str = "store";
        let Ok(config) = &patient.config else { return Vec::new() };
        let path = assemble::store_path(config);
        let finding = match assemble::kept(config).await {
            Ok(None) => Finding::ok(WHAT, "none yet; it is made when something is remembered"),
            Ok(Some(store)) => match store.schema_version().await {
                Ok(version) => {
                    let bytes = fs::metadata(&path).map_or(0, |metadata| metadata.len());
                    let shown = path.display();
                    let opens = format!("`{shown}` opens, schema {version}, {}", size(bytes));
                    examine_pages(&opens, timeout(READING, store.damage()).await.ok())
                }
                Err(error) => Finding::fail(WHAT, &error),
            },
            Err(error) => Finding::fail(WHAT, &error),
        };
        vec![finding]
    })
}

/// Judges a store that opens by what was found in its pages; `None` if they could not all be read in
/// time.
fn examine_pages(opens: &str, damage: Option<waypost::Result<Option<String>>>) -> Finding {
    const WHAT: &str = "store";
    const HINT: &str = "stop what uses it and move the file away; a new one is made";
    match damage {
        Some(Ok(None)) => Finding::ok(WHAT, format!("{opens}, whole")),
        Some(Ok(Some(found))) => {
            let says = format!("{opens}, and is damaged: SQLite's quick check says “{found}”");
            Finding::fail(WHAT, &Error::new(Code::Unavailable, says).with_hint(HINT))
        }
        Some(Err(error)) => Finding::fail(WHAT, &error),
        None => {
            let hint = "run `PRAGMA quick_check` with `sqlite3` to look at all of it";
            let says = format!("{opens}; not all of it could be read in {} s", READING.as_secs());
            Finding::warn(WHAT, says, hint)
        }
    }
}
