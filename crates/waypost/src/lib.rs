//! Waypost decides what should happen with what a user wrote.
//!
//! This crate holds the concepts and the decisions. It opens no socket and no file, and reads
//! neither clock nor environment: whatever comes from outside is a value or stands behind a trait.

pub mod error;
pub mod learning;

pub mod convergence;
pub mod counters;
pub mod decision;
pub mod event;
pub mod label;
pub mod request;
pub mod rollout;
pub mod session;

pub mod clock;
pub mod encoder;
pub mod model;
pub mod retrieval;
pub mod store;
pub mod tools;
pub mod warm;

pub mod hash;
mod likeness;
pub mod pack;
mod template;

pub mod memory;
pub mod mention;
pub mod messages;
mod place;
pub mod turn;
mod views;

pub mod arguments;
mod progress;
pub mod reload;
pub mod service;
pub mod student;
pub mod triage;

pub mod cascade;
pub mod challenge;
mod contract;
mod decide;
pub mod execution;
pub mod feedback;
pub mod gates;
mod labels;
pub mod lint;
mod observe;
mod question;
pub mod render;
pub mod replay;
mod shadow;
pub mod why;

pub mod answer;
pub mod audit;
mod dialogue;
mod envelope;
pub mod handlers;
pub mod router;
mod vigil;

mod matching;

pub use error::{Code, Error, Result, Severity};
pub use waypost_text::{extract, language, redact, text};
