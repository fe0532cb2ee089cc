//! Lines that are kept for each of some owners: notes of users, and what conversations gathered.
//!
//! It is bounded on both sides. Nothing is written anywhere: a server that ends forgets.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most characters of an owner's name that count: callers choose it.
const LONGEST_NAME: usize = 200;

/// The owners with their lines, the one who wrote last at the end.
type Owners = Vec<(String, VecDeque<String>)>;

/// The lines of all owners, shared by all calls of a server.
#[derive(Debug)]
pub(super) struct Shelf {
    most_owners: usize,
    most_lines: usize,
    owners: Mutex<Owners>,
}

impl Shelf {
    pub(super) fn new(most_owners: usize, most_lines: usize) -> Self {
        Self { most_owners, most_lines, owners: Mutex::default() }
    }

    /// All lines of an owner, the oldest first. Nobody who only looks takes a place.
    pub(super) fn lines(&self, owner: &str) -> Vec<String> {
        let name = named(owner);
        let owners = self.lock();
        let found = owners.iter().find(|(known, _)| *known == name);
        found.map(|(_, lines)| lines.iter().cloned().collect()).unwrap_or_default()
    }

    /// Adds a line. The oldest one gives way where there are too many, since no tool removes single
    /// lines; so does the owner who has not written the longest.
    pub(super) fn add(&self, owner: &str, line: String) {
        let name = named(owner);
        let mut owners = self.lock();
        let place = owners.iter().position(|(known, _)| *known == name);
        let mut lines = place.map(|place| owners.remove(place).1).unwrap_or_default();
        if lines.len() >= self.most_lines {
            lines.pop_front();
        }
        lines.push_back(line);
        if owners.len() >= self.most_owners {
            owners.remove(0);
        }
        owners.push((name, lines));
    }

    /// Forgets all lines of an owner.
    pub(super) fn clear(&self, owner: &str) {
        let name = named(owner);
        self.lock().retain(|(known, _)| *known != name);
    }

    fn lock(&self) -> MutexGuard<'_, Owners> {
        // A call that broke off has left whole lines: each change is a single step.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn named(owner: &str) -> String {
    owner.chars().take(LONGEST_NAME).collect()
}
