//! A model server that says what a test tells it to, in order, and fails the test when it is asked
//! once more or once less than that; a model hub that serves files; and what else a router has around
//! it where a test is about something else.
//!
//! It speaks the chat completions of OpenAI over plain HTTP on a port of this machine. A test that
//! ends while a reply is left over, or after a request came that no reply was left for (it was
//! answered with status 500), panics; that is what this crate is for.
//!
//! ```
//! use waypost_testing::Script;
//!
//! let server = Script::new().start();
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! server.finish();
//! ```
#![expect(clippy::expect_used, reason = "a test that cannot go on must fail")]

mod http;
mod hub;
mod outside;
mod script;
mod server;

pub use hub::{ModelHub, RunningHub};
pub use outside::{EmptyShelf, OneSession, StillClock};
pub use script::{Fault, Script};
pub use server::Scripted;
