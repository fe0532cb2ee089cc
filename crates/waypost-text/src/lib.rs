//! What a user wrote, and the values in it.
//!
//! A crate of its own, so that the extractors build and test in seconds; `waypost` passes its
//! modules on as its own. It reads neither clock nor environment and opens nothing.

pub mod extract;
pub mod language;
pub mod redact;
pub mod text;
