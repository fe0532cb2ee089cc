//! Fakes for tests: a scripted model server, a model hub, and the smallest ports that a router needs.
//!
//! The scripted server replies as a test tells it to, in order, and fails the test when it is asked
//! once more or once less than that. It speaks OpenAI's chat completions over plain HTTP on a port of
//! this machine. A request without a reply left gets status 500, and the test panics at its end.
//!
//! [`StillClock`], [`EmptyShelf`] and [`OneSession`] are a clock, a retriever and a store for tests that
//! are about none of them. [`clients`] lists clients that misbehave, and [`http2`] writes what they say in frames.
//! [`Shipped`] is a pack of this repository with its student. [`strict_faults`] says what OpenAI's strict mode refuses of a schema.
//!
//! # Example
//!
//! ```
//! use waypost_testing::Script;
//!
//! let server = Script::new().start();
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! server.finish();
//! ```
#![expect(clippy::expect_used, reason = "a test that cannot go on must fail")]

pub mod clients;

mod http;
pub mod http2;
mod hub;
pub mod models;
mod outside;
mod packs;
mod schemas;
mod script;
mod server;
pub mod servers;

pub use hub::{ModelHub, RunningHub};
pub use outside::{EmptyShelf, OneSession, StillClock};
pub use packs::Shipped;
pub use schemas::strict_faults;
pub use script::{Fault, Script};
pub use server::Scripted;
