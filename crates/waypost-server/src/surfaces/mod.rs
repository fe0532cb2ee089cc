//! Ways in other than the command line.

mod front;
mod salt;
mod turns;

pub(crate) mod http;
pub(crate) mod mcp;
