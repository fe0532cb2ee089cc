//! The keys of callers: what each may do, and how it is known again. A key is shown once, when it is made; what is kept is its
//! hash.

mod allowed;
mod file;
mod jwt;
mod quotas;
mod secret;
#[cfg_attr(not(feature = "jwt"), path = "tokens/without.rs")]
mod tokens;
mod watch;

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use allowed::Allowed;
pub(crate) use file::{KeyFile, NewKey};
pub(crate) use jwt::JwtFile;
pub(crate) use quotas::{Quota, Quotas};
pub(crate) use secret::Secret;
pub(crate) use tokens::Tokens;
pub(crate) use watch::{Keys, Refused};

/// The most bytes of a key's name.
pub(crate) const MAX_NAME_BYTES: usize = 80;

/// A thing that a caller may do.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// Asks: decisions, answers, the catalog.
    Ask,
    /// Is believed: flags, the user's name and the context of a request count, and tools that destroy may run.
    Trusted,
    /// Says whether a decision was right.
    Label,
    /// Sees the events of everybody, the students and the figures, and reloads.
    Admin,
}

impl Scope {
    /// The name in files and messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scope::Ask => "ask",
            Scope::Trusted => "trusted",
            Scope::Label => "label",
            Scope::Admin => "admin",
        }
    }
}

/// A key, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    /// The part of it that is no secret: files, logs and the names of conversations have it.
    pub(crate) id: String,
    /// Its purpose, in the words of its maker.
    pub(crate) name: String,
    /// The hashes of its secrets: one, and until they end those that were before.
    pub(crate) secrets: Vec<Hashed>,
    pub(crate) scopes: BTreeSet<Scope>,
    /// The packs that it may ask; all, if the file has no list.
    #[serde(default = "Allowed::all", skip_serializing_if = "Allowed::is_all")]
    pub(crate) packs: Allowed,
    /// The tools that it may use; all, if the file has no list.
    #[serde(default = "Allowed::all", skip_serializing_if = "Allowed::is_all")]
    pub(crate) tools: Allowed,
    /// The configured models that its requests may be passed on to, if the file says so; [`Key::models`] is what counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) models: Option<Allowed>,
    /// The most requests a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) per_minute: Option<NonZeroU32>,
    /// The most requests a day, given back evenly over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) per_day: Option<NonZeroU32>,
    /// The most tokens a day of configured models, given back evenly over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tokens_per_day: Option<NonZeroU64>,
    pub(crate) created: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) revoked: Option<Timestamp>,
}

/// A secret, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hashed {
    /// SHA-256 in hexadecimal. A secret has 256 bits of the system's randomness, so that nobody tries them all; a hash for
    /// passwords would only make each request slow.
    pub(crate) sha256: String,
    /// The instant from which it counts no more, for one that was replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Timestamp>,
}

/// The standing of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Valid,
    Expired,
    Revoked,
}

impl Key {
    /// The configured models that its requests may be passed on to. A key that is bound to packs or tools has none that it
    /// does not name, because a model of the operator does more than any tool.
    pub(crate) fn models(&self) -> &Allowed {
        const ALL: &Allowed = &Allowed::All;
        const NONE: &Allowed = &Allowed::Only(BTreeSet::new());
        let unbound = self.packs.is_all() && self.tools.is_all();
        self.models.as_ref().unwrap_or(if unbound { ALL } else { NONE })
    }

    /// Its standing at an instant.
    pub(crate) fn state(&self, now: Timestamp) -> State {
        match (self.revoked, self.expires) {
            (Some(_), _) => State::Revoked,
            (None, Some(expires)) if expires <= now => State::Expired,
            _ => State::Valid,
        }
    }

    /// Returns whether a secret is one of its own at an instant.
    fn has(&self, secret: &Secret, now: Timestamp) -> bool {
        let hash = secret.sha256();
        let mut counting =
            self.secrets.iter().filter(|own| own.until.is_none_or(|until| now < until));
        counting.any(|own| own.sha256 == hash)
    }
}
