//! The index of the versions: their numbers, which one serves, and which served before it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use waypost_core::{Code, Error, Result};

use super::card::{By, Card, Change, State, Step, Version};
use super::files::read_json;

/// The version of the format of the index and the cards.
const FORMAT: u32 = 1;
/// The largest index that is read, in bytes; one at its bounds has less.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The number of changes that are remembered, the latest.
pub(super) const MAX_CHANGES: usize = 200;
/// The number of versions before the champion that rollbacks can put back, one after the other.
const MAX_STEPS: usize = 8;
/// The longest reason and name that are kept, in characters.
const MAX_WORDS: usize = 500;

/// The content of `index.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Index {
    format: u32,
    pack: String,
    /// Grows with each time that the index is written.
    pub(super) generation: u64,
    /// The number of the next version.
    pub(super) next: u64,
    /// The numbers of the versions, ascending.
    pub(super) versions: Vec<u64>,
    /// The versions that a rollback puts back, in order, and the champion last.
    line: Vec<u64>,
    /// The changes, oldest first.
    pub(super) changes: Vec<Change>,
}

/// The part that every format of the index has.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

impl Index {
    fn new(pack: &str) -> Self {
        Self {
            format: FORMAT,
            pack: pack.to_owned(),
            generation: 0,
            next: 1,
            versions: Vec::new(),
            line: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The index in a file; an empty one where there is none yet.
    pub(super) fn read(path: &Path, pack: &str) -> Result<Self> {
        let damaged = |why: &str| {
            let message = format!("the index of the versions of `{pack}` is damaged: {why}");
            Error::unavailable(message).with_hint(format!(
                "put `{}` back from a copy, or move it away: the bundles beside it can be \
                 served with `--model FILE`",
                path.display()
            ))
        };
        let json: Option<serde_json::Value> =
            read_json(path, MAX_BYTES).map_err(|error| damaged(error.message()))?;
        let Some(json) = json else { return Ok(Self::new(pack)) };
        let header: Header =
            serde_json::from_value(json.clone()).map_err(|_| damaged("it names no format"))?;
        if header.format > FORMAT {
            let message = format!("the versions of `{pack}` were written by a newer waypost");
            return Err(Error::new(Code::FailedPrecondition, message).with_hint(format!(
                "use the newer program: `{}` has the format {}, this one knows {FORMAT}",
                path.display(),
                header.format
            )));
        }
        let index: Self =
            serde_json::from_value(json).map_err(|error| damaged(&error.to_string()))?;
        index.check(pack).map_err(|why| damaged(&why))?;
        Ok(index)
    }

    fn check(&self, pack: &str) -> std::result::Result<(), String> {
        if self.pack != pack {
            return Err(format!("it is that of the pack `{}`", self.pack));
        }
        let ascending = self.versions.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || self.versions.last().is_some_and(|last| *last >= self.next) {
            return Err("its numbers are out of order".to_owned());
        }
        match self.line.iter().find(|number| !self.versions.contains(number)) {
            Some(number) => Err(format!("version {number} served, and there is none")),
            None => Ok(()),
        }
    }

    /// The number of the version that serves.
    pub(super) fn champion(&self) -> Option<u64> {
        self.line.last().copied()
    }

    /// The number of the version that a rollback puts back.
    pub(super) fn before(&self) -> Option<u64> {
        self.line.iter().rev().nth(1).copied()
    }

    /// Lists the next version, and returns its number.
    pub(super) fn add(&mut self) -> u64 {
        let number = self.next;
        self.versions.push(number);
        self.next += 1;
        number
    }

    /// Takes the oldest versions that neither serve nor can be put back out of the list until there
    /// are `most`, and returns them.
    pub(super) fn prune(&mut self, most: usize) -> Vec<u64> {
        let excess = self.versions.len().saturating_sub(most);
        let line = &self.line;
        let gone: Vec<u64> =
            self.versions.iter().filter(|n| !line.contains(n)).take(excess).copied().collect();
        self.versions.retain(|number| !gone.contains(number));
        gone
    }

    pub(super) fn promote(&mut self, number: u64, by: &By) {
        self.line.push(number);
        // The champion, and those that rollbacks can put back.
        let excess = self.line.len().saturating_sub(MAX_STEPS + 1);
        self.line.drain(..excess);
        self.note(Step::Promote, by);
    }

    pub(super) fn rollback(&mut self, by: &By) {
        self.line.pop();
        self.note(Step::Rollback, by);
    }

    fn note(&mut self, step: Step, by: &By) {
        let words = |text: &str| text.chars().take(MAX_WORDS).collect::<String>();
        self.changes.push(Change {
            step,
            version: self.champion(),
            at: by.at.clone(),
            by: words(&by.who),
            because: by.because.as_deref().map(words),
            forced: by.forced,
        });
        let excess = self.changes.len().saturating_sub(MAX_CHANGES);
        self.changes.drain(..excess);
    }

    /// A version with its card.
    pub(super) fn version(&self, number: u64, card: Card) -> Version {
        let promoted: Vec<Change> = self
            .changes
            .iter()
            .filter(|change| change.step == Step::Promote && change.version == Some(number))
            .cloned()
            .collect();
        let newest_served = self.changes.iter().filter_map(|change| change.version).max();
        let newest_served = newest_served.max(self.champion()).unwrap_or(0);
        let state = match self.champion() {
            Some(champion) if champion == number => State::Champion,
            _ if number > newest_served => State::Challenger,
            _ => State::Retired,
        };
        Version { number, state, card, promoted }
    }
}
