//! How far a model that decides is believed.

use serde::{Deserialize, Serialize};

/// What is taken to be right of a model that nobody has measured.
pub const UNMEASURED: f64 = 0.9;

/// How far a model that decides is believed on a pack, in probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// How likely a name that it chooses is right.
    pub choosing: f64,
    /// How likely an argument that it reads is right.
    pub reading: f64,
    /// The confidence from which a student without a threshold of its own decides without the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

impl Belief {
    /// Of a model that nobody has measured.
    pub const UNMEASURED: Self =
        Self { choosing: UNMEASURED, reading: UNMEASURED, threshold: None };
}

impl Default for Belief {
    fn default() -> Self {
        Self::UNMEASURED
    }
}
