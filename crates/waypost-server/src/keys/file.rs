//! `keys.json` in the home: read by `waypost serve`, written by `waypost keys`.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use waypost::pack::did_you_mean;
use waypost::{Code, Error, Result};

use super::{Allowed, Hashed, Key, MAX_NAME_BYTES, Scope, Secret, State};
use crate::failure::Failure;
use crate::files;

/// The name of the file in the home.
const FILE: &str = "keys.json";
/// The version of its form.
const FORMAT: u32 = 1;
/// The most keys that are kept.
const MAX_KEYS: usize = 10_000;

/// The keys of a home.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeyFile {
    format: u32,
    pub(crate) keys: Vec<Key>,
}

/// The rights of a new key, and its limits.
#[derive(Debug, Clone)]
pub(crate) struct NewKey {
    pub(crate) name: String,
    pub(crate) scopes: BTreeSet<Scope>,
    pub(crate) packs: Allowed,
    pub(crate) tools: Allowed,
    pub(crate) models: Option<Allowed>,
    pub(crate) per_minute: Option<NonZeroU32>,
    pub(crate) per_day: Option<NonZeroU32>,
    pub(crate) tokens_per_day: Option<NonZeroU64>,
    pub(crate) expires: Option<Timestamp>,
}

#[cfg(test)]
impl NewKey {
    /// A key that may use all packs, tools and models, and do nothing with them.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            scopes: BTreeSet::new(),
            packs: Allowed::All,
            tools: Allowed::All,
            models: None,
            per_minute: None,
            per_day: None,
            tokens_per_day: None,
            expires: None,
        }
    }
}

impl Default for KeyFile {
    fn default() -> Self {
        Self { format: FORMAT, keys: Vec::new() }
    }
}

impl KeyFile {
    /// The path of the file in a home.
    pub(crate) fn path(home: &Path) -> PathBuf {
        home.join(FILE)
    }

