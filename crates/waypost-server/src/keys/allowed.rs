//! The names that a key may use. An empty list allows nothing: only what says so allows everything.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, Serializer};

/// All names, or some.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeSet<String>")]
pub(crate) enum Allowed {
    All,
    Only(BTreeSet<String>),
}

impl Allowed {
    /// All names, for a key that was made without any.
    pub(super) fn all() -> Self {
        Self::All
    }

    /// The names of options of a command line; without one, all are allowed.
    pub(crate) fn options(names: &[String]) -> Self {
        if names.is_empty() { Self::All } else { Self::Only(names.iter().cloned().collect()) }
    }

    /// Returns whether everything is allowed.
    pub(crate) fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Returns whether a name is allowed.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }
}

impl From<BTreeSet<String>> for Allowed {
    fn from(names: BTreeSet<String>) -> Self {
        Self::Only(names)
    }
}

impl Serialize for Allowed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Not in files: a key that may use everything has no list.
            Self::All => serializer.serialize_str("all"),
            Self::Only(names) => names.serialize(serializer),
        }
    }
}
