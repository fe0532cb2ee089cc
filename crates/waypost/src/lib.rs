//! Waypost decides what should happen with what a user wrote.
//!
//! This crate holds the concepts and the decisions. It opens no socket and no file, and reads
//! neither clock nor environment: whatever comes from outside is a value or stands behind a trait.

pub mod error;
pub mod extract;
pub mod language;
pub mod model;
pub mod retrieval;
pub mod text;
pub mod tools;

pub use error::{Code, Error, Result, Severity};
