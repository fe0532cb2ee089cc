//! Everything outside the process that Waypost talks to: language models, tool servers, stores,
//! document retrieval and sentence encoders, each behind a port of `waypost-core`; and the versions of
//! students.
//!
//! No decision is made here. Each module keeps the types of its library to itself, and whatever an
//! upstream says goes into an error's detail, never into its message.

pub mod clock;
pub mod encoder;
pub mod hub;
pub mod llm;
pub mod mcp;
pub mod retrieval;
pub mod stores;
pub mod students;

mod bounds;
mod http;
