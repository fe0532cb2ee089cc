//! The work of a decided turn: approved calls are run, a route's handler does its work, and the result
//! is said.

pub(crate) mod dialogue;
pub(crate) mod envelope;
pub mod execution;
pub mod handlers;
pub mod render;
