//! Ways in other than the command line.

pub(crate) mod mcp;
