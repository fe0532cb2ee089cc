//! The ports of `waypost-core`, implemented: everything outside the process that Waypost talks to.
//!
//! No decision is made here. Each module keeps the types of its library to itself, and an upstream's
//! own words go into an error's detail, never into its message.
//!
//! | module | talks to |
//! |---|---|
//! | [`llm`] | language models with an OpenAI-compatible address |
//! | [`mcp`] | tool servers, as child processes that speak MCP |
//! | [`retrieval`] | documents: BM25, vectors, a search server, and the fusion of their lists |
//! | [`encoder`] | sentence encoders, in micro-batches (feature `encoder`) |
//! | `hub` | the model hub that encoders are downloaded from (feature `encoder`) |
//! | [`stores`] | sessions, events and labels: in SQLite or in memory, redacted and bounded |
//! | [`students`] | the stored versions of a pack's student: bundles, cards, and an index of which one serves |
//! | [`telemetry`] | a collector of OpenTelemetry (feature `otlp`) |
//! | [`clock`] | the clock of the machine |
//!
//! The feature `elasticsearch` adds the client of search servers to [`retrieval`].

pub mod clock;
pub mod encoder;
pub mod fetch;
#[cfg(feature = "encoder")]
pub mod hub;
pub mod llm;
pub mod mcp;
pub mod retrieval;
pub mod stores;
pub mod students;
pub mod telemetry;

mod bounds;
mod http;
