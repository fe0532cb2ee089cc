//! The packs' sample MCP servers: the real protocol over synthetic data.
//!
//! With a sample server, a pack can be tried and tested without its real upstream. Tools, schemas, errors
//! and limits are the upstream's; the numbers come from a formula, and every result says so
//! (`"synthetic": true` and a `note`). It reads neither clock nor environment: the present moment and the
//! fault to play are values in [`DemoOptions`].
//!
//! Start reading at `server.rs` (one call), then `ocean.rs`, `malaria.rs`, `finance.rs` or
//! `accelerator.rs` (a pack each). A new pack is one file and one line in `pack.rs`.

mod accelerator;
mod fault;
mod finance;
mod malaria;
mod number;
mod ocean;
mod options;
mod pack;
mod picture;
mod random;
mod schema;
mod serve;
mod server;

pub use fault::{Fault, ParseFaultError};
pub use options::{DemoOptions, Log};
pub use serve::{Error, serve_http, serve_stdio, serve_stream};

/// The names of the packs that have a sample server, in the order of the table.
pub fn packs() -> &'static [&'static str] {
    &pack::NAMES
}
