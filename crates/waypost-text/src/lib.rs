//! A user's words, normalized, and the values in them.
//!
//! [`text`] normalizes and keeps the way back to what was typed; [`extract`] finds dates, numbers,
//! amounts, coordinates and names; [`effort`] bounds the work of it; [`language`] has the tags; [`spelling`] finds the word that was meant where a
//! finger slipped; [`redact`] takes personal data out; [`units`] converts amounts.
//!
//! This is a crate of its own so that the extractors build and test in seconds; `waypost`
//! re-exports its modules. It reads neither clock nor environment and opens nothing: the instant
//! comes with the request.

pub mod effort;
pub mod extract;
mod homophones;
pub mod language;
pub mod redact;
mod sound;
pub mod spelling;
pub mod text;
pub mod units;
