//! Ways in other than the command line.

pub(crate) mod http;
pub(crate) mod mcp;
