//! `audit.jsonl` in the home: what was changed, by whom and when. Lines are only ever added; nothing here reads or rewrites it.

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
/// The most writes whose beginning is remembered until they end: more than are under way at once. The names of requests, which
/// are spent and never end, are among them.
const MAX_BEGUN: usize = 1_024;

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

    /// A write that begins; without its record, one that began in another process. Its arguments are in the store alone, where
    /// what is personal can be taken out.
    fn of_write(token: &str, write: Option<&Write>) -> Self {
        let mut details = json!({ "approval": token });
        if let Some(write) = write {
            details["tool"] = json!(write.tool);
            details["decision"] = json!(write.decision_id);
            details["pack"] = json!(write.pack);
            if let Some(key) = &write.owner {
                details["key"] = json!(key);
                details["key_name"] = json!(write.owner_name);
            }
        }
        let who = write.and_then(|write| write.session.clone());
        Self { at: Timestamp::now(), what: "write_approved".to_owned(), who, details }
    }
}

/// Notes each write on its way into a store.
#[derive(Debug)]
pub(crate) struct Audited {
    home: PathBuf,
    /// The writes that have begun, with their approvals and the oldest first: an end is told by its approval alone.
    begun: Mutex<VecDeque<(String, Entry)>>,
}

impl Audited {
    /// Notes writes in this home.
    pub(crate) fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), begun: Mutex::default() }
    }

    fn entry(&self, token: &str, write: Option<&Write>, end: Option<WriteEnd>) -> Entry {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(end) = end else {
            let entry = Entry::of_write(token, write);
            if begun.len() >= MAX_BEGUN {
                begun.pop_front();
            }
            begun.push_back((token.to_owned(), entry.clone()));
            return entry;
        };
        let at = begun.iter().position(|(own, _)| own == token);
        let before = at.and_then(|at| begun.remove(at));
        let before = before.map_or_else(|| Entry::of_write(token, write), |(_, entry)| entry);
        let mut entry = Entry { at: Timestamp::now(), what: "write_ended".to_owned(), ..before };
        entry.details["end"] = json!(end.name());
        entry
    }
}

impl Inlet for Audited {
    fn events(&self, events: Vec<Record>) -> Vec<Record> {
        events
    }

    fn heard(&self, token: &str, write: Option<&Write>, end: Option<WriteEnd>) {
        if let Err(failure) = append(&self.home, &self.entry(token, write, end)) {
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
    fn a_write_is_noted_with_the_key_that_made_it_when_it_begins_and_when_it_ends() {
        let home = tempfile::TempDir::new().unwrap();
        let audited = Audited::new(home.path());
        let write = Write {
            token: "t".to_owned(),
            session: Some("@1a2b3c4d/ana".to_owned()),
            owner: Some("1a2b3c4d".into()),
            owner_name: Some("web page".into()),
            decision_id: "d".to_owned(),
            pack: "p".to_owned(),
            at: "2025-11-06T08:00:00Z".to_owned(),
            tool: "note.add".to_owned(),
            arguments: [("text".to_owned(), json!("call Ana"))].into_iter().collect(),
            era: waypost::records::era::Era::default(),
        };
        audited.heard("t", Some(&write), None);
        audited.heard("t", None, Some(WriteEnd::Done));
        audited.heard("of another process", None, Some(WriteEnd::Failed));
        let text = fs::read_to_string(home.path().join(FILE)).unwrap();
        let lines: Vec<Json> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (line, what) in lines.iter().zip(["write_approved", "write_ended"]) {
            assert_eq!(
                (&line["what"], &line["tool"]),
                (&json!(what), &json!("note.add")),
                "{line}"
            );
            assert_eq!((&line["key"], &line["key_name"]), (&json!("1a2b3c4d"), &json!("web page")));
            assert_eq!(line["who"], "@1a2b3c4d/ana");
        }
        assert_eq!((&lines[1]["end"], &lines[2]["end"]), (&json!("done"), &json!("failed")));
        assert!(!text.contains("call Ana"), "arguments are in the store alone: {text}");
        // The oldest are forgotten first, whatever their approvals are.
        for n in (0..=MAX_BEGUN).rev() {
            audited.entry(&format!("{n:04}"), Some(&write), None);
        }
        let ended =
            |token| audited.entry(token, None, Some(WriteEnd::Done)).details["tool"].clone();
        assert_eq!((ended("0000"), ended("1024")), (json!("note.add"), Json::Null));
    }

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
