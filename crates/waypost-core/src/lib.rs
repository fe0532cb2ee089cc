//! What crosses a wall between Waypost's crates: errors, the ports to the outside, and the records
//! that pass through them.
//!
//! [`ports`] are traits: what the library expects of clocks, stores, models, tool servers, encoders
//! and document searches. [`records`] are the data that enter and leave: a request, a decision, an
//! answer, events, sessions and labels. A crate that implements a port needs this crate alone.
//!
//! Nothing here opens a socket or a file or reads a clock.

pub mod error;
pub mod hash;
pub mod ports;
pub mod records;
pub mod similarity;
pub mod text_match;

pub use error::{Code, Error, Result, Severity};
