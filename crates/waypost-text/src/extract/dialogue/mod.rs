//! What words do in a conversation, rather than what they name: deny, join, point back, answer a
//! question, mend what was understood.

pub(super) mod operators;

pub(super) mod clauses;
pub(super) mod followup;
pub(super) mod objection;
pub(super) mod turn;

#[cfg(test)]
mod spec;
