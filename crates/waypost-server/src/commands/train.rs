//! Stub.
use crate::cli::TrainArgs;
use crate::failure::Failure;
pub(super) fn run(_: &TrainArgs) -> Result<u8, Failure> { Ok(1) }
