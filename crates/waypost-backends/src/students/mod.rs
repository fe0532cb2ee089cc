//! The versions of a pack's student: a folder of bundles, which of them serves, and how that came
//! about.
//!
//! `HOME/students/PACK/` holds `N.bundle` and its card `N.json` for each version, neither of which is
//! ever changed, and `index.json`, which says which versions there are and which serves. Every file
//! is written beside its place and renamed, the index last: a write that breaks off leaves the
//! versions as they were. Whether a version may serve is not decided here. Versions are ordered by
//! their numbers and never by their instants, since clocks jump.

mod cache;
mod card;
mod files;
mod index;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use waypost_core::{Code, Error, Result};
use waypost_learning::Bundle;

pub(crate) use cache::write_whole;
pub use cache::{CacheContents, StudentCache, Training, TrainingInputs};
pub use card::{By, Card, Change, Compared, Listing, State, Step, Trained, Unreadable, Version};
pub use files::Held;
pub(crate) use files::make_folder;
use files::{Lock, read_bytes, read_json, write_bytes, write_json};
use index::Index;

/// The most versions that are kept: the oldest that no rollback leads to goes when another is
/// added.
pub const MAX_VERSIONS: usize = 24;
/// The largest bundle that is read, in bytes: 10,000 routes take 130 MB.
const MAX_BUNDLE_BYTES: u64 = 512 * 1024 * 1024;
/// The largest card that is read, in bytes: that of a million sessions.
const MAX_CARD_BYTES: u64 = 64 * 1024 * 1024;
/// The longest name of a pack, in bytes.
const MAX_NAME_BYTES: usize = 100;
/// The number of hexadecimal digits of a session's hash that are kept.
const HASH_DIGITS: usize = 32;

/// The versions of one pack. It holds no state: changes by another process are seen at once.
#[derive(Debug, Clone)]
pub struct Registry {
    students: PathBuf,
    folder: PathBuf,
    pack: String,
}

/// Returns the folder with the versions of all packs in `home`. A home of an earlier program keeps
/// them in `models`, and goes on doing so: nothing is moved while another program may read it.
fn folder(home: &Path) -> PathBuf {
    let earlier = home.join("models");
    if earlier.is_dir() { earlier } else { home.join("students") }
}

impl Registry {
    /// The versions of the pack named `pack` in `home`. Nothing is read or made yet.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a name that is no name of a folder.
    pub fn open(home: &Path, pack: &str) -> Result<Self> {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if pack.is_empty() || pack.len() > MAX_NAME_BYTES || !pack.chars().all(is_plain) {
            let message = format!("versions cannot be kept of a pack named `{pack}`");
            return Err(Error::invalid(message)
                .with_hint("give the pack a name of letters, digits, `-` and `_`"));
        }
        let students = folder(home);
        Ok(Self { folder: students.join(pack), students, pack: pack.to_owned() })
    }

    /// Returns the versions of every pack of which there are any in `home`, by name.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the folder cannot be read.
    pub fn all(home: &Path) -> Result<Vec<Self>> {
        let names = files::folders(&folder(home))?;
        Ok(names.iter().filter_map(|name| Self::open(home, name).ok()).collect())
    }

    /// The name of the pack.
    pub fn pack(&self) -> &str {
        &self.pack
    }

    /// Returns a number that grows with every change of the versions and of which of them serves,
    /// and 0 before the first. Callers that watch for changes look at it.
    ///
    /// # Errors
    ///
    /// As [`Registry::list`].
    pub fn generation(&self) -> Result<u64> {
        Ok(self.index()?.generation)
    }

    /// Returns all versions. One whose card cannot be read is listed as unreadable, and hides no
    /// other.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the index is damaged or cannot be read; `FAILED_PRECONDITION` if a newer
    /// program wrote it.
    pub fn list(&self) -> Result<Listing> {
        let index = self.index()?;
        let (mut versions, mut unreadable) = (Vec::new(), Vec::new());
        for &number in &index.versions {
            match self.read(&index, number) {
                Ok(version) => versions.push(version),
                Err(error) => unreadable.push(Unreadable { number, error }),
            }
        }
        Ok(Listing {
            generation: index.generation,
            champion: index.champion(),
            versions,
            unreadable,
            changes: index.changes,
        })
    }

    /// Returns one version.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` if there is none with this number; `UNAVAILABLE` if its card is damaged, missing
    /// or cannot be read; else as [`Registry::list`].
    pub fn version(&self, number: u64) -> Result<Version> {
        let index = self.index()?;
        self.known(&index, number)?;
        self.read(&index, number)
    }

    /// Returns the version that serves; `None` where the student that the pack trains does.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if its card is damaged, missing or cannot be read; else as [`Registry::list`].
    pub fn champion(&self) -> Result<Option<Version>> {
        let index = self.index()?;
        index.champion().map(|number| self.read(&index, number)).transpose()
    }

