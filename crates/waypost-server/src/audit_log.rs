//! `audit.jsonl` in the home: what was changed, by whom and when. Lines are only ever added; nothing here reads or rewrites it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};
use tracing::warn;
use waypost::Error;
use waypost::records::event::Record;
use waypost::records::write::{Write, WriteEnd};
use waypost_backends::stores::Inlet;

use crate::environment;
use crate::failure::Failure;
use crate::files;

/// The name of the file in the home.
const FILE: &str = "audit.jsonl";

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Entry {
    at: Timestamp,
    /// The deed, such as `key_added`.
    what: String,
    /// The doer: a user of this machine, or a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    #[serde(flatten)]
    details: Json,
}

impl Entry {
    /// Something that a user of this machine did just now.
    pub(crate) fn of_this_user(what: &str, details: Json) -> Self {
        let who = environment::user();
        Self { at: Timestamp::now(), what: what.to_owned(), who, details }
    }

    /// Something that somebody did just now.
    pub(crate) fn of(what: &str, who: &str, details: Json) -> Self {
        Self { at: Timestamp::now(), what: what.to_owned(), who: Some(who.to_owned()), details }
    }

    /// A write, when it begins and when it ends. Its arguments are in the store, where what is personal can be taken out.
    fn of_write(token: &str, write: Option<&Write>, end: Option<WriteEnd>) -> Self {
        let mut details = json!({ "approval": token });
        if let Some(write) = write {
            details["tool"] = json!(write.tool);
            details["decision"] = json!(write.decision_id);
            details["pack"] = json!(write.pack);
        }
        if let Some(end) = end {
            details["end"] = json!(end.name());
        }
        let what = if end.is_some() { "write_ended" } else { "write_approved" };
        let who = write.and_then(|write| write.session.clone());
        Self { at: Timestamp::now(), what: what.to_owned(), who, details }
    }
}

/// Notes each write on its way into a store.
#[derive(Debug)]
pub(crate) struct Audited(pub(crate) PathBuf);

impl Inlet for Audited {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        events
    }

    fn heard(&self, token: &str, write: Option<&Write>, end: Option<WriteEnd>) {
        if let Err(failure) = append(&self.0, &Entry::of_write(token, write, end)) {
            warn!("a write is missing in the audit log: {}", failure.error().message());
        }
    }
}

/// Adds a line.
///
/// # Errors
///
/// If the file cannot be written: what is not noted is not done.
pub(crate) fn append(home: &Path, entry: &Entry) -> Result<(), Failure> {
    let path = home.join(FILE);
    let line = serde_json::to_string(entry).map_err(|error| Error::internal(error.to_string()))?;
    let written = files::make_home(home)
        .and_then(|()| files::open_private(&path))
        // One write, so that lines of several processes do not mix.
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.map_err(|error| files::unwritable(&path, &error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_is_added_for_each_change_and_none_is_lost() {
        let home = tempfile::TempDir::new().unwrap();
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let home = home.path().to_owned();
                std::thread::spawn(move || {
                    for n in 0..50 {
                        append(
                            &home,
                            &Entry::of_this_user("tried", json!({ "n": n, "of": thread })),
                        )
                        .unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let text = fs::read_to_string(home.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 200);
        assert!(
            text.lines().all(
                |line| serde_json::from_str::<Json>(line).is_ok_and(|it| it["what"] == "tried")
            )
        );
    }
}
