//! How the words of a request say what its parts are for: where an object begins, which role a
//! value has.
//!
//! The words are data (`roles.txt` of each language); this knows classes of words only.

pub(super) mod condition;
pub(super) mod object;
pub(super) mod role;

#[cfg(test)]
mod spec;