    /// Returns the bundle of a version, as it was added.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if its file is missing, cannot be read, or holds another bundle.
    pub fn bytes(&self, version: &Version) -> Result<Vec<u8>> {
        let path = self.bundle_path(version.number);
        let bytes = read_bytes(&path, MAX_BUNDLE_BYTES).map_err(|error| {
            let message = format!(
                "the bundle of version {} of `{}` cannot be read: {}",
                version.number,
                self.pack,
                error.message()
            );
            Error::unavailable(message).with_hint(self.way_back(version.number))
        })?;
        let held = Bundle::from_bytes(&bytes)
            .map_err(|error| self.strange(version.number, error.message()))?;
        if held.id() != version.card.bundle {
            let why = format!("it holds the bundle `{}`", held.id());
            return Err(self.strange(version.number, &why));
        }
        Ok(bytes)
    }

    /// Keeps a bundle as a new version, which does not serve yet. Its card says what it was trained
    /// from; the bundle's own facts are taken from the bundle.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for bytes that are no bundle, and for a bundle of another pack;
    /// `UNAVAILABLE` if it cannot be written or another process writes for too long. The versions
    /// before are untouched then. Where only the folder cannot be made durable, the version is
    /// there.
    pub fn add(&self, bytes: &[u8], card: Card) -> Result<Version> {
        let bundle = Bundle::from_bytes(bytes)?;
        let origin = &bundle.origin().pack;
        let from = origin.split_once('@').map_or(origin.as_str(), |(name, _)| name);
        if from != self.pack {
            let whose = if from.is_empty() { "no pack".into() } else { format!("`{from}`") };
            let message = format!("the bundle belongs to {whose}, not to `{}`", self.pack);
            return Err(Error::invalid(message).with_hint("train one for this pack"));
        }
        let card = Card {
            bundle: bundle.id().to_owned(),
            pack: origin.clone(),
            metrics: bundle.metrics().clone(),
            threshold: bundle.threshold().copied(),
            ..card
        };
        let _held = self.lock()?;
        let mut index = self.index()?;
        let number = index.add();
        let gone = index.prune(MAX_VERSIONS);
        let written = write_bytes(&self.bundle_path(number), bytes)
            .and_then(|()| write_json(&self.card_path(number), &card))
            .and_then(|()| self.save(&mut index));
        if let Err(error) = written {
            self.remove_unlisted(number);
            return Err(error);
        }
        // First out of the index, then out of the folder, so that the index names no gap.
        gone.into_iter().for_each(|number| self.remove(number));
        self.read(&index, number)
    }

    /// Makes a version the one that serves. `allowed` is called while no other process can change
    /// which one does; it is handed the version, its bundle, and the one that serves so far.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` if there is no such version, `FAILED_PRECONDITION` if it serves already, the
    /// error of `allowed`, and as [`Registry::bytes`] and [`Registry::add`].
    pub fn promote(
        &self,
        number: u64,
        by: &By,
        allowed: impl FnOnce(&Version, &[u8], Option<&Version>) -> Result<()>,
    ) -> Result<Version> {
        let _held = self.lock()?;
        let mut index = self.index()?;
        self.known(&index, number)?;
        if index.champion() == Some(number) {
            let message = format!("version {number} of `{}` is the champion already", self.pack);
            return Err(Error::new(Code::FailedPrecondition, message)
                .with_hint("`waypost students` shows the versions"));
        }
        let version = self.read(&index, number)?;
        let bytes = self.bytes(&version)?;
        // A champion that cannot be read is no reason to keep it.
        let champion = index.champion().and_then(|number| self.read(&index, number).ok());
        allowed(&version, &bytes, champion.as_ref())?;
        index.promote(number, by);
        self.save(&mut index)?;
        self.read(&index, number)
    }

    /// Puts back the version that served before the champion, and returns it; `None` for the
    /// student that the pack trains.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` if no version serves; as [`Registry::bytes`] for the one before; as
    /// [`Registry::add`].
    pub fn rollback(&self, by: &By) -> Result<Option<Version>> {
        let _held = self.lock()?;
        let mut index = self.index()?;
        if index.champion().is_none() {
            let message =
                format!("no version of `{}` serves: nothing can be taken back", self.pack);
            return Err(Error::new(Code::FailedPrecondition, message)
                .with_hint("`waypost students` shows the versions, `waypost promote` takes one"));
        }
        if let Some(before) = index.before() {
            self.bytes(&self.read(&index, before)?)?;
        }
        index.rollback(by);
        self.save(&mut index)?;
        index.champion().map(|number| self.read(&index, number)).transpose()
    }

