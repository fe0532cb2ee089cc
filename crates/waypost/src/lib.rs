//! Waypost decides what should happen with what a user wrote.
//!
//! This crate holds the concepts and the decisions. It opens no socket and no file, and reads
//! neither clock nor environment: whatever comes from outside is a value or stands behind a trait.

pub mod pack;
pub mod turn;

pub mod student;

pub mod decide;

pub mod respond;

pub mod observe;

pub mod feedback;

pub mod lint;

pub mod router;

pub use waypost_core::{Code, Error, Result, Severity, error, hash, ports, records};
pub use waypost_learning as learning;
pub use waypost_text::{extract, language, redact, text};
