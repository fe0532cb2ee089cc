//! Reads what words do in a conversation, rather than what they name: deny, join, point back,
//! answer a question, correct what was understood.

pub(super) mod operators;
pub(super) mod pointing;

pub(super) mod act;
pub(super) mod clauses;
pub(super) mod core;
pub(super) mod correction;
pub(super) mod done;
pub(super) mod exclusion;
pub(super) mod followup;

#[cfg(test)]
mod spec;
