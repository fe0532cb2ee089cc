//! The tokens of model calls.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The tokens of a model call as its server counted them, or the sum of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Those of the prompt, with those that were cached.
    pub prompt: u64,
    /// Those of the prompt that the server found in its cache; 0 where it does not say.
    pub cached: u64,
    /// Those of the reply, with those of the model's thinking.
    pub reply: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.reply = self.reply.saturating_add(other.reply);
    }
}
