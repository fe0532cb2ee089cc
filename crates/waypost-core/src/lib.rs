//! The types that cross a wall between Waypost's crates: errors, records, and ports to the outside.
//!
//! A crate that implements a port needs this crate alone. Nothing here opens a socket or a file or
//! reads a clock.
//!
//! | module | holds |
//! |---|---|
//! | [`error`] | the one [`Error`]: a [`Code`] with its exit and HTTP status, a message for people, a hint, a detail for logs |
//! | [`records`] | the data that enter and leave: a request, a decision, an answer, events, sessions, labels |
//! | [`ports`] | the traits for the outside: clocks, models, tool servers, stores, document searches, encoders |
//! | [`printable`] | what came from outside as text that can be printed |
//! | [`schema`] | JSON Schemas of other people, bounded before they are compiled and before they check anything |
//! | [`hash`], [`markdown`], [`similarity`], [`text_match`] | small helpers that several crates share |
//!
//! # Example
//!
//! ```
//! use waypost_core::{Code, Error};
//!
//! let error = Error::invalid("`now` is `soon`, which is no instant").with_hint("write RFC 3339");
//! assert_eq!(error.code(), Code::InvalidArgument);
//! assert_eq!((error.code().http_status(), error.code().exit_status()), (400, 2));
//! ```

pub mod error;
pub mod hash;
pub mod markdown;
pub mod ports;
pub mod printable;
pub mod records;
pub mod schema;
pub mod similarity;
pub mod text_match;

pub use error::{Code, Error, Result, Severity};
