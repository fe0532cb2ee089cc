//! Waypost's backends against the upstreams they are for, with every fault that those can have.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on must fail"
)]

mod children;
mod dialects;
#[cfg(feature = "elasticsearch")]
mod elastic;
#[cfg(feature = "encoder")]
mod encoder;
mod hostile;
#[cfg(feature = "encoder")]
mod hub;
mod kill;
mod llm;
mod mcp;
mod mcp_http;
mod raw;
mod replay;
mod results;
mod stores;
