//! Waypost's backends against the upstreams they are for, with every fault that those can have.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on must fail"
)]

mod children;
mod dialects;
mod elastic;
mod encoder;
mod hostile;
mod hub;
mod kill;
mod llm;
mod mcp;
mod mcp_http;
mod raw;
mod replay;
mod results;
mod stores;