    /// Returns the versions that learned from the labels of any of these sessions, and those of which this
    /// cannot be told.
    ///
    /// # Errors
    ///
    /// As [`Registry::list`]; `UNAVAILABLE` too if the salt of the hashes has gone.
    pub fn holding<'a>(&self, sessions: impl IntoIterator<Item = &'a str>) -> Result<Listing> {
        let mut listing = self.list()?;
        listing.versions.retain(|version| !version.card.sessions.is_empty());
        if listing.versions.is_empty() {
            return Ok(listing);
        }
        let salt = files::salt(&self.salt_path())?.ok_or_else(|| {
            Error::unavailable("which sessions a version learned from cannot be told any more")
                .with_hint(format!("`{}` is missing: put it back", self.salt_path().display()))
        })?;
        let wanted: BTreeSet<String> =
            sessions.into_iter().map(|session| hash(&salt, session)).collect();
        let holds =
            |version: &Version| version.card.sessions.iter().any(|own| wanted.contains(own));
        listing.versions.retain(holds);
        Ok(listing)
    }

    /// Returns the sessions as a card lists them: hashes with a salt of this home, so that a list
    /// tells nothing without the session's name and the home; sorted, each once.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the salt cannot be made or read.
    pub fn hashed<'a>(&self, sessions: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>> {
        let path = self.salt_path();
        let salt = match files::salt(&path)? {
            Some(salt) => salt,
            None => files::make_salt(&path, &self.students.join("lock"))?,
        };
        let hashes: BTreeSet<String> =
            sessions.into_iter().map(|session| hash(&salt, session)).collect();
        Ok(hashes.into_iter().collect())
    }

    /// Marks that a training for this pack runs, until the returned lock is dropped or the process
    /// ends.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` if one runs already; `UNAVAILABLE` if that cannot be found out.
    pub fn training(&self) -> Result<Held> {
        let lock = Lock::open(&self.folder.join("training.lock"))?;
        lock.try_take()?.map_err(|holder| {
            let who = holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
            let message = format!("a training of `{}` is running already{who}", self.pack);
            Error::new(Code::FailedPrecondition, message).with_hint("wait until it has ended")
        })
    }

    fn lock(&self) -> Result<Held> {
        Lock::open(&self.folder.join("lock"))?.take()
    }

    fn index(&self) -> Result<Index> {
        Index::read(&self.index_path(), &self.pack)
    }

    fn save(&self, index: &mut Index) -> Result<()> {
        index.generation += 1;
        write_json(&self.index_path(), index)
    }

    fn read(&self, index: &Index, number: u64) -> Result<Version> {
        let path = self.card_path(number);
        let card = read_json(&path, MAX_CARD_BYTES)
            .and_then(|card: Option<Card>| {
                card.ok_or_else(|| Error::invalid(format!("`{}` is missing", path.display())))
            })
            .map_err(|error| {
                let message = format!(
                    "the card of version {number} of `{}` cannot be read: {}",
                    self.pack,
                    error.message()
                );
                Error::unavailable(message).with_hint(self.way_back(number))
            })?;
        Ok(index.version(number, card))
    }

    fn known(&self, index: &Index, number: u64) -> Result<()> {
        if index.versions.contains(&number) {
            return Ok(());
        }
        let there_are = match index.versions.as_slice() {
            [] => "there is none yet: `waypost train --labels` makes one".to_owned(),
            numbers => {
                let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
                format!("there are: {}", numbers.join(", "))
            }
        };
        let message = format!("`{}` has no version {number}", self.pack);
        Err(Error::new(Code::NotFound, message).with_hint(there_are))
    }

    fn strange(&self, number: u64, why: &str) -> Error {
        let path = self.bundle_path(number);
        let message = format!("`{}` is not the bundle of version {number}: {why}", path.display());
        Error::unavailable(message).with_hint(self.way_back(number))
    }

    fn way_back(&self, number: u64) -> String {
        let pack = &self.pack;
        format!(
            "put its file back, or take another version instead of {number}: \
             `waypost rollback --pack {pack}` or `waypost promote --pack {pack} VERSION`"
        )
    }

    /// Removes the files of a version that came into no index: nobody misses them, and files that
    /// cannot be removed are written over later. A version that the index lists stays, and so does
    /// one of which that cannot be told: an index may be in its place although writing it failed.
    fn remove_unlisted(&self, number: u64) {
        if self.index().is_ok_and(|index| !index.versions.contains(&number)) {
            self.remove(number);
        }
    }

    fn remove(&self, number: u64) {
        let _ = std::fs::remove_file(self.bundle_path(number));
        let _ = std::fs::remove_file(self.card_path(number));
    }

    fn index_path(&self) -> PathBuf {
        self.folder.join("index.json")
    }

    fn salt_path(&self) -> PathBuf {
        self.students.join("salt")
    }

    fn bundle_path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.bundle"))
    }

    fn card_path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.json"))
    }
}

fn hash(salt: &[u8], session: &str) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(session).finalize();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..HASH_DIGITS].to_owned()
}

#[cfg(test)]
mod tests;
