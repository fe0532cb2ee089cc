//! Stub.
use crate::cli::ChatArgs;
use crate::config::Config;
use crate::failure::Failure;
pub(super) async fn run(_: &ChatArgs, _: &Config) -> Result<u8, Failure> {
    Ok(1)
}
