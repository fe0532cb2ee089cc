//! The keys of a running server: read again when their file changes, each with what it has used.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use jiff::Timestamp;
use tracing::{info, warn};
use waypost::Result;

use super::{Key, KeyFile, Secret, State};

/// The time between two looks at the file: a key that was revoked is let in for no longer.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The reason why a caller is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There is no key with the request.
    Missing,
    /// There is none like it, or it does not count any more.
    Unknown,
    /// It asked more than it may; it may again after this time.
    TooMuch(Duration),
}

/// The keys of a home.
#[derive(Debug)]
pub(crate) struct Keys {
    home: PathBuf,
    state: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    keys: BTreeMap<String, Arc<Key>>,
    used: BTreeMap<String, Arc<Used>>,
    /// The file that they were read from: when it was changed, and how long it is.
    seen: Option<(SystemTime, u64)>,
    looked: Option<Instant>,
}

/// The use that was made of a key, against its limits.
#[derive(Debug)]
pub(super) struct Used {
    limits: [Option<NonZeroU32>; 2],
    limiters: Vec<DefaultDirectRateLimiter>,
}

impl Used {
    pub(super) fn new(key: &Key) -> Self {
        let minute = key.per_minute.map(Quota::per_minute);
        let day = key
            .per_day
            .and_then(|most| Some(Quota::with_period(DAY / most.get())?.allow_burst(most)));
        let limiters = [minute, day].into_iter().flatten().map(RateLimiter::direct).collect();
        Self { limits: [key.per_minute, key.per_day], limiters }
    }

    /// Counts a request, or says when one may come again.
    pub(super) fn count(&self) -> std::result::Result<(), Duration> {
        for limiter in &self.limiters {
            limiter
                .check()
                .map_err(|not_until| not_until.wait_time_from(DefaultClock::default().now()))?;
        }
        Ok(())
    }
}

impl Keys {
    /// The keys of a home, as they are now.
    ///
    /// # Errors
    ///
    /// As [`KeyFile::load`].
    pub(crate) fn open(home: &Path) -> Result<Self> {
        let keys = Self { home: home.to_owned(), state: Mutex::default() };
        let file = KeyFile::load(home)?;
        let seen = keys.stamp();
        let mut held = keys.held();
        held.take(file, seen);
        held.looked = Some(Instant::now());
        drop(held);
        Ok(keys)
    }