    /// Reads the keys of a home; none, where there is no file.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` for a file that cannot be read: to go on without keys would let everybody in.
    pub(crate) fn load(home: &Path) -> Result<Self> {
        let path = Self::path(home);
        let unusable = |why: String| {
            Error::new(
                Code::FailedPrecondition,
                format!("cannot read the keys in `{}`: {why}", path.display()),
            )
            .with_hint("mend the file, or take it away and make new keys with `waypost keys add`")
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            // A home that is not there never had a key.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(Self::default());
            }
            Err(error) => return Err(unusable(error.to_string())),
        };
        let file: Self =
            serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
        if file.format != FORMAT {
            return Err(unusable(format!(
                "it has the format {}, this program reads {FORMAT}",
                file.format
            )));
        }
        Ok(file)
    }

    /// Changes the keys of a home, one process at a time.
    ///
    /// # Errors
    ///
    /// Those of the change, and of a file that cannot be read or written; it is as it was then.
    pub(crate) fn change<T>(
        home: &Path,
        change: impl FnOnce(&mut Self) -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        let path = Self::path(home);
        let unwritable = |error: std::io::Error| files::unwritable(&path, &error);
        files::make_home(home).map_err(unwritable)?;
        let lock = files::open_private(&home.join("keys.lock")).map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut file = Self::load(home)?;
        let done = change(&mut file)?;
        let text = serde_json::to_string_pretty(&file)
            .map_err(|error| Error::internal(error.to_string()))?;
        files::replace_private(&path, text + "\n")?;
        Ok(done)
    }

    /// Adds a key, and returns it with its secret.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a name that is empty or too long; `RESOURCE_EXHAUSTED` for one key too many.
    pub(crate) fn add(&mut self, new: NewKey, now: Timestamp) -> Result<(Key, Secret)> {
        let name = new.name.trim().to_owned();
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            let message =
                format!("a key needs a name of at most {MAX_NAME_BYTES} bytes in one line");
            return Err(Error::invalid(message)
                .with_hint("say what it is for: `waypost keys add 'web page'`"));
        }
        if self.keys.len() >= MAX_KEYS {
            let message = format!("there are {MAX_KEYS} keys, the limit");
            return Err(Error::new(Code::ResourceExhausted, message)
                .with_hint("one key serves many callers"));
        }
        let mut secret = Secret::generate(None)?;
        while self.keys.iter().any(|key| key.id == secret.id()) {
            secret = Secret::generate(None)?;
        }
        let key = Key {
            id: secret.id().to_owned(),
            name,
            secrets: vec![Hashed { sha256: secret.sha256(), until: None }],
            scopes: new.scopes,
            packs: new.packs,
            tools: new.tools,
            models: new.models,
            per_minute: new.per_minute,
            per_day: new.per_day,
            tokens_per_day: new.tokens_per_day,
            created: now,
            expires: new.expires,
            revoked: None,
        };
        self.keys.push(key.clone());
        Ok((key, secret))
    }

    /// Gives a key a new secret; the one before counts for as long as `overlap`.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND`; `FAILED_PRECONDITION` for a key that does not count any more.
    pub(crate) fn rotate(
        &mut self,
        id: &str,
        overlap: SignedDuration,
        now: Timestamp,
    ) -> Result<Secret> {
        let key = self.key(id)?;
        if key.state(now) != State::Valid {
            let message = format!("the key `{id}` does not count any more");
            return Err(Error::new(Code::FailedPrecondition, message)
                .with_hint("make a new one with `waypost keys add`"));
        }
        let secret = Secret::generate(Some(id))?;
        let end = now.checked_add(overlap).unwrap_or(Timestamp::MAX);
        key.secrets.retain(|own| own.until.is_none_or(|until| now < until));
        for own in &mut key.secrets {
            own.until = Some(own.until.map_or(end, |until| until.min(end)));
        }
        key.secrets.push(Hashed { sha256: secret.sha256(), until: None });
        Ok(secret)
    }

    /// Revokes a key; returns whether it had counted until now.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND`.
    pub(crate) fn revoke(&mut self, id: &str, now: Timestamp) -> Result<bool> {
        let key = self.key(id)?;
        let counted = key.revoked.is_none();
        key.revoked.get_or_insert(now);
        Ok(counted)
    }

    fn key(&mut self, id: &str) -> Result<&mut Key> {
        let hint = did_you_mean(id, self.keys.iter().map(|key| key.id.as_str()));
        let key = self.keys.iter_mut().find(|key| key.id == id);
        key.ok_or_else(|| {
            Error::new(Code::NotFound, format!("there is no key `{id}`")).with_hint(hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_key_that_was_rotated_counts_until_its_overlap_ends() {
        let mut file = KeyFile::default();
        let (key, first) = file.add(NewKey::named("page"), at(0)).unwrap();
        let second = file.rotate(&key.id, SignedDuration::from_secs(10), at(100)).unwrap();
        let now = |file: &KeyFile, secret: &Secret, second| file.keys[0].has(secret, at(second));
        assert!(now(&file, &first, 109) && now(&file, &second, 109));
        assert!(!now(&file, &first, 110) && now(&file, &second, 110));
        assert!(file.revoke(&key.id, at(200)).unwrap());
        assert!(!file.revoke(&key.id, at(201)).unwrap());
        assert_eq!(file.keys[0].state(at(202)), State::Revoked);
        let told = file.rotate(&key.id, SignedDuration::ZERO, at(300)).unwrap_err();
        assert_eq!(told.code(), Code::FailedPrecondition);
        assert_eq!(file.revoke("nobody", at(0)).unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn the_file_holds_no_secret_and_is_its_owners_alone() {
        let home = tempfile::TempDir::new().unwrap();
        let (_, secret) =
            KeyFile::change(home.path(), |file| Ok(file.add(NewKey::named("page"), at(0))?))
                .unwrap();
        let text = fs::read_to_string(KeyFile::path(home.path())).unwrap();
        let shown = secret.reveal();
        let (_, hidden) = shown.rsplit_once('_').unwrap();
        assert!(!text.contains(hidden));
        assert_eq!(KeyFile::load(home.path()).unwrap().keys.len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(KeyFile::path(home.path())).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_key_of_a_file_that_says_nothing_of_models_has_all_if_nothing_bounds_it_and_else_none() {
        let home = tempfile::TempDir::new().unwrap();
        let models = |more: serde_json::Value| {
            let mut key = serde_json::json!({
                "id": "1f2e3d4c", "name": "page", "secrets": [], "scopes": ["ask"], "created": "2026-01-01T00:00:00Z",
            });
            key.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            let file = serde_json::json!({ "format": 1, "keys": [key] });
            fs::write(KeyFile::path(home.path()), file.to_string()).unwrap();
            let file = KeyFile::load(home.path()).unwrap();
            // What is written again means the same.
            let again: KeyFile = serde_json::from_value(serde_json::json!(file)).unwrap();
            assert_eq!(again, file);
            ["big", "small"].map(|model| file.keys[0].models().has(model))
        };
        for (fields, may) in [
            (serde_json::json!({}), [true, true]),
            (serde_json::json!({ "packs": ["notes"] }), [false, false]),
            (serde_json::json!({ "tools": ["list_notes"] }), [false, false]),
            (serde_json::json!({ "packs": ["notes"], "models": ["small"] }), [false, true]),
            (serde_json::json!({ "models": ["small"] }), [false, true]),
            (serde_json::json!({ "models": [] }), [false, false]),
        ] {
            assert_eq!(models(fields.clone()), may, "{fields}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_empty_one() {
        let home = tempfile::TempDir::new().unwrap();
        for text in ["{", "{\"format\": 2, \"keys\": []}"] {
            fs::write(KeyFile::path(home.path()), text).unwrap();
            assert_eq!(KeyFile::load(home.path()).unwrap_err().code(), Code::FailedPrecondition);
        }
    }
}
