//! Waypost decides what should happen with what a user wrote.
//!
//! This crate holds the concepts and the decisions. It opens no socket and no file, and reads
//! neither clock nor environment: whatever comes from outside is a value or stands behind a trait.

pub mod error;
pub mod language;
pub mod learning;
pub mod text;

pub mod decision;
pub mod event;
pub mod request;
pub mod session;

pub mod clock;
pub mod model;
pub mod retrieval;
pub mod store;
pub mod tools;

pub mod extract;

pub use error::{Code, Error, Result, Severity};