    /// No keys at all, whatever a home holds.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { home: PathBuf::new(), state: Mutex::default() }
    }

    /// Returns whether callers need one: once there was a key, for good. That all of them are revoked lets nobody in.
    pub(crate) fn are_needed(&self) -> bool {
        self.look();
        !self.held().keys.is_empty()
    }

    /// The key that a caller sent, counted as used once.
    ///
    /// # Errors
    ///
    /// The reason why the caller is not let in.
    pub(crate) fn admit(&self, sent: Option<&str>) -> std::result::Result<Arc<Key>, Refused> {
        self.look();
        let secret = Secret::parse(sent.ok_or(Refused::Missing)?).ok_or(Refused::Unknown)?;
        let now = Timestamp::now();
        let (key, used) = {
            let held = self.held();
            let key = held.keys.get(secret.id()).cloned().ok_or(Refused::Unknown)?;
            let used = held.used.get(secret.id()).cloned();
            (key, used)
        };
        if key.state(now) != State::Valid || !key.has(&secret, now) {
            return Err(Refused::Unknown);
        }
        match used.map(|used| used.count()) {
            Some(Err(wait)) => Err(Refused::TooMuch(wait)),
            _ => Ok(key),
        }
    }

    /// The name of the key with this id, whether or not it counts.
    pub(crate) fn name_of(&self, id: &str) -> Option<String> {
        self.held().keys.get(id).map(|key| key.name.clone())
    }

    /// Returns whether a key that let a caller in still does. One that is in no file is of a token, which ends by itself.
    pub(crate) fn still_has(&self, key: &Key) -> bool {
        self.look();
        let own = self.held().keys.get(&key.id).cloned();
        own.as_deref().unwrap_or(key).state(Timestamp::now()) == State::Valid
    }

    /// Reads the file again, if it has changed. One that cannot be read changes nothing: the keys of before count.
    fn look(&self) {
        let mut held = self.held();
        if held.looked.is_none_or(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        held.looked = Some(Instant::now());
        let seen = self.stamp();
        if seen == held.seen {
            return;
        }
        match KeyFile::load(&self.home) {
            Ok(file) => {
                info!("the keys were read again: {} of them", file.keys.len());
                held.take(file, seen);
            }
            Err(error) => {
                warn!("the keys of before count: {}", error.message());
                held.seen = seen;
            }
        }
    }

    fn stamp(&self) -> Option<(SystemTime, u64)> {
        let metadata = fs::metadata(KeyFile::path(&self.home)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Takes the keys of a file. A key whose limits are as they were goes on counting. Where there is no file any more, those
    /// that were there count for nobody, but are still needed.
    fn take(&mut self, file: KeyFile, seen: Option<(SystemTime, u64)>) {
        self.seen = seen;
        if file.keys.is_empty() {
            let now = Timestamp::now();
            for key in self.keys.values_mut() {
                Arc::make_mut(key).revoked.get_or_insert(now);
            }
            return;
        }
        let used = file.keys.iter().map(|key| {
            let before = self.used.get(&key.id);
            let same = before.filter(|used| used.limits == [key.per_minute, key.per_day]);
            (key.id.clone(), same.cloned().unwrap_or_else(|| Arc::new(Used::new(key))))
        });
        self.used = used.collect();
        self.keys = file.keys.into_iter().map(|key| (key.id.clone(), Arc::new(key))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scope;
    use super::super::file::NewKey;
    use super::*;

    fn added(home: &Path, new: NewKey) -> Secret {
        let made = KeyFile::change(home, |file| Ok(file.add(new, Timestamp::now())?));
        made.unwrap().1
    }

    #[test]
    fn a_caller_is_let_in_by_a_key_that_counts_and_by_nothing_else() {
        let home = tempfile::TempDir::new().unwrap();
        assert!(!Keys::open(home.path()).unwrap().are_needed());
        let new = NewKey { scopes: [Scope::Ask].into(), ..NewKey::named("page") };
        let secret = added(home.path(), new);
        let keys = Keys::open(home.path()).unwrap();
        assert!(keys.are_needed());
        assert_eq!(keys.admit(Some(&secret.reveal())).unwrap().id, secret.id());
        assert_eq!(keys.admit(None), Err(Refused::Missing));
        let other = Secret::generate(Some(secret.id())).unwrap();
        for sent in ["x", &other.reveal()] {
            assert_eq!(keys.admit(Some(sent)), Err(Refused::Unknown));
        }
        KeyFile::change(home.path(), |file| Ok(file.revoke(secret.id(), Timestamp::now())?))
            .unwrap();
        let keys = Keys::open(home.path()).unwrap();
        assert_eq!(keys.admit(Some(&secret.reveal())), Err(Refused::Unknown));
        assert!(keys.are_needed(), "that all are revoked lets nobody in");
    }

    #[test]
    fn a_key_that_asked_as_often_as_it_may_is_told_when_to_come_again() {
        let home = tempfile::TempDir::new().unwrap();
        let limits = |per_minute, per_day| NewKey {
            per_minute: NonZeroU32::new(per_minute),
            per_day: NonZeroU32::new(per_day),
            ..NewKey::named("page")
        };
        for (new, most) in [(limits(3, 0), 3), (limits(0, 2), 2), (limits(2, 5), 2)] {
            let secret = added(home.path(), new);
            let keys = Keys::open(home.path()).unwrap();
            for _ in 0..most {
                assert!(keys.admit(Some(&secret.reveal())).is_ok());
            }
            let refused = keys.admit(Some(&secret.reveal())).unwrap_err();
            assert!(
                matches!(refused, Refused::TooMuch(wait) if wait > Duration::ZERO),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn a_changed_file_is_read_again_and_one_that_is_gone_lets_nobody_in() {
        let home = tempfile::TempDir::new().unwrap();
        let first = added(home.path(), NewKey::named("a"));
        let keys = Keys::open(home.path()).unwrap();
        let second = added(home.path(), NewKey::named("b"));
        let later = |keys: &Keys| keys.held().looked = Instant::now().checked_sub(2 * LOOK_EVERY);
        later(&keys);
        assert!(keys.admit(Some(&second.reveal())).is_ok());
        fs::remove_file(KeyFile::path(home.path())).unwrap();
        later(&keys);
        assert_eq!(keys.admit(Some(&first.reveal())), Err(Refused::Unknown));
        assert!(keys.are_needed());
    }
}
