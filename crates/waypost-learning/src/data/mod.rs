//! Decides what a student may learn from: which labels count, whether the texts can teach what
//! their labels say, and which routes they confuse.

pub mod confusion;
pub mod curate;
pub mod validation;
