//! What a student may learn from: which labels count, and whether the texts can teach what they say.

pub mod curate;
pub mod validation;
