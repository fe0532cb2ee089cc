//! The named models that routes ask for.

use serde::{Deserialize, Serialize};

/// A named model for a purpose; a pack's routes ask for one, configuration fills it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    /// The capable model.
    Main,
    /// The cheap model; falls back to `main` where it is not configured.
    Light,
}

impl Slot {
    /// The name in packs, configurations and records.
    pub fn name(self) -> &'static str {
        match self {
            Slot::Main => "main",
            Slot::Light => "light",
        }
    }
}
