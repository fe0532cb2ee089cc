//! The student of a pack: its heads, which version is in service, and what a challenger must pass
//! before it may serve.

pub(crate) mod answers;
mod background;
pub mod examination;
pub mod heads;
pub mod in_service;
pub mod reload;
mod stories;
